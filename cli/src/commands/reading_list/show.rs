use clap_facade::annotate::read_only;

/// Show the reading list (backlog, queue): unread first, by priority.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("What am I in the middle of", "reading-list show --state reading"))]
pub struct ShowArgs {
    /// Only entries in this state
    #[arg(long, value_enum, value_name = "STATE")]
    pub state: Option<ReadingState>,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}
