use crate::commands::library::{tally, with_pdf};
use crate::context::Context;
use crate::db::{Db, Row, row};
use crate::error::CliError;
use crate::model::Item;
use super::shelves::{Depth, Shelves, members};
use clap_facade::annotate::read_only;
use serde_json::json;

/// Count a collection's items by type, year, tag, reading state and PDF coverage.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("How is Thesis made up, sub-collections included", "collections stats Thesis --recursive"))]
pub(crate) struct StatsArgs {
    /// The collection: its name, path or id; all collections side by side when left out
    collection: Option<String>,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    recursive: bool,
}

pub(crate) fn cmd_stats(ctx: &mut Context<'_, '_>, args: &StatsArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let shelves = Shelves::load(&db)?;
    if let Some(collection) = &args.collection {
        let id = shelves.resolve(collection)?;
        return ctx.print_object(&stats(&db, &shelves, id, Depth::of(args.recursive))?);
    }
    let rows: Vec<Row> =
        shelves.all().into_iter().map(|id| stats(&db, &shelves, id, Depth::of(args.recursive))).collect::<Result<_, _>>()?;
    ctx.print_rows(&["path", "items", "with_pdf", "read", "oldest", "newest"], &rows, rows.len())
}

fn stats(db: &Db, shelves: &Shelves, id: i64, depth: Depth) -> Result<Row, CliError> {
    let items = members(db, shelves, id, depth)?;
    let pdfs = with_pdf(db)?;
    let states = db.query("SELECT item_id, state FROM reading_list", &[])?;
    let state = |item: &Item| states.iter().find(|entry| entry["item_id"] == json!(item.id)).map(|entry| entry["state"].clone());
    let years = items.iter().filter_map(Item::year);
    Ok(row([
        ("path", json!(shelves.path(id))),
        ("items", json!(items.len())),
        ("with_pdf", json!(items.iter().filter(|item| pdfs.contains(&item.id)).count())),
        ("read", json!(items.iter().filter(|item| state(item) == Some(json!("done"))).count())),
        ("reading", json!(items.iter().filter(|item| state(item) == Some(json!("reading"))).count())),
        ("queued", json!(items.iter().filter(|item| state(item) == Some(json!("queued"))).count())),
        ("oldest", json!(years.clone().min())),
        ("newest", json!(years.max())),
        ("types", tally(items.iter().map(|item| item.kind.clone()))),
        ("years", tally(items.iter().map(|item| item.year().map_or("none".to_owned(), |year| year.to_string())))),
        ("tags", tally(items.iter().flat_map(|item| item.tags.clone()))),
    ]))
}
