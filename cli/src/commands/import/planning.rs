//! How works that come from outside become items.

use crate::context::{Context, text};
use crate::contract::Plan;
use crate::db::Row;
use crate::error::CliError;
use crate::formats::{Record, to_item};
use crate::model::{Item, add_item, normal_title};
use serde_json::json;

/// A work from outside.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    /// The item it becomes.
    pub(crate) item: Item,
    /// The file it is from; empty for a provider.
    pub(crate) file: String,
    /// The line it starts on; 0 when there is none.
    pub(crate) line: usize,
}

/// What happens to a work that the library has already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Duplicates {
    /// Pass over it
    #[default]
    Skip,
    /// Add it all the same, with a key of its own
    Add,
    /// Refuse it
    Refuse,
}

impl Incoming {
    pub(crate) fn new(record: &Record, file: &str, line: usize) -> Self {
        let mut item = to_item(record);
        if !is_telling(&item.key) {
            item.key.clear();
        }
        Self { item, file: file.to_owned(), line }
    }

    /// Refuses what the library can't hold, with file, line and field.
    ///
    /// # Errors
    /// When the title is missing, or the date or DOI has no valid form.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        self.item.clone().normalize().map_err(|error| self.place(error))
    }

    /// The item of the library that is the same work, and why.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) fn twin(&self, plan: &Plan) -> Result<Option<(Row, &'static str)>, CliError> {
        if let Some(doi) = self.item.field("doi").and_then(crate::model::normalize_doi)
            && let Some(twin) = plan.find("items", &[("doi", json!(doi))])?
        {
            return Ok(Some((twin, "has the same DOI")));
        }
        if !self.item.key.is_empty()
            && let Some(twin) = plan.find("items", &[("key", json!(self.item.key))])?
            && normal_title(text(&twin, "title")) == normal_title(&self.item.title)
        {
            return Ok(Some((twin, "has the same key and title")));
        }
        let same_title = plan.find_all("items", &[("title", json!(self.item.title))])?;
        let twin = same_title
            .into_iter()
            .find(|other| other["issued"] == json!(self.item.issued) && other["type"] == json!(self.item.kind));
        Ok(twin.map(|twin| (twin, "has the same title and date")))
    }

    fn place(&self, error: CliError) -> CliError {
        if self.file.is_empty() { error } else { error.in_file(self.file.as_str(), self.line) }
    }

    fn target(&self) -> String {
        match (self.item.key.as_str(), self.line) {
            ("", 0) => format!("item {:?}", self.item.title),
            ("", line) => format!("item of line {line}"),
            (key, _) => format!("item {key}"),
        }
    }
}

/// Plans every work as an item; unless `--continue-on-error` is given, one bad work refuses them all.
///
/// # Errors
/// When a work can't be held, with file, line and field of it, or SQLite fails.
pub(crate) fn plan_records(
    ctx: &mut Context<'_, '_>,
    plan: &mut Plan,
    works: &[Incoming],
    duplicates: Duplicates,
) -> Result<(), CliError> {
    plan.all_or_nothing();
    if !ctx.globals.gates.continue_on_error {
        works.iter().try_for_each(Incoming::check)?;
    }
    let mut keys = Vec::new();
    for work in works {
        ctx.ensure_wanted()?;
        let twin = work.twin(plan)?;
        let duplicates = if ctx.globals.operation.idempotent { Duplicates::Skip } else { duplicates };
        if let Some((twin, reason)) = &twin
            && duplicates == Duplicates::Skip
        {
            plan.skip("import", work.target(), format!("{} {reason}", text(twin, "key")));
            continue;
        }
        let key = plan.attempt("import", work.target(), |plan| {
            if let Some((twin, reason)) = &twin
                && duplicates == Duplicates::Refuse
            {
                let error = CliError::precondition(format!("{} {reason}", text(twin, "key")));
                return Err(work.place(error).hint("--duplicates skip passes over what the library has"));
            }
            let mut item = work.item.clone();
            if !item.key.is_empty() && plan.find("items", &[("key", json!(item.key))])?.is_some() {
                plan.warn(format!("the key {} is another item's: this one gets a new key", item.key));
                item.key.clear();
            }
            add_item(plan, &item).map_err(|error| work.place(error))
        });
        keys.extend(key);
    }
    plan.result("keys", json!(keys));
    Ok(())
}

/// Puts the works into collections and gives them tags.
pub(crate) fn shelve(works: &mut [Incoming], collections: &[String], tags: &[String]) {
    for work in works {
        work.item.collections.extend(collections.iter().cloned());
        for tag in tags {
            if !work.item.tags.contains(tag) {
                work.item.tags.push(tag.clone());
            }
        }
    }
}

/// Whether a key is one that a person may have given: no address, no bare number.
fn is_telling(key: &str) -> bool {
    !key.contains("://") && !key.contains(char::is_whitespace) && key.chars().any(char::is_alphabetic)
}
