use clap_facade::annotate::mutating;

/// Mark items as read, finished: cross them off the reading list.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("I have read hobbes1651", "reading-list done hobbes1651"))]
pub struct DoneArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    pub items: Vec<String>,
}
