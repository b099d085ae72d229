use super::groups::{By, Group, find_groups};
use super::merge::merge;
use crate::commands::items::read_keys;
use crate::commands::targets::act_on;
use crate::context::Context;
use crate::contract::Plan;
use crate::error::CliError;
use crate::model::item_id;
use clap_facade::annotate;

/// Resolve duplicates: merge each group into one item, with all notes, tags, attachments and collections
///
/// The most complete item of a group stays and gets the fields it lacks; --keep names another one.
#[derive(Debug, clap::Args)]
#[command(add = annotate::destructive()
    .example("Merge all works with the same DOI", "items duplicates resolve --by doi --allow-destructive --yes"))]
pub(crate) struct ResolveArgs {
    /// Only the groups with one of these items, named by citation key; `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// What makes items duplicates
    #[arg(long, value_enum, default_value_t = By::All, value_name = "WHAT")]
    by: By,
    /// The key of an item to keep in its group; may be given again
    #[arg(long, value_name = "KEY")]
    keep: Vec<String>,
}

pub(crate) fn cmd_resolve(ctx: &mut Context<'_, '_>, args: &ResolveArgs) -> Result<(), CliError> {
    let keys = if args.keys.is_empty() { Vec::new() } else { read_keys(ctx, &args.keys)? };
    ctx.write(|ctx, plan| {
        let mut groups = find_groups(&plan.db(), args.by)?;
        let named: Vec<_> = keys.iter().map(|key| (key, item_id(plan, key))).collect();
        if !named.is_empty() {
            groups.retain(|group| named.iter().any(|(_, id)| id.as_ref().is_ok_and(|id| group.has(*id))));
        }
        for key in &args.keep {
            let found = groups.iter_mut().map(|group| group.prefer(key)).filter(|found| *found).count();
            if found == 0 {
                return Err(CliError::not_found(format!("--keep names {key:?}, which is in no group of duplicates"))
                    .hint("`mycli items duplicates` lists the groups"));
            }
        }
        if named.is_empty() {
            groups.iter().for_each(|group| merge_group(plan, group));
        }
        let mut merged = Vec::new();
        for (key, id) in named {
            let target = format!("item {key}");
            match id.map(|id| groups.iter().position(|group| group.has(id))) {
                Ok(Some(index)) if merged.contains(&index) => {}
                Ok(Some(index)) => {
                    merged.push(index);
                    merge_group(plan, &groups[index]);
                }
                Ok(None) if ctx.globals.operation.idempotent => plan.skip("merge", target, "no duplicate"),
                Ok(None) => plan.fail(
                    "merge",
                    target,
                    CliError::precondition(format!("item {key} has no duplicate"))
                        .hint("`mycli items duplicates` lists the groups"),
                ),
                Err(error) => act_on(ctx, plan, "merge", target, Err::<(), _>(error), |_, ()| Ok(())),
            }
        }
        Ok(())
    })
}

/// Plans that the others of a group become part of the item to keep.
fn merge_group(plan: &mut Plan, group: &Group) {
    let mut keep = group.keep().clone();
    for other in group.others() {
        let mut merged = keep.clone();
        let target = format!("item {} into {}", other.key, keep.key);
        if plan.attempt("merge", target, |plan| merge(plan, &mut merged, other)).is_some() {
            keep = merged;
        }
    }
}
