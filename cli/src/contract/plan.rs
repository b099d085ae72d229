use super::files::{Content, FileChange, Staged};
use super::overlay::Overlay;
use crate::db::{Db, Library, Row};
use crate::error::{CliError, ErrorKind};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// What a mutating command wants to change, one operation a target.
///
/// Reads through [`Plan::row`] and [`Plan::find`] see what the plan has changed so far.
pub struct Plan {
    db: Rc<Db>,
    now: String,
    pub(crate) operations: Vec<Operation>,
    pub(crate) warnings: Vec<String>,
    pub(crate) result: Row,
    current: Option<Operation>,
    overlay: RefCell<Overlay>,
    next_ids: BTreeMap<String, i64>,
    pub(crate) undoes: Option<i64>,
    pub(crate) all_or_nothing: bool,
}

/// One planned operation.
#[derive(Default)]
pub(crate) struct Operation {
    pub(crate) action: String,
    pub(crate) target: String,
    pub(crate) destructive: bool,
    pub(crate) fields: Vec<FieldChange>,
    pub(crate) removes: BTreeMap<String, usize>,
    pub(crate) rows: Vec<RowChange>,
    pub(crate) files: Vec<FileChange>,
    pub(crate) external: Option<External>,
    pub(crate) skipped: Option<String>,
    pub(crate) error: Option<CliError>,
}

/// A step outside the database transaction; it runs after the commit.
pub(crate) type External = Box<dyn FnOnce(&Db) -> Result<Value, CliError>>;

/// A change as people read it.
pub(crate) struct FieldChange {
    pub(crate) field: String,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

/// A change as the database has it: the whole row before and after.
pub(crate) struct RowChange {
    pub(crate) table: String,
    pub(crate) id: i64,
    pub(crate) before: Option<Row>,
    pub(crate) after: Option<Row>,
}

impl Plan {
    pub(crate) fn new(db: Rc<Db>) -> Result<Self, CliError> {
        Ok(Self {
            now: db.now()?,
            db,
            operations: Vec::new(),
            warnings: Vec::new(),
            result: Row::new(),
            current: None,
            overlay: RefCell::default(),
            next_ids: BTreeMap::new(),
            undoes: None,
            all_or_nothing: false,
        })
    }

    /// The library, as it is before the plan.
    pub fn db(&self) -> Rc<Db> {
        Rc::clone(&self.db)
    }

    /// The time of this run, for `*_at` columns.
    pub fn now(&self) -> String {
        self.now.clone()
    }

    /// Plans one operation; an error makes it one that fails, and its changes are dropped.
    ///
    /// An operation that changes nothing is reported as unchanged. Returns what `build` made.
    pub fn attempt<T>(
        &mut self,
        action: impl Into<String>,
        target: impl Into<String>,
        build: impl FnOnce(&mut Self) -> Result<T, CliError>,
    ) -> Option<T> {
        debug_assert!(self.current.is_none(), "operations don't nest");
        self.current = Some(Operation { action: action.into(), target: target.into(), ..Operation::default() });
        let built = build(self);
        let mut operation = self.current.take().unwrap_or_default();
        match built {
            Ok(value) => {
                if operation.is_empty() && operation.skipped.is_none() {
                    operation.skipped = Some("nothing to change".to_owned());
                }
                self.operations.push(operation);
                Some(value)
            }
            Err(error) => {
                for change in operation.rows.drain(..).rev() {
                    self.overlay.get_mut().set(&change.table, change.id, change.before);
                }
                operation.forget_changes();
                operation.error = Some(error);
                self.operations.push(operation);
                None
            }
        }
    }

    /// Plans an operation that can't be done, in its place among the others.
    pub fn fail(&mut self, action: impl Into<String>, target: impl Into<String>, error: CliError) {
        self.attempt(action, target, |_| Err::<(), _>(error));
    }

    /// Reports a target that needs no change.
    pub fn skip(&mut self, action: impl Into<String>, target: impl Into<String>, reason: impl Into<String>) {
        self.operations.push(Operation {
            action: action.into(),
            target: target.into(),
            skipped: Some(reason.into()),
            ..Operation::default()
        });
    }

    /// Refuses the whole run, before the first write, when one operation can't be done;
    /// `--continue-on-error` lifts that.
    pub fn all_or_nothing(&mut self) {
        self.all_or_nothing = true;
    }

    /// Adds a warning to the report.
    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Adds a value to the `result` of an applied run.
    pub fn result(&mut self, name: &str, value: Value) {
        self.result.insert(name.to_owned(), value);
    }

    /// Renames the target of the operation being planned, once its name is known.
    pub fn retarget(&mut self, target: impl Into<String>) {
        self.current().target = target.into();
    }

    /// Marks the operation being planned as destructive.
    pub fn destructive(&mut self) {
        self.current().destructive = true;
    }

    /// Shows a change of a field that no row change shows by itself. Never a time.
    pub fn change(&mut self, field: impl Into<String>, before: Value, after: Value) {
        let field = field.into();
        if before != after {
            self.current().fields.push(FieldChange { field, before, after });
        }
    }

    /// Inserts a row, showing its values, and gives its id.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn insert(&mut self, table: &str, row: Row) -> Result<i64, CliError> {
        for (column, value) in row.iter().filter(|(column, value)| is_shown(column) && !value.is_null()) {
            self.change(column.as_str(), Value::Null, value.clone());
        }
        self.link(table, row)
    }

    /// Inserts a row without showing its values: use [`Plan::change`] to say what it means.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn link(&mut self, table: &str, mut row: Row) -> Result<i64, CliError> {
        let id = match self.next_ids.get(table) {
            Some(id) => *id,
            None => self.db.next_id(table)?,
        };
        self.next_ids.insert(table.to_owned(), id + 1);
        let mut whole = Row::new();
        whole.insert("id".to_owned(), id.into());
        for column in self.db.columns(table)?.iter().filter(|column| *column != "id") {
            let value = row.remove(column);
            whole.insert(column.clone(), value.unwrap_or(Value::Null));
        }
        debug_assert!(row.is_empty(), "{table} has no columns {row:?}");
        self.record(table, id, None, Some(whole));
        Ok(id)
    }

    /// Changes columns of a row, showing what changes. A row that has the values already stays untouched.
    ///
    /// # Errors
    /// When the row does not exist or SQLite fails.
    pub fn update(&mut self, table: &str, id: i64, changes: Row) -> Result<(), CliError> {
        let before = self.existing(table, id)?;
        let mut after = before.clone();
        for (column, value) in changes {
            debug_assert!(before.contains_key(&column), "{table} has no column {column}");
            if is_shown(&column) {
                self.change(column.as_str(), before[&column].clone(), value.clone());
            }
            after.insert(column, value);
        }
        let differs = before.iter().any(|(column, value)| column != "updated_at" && after[column] != *value);
        if differs {
            self.record(table, id, Some(before), Some(after));
        }
        Ok(())
    }

    /// Changes columns of a row without showing it: use [`Plan::change`] to say what it means.
    ///
    /// # Errors
    /// When the row does not exist or SQLite fails.
    pub fn update_unseen(&mut self, table: &str, id: i64, changes: Row) -> Result<(), CliError> {
        self.unseen(|plan| plan.update(table, id, changes))
    }

    /// Plans changes without showing them: use [`Plan::change`] to say what they mean.
    ///
    /// # Errors
    /// What `build` reports.
    pub fn unseen<T>(&mut self, build: impl FnOnce(&mut Self) -> Result<T, CliError>) -> Result<T, CliError> {
        let shown = self.current().fields.len();
        let built = build(self);
        self.current().fields.truncate(shown);
        built
    }

    /// Deletes a row and every row that refers to it, those first, and shows how many of each.
    ///
    /// # Errors
    /// When the row does not exist or SQLite fails.
    pub fn delete(&mut self, table: &str, id: i64) -> Result<(), CliError> {
        for (other, referrer) in self.referrers(table, id)? {
            self.delete(other, referrer)?;
        }
        self.count_removed(table);
        self.unlink(table, id)
    }

    /// Deletes one row without showing it: use [`Plan::change`] to say what it means.
    ///
    /// # Errors
    /// When the row does not exist or SQLite fails.
    pub fn unlink(&mut self, table: &str, id: i64) -> Result<(), CliError> {
        let before = self.existing(table, id)?;
        self.record(table, id, Some(before), None);
        Ok(())
    }

    /// Writes a file, atomically, when the run is applied; `None` removes it.
    ///
    /// # Errors
    /// When the file that is there can't be read, or its folder does not exist.
    pub fn write_file(&mut self, path: &Path, content: Option<Vec<u8>>) -> Result<(), CliError> {
        self.change_file(FileChange::plan(path, content.map(Content::Bytes), None)?)
    }

    /// Writes a file, atomically, from a temporary one, when the run is applied.
    ///
    /// # Errors
    /// When the file that is there can't be read, or its folder does not exist.
    pub(crate) fn write_staged(&mut self, path: &Path, content: Staged) -> Result<(), CliError> {
        self.change_file(FileChange::plan(path, Some(Content::Staged(content)), None)?)
    }

    /// Writes a file into the data folder, which the run makes if it is the first.
    ///
    /// # Errors
    /// When the file that is there can't be read.
    pub fn write_data_file(&mut self, library: &Library, name: &str, content: Vec<u8>) -> Result<(), CliError> {
        let folder = std::path::absolute(library.folder())?;
        self.change_file(FileChange::plan(&folder.join(name), Some(Content::Bytes(content)), Some(&folder))?)
    }

    fn change_file(&mut self, change: FileChange) -> Result<(), CliError> {
        if change.is_change() {
            self.change(
                format!("file {}", change.path.display()),
                change.before.as_ref().map_or(Value::Null, |before| describe(before.len() as u64)),
                change.after.as_ref().map_or(Value::Null, |after| describe(after.size())),
            );
            self.current().files.push(change);
        }
        Ok(())
    }

    /// Adds a step that can't be part of a transaction; it runs after the commit and can't be undone.
    ///
    /// What it returns becomes the field `external` of the result.
    pub fn external(&mut self, step: impl FnOnce(&Db) -> Result<Value, CliError> + 'static) {
        self.current().external = Some(Box::new(step));
    }

    /// Reads a row of a journaled table as the plan leaves it.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn row(&self, table: &str, id: i64) -> Result<Option<Row>, CliError> {
        match self.overlay.borrow().row(table, id) {
            Some(row) => Ok(row.clone()),
            None => self.db.read_row(table, id),
        }
    }

    /// Finds the rows whose columns have these values, all without any, as the plan leaves them.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn find_all(&self, table: &str, columns: &[(&str, Value)]) -> Result<Vec<Row>, CliError> {
        let conditions: String = columns.iter().map(|(name, _)| format!(" AND {name} IS ?")).collect();
        let sql =
            format!("SELECT {} FROM {table} WHERE true{conditions} ORDER BY id", self.db.columns(table)?.join(", "));
        let values: Vec<Value> = columns.iter().map(|(_, value)| value.clone()).collect();
        let mut rows = self.db.query(&sql, &values)?;
        let mut overlay = self.overlay.borrow_mut();
        rows.retain(|row| overlay.row(table, row["id"].as_i64().unwrap_or_default()).is_none());
        rows.extend(overlay.find(table, columns));
        rows.sort_by_key(|row| row["id"].as_i64());
        Ok(rows)
    }

    /// Finds the first row whose columns have these values, as the plan leaves it.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn find(&self, table: &str, columns: &[(&str, Value)]) -> Result<Option<Row>, CliError> {
        Ok(self.find_all(table, columns)?.into_iter().next())
    }

    /// The rows that refer to a row, as the plan leaves them.
    pub(crate) fn referrers(&self, table: &str, id: i64) -> Result<Vec<(&'static str, i64)>, CliError> {
        let mut found = self.db.referrers(table, id)?;
        let mut overlay = self.overlay.borrow_mut();
        found.retain(|(other, row)| overlay.row(other, *row).is_none());
        for (other, column) in self.db.referring_columns(table)?.iter() {
            let rows = overlay.find(other, &[(column, id.into())]);
            found.extend(rows.iter().filter_map(|row| Some((*other, row["id"].as_i64()?))));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Records that a row becomes `after`, whatever the columns.
    pub(crate) fn record(&mut self, table: &str, id: i64, before: Option<Row>, after: Option<Row>) {
        self.overlay.get_mut().set(table, id, after.clone());
        self.current().rows.push(RowChange { table: table.to_owned(), id, before, after });
    }

    pub(crate) fn count_removed(&mut self, table: &str) {
        *self.current().removes.entry(table.to_owned()).or_default() += 1;
    }

    /// How much changes: an operation counts once, or once for each item that it changes.
    pub(crate) fn changes(&self) -> usize {
        self.operations.iter().filter(|operation| operation.is_change()).map(Operation::reach).sum()
    }

    /// A hash of what the plan shows: the same library and flags give the same one.
    pub(crate) fn digest(&self, operation: &str) -> String {
        let shown: Vec<Value> = self.operations.iter().map(Operation::to_json).collect();
        let mut hash = Sha256::new();
        hash.update(json!([operation, shown]).to_string());
        for file in self.operations.iter().flat_map(|operation| &operation.files) {
            hash.update(file.after.as_ref().map(Content::fingerprint).unwrap_or_default());
        }
        hex(&hash.finalize())
    }

    fn existing(&self, table: &str, id: i64) -> Result<Row, CliError> {
        self.row(table, id)?
            .ok_or_else(|| CliError::new(ErrorKind::NotFound, format!("row {id} of {table} does not exist")))
    }

    fn current(&mut self) -> &mut Operation {
        debug_assert!(self.current.is_some(), "changes belong into Plan::attempt");
        self.current.get_or_insert_with(Operation::default)
    }
}

impl Operation {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.files.is_empty() && self.external.is_none()
    }

    pub(crate) fn is_change(&self) -> bool {
        !self.is_empty() && self.error.is_none() && self.skipped.is_none()
    }

    /// How many items it changes, at least 1: deleting a tag reaches every item that bears it.
    fn reach(&self) -> usize {
        let item = |change: &RowChange| match change.table.as_str() {
            "items" => Some(change.id),
            _ => change.before.as_ref().or(change.after.as_ref())?.get("item_id")?.as_i64(),
        };
        let items: BTreeSet<i64> = self.rows.iter().filter_map(item).collect();
        items.len().max(1)
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut object = Row::new();
        object.insert("action".into(), self.action.clone().into());
        object.insert("target".into(), self.target.clone().into());
        if self.destructive {
            object.insert("destructive".into(), true.into());
        }
        let fields = self.fields.iter().map(|c| json!({"field": c.field, "before": c.before, "after": c.after}));
        object.insert("changes".into(), fields.collect());
        if !self.removes.is_empty() {
            object.insert("removes".into(), json!(self.removes));
        }
        if let Some(reason) = &self.skipped {
            object.insert("skipped".into(), reason.clone().into());
        }
        if let Some(error) = &self.error {
            object.insert("error".into(), error.to_json());
        }
        Value::Object(object)
    }

    fn forget_changes(&mut self) {
        self.fields.clear();
        self.removes.clear();
        self.rows.clear();
        self.files.clear();
        self.external = None;
    }
}

/// Hexadecimal digits of some bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a column tells people something: ids and times don't.
pub(crate) fn is_shown(column: &str) -> bool {
    column != "id" && !column.ends_with("_id") && !column.ends_with("_at")
}

fn describe(size: u64) -> Value {
    json!(format!("{size} bytes"))
}
