use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::{Shelves, item_counts};
use clap_facade::annotate::read_only;
use serde_json::json;

/// List collections (shelves, folders) with their number of items.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("The shelves inside Sciences", "collections list --parent Sciences"))]
pub(crate) struct ListArgs {
    /// Only the collections directly inside this one (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    parent: Option<String>,

    /// Only collections that hold no item
    #[arg(long)]
    empty: bool,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let shelves = Shelves::load(&db)?;
    let counts = item_counts(&db)?;
    let shown = match &args.parent {
        Some(parent) => shelves.children(Some(shelves.resolve(parent)?)),
        None => shelves.all(),
    };
    let mut rows: Vec<Row> = Vec::new();
    for id in shown {
        let items = counts.get(&id).copied().unwrap_or_default();
        if !args.empty || items == 0 {
            rows.push(row([
                ("path", json!(shelves.path(id))),
                ("id", json!(id)),
                ("name", json!(shelves.name(id))),
                ("parent", json!(shelves.parent(id).map(|parent| shelves.path(parent)))),
                ("items", json!(items)),
                ("collections", json!(shelves.children(Some(id)).len())),
            ]));
        }
    }
    ctx.print_rows(&["path", "items", "collections"], &rows, rows.len())
}
