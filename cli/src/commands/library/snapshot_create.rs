use clap_facade::annotate::mutating;
use std::path::PathBuf;

/// Back up the library: write a consistent copy of the database with a checksum file.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Back up before a big change", "library snapshot create"))]
pub(crate) struct SnapshotCreateArgs {
    /// Where to write the copy; a dated file among the library's snapshots by default
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}
