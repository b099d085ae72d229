//! Resolving what a command is about, the same way for each command.

use crate::context::{Context, text};
use crate::contract::Plan;
use crate::error::{CliError, ErrorKind};
use crate::model::item_id;

/// An item that a citation key or a DOI named.
#[derive(Clone, Debug)]
pub(crate) struct FoundItem {
    pub(crate) id: i64,
    pub(crate) key: String,
}

/// Finds an item, as the plan leaves the library.
pub(crate) fn find_item(plan: &Plan, name: &str) -> Result<FoundItem, CliError> {
    let id = item_id(plan, name)?;
    let row = plan.row("items", id)?.unwrap_or_default();
    Ok(FoundItem { id, key: text(&row, "key").to_owned() })
}

/// Plans one operation on each item that names stand for, however often they name it.
///
/// # Errors
/// When the caller has cancelled.
pub(crate) fn each_item(
    ctx: &Context<'_, '_>,
    plan: &mut Plan,
    action: &str,
    names: &[String],
    mut change: impl FnMut(&mut Plan, &FoundItem) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut seen = Vec::new();
    for name in names {
        ctx.ensure_wanted()?;
        let found = find_item(plan, name);
        if let Ok(item) = &found {
            if seen.contains(&item.id) {
                continue;
            }
            seen.push(item.id);
        }
        let target = format!("item {}", found.as_ref().map_or(name, |item| &item.key));
        act_on(ctx, plan, action, target, found, |plan, item| change(plan, &item));
    }
    Ok(())
}

/// Plans one operation on what was named; what does not exist fails, or is passed over with `--ignore-missing`.
pub(crate) fn act_on<T>(
    ctx: &Context<'_, '_>,
    plan: &mut Plan,
    action: &str,
    target: impl Into<String>,
    found: Result<T, CliError>,
    change: impl FnOnce(&mut Plan, T) -> Result<(), CliError>,
) {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound && ctx.globals.operation.ignore_missing => {
            plan.skip(action, target, "does not exist");
        }
        found => {
            plan.attempt(action, target, |plan| change(plan, found?));
        }
    }
}
