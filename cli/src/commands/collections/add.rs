use clap_facade::annotate::mutating;

/// Put items on a collection as well: file papers under a shelf.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Show this paper under the shelf Grant too", "collections add Grant vaswani2017"))]
pub struct AddArgs {
    /// The collection: its name, path or id
    pub collection: String,

    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    pub items: Vec<String>,
}
