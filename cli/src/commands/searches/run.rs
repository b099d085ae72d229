use super::saved::{Filters, find_search};
use crate::commands::fulltext::hits;
use crate::commands::items::ITEM_COLUMNS;
use crate::context::Context;
use crate::context::text;
use crate::db::Row;
use crate::error::CliError;
use crate::model::Item;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Run a saved search (filter) and show today's hits.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("The hits of a saved filter today", "searches run relativity"))]
pub(crate) struct RunArgs {
    /// Name of the saved search
    name: String,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

pub(crate) fn cmd_run(ctx: &mut Context<'_, '_>, args: &RunArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let search = find_search(&db, &args.name)?;
    let items = Filters::from_json(&search["filters"]).select(&db)?;
    let query = text(&search, "query");
    if query.is_empty() {
        let rows: Vec<Row> = items.iter().take(args.limit).map(Item::to_row).collect();
        return ctx.print_rows(ITEM_COLUMNS, &rows, items.len());
    }
    let mut rows: Vec<Row> = Vec::new();
    for hit in hits(&db, query, &[], &[])? {
        if let Some(item) = items.iter().find(|item| hit["id"] == json!(item.id)) {
            let mut row = item.to_row();
            row.insert("snippet".into(), hit["snippet"].clone());
            rows.push(row);
        }
    }
    ctx.print_rows(&["key", "year", "title", "snippet"], &rows[..rows.len().min(args.limit)], rows.len())
}
