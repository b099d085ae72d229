use crate::commands::items::read_keys;
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use crate::model::untag_item;
use clap_facade::annotate;
use serde_json::{Value, json};

/// Remove tags from items: untag papers and books
///
/// The tags themselves stay; `mycli tags audit` finds the unused ones.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().example("Take a tag off", "items tags remove darwin1859 --tag classic --yes"))]
pub(crate) struct RemoveArgs {
    /// The citation key or DOI of an item; may name several, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
    /// The tag to take off; may be given again
    #[arg(long, value_name = "TAG", required = true)]
    tag: Vec<String>,
}

pub(crate) fn cmd_remove(ctx: &mut Context<'_, '_>, args: &RemoveArgs) -> Result<(), CliError> {
    let keys = read_keys(ctx, &args.keys)?;
    ctx.write(|ctx, plan| {
        let ignores_missing = ctx.globals.operation.ignore_missing || ctx.globals.operation.idempotent;
        each_item(ctx, plan, "untag", &keys, |plan, item| {
            let mut removed = Vec::new();
            for tag in args.tag.iter().map(|tag| tag.trim()) {
                if untag_item(plan, item.id, tag)? {
                    removed.push(tag);
                } else if !ignores_missing {
                    return Err(CliError::not_found(format!("the item has no tag {tag:?}"))
                        .flag_hint("--ignore-missing passes over tags that an item does not have"));
                }
            }
            if !removed.is_empty() {
                plan.change("tags removed", json!(removed), Value::Null);
            }
            Ok(())
        })
    })
}
