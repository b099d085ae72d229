//! Commands on saved searches.

mod delete;
mod list;
mod run;
mod save;
mod saved;

use crate::context::Context;
use crate::error::CliError;

/// Saved searches (filters): keep, run and delete them
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SearchesCommand {
    List(list::ListArgs),
    Save(save::SaveArgs),
    Run(run::RunArgs),
    Delete(delete::DeleteArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &SearchesCommand) -> Result<(), CliError> {
    match command {
        SearchesCommand::List(args) => list::cmd_list(ctx, args),
        SearchesCommand::Save(args) => save::cmd_save(ctx, args),
        SearchesCommand::Run(args) => run::cmd_run(ctx, args),
        SearchesCommand::Delete(args) => delete::cmd_delete(ctx, args),
    }
}
