use clap_facade::annotate::mutating;

/// Change a note's text or title, or append to it.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Add a line to note 3", "notes edit 3 --append \"See also chapter 9\""))]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct EditArgs {
    /// Number of the note, as `notes list` shows it
    pub note: i64,

    /// New text in place of the old
    #[arg(long, value_name = "TEXT", group = "change", conflicts_with = "append")]
    pub text: Option<String>,

    /// Text to put after the old, as a new paragraph
    #[arg(long, value_name = "TEXT", group = "change")]
    pub append: Option<String>,

    /// New title
    #[arg(long, value_name = "TEXT", group = "change")]
    pub title: Option<String>,
}
