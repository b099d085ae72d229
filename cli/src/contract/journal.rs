use super::files::Content;
use super::plan::Operation;
use crate::db::Db;
use crate::error::CliError;
use rusqlite::params;
use sha2::{Digest, Sha256};

/// Begins a run and gives its id.
pub(crate) fn begin(db: &Db, operation: &str, undoes: Option<i64>) -> Result<i64, CliError> {
    db.connection().execute(
        "INSERT INTO journal_runs (operation, summary, digest, changes, undoes, applied_at) VALUES (?1, '', '', 0, ?2, ?3)",
        params![operation, undoes, db.now()?],
    )?;
    Ok(db.connection().last_insert_rowid())
}

/// Records an applied operation's rows and files with their state before.
pub(crate) fn record(db: &Db, run: i64, operation: &Operation) -> Result<(), CliError> {
    let mut insert = db.connection().prepare(
        "INSERT INTO journal_changes (run_id, action, target, table_name, row_id, file, before, after, content)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let text = |row: &Option<crate::db::Row>| row.as_ref().and_then(|row| serde_json::to_string(row).ok());
    for change in &operation.rows {
        let (before, after) = (text(&change.before), text(&change.after));
        let none: Option<&str> = None;
        insert.execute(params![
            run,
            operation.action,
            operation.target,
            change.table,
            change.id,
            none,
            before,
            after,
            none
        ])?;
    }
    for file in &operation.files {
        let none: Option<i64> = None;
        let path = file.path.to_string_lossy();
        insert.execute(params![
            run,
            operation.action,
            operation.target,
            "file",
            none,
            path,
            file.before.as_deref().map(fingerprint),
            file.after.as_ref().map(Content::fingerprint),
            file.before
        ])?;
    }
    Ok(())
}

/// Completes a run with what it did.
pub(crate) fn finish(db: &Db, run: i64, summary: &str, digest: &str, changes: usize) -> Result<(), CliError> {
    db.connection().execute(
        "UPDATE journal_runs SET summary = ?2, digest = ?3, changes = ?4 WHERE id = ?1",
        params![run, summary, digest, changes as i64],
    )?;
    Ok(())
}

/// What the journal keeps of a file's content beside the bytes.
pub(crate) fn fingerprint(content: &[u8]) -> String {
    format!("sha256:{}", super::plan::hex(&Sha256::digest(content)))
}
