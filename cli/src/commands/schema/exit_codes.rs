use clap_facade::annotate::read_only;

/// List the exit codes and what each means.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub struct ExitCodesArgs {}
