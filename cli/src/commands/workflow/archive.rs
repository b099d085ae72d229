use clap_facade::annotate::mutating;

/// Put workflow runs aside, so that `workflow status` no longer shows them.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct ArchiveArgs {
    /// The runs; all finished ones when left out
    #[arg(value_name = "RUN")]
    runs: Vec<i64>,
}
