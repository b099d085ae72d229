//! Commands on the people of the library.

mod audit;
mod list;
mod naming;
mod rename;

use crate::context::Context;
use crate::error::CliError;

/// People: list authors and editors, find and correct their spellings
#[derive(Debug, clap::Subcommand)]
pub(crate) enum CreatorsCommand {
    List(list::ListArgs),
    Audit(audit::AuditArgs),
    Rename(rename::RenameArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &CreatorsCommand) -> Result<(), CliError> {
    match command {
        CreatorsCommand::List(args) => list::cmd_list(ctx, args),
        CreatorsCommand::Audit(args) => audit::cmd_audit(ctx, args),
        CreatorsCommand::Rename(args) => rename::cmd_rename(ctx, args),
    }
}
