use clap_facade::annotate::read_only;

/// Count a collection's items by type, year, tag, reading state and PDF coverage.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("How is Thesis made up, sub-collections included", "collections stats Thesis --recursive"))]
pub struct StatsArgs {
    /// The collection: its name, path or id; all collections side by side when left out
    pub collection: Option<String>,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    pub recursive: bool,
}
