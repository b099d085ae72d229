use super::read_keys;
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;

/// Restore items from the trash
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().example("Take a work back out of the trash", "items restore lavoisier1789 --yes"))]
pub(crate) struct RestoreArgs {
    /// The citation key or DOI of an item; may name several, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
}

pub(crate) fn cmd_restore(ctx: &mut Context<'_, '_>, args: &RestoreArgs) -> Result<(), CliError> {
    let keys = read_keys(ctx, &args.keys)?;
    ctx.write(|ctx, plan| {
        each_item(ctx, plan, "restore", &keys, |plan, item| {
            let is_trashed = plan.row("items", item.id)?.is_some_and(|item| !item["trashed_at"].is_null());
            if !is_trashed {
                return Ok(());
            }
            plan.change("trashed", json!(true), json!(false));
            plan.update("items", item.id, row([("trashed_at", json!(null))]))
        })
    })
}
