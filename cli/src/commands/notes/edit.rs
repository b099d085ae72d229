use super::text::{find_note, read_text};
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Change a note's text or title, or append to it.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Add a line to note 3", "notes edit 3 --append 'See also chapter 9'"))]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub(crate) struct EditArgs {
    /// Number of the note, as `notes list` shows it
    note: i64,

    /// New text in place of the old
    #[arg(long, value_name = "TEXT", group = "change", conflicts_with = "append")]
    text: Option<String>,

    /// Text to put after the old, as a new paragraph
    #[arg(long, value_name = "TEXT", group = "change")]
    append: Option<String>,

    /// New title
    #[arg(long, value_name = "TEXT", group = "change")]
    title: Option<String>,
}

pub(crate) fn cmd_edit(ctx: &mut Context<'_, '_>, args: &EditArgs) -> Result<(), CliError> {
    let mut read = |text: &String| read_text(ctx, text);
    let text = args.text.as_ref().map(&mut read).transpose()?;
    let append = args.append.as_ref().map(&mut read).transpose()?;
    ctx.write(|_, plan| {
        let note = find_note(plan, args.note)?;
        plan.attempt("edit", format!("note {}", args.note), |plan| {
            let mut changes = Row::new();
            let body = note["body"].as_str().unwrap_or_default();
            if text.as_ref().is_some_and(String::is_empty) {
                return Err(CliError::usage("the note would be empty").hint("`notes delete` deletes it"));
            }
            if let Some(text) = &text {
                changes.insert("body".into(), json!(text));
            }
            if let Some(more) = append.as_ref().filter(|more| !more.is_empty()) {
                changes.insert("body".into(), json!(format!("{body}\n\n{more}")));
            }
            if let Some(title) = &args.title {
                changes.insert("title".into(), json!(title));
            }
            changes.insert("updated_at".into(), json!(plan.now()));
            plan.update("notes", args.note, changes)
        });
        Ok(())
    })
}
