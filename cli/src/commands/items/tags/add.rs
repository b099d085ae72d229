use crate::commands::items::read_keys;
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use crate::model::tag_item;
use clap_facade::annotate;
use serde_json::{Value, json};

/// Add tags to items: tag (label) papers and books
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating()
    .example("Tag two works", "items tags add darwin1859 mendel1866 --tag heredity --yes"))]
pub(crate) struct AddArgs {
    /// The citation key or DOI of an item; may name several, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
    /// The tag to add; may be given again
    #[arg(long, value_name = "TAG", required = true)]
    tag: Vec<String>,
}

pub(crate) fn cmd_add(ctx: &mut Context<'_, '_>, args: &AddArgs) -> Result<(), CliError> {
    let keys = read_keys(ctx, &args.keys)?;
    ctx.write(|ctx, plan| {
        each_item(ctx, plan, "tag", &keys, |plan, item| {
            let mut added = Vec::new();
            for tag in args.tag.iter().map(|tag| tag.trim()) {
                if tag_item(plan, item.id, tag)? {
                    added.push(tag);
                }
            }
            if !added.is_empty() {
                plan.change("tags added", Value::Null, json!(added));
            }
            Ok(())
        })
    })
}
