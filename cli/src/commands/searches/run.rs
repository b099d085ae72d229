use clap_facade::annotate::read_only;

/// Run a saved search (filter) and show today's hits.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("This week's hits", "searches run gnn-weekly"))]
pub(crate) struct RunArgs {
    /// Name of the saved search
    name: String,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}
