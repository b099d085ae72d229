use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use crate::model::item_by_key;
use clap_facade::annotate::read_only;
use serde_json::json;

/// List notes (remarks, quotes), of one item or of all, newest first.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("What did I write about kant1781", "notes list kant1781"))]
pub(crate) struct ListArgs {
    /// Only the notes about this item (citation key or id)
    item: Option<String>,

    /// Only notes that contain this text, in any case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let item = args.item.as_deref().map(|item| item_by_key(&db, item)).transpose()?.map(|item| item.id);
    let sql = "SELECT n.id AS note, i.key AS item, n.title, n.body, n.created_at, n.updated_at
               FROM notes n LEFT JOIN items i ON i.id = n.item_id
               WHERE (?1 IS NULL OR n.item_id = ?1) AND (?2 IS NULL OR instr(lower(n.title || ' ' || n.body), lower(?2)) > 0)
               ORDER BY n.updated_at DESC, n.id DESC";
    let rows: Vec<Row> = db.query(sql, &[json!(item), json!(args.contains)])?;
    ctx.print_rows(&["note", "item", "title", "updated_at"], &rows[..rows.len().min(args.limit)], rows.len())
}
