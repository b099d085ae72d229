use clap_facade::annotate::mutating;

/// Delete saved searches; items are untouched.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub struct DeleteArgs {
    /// Names of the saved searches
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
}
