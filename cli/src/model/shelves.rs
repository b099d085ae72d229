use super::{Item, not_found};
use crate::contract::Plan;
use crate::db::{Db, Row};
use crate::error::CliError;
use serde_json::Value;
use std::collections::BTreeMap;

/// How far down a collection's items are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its own items.
    Own,
    /// Also those of the collections inside it.
    Inside,
}

impl Depth {
    /// What a `--recursive` switch says.
    pub(crate) fn of(recursive: bool) -> Self {
        if recursive { Self::Inside } else { Self::Own }
    }
}

/// All collections, to resolve names and walk the hierarchy.
pub(crate) struct Shelves {
    rows: BTreeMap<i64, Row>,
}

impl Shelves {
    /// Reads the collections of a library.
    pub(crate) fn load(db: &Db) -> Result<Self, CliError> {
        let rows = db.query("SELECT * FROM collections ORDER BY id", &[])?;
        Ok(Self::new(rows))
    }

    /// Reads the collections as a plan leaves them.
    pub(crate) fn planned(plan: &Plan) -> Result<Self, CliError> {
        Ok(Self::new(plan.find_all("collections", &[])?))
    }

    fn new(rows: Vec<Row>) -> Self {
        Self { rows: rows.into_iter().filter_map(|row| Some((row["id"].as_i64()?, row))).collect() }
    }

    /// Finds the collection that a flag names in a library; none when the flag is not given.
    pub(crate) fn find(db: &Db, text: Option<&str>) -> Result<Option<i64>, CliError> {
        text.map(|text| Self::load(db)?.resolve(text)).transpose()
    }

    /// Finds the collection of a path.
    pub(crate) fn by_path(&self, path: &str) -> Option<i64> {
        let wanted = path.trim_matches('/').to_lowercase();
        self.rows.keys().copied().find(|id| self.path(*id).to_lowercase() == wanted)
    }

    /// Finds the collection that a name, a path or an id means.
    pub(crate) fn resolve(&self, text: &str) -> Result<i64, CliError> {
        let wanted = text.trim_matches('/').to_lowercase();
        let with = |fits: &dyn Fn(i64) -> bool| self.rows.keys().copied().filter(|id| fits(*id)).collect::<Vec<_>>();
        // A collection at the top has the same path as name, so a path wins over a name further down.
        let by_path = self.by_path(text).map(|id| vec![id]);
        let found = by_path.unwrap_or_else(|| with(&|id| self.name(id).to_lowercase() == wanted));
        match found[..] {
            [id] => Ok(id),
            [] => match text.parse() {
                Ok(id) if self.rows.contains_key(&id) => Ok(id),
                _ => Err(self.unknown(text)),
            },
            _ => {
                let paths: Vec<_> = found.iter().map(|id| self.path(*id)).collect();
                Err(CliError::usage(format!("{} collections are called {text:?}", paths.len()))
                    .hint(format!("give the path of one: {}", paths.join(", "))))
            }
        }
    }

    /// The names from the top, joined by `/`.
    pub(crate) fn path(&self, id: i64) -> String {
        self.path_of(self.parent(id), self.name(id))
    }

    /// The path that a collection of this name has inside a parent.
    pub(crate) fn path_of(&self, parent: Option<i64>, name: &str) -> String {
        let mut names = vec![name];
        let mut above = parent;
        while let Some(id) = above {
            names.push(self.name(id));
            above = self.parent(id);
        }
        names.reverse();
        names.join("/")
    }

    /// The name.
    pub(crate) fn name(&self, id: i64) -> &str {
        self.rows.get(&id).and_then(|row| row["name"].as_str()).unwrap_or_default()
    }

    /// The collection that holds this one.
    pub(crate) fn parent(&self, id: i64) -> Option<i64> {
        self.rows.get(&id).and_then(|row| row["parent_id"].as_i64())
    }

    /// The collections directly inside one, or at the top, by name.
    pub(crate) fn children(&self, parent: Option<i64>) -> Vec<i64> {
        let mut found: Vec<i64> = self.rows.keys().copied().filter(|id| self.parent(*id) == parent).collect();
        found.sort_by_key(|id| (self.name(*id).to_lowercase(), *id));
        found
    }

    /// The collection of this name inside a parent, in any case.
    pub(crate) fn child(&self, parent: Option<i64>, name: &str) -> Option<i64> {
        self.children(parent).into_iter().find(|id| self.name(*id).eq_ignore_ascii_case(name))
    }

    /// A collection and all inside it, from the top down.
    pub(crate) fn subtree(&self, id: i64) -> Vec<i64> {
        let mut found = vec![id];
        let mut next = 0;
        while next < found.len() {
            found.extend(self.children(Some(found[next])));
            next += 1;
        }
        found
    }

    /// All ids, by path.
    pub(crate) fn all(&self) -> Vec<i64> {
        let mut found: Vec<i64> = self.rows.keys().copied().collect();
        found.sort_by_key(|id| self.path(*id).to_lowercase());
        found
    }

    /// Refuses a name that another collection than `own` has inside a parent.
    pub(crate) fn ensure_free(&self, parent: Option<i64>, name: &str, own: i64) -> Result<(), CliError> {
        match self.child(parent, name).filter(|id| *id != own) {
            Some(id) => Err(CliError::precondition(format!("there is a collection {:?} already", self.path(id)))),
            None => Ok(()),
        }
    }

    fn unknown(&self, text: &str) -> CliError {
        let paths: Vec<String> = self.rows.keys().map(|id| self.path(*id)).collect();
        let names = self.rows.keys().map(|id| self.name(*id));
        let mut known: Vec<&str> = paths.iter().map(String::as_str).chain(names).collect();
        known.sort_unstable();
        known.dedup();
        let error = not_found("collection", text, &known);
        match error.hint_text() {
            Some(_) => error,
            None => error.hint("`collections list` shows the paths"),
        }
    }
}

/// Reads the items of a collection that are not in the trash, by key.
pub(crate) fn members(db: &Db, shelves: &Shelves, id: i64, depth: Depth) -> Result<Vec<Item>, CliError> {
    let ids = match depth {
        Depth::Own => vec![id],
        Depth::Inside => shelves.subtree(id),
    };
    let condition = "i.trashed_at IS NULL AND i.id IN (SELECT item_id FROM collection_items
                     WHERE collection_id IN (SELECT value FROM json_each(?1))) ORDER BY i.key";
    Item::select(db, condition, &[Value::from(ids)])
}

/// Counts the items of each collection that are not in the trash.
pub(crate) fn item_counts(db: &Db) -> Result<BTreeMap<i64, usize>, CliError> {
    let sql = "SELECT ci.collection_id, count(*) AS items FROM collection_items ci
               JOIN items i ON i.id = ci.item_id AND i.trashed_at IS NULL GROUP BY 1";
    let number = |row: &Row| Some((row["collection_id"].as_i64()?, usize::try_from(row["items"].as_u64()?).ok()?));
    Ok(db.query(sql, &[])?.iter().filter_map(number).collect())
}

/// Checks the name of a collection.
pub(crate) fn collection_name(text: &str) -> Result<String, CliError> {
    let name = text.trim();
    if name.is_empty() {
        return Err(CliError::usage("a collection needs a name"));
    }
    if name.contains('/') || name.chars().any(char::is_control) {
        return Err(CliError::usage(format!("{name:?} can't name a collection: / separates the names of a path"))
            .hint("put one collection into another with --parent or `collections move`"));
    }
    Ok(name.to_owned())
}
