use super::doi::normalize_doi;
use super::item::Item;
use crate::contract::Plan;
use crate::db::Db;
use crate::error::CliError;

/// Reads the item that a citation key or a DOI names.
///
/// # Errors
/// When there is none; the hint names the nearest keys.
pub fn item_by_key(db: &Db, name: &str) -> Result<Item, CliError> {
    let row = stored_id(db, name)?;
    let item = row.map(|id| Item::select(db, "i.id = ?1", &[id.into()])).transpose()?;
    item.and_then(|items| items.into_iter().next()).map_or_else(|| Err(no_item(db, name)?), Ok)
}

/// Finds the id of the item that a key or a DOI names, as the plan leaves the library.
///
/// # Errors
/// When there is none; the hint names the nearest keys.
pub fn item_id(plan: &Plan, name: &str) -> Result<i64, CliError> {
    let mut row = plan.find("items", &[("key", name.into())])?;
    if row.is_none()
        && let Some(doi) = normalize_doi(name)
    {
        row = plan.find("items", &[("doi", doi.into())])?;
    }
    match row.and_then(|row| row["id"].as_i64()) {
        Some(id) => Ok(id),
        None => Err(no_item(&plan.db(), name)?),
    }
}

/// An error for a name that does not exist, with the nearest ones that do.
pub(crate) fn not_found(kind: &str, name: &str, known: &[&str]) -> CliError {
    let lower = name.to_lowercase();
    let score = |candidate: &str| strsim::jaro_winkler(&lower, &candidate.to_lowercase());
    let mut near: Vec<(f64, &str)> = known.iter().map(|&candidate| (score(candidate), candidate)).collect();
    near.retain(|(score, _)| *score > 0.75);
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    let error = CliError::not_found(format!("no {kind} {name:?}"));
    match near.as_slice() {
        [] => error,
        near => {
            let names: Vec<&str> = near.iter().take(3).map(|(_, name)| *name).collect();
            error.hint(format!("did you mean {}?", names.join(", ")))
        }
    }
}

fn stored_id(db: &Db, name: &str) -> Result<Option<i64>, CliError> {
    let by_key = db.first("SELECT id FROM items WHERE key = ?1", &[name.into()])?;
    let row = match (by_key, normalize_doi(name)) {
        (None, Some(doi)) => db.first("SELECT id FROM items WHERE lower(doi) = ?1 ORDER BY id", &[doi.into()])?,
        (row, _) => row,
    };
    Ok(row.and_then(|row| row["id"].as_i64()))
}

fn no_item(db: &Db, name: &str) -> Result<CliError, CliError> {
    let keys = db.query("SELECT key FROM items", &[])?;
    let keys: Vec<&str> = keys.iter().filter_map(|row| row["key"].as_str()).collect();
    let error = not_found("item", name, &keys);
    Ok(match error.hint_text() {
        Some(_) => error,
        None => error.hint("`mycli items list` and `mycli search` show the keys"),
    })
}
