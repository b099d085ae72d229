use clap_facade::annotate::mutating;

/// Move a collection, with all inside it, under another collection or to the top.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Methods goes under Thesis", "collections move Methods --to Thesis"))]
#[command(group = clap::ArgGroup::new("place").required(true))]
pub struct MoveArgs {
    /// The collection to move: its name, path or id
    pub collection: String,

    /// The collection that is to hold it
    #[arg(long, value_name = "COLLECTION", group = "place")]
    pub to: Option<String>,

    /// Move it to the top level
    #[arg(long, group = "place")]
    pub top: bool,
}
