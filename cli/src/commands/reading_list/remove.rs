use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::{Value, json};

/// Take items off the reading list without marking them as read.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct RemoveArgs {
    /// The items: citation keys or ids
    #[arg(required = true, value_name = "ITEM")]
    items: Vec<String>,
}

pub(crate) fn cmd_remove(ctx: &mut Context<'_, '_>, args: &RemoveArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        let ignore_missing = ctx.globals.operation.ignore_missing;
        each_item(ctx, plan, "remove", &args.items, |plan, item| {
            match plan.find("reading_list", &[("item_id", json!(item.id))])? {
                Some(entry) => {
                    plan.change("state", entry["state"].clone(), Value::Null);
                    plan.unlink("reading_list", entry["id"].as_i64().unwrap_or_default())
                }
                None if ignore_missing => Ok(()),
                None => Err(CliError::not_found(format!("{} is not on the reading list", item.key))
                    .flag_hint("--ignore-missing passes over it")),
            }
        })
    })
}
