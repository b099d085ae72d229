use super::text::find_note;
use crate::commands::targets::act_on;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::destructive;
use std::collections::BTreeSet;

/// Delete notes.
#[derive(Debug, clap::Args)]
#[command(add = destructive())]
pub(crate) struct DeleteArgs {
    /// Numbers of the notes, as `notes list` shows them
    #[arg(required = true, value_name = "NOTE")]
    notes: Vec<i64>,
}

pub(crate) fn cmd_delete(ctx: &mut Context<'_, '_>, args: &DeleteArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        for &id in &args.notes.iter().collect::<BTreeSet<_>>() {
            let found = find_note(plan, *id);
            act_on(ctx, plan, "delete", format!("note {id}"), found, |plan, note| {
                plan.destructive();
                plan.change("title", note["title"].clone(), serde_json::Value::Null);
                plan.delete("notes", *id)
            });
        }
        Ok(())
    })
}
