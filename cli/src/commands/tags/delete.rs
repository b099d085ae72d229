use clap_facade::annotate::mutating;

/// Delete tags (labels, keywords) from the library and from every item.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Drop the label old", "tags delete old"))]
pub struct DeleteArgs {
    /// The tags to delete
    #[arg(required = true, value_name = "TAG")]
    pub tags: Vec<String>,
}
