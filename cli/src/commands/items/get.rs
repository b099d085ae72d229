use super::{ITEM_COLUMNS, read_items};
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;

/// Show an item whole: every field, creators, tags, collections, notes and attachments
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("Show one work", "items get darwin1859"))]
pub(crate) struct GetArgs {
    /// The citation key or DOI; several give a list, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
}

pub(crate) fn cmd_get(ctx: &mut Context<'_, '_>, args: &GetArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let mut rows: Vec<Row> = Vec::new();
    for item in read_items(ctx, &args.keys)? {
        let mut row = item.to_row();
        let of_item = [item.id.into()];
        for (name, sql) in [
            ("notes", "SELECT id, title, updated_at FROM notes WHERE item_id = ?1 ORDER BY id"),
            ("attachments", "SELECT id, title, path, media_type FROM attachments WHERE item_id = ?1 ORDER BY id"),
        ] {
            row.insert(name.to_owned(), json!(db.query(sql, &of_item)?));
        }
        let reading = db.first("SELECT state FROM reading_list WHERE item_id = ?1", &of_item)?;
        row.insert("reading".to_owned(), reading.map_or(json!(null), |reading| reading["state"].clone()));
        rows.push(row);
    }
    match (args.keys.as_slice(), rows.as_slice()) {
        ([key], [row]) if key != "-" => ctx.print_object(row),
        _ => ctx.print_rows(ITEM_COLUMNS, &rows, rows.len()),
    }
}
