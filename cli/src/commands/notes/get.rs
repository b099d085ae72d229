use super::text::no_note;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Show one note in full.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub(crate) struct GetArgs {
    /// Number of the note, as `notes list` shows it
    note: i64,
}

pub(crate) fn cmd_get(ctx: &mut Context<'_, '_>, args: &GetArgs) -> Result<(), CliError> {
    let sql = "SELECT n.id AS note, i.key AS item, n.title, n.body, n.created_at, n.updated_at
               FROM notes n LEFT JOIN items i ON i.id = n.item_id WHERE n.id = ?1";
    let note = ctx.db()?.first(sql, &[json!(args.note)])?.ok_or_else(|| no_note(args.note))?;
    if ctx.globals.output.json {
        return ctx.print_object(&note);
    }
    let text = format!("# {}\n\n{}\n", crate::context::text(&note, "title"), crate::context::text(&note, "body"));
    ctx.print_document("markdown", &text, note)
}
