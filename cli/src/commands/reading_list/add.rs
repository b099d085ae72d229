use super::entry::{Priority, ReadingState, put};
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;

/// Queue items to read later: line papers up on the backlog.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Line a paper up, before the others", "reading-list add lamport1978 --priority high"))]
pub(crate) struct AddArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,

    /// How soon to read them [default: normal]
    #[arg(long, value_enum)]
    priority: Option<Priority>,
}

pub(crate) fn cmd_add(ctx: &mut Context<'_, '_>, args: &AddArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        each_item(ctx, plan, "queue", &args.items, |plan, item| {
            put(plan, item, ReadingState::Queued, args.priority.map(Priority::number))
        })
    })
}
