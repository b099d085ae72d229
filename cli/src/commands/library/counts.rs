use crate::db::{Db, Row};
use crate::error::CliError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A file attached to an item.
#[derive(Clone, Debug)]
pub(crate) struct AttachedFile {
    pub(crate) item: i64,
    pub(crate) path: String,
    pub(crate) is_pdf: bool,
    pub(crate) is_there: bool,
}

/// Reads all attachments and looks whether their files are there.
pub(crate) fn attached_files(db: &Db) -> Result<Vec<AttachedFile>, CliError> {
    let rows = db.query("SELECT item_id, path, media_type FROM attachments ORDER BY id", &[])?;
    let text = |row: &Row, column: &str| row[column].as_str().unwrap_or_default().to_owned();
    Ok(rows
        .iter()
        .map(|row| {
            let path = text(row, "path");
            let is_pdf = text(row, "media_type") == "application/pdf" || path.to_lowercase().ends_with(".pdf");
            let is_there = Path::new(&path).is_file();
            AttachedFile { item: row["item_id"].as_i64().unwrap_or_default(), path, is_pdf, is_there }
        })
        .collect())
}

/// The items that have a PDF whose file is there.
pub(crate) fn with_pdf(db: &Db) -> Result<BTreeSet<i64>, CliError> {
    Ok(attached_files(db)?.iter().filter(|file| file.is_pdf && file.is_there).map(|file| file.item).collect())
}

/// Counts values, the most frequent first, as a JSON object.
pub(crate) fn tally(values: impl Iterator<Item = String>) -> Value {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Value::Object(counts.into_iter().map(|(value, count)| (value, count.into())).collect())
}
