use clap_facade::annotate::read_only;

/// Count the library: items by type and year, tags, notes, PDFs, size of the file.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct StatsArgs {}
