use super::read_keys;
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::Shelves;
use clap_facade::annotate;
use serde_json::json;

/// Move items from one collection to another
///
/// An item that is not in the first collection fails; `collections add` only adds.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating()
    .example("File a work elsewhere", "items move darwin1859 --from Sciences/Evolution --to Sciences/Medicine --yes"))]
pub(crate) struct MoveArgs {
    /// The citation key or DOI of an item; may name several, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
    /// The collection (name, path or id) that the items leave
    #[arg(long, value_name = "PATH")]
    from: String,
    /// The collection (name, path or id) that the items enter
    #[arg(long, value_name = "PATH")]
    to: String,
}

pub(crate) fn cmd_move(ctx: &mut Context<'_, '_>, args: &MoveArgs) -> Result<(), CliError> {
    let keys = read_keys(ctx, &args.keys)?;
    ctx.write(|ctx, plan| {
        let shelves = Shelves::planned(plan)?;
        let (from, to) = (shelves.resolve(&args.from)?, shelves.resolve(&args.to)?);
        if from == to {
            return Err(CliError::usage("--from and --to name the same collection"));
        }
        let ignores_missing = ctx.globals.operation.ignore_missing;
        each_item(ctx, plan, "move", &keys, |plan, item| {
            let link = |collection: i64| [("collection_id", json!(collection)), ("item_id", json!(item.id))];
            let Some(old) = plan.find("collection_items", &link(from))? else {
                if ignores_missing {
                    return Ok(());
                }
                return Err(CliError::not_found(format!("the item is not in the collection {:?}", args.from))
                    .flag_hint("--ignore-missing passes over such items"));
            };
            plan.change("collection", json!(shelves.path(from)), json!(shelves.path(to)));
            plan.unlink("collection_items", old["id"].as_i64().unwrap_or_default())?;
            if plan.find("collection_items", &link(to))?.is_none() {
                let mut columns = row(link(to));
                columns.insert("added_at".to_owned(), json!(plan.now()));
                plan.link("collection_items", columns)?;
            }
            Ok(())
        })
    })
}
