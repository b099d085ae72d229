use clap_facade::annotate::mutating;

/// Mark items as being read now; puts them on the reading list if they aren't.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub struct StartArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    pub items: Vec<String>,
}
