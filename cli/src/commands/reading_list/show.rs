use super::entry::ReadingState;
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::Item;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Show the reading list (backlog, queue): unread first, by priority.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("What am I in the middle of", "reading-list show --state reading"))]
pub(crate) struct ShowArgs {
    /// Only entries in this state
    #[arg(long, value_enum, value_name = "STATE")]
    state: Option<ReadingState>,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(crate) fn cmd_show(ctx: &mut Context<'_, '_>, args: &ShowArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let sql = "SELECT r.item_id, r.state, r.priority, r.added_at, r.started_at, r.finished_at
               FROM reading_list r JOIN items i ON i.id = r.item_id AND i.trashed_at IS NULL
               WHERE ?1 IS NULL OR r.state = ?1
               ORDER BY CASE r.state WHEN 'queued' THEN 0 WHEN 'reading' THEN 1 ELSE 2 END, r.priority DESC, r.added_at, r.id";
    let entries = db.query(sql, &[json!(args.state.map(ReadingState::name))])?;
    let mut rows: Vec<Row> = Vec::new();
    for entry in entries.iter().take(args.limit.unwrap_or(usize::MAX)) {
        for item in Item::select(&db, "i.id = ?1", &[entry["item_id"].clone()])? {
            let priority = match entry["priority"].as_i64().unwrap_or_default() {
                0 => "normal",
                1.. => "high",
                _ => "low",
            };
            let mut shown =
                row([("key", json!(item.key)), ("state", entry["state"].clone()), ("priority", json!(priority))]);
            shown.extend(
                item.to_row().into_iter().filter(|(name, _)| ["title", "creators", "year"].contains(&name.as_str())),
            );
            shown.extend(entry.clone().into_iter().filter(|(name, _)| name.ends_with("_at")));
            rows.push(shown);
        }
    }
    ctx.print_rows(&["key", "state", "priority", "year", "title"], &rows, entries.len())
}
