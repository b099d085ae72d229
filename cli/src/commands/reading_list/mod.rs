//! Commands on the reading list.

mod add;
mod done;
mod entry;
mod remove;
mod show;
mod start;

use crate::context::Context;
use crate::error::CliError;

/// What to read: queue items, start and finish them
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ReadingListCommand {
    Show(show::ShowArgs),
    Add(add::AddArgs),
    Start(start::StartArgs),
    Done(done::DoneArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &ReadingListCommand) -> Result<(), CliError> {
    match command {
        ReadingListCommand::Show(args) => show::cmd_show(ctx, args),
        ReadingListCommand::Add(args) => add::cmd_add(ctx, args),
        ReadingListCommand::Start(args) => start::cmd_start(ctx, args),
        ReadingListCommand::Done(args) => done::cmd_done(ctx, args),
        ReadingListCommand::Remove(args) => remove::cmd_remove(ctx, args),
    }
}
