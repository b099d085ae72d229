use clap_facade::annotate::read_only;

/// List saved searches (filters) and their queries.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct ListArgs {}
