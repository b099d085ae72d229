//! Commands on the journal.

mod list;
mod show;
mod undo;

use crate::context::Context;
use crate::error::CliError;

/// See what was changed in the library, and undo it
#[derive(Debug, clap::Subcommand)]
pub(crate) enum JournalCommand {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Undo(undo::UndoArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &JournalCommand) -> Result<(), CliError> {
    match command {
        JournalCommand::List(args) => list::cmd_list(ctx, args),
        JournalCommand::Show(args) => show::cmd_show(ctx, args),
        JournalCommand::Undo(args) => undo::cmd_undo(ctx, args),
    }
}
