//! Commands on workflows.

mod archive;
mod checkpoint;
mod report;
mod run;
mod status;
mod steps;

use crate::context::Context;
use crate::error::CliError;

/// Runs of several commands from a file
#[derive(Debug, clap::Subcommand)]
pub(crate) enum WorkflowCommand {
    Run(run::RunArgs),
    Status(status::StatusArgs),
    Archive(archive::ArchiveArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &WorkflowCommand) -> Result<(), CliError> {
    match command {
        WorkflowCommand::Run(args) => run::cmd_run(ctx, args),
        WorkflowCommand::Status(args) => status::cmd_status(ctx, args),
        WorkflowCommand::Archive(args) => archive::cmd_archive(ctx, args),
    }
}
