//! Commands on the files attached to items.

mod add;
mod check;
mod list;

use crate::context::Context;
use crate::error::CliError;

/// Attach files such as PDFs to items, and check that they are still there
#[derive(Debug, clap::Subcommand)]
pub(crate) enum AttachmentsCommand {
    List(list::ListArgs),
    Add(add::AddArgs),
    Check(check::CheckArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &AttachmentsCommand) -> Result<(), CliError> {
    match command {
        AttachmentsCommand::List(args) => list::cmd_list(ctx, args),
        AttachmentsCommand::Add(args) => add::cmd_add(ctx, args),
        AttachmentsCommand::Check(args) => check::cmd_check(ctx, args),
    }
}
