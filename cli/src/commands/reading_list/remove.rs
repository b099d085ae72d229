use clap_facade::annotate::mutating;

/// Take items off the reading list without marking them as read.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub struct RemoveArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    pub items: Vec<String>,
}
