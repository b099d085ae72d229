use crate::commands::targets::act_on;
use crate::context::Context;
use crate::contract::Plan;
use crate::db::row;
use crate::error::CliError;
use crate::model::Shelves;
use clap_facade::annotate::destructive;
use serde_json::{Value, json};

/// Delete (dissolve) collections; their items stay in the library.
#[derive(Debug, clap::Args)]
#[command(add = destructive().example("Dissolve the shelf Economics", "collections delete Economics"))]
pub(crate) struct DeleteArgs {
    /// The collections: names, paths or ids
    #[arg(required = true, value_name = "COLLECTION")]
    collections: Vec<String>,

    /// Also delete the collections inside; without it they move up one level
    #[arg(long, short)]
    recursive: bool,
}

pub(crate) fn cmd_delete(ctx: &mut Context<'_, '_>, args: &DeleteArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        let shelves = Shelves::load(&plan.db())?;
        for text in &args.collections {
            let found = shelves.resolve(text);
            act_on(ctx, plan, "delete", text, found, |plan, id| {
                plan.retarget(shelves.path(id));
                plan.destructive();
                if plan.row("collections", id)?.is_none() {
                    return Ok(());
                }
                if !args.recursive {
                    lift_children(plan, &shelves, id)?;
                }
                plan.delete("collections", id)
            });
        }
        Ok(())
    })
}

/// Plans that what is inside a collection moves up one level.
fn lift_children(plan: &mut Plan, shelves: &Shelves, id: i64) -> Result<(), CliError> {
    let parent = plan.row("collections", id)?.map_or(Value::Null, |own| own["parent_id"].clone());
    for child in plan.find_all("collections", &[("parent_id", json!(id))])? {
        let child_id = child["id"].as_i64().unwrap_or_default();
        if plan.find("collections", &[("parent_id", parent.clone()), ("name", child["name"].clone())])?.is_some() {
            let path = shelves.path(child_id);
            return Err(CliError::precondition(format!("{path:?} would move up to where its name is taken"))
                .hint("rename or move it first, or delete it too with --recursive"));
        }
        let above = parent.as_i64().map(|parent| shelves.path(parent));
        plan.change(format!("parent of {}", shelves.name(child_id)), json!(shelves.path(id)), json!(above));
        plan.update("collections", child_id, row([("parent_id", parent.clone())]))?;
    }
    Ok(())
}
