use clap_facade::annotate::destructive;

/// Delete notes.
#[derive(Debug, clap::Args)]
#[command(add = destructive())]
pub struct DeleteArgs {
    /// Numbers of the notes, as `notes list` shows them
    #[arg(required = true, value_name = "NOTE")]
    pub notes: Vec<i64>,
}
