use super::entry::{ReadingState, put};
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;

/// Mark items as read, finished: cross them off the reading list.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("I have read hobbes1651", "reading-list done hobbes1651"))]
pub(crate) struct DoneArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,
}

pub(crate) fn cmd_done(ctx: &mut Context<'_, '_>, args: &DoneArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        each_item(ctx, plan, "finish", &args.items, |plan, item| put(plan, item, ReadingState::Done, None))
    })
}
