use clap_facade::annotate::read_only;
use clap::ValueEnum;

/// Count how often each tag is used, with its case and spelling variants.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("The ten most used labels", "tags inventory --limit 10"))]
pub struct InventoryArgs {
    /// Order of the tags
    #[arg(long, value_enum, default_value_t = TagOrder::Count)]
    pub sort: TagOrder,

    /// Only tags on at least this many items
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub min: u64,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// In which order tags are shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TagOrder {
    /// Most used first
    Count,
    /// By name
    Name,
}
