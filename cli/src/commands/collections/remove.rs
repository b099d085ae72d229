use clap_facade::annotate::mutating;

/// Take items off a collection; they stay in the library.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Take one paper off the shelf Grant", "collections remove Grant vaswani2017"))]
pub struct RemoveArgs {
    /// The collection: its name, path or id
    pub collection: String,

    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    pub items: Vec<String>,
}
