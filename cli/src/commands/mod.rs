//! The commands: one folder a group, one file a command.

mod items;
mod journal;

use crate::context::Context;
use crate::error::CliError;

/// The top of the command tree.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    #[command(subcommand)]
    Items(items::ItemsCommand),
    #[command(subcommand)]
    Journal(journal::JournalCommand),
}

/// Runs a command.
pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &Command) -> Result<(), CliError> {
    match command {
        Command::Items(command) => items::dispatch(ctx, command),
        Command::Journal(command) => journal::dispatch(ctx, command),
    }
}
