use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::{Shelves, collection_name};
use clap_facade::annotate::mutating;
use serde_json::{Value, json};

/// Create an empty collection (shelf, folder), at the top or inside another.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("A shelf for the journal club", "collections create 'Journal club' --parent Computing"))]
pub(crate) struct CreateArgs {
    /// Name of the new collection
    name: String,

    /// Put it inside this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    parent: Option<String>,
}

pub(crate) fn cmd_create(ctx: &mut Context<'_, '_>, args: &CreateArgs) -> Result<(), CliError> {
    let name = collection_name(&args.name)?;
    ctx.write(|ctx, plan| {
        let shelves = Shelves::load(&plan.db())?;
        let parent = args.parent.as_deref().map(|parent| shelves.resolve(parent)).transpose()?;
        let path = shelves.path_of(parent, &name);
        if let Some(existing) = shelves.child(parent, &name) {
            if ctx.globals.operation.idempotent {
                plan.skip("create", path, "exists already");
                plan.result("id", existing.into());
                return Ok(());
            }
            return Err(CliError::precondition(format!("there is a collection {path:?} already"))
                .flag_hint("--idempotent takes that as done"));
        }
        plan.attempt("create", path, |plan| {
            let now = plan.now();
            let columns = [
                ("name", json!(name)),
                ("parent_id", json!(parent)),
                ("created_at", json!(now)),
                ("updated_at", json!(now)),
            ];
            let id = plan.insert("collections", row(columns))?;
            plan.change("parent", Value::Null, json!(parent.map(|parent| shelves.path(parent))));
            plan.result("id", id.into());
            Ok(())
        });
        Ok(())
    })
}
