use super::text::find_note;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
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
            let target = format!("note {id}");
            match find_note(plan, *id) {
                Err(error) if error.kind() == ErrorKind::NotFound && ctx.globals.operation.ignore_missing => {
                    plan.skip("delete", target, "does not exist");
                }
                found => {
                    plan.attempt("delete", target, |plan| {
                        plan.destructive();
                        let note = found?;
                        plan.change("title", note["title"].clone(), serde_json::Value::Null);
                        plan.delete("notes", *id)
                    });
                }
            }
        }
        Ok(())
    })
}
