use clap_facade::annotate::read_only;

/// Draw the hierarchy of collections and sub-collections as a tree.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub struct TreeArgs {
    /// Start at this collection instead of the top
    pub collection: Option<String>,

    /// Go down at most this many levels
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
}
