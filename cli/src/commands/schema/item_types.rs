use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::ITEM_TYPES;
use clap_facade::annotate::read_only;
use serde_json::json;

/// List the types an item can have (article, book, thesis), with the fields each needs to be cited.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct ItemTypesArgs {}

pub(crate) fn cmd_item_types(ctx: &mut Context<'_, '_>, _args: &ItemTypesArgs) -> Result<(), CliError> {
    let rows: Vec<Row> = ITEM_TYPES
        .iter()
        .map(|kind| row([("type", json!(kind.name)), ("about", json!(kind.about)), ("needs", json!(kind.needs))]))
        .collect();
    ctx.print_rows(&["type", "about", "needs"], &rows, rows.len())
}
