use clap_facade::annotate::read_only;
use std::path::PathBuf;

/// Verify a backup: checksum, database integrity and what it holds.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct SnapshotVerifyArgs {
    /// The snapshot; the newest among the library's snapshots by default
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
}
