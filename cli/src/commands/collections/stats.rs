use crate::commands::library::{tally, with_pdf};
use crate::context::Context;
use crate::db::{Db, Row, row};
use crate::error::CliError;
use crate::model::Item;
use crate::model::{Depth, Shelves, members};
use clap_facade::annotate::read_only;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Count a collection's items by type, year, tag, reading state and PDF coverage.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("How is Sciences made up, sub-collections included", "collections stats Sciences --recursive"))]
pub(crate) struct StatsArgs {
    /// The collection: its name, path or id; all collections side by side when left out
    collection: Option<String>,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    recursive: bool,
}

pub(crate) fn cmd_stats(ctx: &mut Context<'_, '_>, args: &StatsArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let counter = Counter {
        shelves: Shelves::load(&db)?,
        depth: Depth::of(args.recursive),
        pdfs: with_pdf(&db)?,
        states: reading_states(&db)?,
    };
    if let Some(collection) = &args.collection {
        let id = counter.shelves.resolve(collection)?;
        return ctx.print_object(&counter.count(&db, id)?);
    }
    let rows: Vec<Row> =
        counter.shelves.all().into_iter().map(|id| counter.count(&db, id)).collect::<Result<_, _>>()?;
    ctx.print_rows(&["path", "items", "with_pdf", "read", "oldest", "newest"], &rows, rows.len())
}

/// What is looked up once for all collections.
struct Counter {
    shelves: Shelves,
    depth: Depth,
    pdfs: BTreeSet<i64>,
    states: BTreeMap<i64, String>,
}

impl Counter {
    fn count(&self, db: &Db, id: i64) -> Result<Row, CliError> {
        let items = members(db, &self.shelves, id, self.depth)?;
        let in_state =
            |state: &str| items.iter().filter(|item| self.states.get(&item.id).is_some_and(|own| own == state)).count();
        let years = items.iter().filter_map(Item::year);
        Ok(row([
            ("path", json!(self.shelves.path(id))),
            ("items", json!(items.len())),
            ("with_pdf", json!(items.iter().filter(|item| self.pdfs.contains(&item.id)).count())),
            ("read", json!(in_state("done"))),
            ("reading", json!(in_state("reading"))),
            ("queued", json!(in_state("queued"))),
            ("oldest", json!(years.clone().min())),
            ("newest", json!(years.max())),
            ("types", tally(items.iter().map(|item| item.kind.clone()))),
            ("years", tally(items.iter().map(|item| item.year().map_or("none".to_owned(), |year| year.to_string())))),
            ("tags", tally(items.iter().flat_map(|item| item.tags.clone()))),
        ]))
    }
}

fn reading_states(db: &Db) -> Result<BTreeMap<i64, String>, CliError> {
    let entry = |row: &Row| Some((row["item_id"].as_i64()?, row["state"].as_str()?.to_owned()));
    Ok(db.query("SELECT item_id, state FROM reading_list", &[])?.iter().filter_map(entry).collect())
}
