use clap_facade::annotate::read_only;

/// Show the checkpoints of workflow runs: what was done, what was interrupted.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct StatusArgs {
    /// Only this run
    run: Option<i64>,

    /// Also archived runs
    #[arg(long)]
    all: bool,
}
