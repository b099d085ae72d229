use clap_facade::annotate::mutating;

/// Save a query (filter) under a name, to repeat it later.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct SaveArgs {
    /// Name of the saved search
    name: String,
}
