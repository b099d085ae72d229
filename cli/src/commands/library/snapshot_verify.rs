use super::copy::{checksum_of, checksum_path, newest};
use crate::context::Context;
use crate::db::row;
use crate::error::{CliError, ErrorKind};
use clap_facade::annotate::read_only;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::path::Path;
use std::path::PathBuf;

/// Verify a backup: checksum, database integrity and what it holds.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct SnapshotVerifyArgs {
    /// The snapshot; the newest among the library's snapshots by default
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
}

pub(crate) fn cmd_snapshot_verify(ctx: &mut Context<'_, '_>, args: &SnapshotVerifyArgs) -> Result<(), CliError> {
    let file = match &args.file {
        Some(file) => file.clone(),
        None => newest(ctx)?.ok_or_else(|| {
            CliError::not_found("the library has no snapshot").hint("`library snapshot create` makes one")
        })?,
    };
    let shown = file.display().to_string();
    let (sum, size) = checksum_of(&file, &ctx.io.cancelled)?;
    let expected = match std::fs::read_to_string(checksum_path(&file)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        read => Some(read.map_err(|error| {
            CliError::failure(format!("can't be read: {error}")).at(checksum_path(&file).display().to_string(), 0, "")
        })?),
    };
    let expected = expected.as_deref().and_then(|text| text.split_whitespace().next());
    let mut problems = Vec::new();
    if expected.is_some_and(|expected| expected != sum) {
        problems.push("the checksum is another: the file was changed after it was made".to_owned());
    }
    let content = match inspect(&file) {
        Ok((content, None)) => content,
        Ok((content, Some(problem))) => {
            problems.push(problem);
            content
        }
        Err(error) => {
            problems.push(format!("it can't be read as a library: {error}"));
            Value::Null
        }
    };
    ctx.print_object(&row([
        ("ok", json!(problems.is_empty())),
        ("file", json!(file)),
        ("bytes", json!(size)),
        ("sha256", json!(sum)),
        ("checksum_file", json!(expected.is_some())),
        ("content", content),
        ("problems", json!(problems)),
    ]))?;
    match problems.is_empty() {
        true => Ok(()),
        false => Err(CliError::new(ErrorKind::Quality, problems.join("; ")).at(shown, 0, "").printed()),
    }
}

/// Reads what a snapshot holds, and what SQLite finds wrong with it.
fn inspect(file: &Path) -> Result<(Value, Option<String>), rusqlite::Error> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let content = json!({
        "format": count("PRAGMA user_version")?,
        "items": count("SELECT count(*) FROM items")?,
        "notes": count("SELECT count(*) FROM notes")?,
        "last_run": count("SELECT coalesce(max(id), 0) FROM journal_runs")?,
    });
    Ok((content, (verdict != "ok").then_some(verdict)))
}
