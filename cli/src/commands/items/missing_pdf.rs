use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::Shelves;
use clap_facade::annotate;
use serde_json::json;
use std::path::Path;

/// List items without a PDF: none is attached, or the attached file is gone
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("Articles I still have to get", "items missing-pdf --type article-journal"))]
pub(crate) struct MissingPdfArgs {
    /// Only items of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "PATH")]
    collection: Option<String>,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
}

pub(crate) fn cmd_missing_pdf(ctx: &mut Context<'_, '_>, args: &MissingPdfArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let collection = Shelves::find(&db, args.collection.as_deref())?;
    let sql = "SELECT i.key, i.year, i.title, i.doi,
        (SELECT json_group_array(path) FROM attachments WHERE item_id = i.id AND media_type = 'application/pdf') AS paths
      FROM items i WHERE i.trashed_at IS NULL AND (?1 IS NULL OR i.type = ?1) AND (?2 IS NULL OR i.id IN (
        SELECT item_id FROM collection_items WHERE collection_id = ?2)) ORDER BY i.key";
    let mut rows: Vec<Row> = Vec::new();
    for item in db.query(sql, &[json!(args.kind), json!(collection)])? {
        let paths: Vec<String> = serde_json::from_str(crate::context::text(&item, "paths")).unwrap_or_default();
        if paths.iter().any(|path| Path::new(path).is_file()) {
            continue;
        }
        let reason = if paths.is_empty() { "none attached" } else { "file gone" };
        rows.push(row([
            ("key", item["key"].clone()),
            ("reason", json!(reason)),
            ("year", item["year"].clone()),
            ("title", item["title"].clone()),
            ("doi", item["doi"].clone()),
            ("paths", json!(paths)),
        ]));
    }
    let total = rows.len();
    rows.truncate(args.limit as usize);
    ctx.print_rows(&["key", "reason", "year", "title"], &rows, total)
}
