use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::{Shelves, collection_name};
use clap_facade::annotate::mutating;
use serde_json::json;

/// Give a collection another name.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Medicine becomes Health", "collections rename Medicine Health"))]
pub(crate) struct RenameArgs {
    /// The collection: its name, path or id
    collection: String,

    /// Its new name
    name: String,
}

pub(crate) fn cmd_rename(ctx: &mut Context<'_, '_>, args: &RenameArgs) -> Result<(), CliError> {
    let name = collection_name(&args.name)?;
    ctx.write(|_, plan| {
        let shelves = Shelves::load(&plan.db())?;
        let id = shelves.resolve(&args.collection)?;
        plan.attempt("rename", shelves.path(id), |plan| {
            shelves.ensure_free(shelves.parent(id), &name, id)?;
            let now = plan.now();
            plan.update("collections", id, row([("name", json!(name)), ("updated_at", json!(now))]))
        });
        Ok(())
    })
}
