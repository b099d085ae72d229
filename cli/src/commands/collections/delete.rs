use super::shelves::Shelves;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::error::ErrorKind;
use clap_facade::annotate::destructive;
use serde_json::json;

/// Delete (dissolve) collections; their items stay in the library.
#[derive(Debug, clap::Args)]
#[command(add = destructive().example("Dissolve the shelf Misc", "collections delete Misc"))]
pub(crate) struct DeleteArgs {
    /// The collections: names, paths or ids
    #[arg(required = true, value_name = "COLLECTION")]
    collections: Vec<String>,

    /// Also delete the collections inside; without it they move up one level
    #[arg(long, short)]
    recursive: bool,
}

pub(crate) fn cmd_delete(ctx: &mut Context<'_, '_>, args: &DeleteArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        let shelves = Shelves::load(&plan.db())?;
        for text in &args.collections {
            let id = match shelves.resolve(text) {
                Ok(id) => id,
                Err(error) if error.kind() == ErrorKind::NotFound && ctx.globals.operation.ignore_missing => {
                    plan.skip("delete", text, "does not exist");
                    continue;
                }
                Err(error) => {
                    plan.attempt("delete", text, |_| Err::<(), _>(error));
                    continue;
                }
            };
            plan.attempt("delete", shelves.path(id), |plan| {
                plan.destructive();
                if plan.row("collections", id)?.is_none() {
                    return Ok(());
                }
                if !args.recursive {
                    for child in plan.find_all("collections", &[("parent_id", json!(id))])? {
                        let child_id = child["id"].as_i64().unwrap_or_default();
                        let parent = plan.row("collections", id)?.map_or(json!(null), |own| own["parent_id"].clone());
                        if plan
                            .find("collections", &[("parent_id", parent.clone()), ("name", child["name"].clone())])?
                            .is_some_and(|other| other["id"] != json!(id))
                        {
                            return Err(CliError::precondition(format!(
                                "{:?} would move up to where its name is taken",
                                shelves.path(child_id)
                            ))
                            .hint("rename or move it first, or delete it too with --recursive"));
                        }
                        plan.change(
                            format!("parent of {}", shelves.name(child_id)),
                            json!(shelves.path(id)),
                            json!(parent.as_i64().map(|parent| shelves.path(parent))),
                        );
                        plan.update("collections", child_id, row([("parent_id", parent)]))?;
                    }
                }
                plan.delete("collections", id)
            });
        }
        Ok(())
    })
}
