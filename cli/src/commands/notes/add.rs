use clap_facade::annotate::mutating;

/// Write a note about an item: a reading remark, with page and quote if you like.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("A remark with a quote", "notes add kuhn1962 \"Paradigms shift\" --page 12 --quote \"normal science\""))]
pub struct AddArgs {
    /// The item: its citation key or id
    pub item: String,

    /// The note's text, Markdown if you like; `-` reads it from standard input
    pub text: String,

    /// Title of the note; its first words by default
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,

    /// Page or pages it is about
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,

    /// The passage it quotes
    #[arg(long, value_name = "TEXT")]
    pub quote: Option<String>,
}
