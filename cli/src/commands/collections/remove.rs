use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use crate::model::Shelves;
use clap_facade::annotate::mutating;
use serde_json::{Value, json};

/// Take items off a collection; they stay in the library.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Take one paper off the shelf Statistics", "collections remove Statistics galton1886"))]
pub(crate) struct RemoveArgs {
    /// The collection: its name, path or id
    collection: String,

    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,
}

pub(crate) fn cmd_remove(ctx: &mut Context<'_, '_>, args: &RemoveArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        let shelves = Shelves::load(&plan.db())?;
        let id = shelves.resolve(&args.collection)?;
        let ignore_missing = ctx.globals.operation.ignore_missing;
        each_item(ctx, plan, "remove", &args.items, |plan, item| {
            match plan.find("collection_items", &[("collection_id", json!(id)), ("item_id", json!(item.id))])? {
                Some(link) => {
                    plan.change("collections", json!(shelves.path(id)), Value::Null);
                    plan.unlink("collection_items", link["id"].as_i64().unwrap_or_default())
                }
                None if ignore_missing => Ok(()),
                None => {
                    Err(CliError::not_found(format!("{} is not in the collection {:?}", item.key, shelves.path(id)))
                        .flag_hint("--ignore-missing passes over it"))
                }
            }
        })
    })
}
