use clap_facade::annotate::mutating;
use std::path::PathBuf;

/// Run the steps of a file: commands as JSON or JSON lines.
#[derive(Debug, clap::Args)]
#[command(add = mutating().hidden())]
pub(crate) struct RunArgs {
    /// The file, or `-` for standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,

    /// Go on after the last step that was done, if an earlier run of this file was interrupted
    #[arg(long)]
    resume: bool,
}
