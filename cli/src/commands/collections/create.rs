use clap_facade::annotate::mutating;

/// Create an empty collection (shelf, folder), at the top or inside another.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("A shelf for the journal club", "collections create \"Journal club\" --parent Teaching"))]
pub struct CreateArgs {
    /// Name of the new collection
    pub name: String,

    /// Put it inside this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    pub parent: Option<String>,
}
