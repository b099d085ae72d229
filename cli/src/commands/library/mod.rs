//! Commands on the library as a whole.

mod compact;
mod copy;
mod counts;
mod health;
mod snapshot_create;
mod snapshot_verify;
mod stats;

pub(crate) use counts::{tally, with_pdf};

use crate::context::Context;
use crate::error::CliError;

/// The library as a whole: counts, quality, backups, size
#[derive(Debug, clap::Subcommand)]
pub(crate) enum LibraryCommand {
    Stats(stats::StatsArgs),
    Health(health::HealthArgs),
    #[command(subcommand)]
    Snapshot(SnapshotCommand),
    Compact(compact::CompactArgs),
}

/// Backups of the library: make and verify them
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SnapshotCommand {
    Create(snapshot_create::SnapshotCreateArgs),
    Verify(snapshot_verify::SnapshotVerifyArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &LibraryCommand) -> Result<(), CliError> {
    match command {
        LibraryCommand::Stats(args) => stats::cmd_stats(ctx, args),
        LibraryCommand::Health(args) => health::cmd_health(ctx, args),
        LibraryCommand::Snapshot(SnapshotCommand::Create(args)) => snapshot_create::cmd_snapshot_create(ctx, args),
        LibraryCommand::Snapshot(SnapshotCommand::Verify(args)) => snapshot_verify::cmd_snapshot_verify(ctx, args),
        LibraryCommand::Compact(args) => compact::cmd_compact(ctx, args),
    }
}
