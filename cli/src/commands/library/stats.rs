use super::counts::{attached_files, tally, with_pdf};
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::Item;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Count the library: items by type and year, tags, notes, PDFs, size of the file.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct StatsArgs {}

pub(crate) fn cmd_stats(ctx: &mut Context<'_, '_>, _args: &StatsArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let items = Item::select(&db, "i.trashed_at IS NULL", &[])?;
    let count = |table: &str| db.count(&format!("SELECT count(*) FROM {table}"), &[]);
    let years = items.iter().filter_map(Item::year);
    let size = std::fs::metadata(ctx.library().path()).map_or(0, |file| file.len());
    let files = attached_files(&db)?;
    let object = row([
        ("library", json!(ctx.library().name())),
        ("items", json!(items.len())),
        ("trashed", json!(db.count("SELECT count(*) FROM items WHERE trashed_at IS NOT NULL", &[])?)),
        ("types", tally(items.iter().map(|item| item.kind.clone()))),
        ("oldest", json!(years.clone().min())),
        ("newest", json!(years.max())),
        ("decades", tally(items.iter().filter_map(Item::year).map(|year| format!("{}s", year.div_euclid(10) * 10)))),
        ("creators", json!(count("creators")?)),
        ("tags", json!(count("tags")?)),
        ("collections", json!(count("collections")?)),
        ("notes", json!(count("notes")?)),
        ("attachments", json!(files.len())),
        ("attachments_lost", json!(files.iter().filter(|file| !file.is_there).count())),
        ("items_with_pdf", json!(with_pdf(&db)?.len())),
        (
            "reading_list",
            tally(
                db.query("SELECT state FROM reading_list", &[])?
                    .iter()
                    .map(|entry| crate::output::inline(&entry["state"])),
            ),
        ),
        ("searches", json!(count("searches")?)),
        ("journal_runs", json!(count("journal_runs")?)),
        ("file_bytes", json!(size)),
    ]);
    ctx.print_object(&object)
}
