use clap_facade::annotate::mutating;

/// Queue items to read later.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Line a paper up, before the others", "reading-list add vaswani2017 --priority high"))]
pub struct AddArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    pub items: Vec<String>,

    /// How soon to read them
    #[arg(long, value_enum, default_value_t = Priority::Normal)]
    pub priority: Priority,
}
