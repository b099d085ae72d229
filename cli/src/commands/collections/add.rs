use crate::commands::targets::each_item;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::Shelves;
use clap_facade::annotate::mutating;
use serde_json::{Value, json};

/// Put items on a collection as well: file papers under a shelf.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Show this paper under the shelf Statistics too", "collections add Statistics hardy1908"))]
pub(crate) struct AddArgs {
    /// The collection: its name, path or id
    collection: String,

    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,
}

pub(crate) fn cmd_add(ctx: &mut Context<'_, '_>, args: &AddArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        let shelves = Shelves::load(&plan.db())?;
        let id = shelves.resolve(&args.collection)?;
        each_item(ctx, plan, "add", &args.items, |plan, item| {
            let columns = [("collection_id", json!(id)), ("item_id", json!(item.id))];
            if plan.find("collection_items", &columns)?.is_none() {
                plan.change("collections", Value::Null, json!(shelves.path(id)));
                let now = plan.now();
                plan.link("collection_items", row([columns[0].clone(), columns[1].clone(), ("added_at", json!(now))]))?;
            }
            Ok(())
        })
    })
}
