use clap_facade::annotate::read_only;

/// List collections (shelves, folders) with their number of items.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("The shelves inside Thesis", "collections list --parent Thesis"))]
pub struct ListArgs {
    /// Only the collections directly inside this one (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    pub parent: Option<String>,

    /// Only collections that hold no item
    #[arg(long)]
    pub empty: bool,
}
