//! The demo library: classics whose metadata is in the public domain.

use crate::context::Context;
use crate::contract::Plan;
use crate::db::row;
use crate::error::CliError;
use crate::formats::{Format, to_item};
use crate::model::{Item, Shelves, add_item, item_id};
use clap_facade::annotate;
use serde::Deserialize;
use serde_json::{Value, json};

/// What the demo's works lack, in the file that enriches them.
const WORKS_FILE: &str = "demo-works.json";
const WORKS: &str = include_str!("demo-works.json");
const LIBRARY: &str = include_str!("library.json");

/// Fill the library with a demo: some eighty classics to try everything on, from Hobbes to Shannon
///
/// Adds papers and books with tags, collections, notes and a reading list. Some fields are missing, tags
/// vary in spelling and a few works are there twice, so that enriching, auditing and merging have
/// something to do. Also puts demo-works.json into the data folder, which `items enrich --from` takes.
/// What the library has already stays as it is; `journal undo` takes the demo out again.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().example("Fill a new library with the demo", "demo --yes --max-changes=200"))]
pub(crate) struct DemoArgs {}

pub(crate) fn cmd_demo(ctx: &mut Context<'_, '_>, _args: &DemoArgs) -> Result<(), CliError> {
    let demo = Demo::read()?;
    ctx.write(|ctx, plan| {
        let path = ctx.library().folder().join(WORKS_FILE);
        plan.attempt("add", "demo works", |plan| demo.add_works(plan));
        plan.attempt("add", "demo collections", |plan| demo.add_collections(plan));
        plan.attempt("add", "demo notes", |plan| demo.add_notes(plan));
        plan.attempt("add", "demo reading list", |plan| demo.add_reading(plan));
        plan.attempt("add", "demo searches", |plan| demo.add_searches(plan));
        plan.attempt("write", format!("file {}", path.display()), |plan| {
            plan.write_data_file(ctx.library(), WORKS_FILE, WORKS.as_bytes().to_vec())
        });
        plan.result("works_file", json!(path.display().to_string()));
        plan.result("next", json!(format!("items enrich --from {WORKS_FILE}")));
        Ok(())
    })
}

/// The demo as its file has it.
#[derive(Deserialize)]
struct Demo {
    works: Vec<Value>,
    collections: Vec<Collection>,
    notes: Vec<Note>,
    reading_list: Vec<Reading>,
    searches: Vec<Search>,
    trash: Vec<String>,
}

#[derive(Deserialize)]
struct Collection {
    path: String,
    about: Option<String>,
    works: Vec<String>,
}

#[derive(Deserialize)]
struct Note {
    item: Option<String>,
    title: String,
    body: String,
}

#[derive(Deserialize)]
struct Reading {
    item: String,
    state: String,
    priority: i64,
}

#[derive(Deserialize)]
struct Search {
    name: String,
    query: String,
}

impl Demo {
    fn read() -> Result<Self, CliError> {
        serde_json::from_str(LIBRARY).map_err(|error| CliError::failure(format!("the demo is damaged: {error}")))
    }

    fn items(&self) -> Result<Vec<Item>, CliError> {
        let parsed = Format::CslJson.parse(&json!(self.works).to_string());
        let parsed = parsed.map_err(|error| CliError::failure(format!("the demo is damaged: {error}")))?;
        Ok(parsed.records.iter().map(to_item).collect())
    }

    fn add_works(&self, plan: &mut Plan) -> Result<(), CliError> {
        let mut added = 0;
        for item in self.items()? {
            if plan.find("items", &[("key", json!(item.key))])?.is_some() {
                continue;
            }
            plan.unseen(|plan| {
                let key = add_item(plan, &item)?;
                debug_assert_eq!(key, item.key);
                if self.trash.contains(&key) {
                    let (id, trashed_at) = (item_id(plan, &key)?, json!(plan.now()));
                    plan.update("items", id, row([("trashed_at", trashed_at)]))?;
                }
                Ok(())
            })?;
            added += 1;
        }
        // Adding an item names the operation after it.
        plan.retarget("demo works");
        show_count(plan, "works", added);
        Ok(())
    }

    fn add_collections(&self, plan: &mut Plan) -> Result<(), CliError> {
        let (mut added, mut links) = (0, 0);
        for collection in &self.collections {
            let id = match Shelves::planned(plan)?.by_path(&collection.path) {
                Some(found) => found,
                None => {
                    added += 1;
                    add_collection(plan, collection)?
                }
            };
            for key in &collection.works {
                let link = [("collection_id", json!(id)), ("item_id", json!(item_id(plan, key)?))];
                if plan.find("collection_items", &link)?.is_none() {
                    let mut columns = row(link);
                    columns.insert("added_at".to_owned(), json!(plan.now()));
                    plan.link("collection_items", columns)?;
                    links += 1;
                }
            }
        }
        show_count(plan, "collections", added);
        show_count(plan, "works in collections", links);
        Ok(())
    }

    fn add_notes(&self, plan: &mut Plan) -> Result<(), CliError> {
        let mut added = 0;
        for note in &self.notes {
            let item = note.item.as_deref().map(|key| item_id(plan, key)).transpose()?;
            if plan.find("notes", &[("item_id", json!(item)), ("title", json!(note.title))])?.is_some() {
                continue;
            }
            let now = json!(plan.now());
            plan.link(
                "notes",
                row([
                    ("item_id", json!(item)),
                    ("title", json!(note.title)),
                    ("body", json!(note.body)),
                    ("created_at", now.clone()),
                    ("updated_at", now),
                ]),
            )?;
            added += 1;
        }
        show_count(plan, "notes", added);
        Ok(())
    }

    fn add_reading(&self, plan: &mut Plan) -> Result<(), CliError> {
        let mut added = 0;
        for entry in &self.reading_list {
            let item = json!(item_id(plan, &entry.item)?);
            if plan.find("reading_list", &[("item_id", item.clone())])?.is_some() {
                continue;
            }
            let now = json!(plan.now());
            let (is_started, is_done) = (entry.state != "queued", entry.state == "done");
            plan.link(
                "reading_list",
                row([
                    ("item_id", item),
                    ("state", json!(entry.state)),
                    ("priority", json!(entry.priority)),
                    ("added_at", now.clone()),
                    ("started_at", if is_started { now.clone() } else { Value::Null }),
                    ("finished_at", if is_done { now } else { Value::Null }),
                ]),
            )?;
            added += 1;
        }
        show_count(plan, "entries of the reading list", added);
        Ok(())
    }

    fn add_searches(&self, plan: &mut Plan) -> Result<(), CliError> {
        let mut added = 0;
        for search in &self.searches {
            if plan.find("searches", &[("name", json!(search.name))])?.is_some() {
                continue;
            }
            let now = json!(plan.now());
            let columns = [
                ("name", json!(search.name)),
                ("query", json!(search.query)),
                ("filters", json!("{}")),
                ("created_at", now.clone()),
                ("updated_at", now),
            ];
            plan.link("searches", row(columns))?;
            added += 1;
        }
        show_count(plan, "saved searches", added);
        Ok(())
    }
}

fn add_collection(plan: &mut Plan, collection: &Collection) -> Result<i64, CliError> {
    let (parent, name) = match collection.path.rsplit_once('/') {
        Some((parent, name)) => (json!(Shelves::planned(plan)?.by_path(parent)), name),
        None => (Value::Null, collection.path.as_str()),
    };
    let now = json!(plan.now());
    let columns = [
        ("name", json!(name)),
        ("parent_id", parent),
        ("about", json!(collection.about)),
        ("created_at", now.clone()),
        ("updated_at", now),
    ];
    plan.link("collections", row(columns))
}

fn show_count(plan: &mut Plan, what: &str, count: usize) {
    if count > 0 {
        plan.change(what, Value::Null, json!(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrich::{FileSource, Proposal, propose};
    use crate::formats::Record;

    #[test]
    fn every_work_of_the_demo_can_be_stored() {
        let demo = Demo::read().unwrap();
        for mut item in demo.items().unwrap() {
            item.normalize().unwrap_or_else(|error| panic!("{}: {error}", item.key));
            assert!(item.extra.is_empty(), "{}: {:?}", item.key, item.extra);
        }
    }

    #[test]
    fn the_file_knows_nearly_every_work_that_lacks_something() {
        let demo = Demo::read().unwrap();
        let mut file = FileSource::parse(WORKS_FILE, WORKS).unwrap();
        let unknown: Vec<String> = demo
            .items()
            .unwrap()
            .iter()
            .filter(|item| !demo.trash.contains(&item.key))
            .filter(|item| !matches!(propose(&mut file, &Record::from(*item), 0.9), Ok(Proposal::Found { .. })))
            .map(|item| item.key.clone())
            .collect();
        assert_eq!(unknown, ["aristotle-ethics"]);
    }
}
