use super::groups::{By, find_groups};
use super::merge::merge;
use crate::commands::items::read_keys;
use crate::context::Context;
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
        if !keys.is_empty() {
            let ignores_missing = ctx.globals.operation.ignore_missing;
            let mut wanted = Vec::new();
            for key in &keys {
                match item_id(plan, key) {
                    Ok(id) if groups.iter().any(|group| group.items.iter().any(|item| item.id == id)) => {
                        wanted.push(id)
                    }
                    Ok(_) if ctx.globals.operation.idempotent => {
                        plan.skip("merge", format!("item {key}"), "no duplicate")
                    }
                    Ok(_) => {
                        return Err(CliError::precondition(format!("item {key} has no duplicate"))
                            .hint("`mycli items duplicates` lists the groups"));
                    }
                    Err(_) if ignores_missing => plan.skip("merge", format!("item {key}"), "it does not exist"),
                    Err(error) => return Err(error),
                }
            }
            groups.retain(|group| group.items.iter().any(|item| wanted.contains(&item.id)));
        }
        for key in &args.keep {
            let found = groups.iter_mut().map(|group| group.prefer(key)).filter(|found| *found).count();
            if found == 0 {
                return Err(CliError::not_found(format!("--keep names {key:?}, which is in no group of duplicates"))
                    .hint("`mycli items duplicates` lists the groups"));
            }
        }
        for group in &groups {
            let mut keep = group.keep().clone();
            for other in group.others() {
                let mut merged = keep.clone();
                let target = format!("item {} into {}", other.key, keep.key);
                if plan.attempt("merge", target, |plan| merge(plan, &mut merged, other)).is_some() {
                    keep = merged;
                }
            }
        }
        Ok(())
    })
}
