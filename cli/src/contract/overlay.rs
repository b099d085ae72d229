use crate::db::Row;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The rows as a plan leaves them, where it changed them.
#[derive(Default)]
pub(crate) struct Overlay {
    tables: BTreeMap<String, BTreeMap<i64, Option<Row>>>,
    /// Ids by table, column and value, of rows that have or once had the value; made when first asked for.
    indexes: HashMap<(String, String), HashMap<String, Vec<i64>>>,
}

impl Overlay {
    /// The row as the plan leaves it; `None` when the plan does not touch it.
    pub(crate) fn row(&self, table: &str, id: i64) -> Option<&Option<Row>> {
        self.tables.get(table)?.get(&id)
    }

    /// Makes a row be this, or gone.
    pub(crate) fn set(&mut self, table: &str, id: i64, row: Option<Row>) {
        if let Some(row) = &row {
            for ((indexed, column), ids) in &mut self.indexes {
                if indexed == table {
                    ids.entry(canonical(table, column, &row[column.as_str()])).or_default().push(id);
                }
            }
        }
        self.tables.entry(table.to_owned()).or_default().insert(id, row);
    }

    /// The rows of a table whose columns have these values, all without any, by id.
    pub(crate) fn find(&mut self, table: &str, columns: &[(&str, Value)]) -> Vec<Row> {
        let Some(rows) = self.tables.get(table) else { return Vec::new() };
        let Some((first, value)) = columns.first() else { return rows.values().flatten().cloned().collect() };
        let index = self.indexes.entry((table.to_owned(), (*first).to_owned())).or_insert_with(|| {
            let mut ids: HashMap<String, Vec<i64>> = HashMap::new();
            for (id, row) in rows.iter().filter_map(|(id, row)| Some((*id, row.as_ref()?))) {
                ids.entry(canonical(table, first, &row[*first])).or_default().push(id);
            }
            ids
        });
        let mut ids = index.get(&canonical(table, first, value)).cloned().unwrap_or_default();
        ids.sort_unstable();
        ids.dedup();
        let fits = |row: &&Row| {
            columns.iter().all(|(name, value)| canonical(table, name, &row[*name]) == canonical(table, name, value))
        };
        ids.iter().filter_map(|id| rows.get(id)?.as_ref()).filter(fits).cloned().collect()
    }
}

/// A value's text, equal for values that the column takes as equal.
fn canonical(table: &str, column: &str, value: &Value) -> String {
    let ignores_case = matches!((table, column), ("items", "key") | ("searches" | "collections", "name"));
    match value {
        Value::String(text) if ignores_case => format!("\"{}", text.to_ascii_lowercase()),
        Value::String(text) => format!("\"{text}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::row;
    use serde_json::json;

    fn ids(overlay: &mut Overlay, table: &str, columns: &[(&str, Value)]) -> Vec<i64> {
        overlay.find(table, columns).iter().filter_map(|row| row["id"].as_i64()).collect()
    }

    #[test]
    fn rows_are_found_by_what_they_are_now() {
        let mut overlay = Overlay::default();
        let named =
            |id: i64, name: &str| Some(row([("id", json!(id)), ("name", json!(name)), ("parent_id", json!(null))]));
        overlay.set("tags", 1, named(1, "a"));
        assert_eq!(ids(&mut overlay, "tags", &[("name", json!("a"))]), [1]);
        overlay.set("tags", 2, named(2, "a"));
        overlay.set("tags", 1, named(1, "b"));
        overlay.set("collections", 3, named(3, "Shelf"));
        assert_eq!(ids(&mut overlay, "tags", &[("name", json!("a"))]), [2]);
        assert_eq!(ids(&mut overlay, "tags", &[("name", json!("b"))]), [1]);
        assert_eq!(ids(&mut overlay, "tags", &[("name", json!("A"))]), [0_i64; 0]);
        assert_eq!(ids(&mut overlay, "tags", &[("parent_id", json!(null)), ("name", json!("a"))]), [2]);
        assert_eq!(ids(&mut overlay, "collections", &[("name", json!("SHELF"))]), [3]);
        overlay.set("tags", 2, None);
        assert_eq!(ids(&mut overlay, "tags", &[("name", json!("a"))]), [0_i64; 0]);
        assert_eq!(overlay.row("tags", 2), Some(&None));
        assert_eq!(overlay.row("tags", 9), None);
    }

    #[test]
    fn numbers_and_their_texts_differ() {
        let mut overlay = Overlay::default();
        overlay.set("settings", 1, Some(row([("id", json!(1)), ("value", json!("5"))])));
        assert_eq!(ids(&mut overlay, "settings", &[("value", json!(5))]), [0_i64; 0]);
        assert_eq!(ids(&mut overlay, "settings", &[("value", json!("5"))]), [1]);
    }
}
