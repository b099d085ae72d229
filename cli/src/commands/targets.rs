//! Resolving the items a command is about, the same way for each command.

use crate::context::Context;
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
    let key = row.get("key").and_then(|key| key.as_str()).unwrap_or(name).to_owned();
    Ok(FoundItem { id, key })
}

/// Plans one operation an item; one that does not exist fails, or is passed over with `--ignore-missing`.
pub(crate) fn each_item(
    ctx: &Context<'_, '_>,
    plan: &mut Plan,
    action: &'static str,
    names: &[String],
    build: impl Fn(&mut Plan, &FoundItem) -> Result<(), CliError>,
) {
    for name in names {
        match find_item(plan, name) {
            Err(error) if error.kind() == ErrorKind::NotFound && ctx.globals.operation.ignore_missing => {
                plan.skip(action, format!("item {name}"), "does not exist");
            }
            found => {
                let key = found.as_ref().map_or(name, |item| &item.key).clone();
                plan.attempt(action, format!("item {key}"), |plan| build(plan, &found?));
            }
        }
    }
}
