//! Commands that bring works into the library.

mod doi;
mod file;
mod planning;
mod scan;

use crate::context::Context;
use crate::error::CliError;
pub(crate) use planning::{Duplicates, Incoming, plan_records, shelve};

/// Bring works into the library: from a bibliography file or by DOI
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ImportCommand {
    File(file::FileArgs),
    Doi(doi::DoiArgs),
    Scan(scan::ScanArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &ImportCommand) -> Result<(), CliError> {
    match command {
        ImportCommand::File(args) => file::cmd_file(ctx, args),
        ImportCommand::Doi(args) => doi::cmd_doi(ctx, args),
        ImportCommand::Scan(args) => scan::cmd_scan(ctx, args),
    }
}
