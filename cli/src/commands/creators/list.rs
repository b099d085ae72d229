use clap_facade::annotate::read_only;

/// List the people in the library (authors, editors, translators) with their number of items.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("Everybody called Smith", "creators list --contains smith"))]
pub struct ListArgs {
    /// Only names that contain this text; case and accents don't matter
    #[arg(long, value_name = "TEXT")]
    pub contains: Option<String>,

    /// Only people in this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}
