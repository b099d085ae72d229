use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;

/// List stale items: not read, tagged, annotated, filed or edited for months
///
/// What counts is the last of: edit of a field, tag, note, attachment, entry of a collection, and
/// begin or end of reading.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Works nobody has touched for two years", "items stale --months 24"))]
pub(crate) struct StaleArgs {
    /// How many months without a touch make an item stale
    #[arg(long, value_name = "MONTHS", default_value_t = 12)]
    months: u32,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
}

const TOUCHED: &str = "SELECT i.key, i.year, i.title, i.type, max(
    i.updated_at,
    coalesce((SELECT max(added_at) FROM item_tags WHERE item_id = i.id), ''),
    coalesce((SELECT max(added_at) FROM collection_items WHERE item_id = i.id), ''),
    coalesce((SELECT max(added_at) FROM attachments WHERE item_id = i.id), ''),
    coalesce((SELECT max(updated_at) FROM notes WHERE item_id = i.id), ''),
    coalesce((SELECT max(added_at, coalesce(started_at, ''), coalesce(finished_at, ''))
              FROM reading_list WHERE item_id = i.id), '')
  ) AS touched_at FROM items i WHERE i.trashed_at IS NULL";

pub(crate) fn cmd_stale(ctx: &mut Context<'_, '_>, args: &StaleArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let stale =
        format!("FROM ({TOUCHED}) WHERE touched_at < strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-' || ?1 || ' months')");
    let months = json!(args.months);
    let total = db.count(&format!("SELECT count(*) {stale}"), std::slice::from_ref(&months))?;
    let rows =
        db.query(&format!("SELECT * {stale} ORDER BY touched_at, key LIMIT ?2"), &[months, json!(args.limit)])?;
    ctx.print_rows(&["key", "year", "title", "touched_at"], &rows, usize::try_from(total).unwrap_or_default())
}
