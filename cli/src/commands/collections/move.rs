use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::Shelves;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Move a collection, with all inside it, under another collection or to the top.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Statistics goes under Sciences", "collections move Statistics --to Sciences"))]
#[command(group = clap::ArgGroup::new("place").required(true))]
pub(crate) struct MoveArgs {
    /// The collection to move: its name, path or id
    collection: String,

    /// The collection that is to hold it
    #[arg(long, value_name = "COLLECTION", group = "place")]
    to: Option<String>,

    /// Move it to the top level
    #[arg(long, group = "place")]
    top: bool,
}

pub(crate) fn cmd_move(ctx: &mut Context<'_, '_>, args: &MoveArgs) -> Result<(), CliError> {
    ctx.write(|_, plan| {
        let shelves = Shelves::load(&plan.db())?;
        let id = shelves.resolve(&args.collection)?;
        let to = args.to.as_deref().map(|to| shelves.resolve(to)).transpose()?;
        plan.attempt("move", shelves.path(id), |plan| {
            if let Some(to) = to.filter(|to| shelves.subtree(id).contains(to)) {
                let (path, inside) = (shelves.path(id), shelves.path(to));
                return Err(CliError::precondition(format!(
                    "{path:?} can't go into {inside:?}, which is itself or inside it"
                )));
            }
            shelves.ensure_free(to, shelves.name(id), id)?;
            let place = |parent: Option<i64>| json!(parent.map_or("(top)".to_owned(), |parent| shelves.path(parent)));
            plan.change("parent", place(shelves.parent(id)), place(to));
            let now = plan.now();
            plan.update("collections", id, row([("parent_id", json!(to)), ("updated_at", json!(now))]))
        });
        Ok(())
    })
}
