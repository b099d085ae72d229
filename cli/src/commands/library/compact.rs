use clap_facade::annotate::mutating;

/// Shrink the database file: give the space of deleted items back to the disk (VACUUM).
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct CompactArgs {}
