use crate::commands::items::ITEM_COLUMNS;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::Item;
use crate::model::{Depth, Shelves, item_counts, members};
use clap_facade::annotate::read_only;
use serde_json::json;

/// Show one collection and the items on it.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("What lies on the shelf Physics", "collections get Physics"))]
pub(crate) struct GetArgs {
    /// The collection: its name, its path (Thesis/Methods) or its id
    collection: String,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    recursive: bool,

    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

pub(crate) fn cmd_get(ctx: &mut Context<'_, '_>, args: &GetArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let shelves = Shelves::load(&db)?;
    let id = shelves.resolve(&args.collection)?;
    let items = members(&db, &shelves, id, Depth::of(args.recursive))?;
    let total = items.len();
    let rows: Vec<_> = items.iter().take(args.limit).map(Item::to_row).collect();
    if !ctx.globals.output.json {
        return ctx.print_rows(ITEM_COLUMNS, &rows, total);
    }
    let counts = item_counts(&db)?;
    let inside = shelves.children(Some(id)).into_iter().map(|child| {
        json!({"path": shelves.path(child), "id": child, "items": counts.get(&child).copied().unwrap_or_default()})
    });
    ctx.print_object(&row([
        ("path", json!(shelves.path(id))),
        ("id", json!(id)),
        ("collections", inside.collect()),
        ("total", json!(total)),
        ("items", json!(rows)),
    ]))
}
