use clap_facade::annotate::mutating;

/// Create an empty library and a configuration file.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct InitArgs {}
