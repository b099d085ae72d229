use clap_facade::annotate::read_only;

/// Show one collection and the items on it.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("What lies on the shelf Methods", "collections get Methods"))]
pub struct GetArgs {
    /// The collection: its name, its path (Thesis/Methods) or its id
    pub collection: String,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    pub recursive: bool,

    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: usize,
}
