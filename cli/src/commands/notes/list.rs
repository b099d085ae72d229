use clap_facade::annotate::read_only;

/// List notes (remarks, quotes), of one item or of all, newest first.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("What did I write about kuhn1962", "notes list kuhn1962"))]
pub struct ListArgs {
    /// Only the notes about this item (citation key or id)
    pub item: Option<String>,

    /// Only notes that contain this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub contains: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
}
