use super::saved::Filters;
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use clap_facade::annotate::read_only;
use serde_json::json;

/// List saved searches (filters) and their queries.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct ListArgs {}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, _args: &ListArgs) -> Result<(), CliError> {
    let saved = ctx
        .db()?
        .query("SELECT name, query, filters, created_at, updated_at FROM searches ORDER BY lower(name)", &[])?;
    let rows: Vec<Row> = saved
        .into_iter()
        .map(|mut search| {
            let filters = Filters::from_json(&search["filters"]);
            search.insert("filters".into(), json!(filters.describe()));
            search
        })
        .collect();
    ctx.print_rows(&["name", "query", "filters"], &rows, rows.len())
}
