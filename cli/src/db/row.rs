use super::Db;
use crate::error::CliError;
use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A row of a table: column names and values.
pub type Row = Map<String, Value>;

/// Tables, and their columns that refer to another one.
pub type Referring = Arc<[(&'static str, String)]>;

/// The tables that hold the user's data; every change to one of their rows is journaled.
pub const JOURNALED: &[&str] = &[
    "items",
    "creators",
    "item_creators",
    "tags",
    "item_tags",
    "collections",
    "collection_items",
    "notes",
    "attachments",
    "reading_list",
    "searches",
    "settings",
    "workflow_runs",
];

/// Makes a row of `(column, value)` pairs.
pub fn row<const N: usize>(columns: [(&str, Value); N]) -> Row {
    columns.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Db {
    /// Reads the rows that an SQL query gives, as JSON objects.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn query(&self, sql: &str, params: &[Value]) -> Result<Vec<Row>, CliError> {
        let mut statement = self.connection().prepare(sql)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let rows = statement.query_map(params_from_iter(params.iter().map(Json)), |row| {
            names.iter().enumerate().map(|(index, name)| Ok((name.clone(), from_sql(row.get_ref(index)?)))).collect()
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Reads the first row that an SQL query gives.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn first(&self, sql: &str, params: &[Value]) -> Result<Option<Row>, CliError> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// Reads the one integer that an SQL query gives.
    ///
    /// # Errors
    /// When SQLite fails or there is no row.
    pub fn count(&self, sql: &str, params: &[Value]) -> Result<i64, CliError> {
        Ok(self.connection().query_row(sql, params_from_iter(params.iter().map(Json)), |row| row.get(0))?)
    }

    /// Reads the bytes of the one row and column that an SQL query gives for an id.
    ///
    /// # Errors
    /// When SQLite fails or there is no row.
    pub fn bytes(&self, sql: &str, id: i64) -> Result<Option<Vec<u8>>, CliError> {
        Ok(self.connection().query_row(sql, [id], |row| row.get(0))?)
    }

    /// Reads one row of a journaled table, its stored columns only.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn read_row(&self, table: &str, id: i64) -> Result<Option<Row>, CliError> {
        let sql = format!("SELECT {} FROM {table} WHERE id = ?1", self.columns(table)?.join(", "));
        self.first(&sql, &[id.into()])
    }

    /// The stored columns of a table; generated ones are left out.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn columns(&self, table: &str) -> Result<Arc<[String]>, CliError> {
        if let Some(columns) = self.columns.borrow().get(table) {
            return Ok(Arc::clone(columns));
        }
        let mut statement = self.connection().prepare("SELECT name FROM pragma_table_info(?1)")?;
        let names = statement.query_map([table], |row| row.get(0))?.collect::<Result<Arc<[String]>, _>>()?;
        self.columns.borrow_mut().insert(table.to_owned(), Arc::clone(&names));
        Ok(names)
    }

    /// The `(table, id)` of the rows that refer to a row.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn referrers(&self, table: &str, id: i64) -> Result<Vec<(&'static str, i64)>, CliError> {
        let mut found = Vec::new();
        for (other, column) in self.referring_columns(table)?.iter() {
            let rows = self.query(&format!("SELECT id FROM {other} WHERE {column} = ?1 ORDER BY id"), &[id.into()])?;
            found.extend(rows.iter().filter_map(|row| Some((*other, row["id"].as_i64()?))));
        }
        Ok(found)
    }

    /// The columns of journaled tables that refer to a table, with the table they are of.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn referring_columns(&self, table: &str) -> Result<Referring, CliError> {
        if let Some(columns) = self.referring.borrow().get(table) {
            return Ok(Arc::clone(columns));
        }
        let sql = "SELECT \"from\" AS name FROM pragma_foreign_key_list(?1) WHERE \"table\" = ?2";
        let mut found = Vec::new();
        for &other in JOURNALED {
            for column in self.query(sql, &[other.into(), table.into()])? {
                found.push((other, column["name"].as_str().unwrap_or_default().to_owned()));
            }
        }
        let found: Referring = found.into();
        self.referring.borrow_mut().insert(table.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// The id that the next new row of a table gets; ids are never used twice.
    pub(crate) fn next_id(&self, table: &str) -> Result<i64, CliError> {
        let used = self
            .connection()
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = ?1", [table], |row| row.get::<_, i64>(0))
            .optional()?;
        Ok(used.unwrap_or(0) + 1)
    }
}

/// Makes a row be what `after` says: inserts, updates or deletes it.
pub(crate) fn write_row(
    db: &Connection,
    table: &str,
    id: i64,
    before: Option<&Row>,
    after: Option<&Row>,
) -> rusqlite::Result<usize> {
    match (before, after) {
        (_, None) => db.prepare(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id]),
        (None, Some(after)) => {
            let names: Vec<&str> = after.keys().map(String::as_str).collect();
            let marks = vec!["?"; names.len()].join(", ");
            let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
            db.prepare(&sql)?.execute(params_from_iter(after.values().map(Json)))
        }
        (Some(before), Some(after)) => {
            let changed: Vec<_> = after.iter().filter(|(name, value)| before.get(*name) != Some(*value)).collect();
            if changed.is_empty() {
                return Ok(1);
            }
            let sets: Vec<String> = changed.iter().map(|(name, _)| format!("{name} = ?")).collect();
            let sql = format!("UPDATE {table} SET {} WHERE id = {id}", sets.join(", "));
            db.prepare(&sql)?.execute(params_from_iter(changed.iter().map(|(_, value)| Json(value))))
        }
    }
}

/// A JSON value as SQL: what is no scalar is stored as its text.
struct Json<'a>(&'a Value);

impl rusqlite::ToSql for Json<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Null => ToSqlOutput::Owned(Sql::Null),
            Value::Bool(value) => ToSqlOutput::Owned(Sql::Integer(i64::from(*value))),
            Value::Number(number) => ToSqlOutput::Owned(match number.as_i64() {
                Some(integer) => Sql::Integer(integer),
                None => Sql::Real(number.as_f64().unwrap_or(f64::NAN)),
            }),
            Value::String(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            other => ToSqlOutput::Owned(Sql::Text(other.to_string())),
        })
    }
}

fn from_sql(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => integer.into(),
        ValueRef::Real(real) => real.into(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned().into(),
    }
}
