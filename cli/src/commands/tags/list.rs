use clap_facade::annotate::read_only;

/// List the names of all tags (labels, keywords).
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub struct ListArgs {
    /// Only names that contain this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub contains: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}
