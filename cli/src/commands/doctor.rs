use clap_facade::annotate::read_only;

/// Diagnose the installation: data folder, database, schema, search index, configuration.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct DoctorArgs {}
