use clap_facade::annotate::destructive;

/// Delete (dissolve) collections; their items stay in the library.
#[derive(Debug, clap::Args)]
#[command(add = destructive().example("Dissolve the shelf Misc", "collections delete Misc"))]
pub struct DeleteArgs {
    /// The collections: names, paths or ids
    #[arg(required = true, value_name = "COLLECTION")]
    pub collections: Vec<String>,

    /// Also delete the collections inside; without it they move up one level
    #[arg(long, short)]
    pub recursive: bool,
}
