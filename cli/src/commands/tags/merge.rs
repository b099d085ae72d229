use clap_facade::annotate::mutating;

/// Merge several tags into one: two labels become a single label.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("colour and color become one label", "tags merge colour --into color"))]
pub struct MergeArgs {
    /// The tags that go
    #[arg(required = true, value_name = "TAG")]
    pub tags: Vec<String>,

    /// The tag that stays, made if it doesn't exist
    #[arg(long, value_name = "TAG")]
    pub into: String,
}
