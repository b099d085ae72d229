use super::ITEM_COLUMNS;
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use crate::model::Item;
use clap_facade::annotate;
use serde_json::json;

/// List items added or changed recently, the latest first
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("What came in this week", "items recent --days 7"))]
pub(crate) struct RecentArgs {
    /// How many days to look back
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    days: u32,
    /// Whether the addition or the last change counts
    #[arg(long, value_enum, default_value_t = By::Added, value_name = "EVENT")]
    by: By,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
}

/// What makes an item recent.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum By {
    /// When it was added
    Added,
    /// When its fields were last changed
    Updated,
}

pub(crate) fn cmd_recent(ctx: &mut Context<'_, '_>, args: &RecentArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let column = match args.by {
        By::Added => "added_at",
        By::Updated => "updated_at",
    };
    let condition =
        format!("i.trashed_at IS NULL AND i.{column} >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-' || ?1 || ' days')");
    let days = json!(args.days);
    let total = db.count(&format!("SELECT count(*) FROM items i WHERE {condition}"), std::slice::from_ref(&days))?;
    let order = format!("{condition} ORDER BY i.{column} DESC, i.id DESC LIMIT ?2");
    let rows: Vec<Row> = Item::select(&db, &order, &[days, json!(args.limit)])?.iter().map(Item::to_row).collect();
    ctx.print_rows(&[ITEM_COLUMNS, &[column]].concat(), &rows, usize::try_from(total).unwrap_or_default())
}
