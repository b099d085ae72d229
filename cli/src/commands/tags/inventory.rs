use super::labels::{Tag, count_tags};
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::hygiene::group_tags;
use clap::ValueEnum;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Count how often each tag is used, with its case and spelling variants.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("The ten most used labels", "tags inventory --limit 10"))]
pub(crate) struct InventoryArgs {
    /// Order of the tags
    #[arg(long, value_enum, default_value_t = TagOrder::Count)]
    sort: TagOrder,

    /// Only tags on at least this many items
    #[arg(long, value_name = "N", default_value_t = 0)]
    min: u64,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// In which order tags are shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TagOrder {
    /// Most used first
    Count,
    /// By name
    Name,
}

pub(crate) fn cmd_inventory(ctx: &mut Context<'_, '_>, args: &InventoryArgs) -> Result<(), CliError> {
    let mut tags = count_tags(&*ctx.db()?)?;
    let groups = group_tags(&tags.iter().map(Tag::counted).collect::<Vec<_>>());
    tags.retain(|tag| tag.items >= args.min);
    if let TagOrder::Count = args.sort {
        tags.sort_by_key(|tag| std::cmp::Reverse(tag.items));
    }
    let variants = |tag: &Tag| -> Vec<&str> {
        let group = groups.iter().find(|group| group.names().any(|name| name == tag.name));
        group.into_iter().flat_map(|group| group.names()).filter(|name| *name != tag.name).collect()
    };
    let rows: Vec<Row> = tags
        .iter()
        .take(args.limit.unwrap_or(usize::MAX))
        .map(|tag| row([("name", json!(tag.name)), ("items", json!(tag.items)), ("variants", json!(variants(tag)))]))
        .collect();
    ctx.print_rows(&["name", "items", "variants"], &rows, tags.len())
}
