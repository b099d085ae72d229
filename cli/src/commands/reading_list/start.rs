use super::entry::{ReadingState, put};
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;

/// Mark items as being read now; puts them on the reading list if they aren't.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct StartArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,
}

pub(crate) fn cmd_start(ctx: &mut Context<'_, '_>, args: &StartArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        each_item(ctx, plan, "start", &args.items, |plan, item| put(plan, item, ReadingState::Reading, None))
    })
}
