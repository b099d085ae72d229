use super::read_keys;
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::contract::Plan;
use crate::error::CliError;
use clap_facade::annotate;

/// Delete items for good, with their notes, attachments' entries, tags and places in collections
///
/// Files that were attached stay where they are. `items trash` is the way that can be taken back
/// without the journal.
#[derive(Debug, clap::Args)]
#[command(add = annotate::destructive()
    .example("Empty the trash", "items delete --all-trashed --allow-destructive --yes"))]
pub(crate) struct DeleteArgs {
    /// The citation key or DOI of an item; may name several, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required_unless_present = "all_trashed", conflicts_with = "all_trashed")]
    keys: Vec<String>,
    /// Delete every item in the trash
    #[arg(long)]
    all_trashed: bool,
}

pub(crate) fn cmd_delete(ctx: &mut Context<'_, '_>, args: &DeleteArgs) -> Result<(), CliError> {
    let mut keys = if args.all_trashed { Vec::new() } else { read_keys(ctx, &args.keys)? };
    ctx.write(|ctx, plan| {
        if args.all_trashed {
            let rows = plan.db().query("SELECT key FROM items WHERE trashed_at IS NOT NULL ORDER BY key", &[])?;
            keys.extend(rows.iter().map(|row| crate::context::text(row, "key").to_owned()));
        }
        each_item(ctx, plan, "delete", &keys, |plan, item| delete_item(plan, item.id))
    })
}

/// Plans to delete an item and what belongs to it alone.
fn delete_item(plan: &mut Plan, id: i64) -> Result<(), CliError> {
    plan.destructive();
    let links = plan.find_all("item_creators", &[("item_id", id.into())])?;
    plan.delete("items", id)?;
    for creator in links.iter().filter_map(|link| link["creator_id"].as_i64()) {
        let known = plan.row("creators", creator)?.is_some();
        if known && plan.find("item_creators", &[("creator_id", creator.into())])?.is_none() {
            plan.unlink("creators", creator)?;
        }
    }
    Ok(())
}
