use super::files::read_if_there;
use super::journal::fingerprint;
use super::plan::Plan;
use crate::db::{Db, Row};
use crate::error::CliError;
use serde_json::{Value, json};
use std::path::Path;

/// Tables whose rows are names that items share: one that others use by now outlives the undo.
const SHARED: &[&str] = &["tags", "creators"];

/// A recorded change of a row or a file.
struct Recorded {
    action: String,
    target: String,
    table: String,
    id: i64,
    file: Option<String>,
    before: Option<Row>,
    after: Option<Row>,
    fingerprints: (Option<String>, Option<String>),
    sequence: i64,
}

/// Plans to put back what a run changed, the last change first.
///
/// # Errors
/// When there is no such run, or it is undone already.
pub(crate) fn plan_undo(plan: &mut Plan, run: i64) -> Result<(), CliError> {
    let db = plan.db();
    if db.first("SELECT id FROM journal_runs WHERE id = ?1", &[run.into()])?.is_none() {
        return Err(
            CliError::not_found(format!("no run {run} in the journal")).hint("`mycli journal list` shows the runs")
        );
    }
    if let Some(by) = undone_by(&db, run)? {
        return Err(CliError::precondition(format!("run {run} is undone already, by run {by}"))
            .hint(format!("`mycli journal undo {by}` does it again")));
    }
    plan.undoes = Some(run);
    plan.all_or_nothing();
    let changes = recorded(&db, run)?;
    if changes.is_empty() {
        plan.skip("undo", format!("run {run}"), "it changed no row and no file that the journal keeps");
    }
    let mut changes = changes.into_iter().peekable();
    while let Some(first) = changes.next() {
        let (action, target) = (format!("undo {}", first.action), first.target.clone());
        let mut group = vec![first];
        while let Some(next) = changes.next_if(|next| next.target == target && next.action == group[0].action) {
            group.push(next);
        }
        plan.attempt(action, target, |plan| group.iter().try_for_each(|change| put_back(plan, run, change)));
    }
    Ok(())
}

/// The run that undid a run and still stands.
///
/// # Errors
/// When SQLite fails.
pub(crate) fn undone_by(db: &Db, run: i64) -> Result<Option<i64>, CliError> {
    for row in db.query("SELECT id FROM journal_runs WHERE undoes = ?1 ORDER BY id DESC", &[run.into()])? {
        let by = row["id"].as_i64().unwrap_or_default();
        if undone_by(db, by)?.is_none() {
            return Ok(Some(by));
        }
    }
    Ok(None)
}

fn put_back(plan: &mut Plan, run: i64, change: &Recorded) -> Result<(), CliError> {
    if let Some(file) = &change.file {
        return put_back_file(plan, change, Path::new(file));
    }
    let (table, id) = (change.table.as_str(), change.id);
    let now = plan.row(table, id)?;
    let stands = match (&now, &change.after) {
        (None, None) => true,
        (Some(now), Some(after)) => after.iter().all(|(column, value)| now.get(column) == Some(value)),
        _ => false,
    };
    if !stands {
        return Err(changed_later(&plan.db(), run, table, id)?);
    }
    match &change.before {
        None => {
            let referrers = plan.referrers(table, id)?;
            if SHARED.contains(&table) && !referrers.is_empty() {
                plan.warn(format!("row {id} of {table} stays: others use it by now"));
                return Ok(());
            }
            if let Some((other, referrer)) = referrers.first() {
                return Err(changed_later(&plan.db(), run, other, *referrer)?);
            }
            plan.count_removed(table);
        }
        Some(before) => {
            check_restorable(plan, run, table, id, before)?;
            for (column, value) in before.iter().filter(|(column, _)| super::plan::is_shown(column)) {
                let now = now.as_ref().and_then(|row| row.get(column)).cloned().unwrap_or_default();
                plan.change(
                    if change.after.is_some() { column.clone() } else { format!("{table}.{column}") },
                    now,
                    value.clone(),
                );
            }
        }
    }
    let before = change.before.as_ref().map(|before| {
        let mut whole = now.clone().unwrap_or_default();
        whole.extend(before.clone());
        whole
    });
    plan.record(table, id, now, before);
    Ok(())
}

/// Refuses to restore a row whose parent is gone or whose unique name is taken.
fn check_restorable(plan: &Plan, run: i64, table: &str, id: i64, row: &Row) -> Result<(), CliError> {
    let db = plan.db();
    let keys =
        db.query("SELECT \"from\" AS name, \"table\" AS parent FROM pragma_foreign_key_list(?1)", &[table.into()])?;
    for key in keys {
        let (name, parent) = (key["name"].as_str().unwrap_or_default(), key["parent"].as_str().unwrap_or_default());
        if let Some(value) = row.get(name).and_then(Value::as_i64)
            && plan.row(parent, value)?.is_none()
        {
            return Err(changed_later(&db, run, parent, value)?);
        }
    }
    let sql = "SELECT l.seq, json_group_array(i.name) AS names FROM pragma_index_list(?1) l
               JOIN pragma_index_info(l.name) i WHERE l.\"unique\" GROUP BY l.seq";
    for index in db.query(sql, &[table.into()])? {
        let names: Vec<Option<String>> =
            serde_json::from_str(index["names"].as_str().unwrap_or_default()).unwrap_or_default();
        let columns: Option<Vec<(&str, Value)>> =
            names.iter().map(|name| name.as_deref().and_then(|name| Some((name, row.get(name)?.clone())))).collect();
        let Some(columns) = columns else { continue };
        let other = plan.find_all(table, &columns)?.into_iter().find(|other| other["id"].as_i64() != Some(id));
        if let Some(other) = other.and_then(|other| other["id"].as_i64()) {
            return Err(changed_later(&db, run, table, other)?);
        }
    }
    Ok(())
}

fn put_back_file(plan: &mut Plan, change: &Recorded, path: &Path) -> Result<(), CliError> {
    let now = read_if_there(path)?.as_deref().map(fingerprint);
    if now != change.fingerprints.1 {
        return Err(CliError::precondition("the file has been changed since").at(path.display().to_string(), 0, ""));
    }
    let content = match change.fingerprints.0 {
        None => None,
        Some(_) => plan.db().bytes("SELECT content FROM journal_changes WHERE id = ?1", change.sequence)?,
    };
    plan.write_file(path, content)
}

fn changed_later(db: &Db, run: i64, table: &str, id: i64) -> Result<CliError, CliError> {
    let sql =
        "SELECT DISTINCT run_id FROM journal_changes WHERE run_id > ?1 AND table_name = ?2 AND row_id = ?3 ORDER BY 1";
    let later = db.query(sql, &[run.into(), table.into(), id.into()])?;
    let runs: Vec<String> = later.iter().map(|row| row["run_id"].to_string()).collect();
    Ok(match runs.last() {
        Some(last) => CliError::precondition(format!("{table} row {id} was changed later, by run {}", runs.join(", ")))
            .hint(format!("`mycli journal undo {last}` first")),
        None => CliError::precondition(format!("{table} row {id} is not as run {run} left it")),
    })
}

fn recorded(db: &Db, run: i64) -> Result<Vec<Recorded>, CliError> {
    let sql = "SELECT id, action, target, table_name, row_id, file, before, after FROM journal_changes
               WHERE run_id = ?1 ORDER BY id DESC";
    let rows = db.query(sql, &[run.into()])?;
    let text = |row: &Row, column: &str| row[column].as_str().map(str::to_owned);
    let image = |row: &Row, column: &str| row[column].as_str().and_then(|text| serde_json::from_str::<Row>(text).ok());
    Ok(rows
        .iter()
        .map(|row| Recorded {
            action: text(row, "action").unwrap_or_default(),
            target: text(row, "target").unwrap_or_default(),
            table: text(row, "table_name").unwrap_or_default(),
            id: row["row_id"].as_i64().unwrap_or_default(),
            file: text(row, "file"),
            before: image(row, "before"),
            after: image(row, "after"),
            fingerprints: (text(row, "before"), text(row, "after")),
            sequence: row["id"].as_i64().unwrap_or_default(),
        })
        .collect())
}

/// What a run changed, as `mycli journal show` prints it.
///
/// # Errors
/// When SQLite fails.
pub(crate) fn changes_of(db: &Db, run: i64) -> Result<Vec<Row>, CliError> {
    let mut changes = recorded(db, run)?;
    changes.reverse();
    Ok(changes
        .into_iter()
        .map(|change| {
            let (before, after) = match &change.file {
                Some(_) => (json!(change.fingerprints.0), json!(change.fingerprints.1)),
                None => (json!(change.before), json!(change.after)),
            };
            crate::db::row([
                ("action", json!(change.action)),
                ("target", json!(change.target)),
                ("table", json!(change.table)),
                ("row", if change.file.is_some() { json!(change.file) } else { json!(change.id) }),
                ("before", before),
                ("after", after),
            ])
        })
        .collect())
}
