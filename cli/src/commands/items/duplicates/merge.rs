use crate::contract::Plan;
use crate::db::row;
use crate::error::CliError;
use crate::model::{Item, set_creators, update_item};
use serde_json::{Value, json};

/// Plans to merge an item into another: what the kept one lacks is filled, what belongs to the other
/// moves over, and the other goes.
pub(super) fn merge(plan: &mut Plan, keep: &mut Item, other: &Item) -> Result<(), CliError> {
    plan.destructive();
    fill(keep, other);
    update_item(plan, keep)?;
    for (table, shown) in [("item_tags", "tag_id"), ("collection_items", "collection_id"), ("attachments", "path")] {
        move_links(plan, keep.id, other.id, table, shown)?;
    }
    let notes = plan.find_all("notes", &[("item_id", other.id.into())])?;
    for note in &notes {
        plan.update("notes", note["id"].as_i64().unwrap_or_default(), row([("item_id", json!(keep.id))]))?;
    }
    if !notes.is_empty() {
        plan.change("notes moved", json!(0), json!(notes.len()));
    }
    move_reading(plan, keep.id, other.id)?;
    drop_creators(plan, other)?;
    plan.delete("items", other.id)
}

fn fill(keep: &mut Item, other: &Item) {
    for (name, value) in &other.fields {
        keep.fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    for (name, value) in &other.extra {
        keep.extra.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let is_fuller = |other: &String, own: &String| other.len() > own.len() && other.starts_with(own.as_str());
    if let Some(issued) = &other.issued
        && keep.issued.as_ref().is_none_or(|own| is_fuller(issued, own))
    {
        keep.issued = Some(issued.clone());
    }
    if keep.creators.is_empty() {
        keep.creators.clone_from(&other.creators);
    }
}

/// Moves links that the kept item does not have; those it has go with the other item.
fn move_links(plan: &mut Plan, keep: i64, other: i64, table: &str, what: &str) -> Result<(), CliError> {
    let mut moved = 0;
    for link in plan.find_all(table, &[("item_id", other.into())])? {
        if plan.find(table, &[("item_id", keep.into()), (what, link[what].clone())])?.is_none() {
            plan.update_unseen(table, link["id"].as_i64().unwrap_or_default(), row([("item_id", json!(keep))]))?;
            moved += 1;
        }
    }
    if moved > 0 {
        plan.change(format!("{table} moved"), json!(0), json!(moved));
    }
    Ok(())
}

/// Keeps the reading state that is further on.
fn move_reading(plan: &mut Plan, keep: i64, other: i64) -> Result<(), CliError> {
    let Some(theirs) = plan.find("reading_list", &[("item_id", other.into())])? else { return Ok(()) };
    let rank = |state: &Value| ["queued", "reading", "done"].iter().position(|known| state == known);
    let id = theirs["id"].as_i64().unwrap_or_default();
    match plan.find("reading_list", &[("item_id", keep.into())])? {
        None => {
            plan.change("reading", Value::Null, theirs["state"].clone());
            plan.update_unseen("reading_list", id, row([("item_id", json!(keep))]))
        }
        Some(ours) if rank(&theirs["state"]) > rank(&ours["state"]) => {
            let columns = ["state", "started_at", "finished_at"].map(|name| (name, theirs[name].clone()));
            plan.update("reading_list", ours["id"].as_i64().unwrap_or_default(), row(columns))
        }
        Some(_) => Ok(()),
    }
}

/// Unlinks the other item's creators, so that those nobody has any more go too.
fn drop_creators(plan: &mut Plan, other: &Item) -> Result<(), CliError> {
    plan.unseen(|plan| set_creators(plan, other.id, &[]))
}
