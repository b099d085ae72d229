use clap_facade::annotate::read_only;

/// Show one note in full.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub struct GetArgs {
    /// Number of the note, as `notes list` shows it
    pub note: i64,
}
