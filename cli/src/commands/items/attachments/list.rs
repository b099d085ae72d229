use crate::commands::items::read_items;
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;

/// List the attachments of items: PDFs and other files
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("The files of one work", "items attachments list darwin1859"))]
pub(crate) struct ListArgs {
    /// The citation key or DOI of an item; without one, all items
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Only files of this media type, like application/pdf
    #[arg(long = "type", value_name = "TYPE")]
    media_type: Option<String>,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    let mut rows = stored(ctx, &args.keys)?;
    if let Some(media_type) = &args.media_type {
        rows.retain(|row| row["media_type"].as_str() == Some(media_type));
    }
    ctx.print_rows(&["id", "key", "title", "media_type", "path"], &rows, rows.len())
}

/// The attachments of the named items, or of all.
pub(super) fn stored(ctx: &mut Context<'_, '_>, keys: &[String]) -> Result<Vec<Row>, CliError> {
    let ids = match keys.is_empty() {
        true => json!(null),
        false => json!(read_items(ctx, keys)?.iter().map(|item| item.id).collect::<Vec<_>>()),
    };
    let sql = "SELECT a.id, i.key, a.title, a.path, a.media_type, a.size, a.sha256, a.added_at
      FROM attachments a JOIN items i ON i.id = a.item_id
      WHERE ?1 IS NULL OR i.id IN (SELECT value FROM json_each(?1)) ORDER BY i.key, a.id";
    ctx.db()?.query(sql, &[ids])
}
