use super::labels::count_tags;
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::fold;
use clap_facade::annotate::read_only;
use serde_json::json;

/// List the names of all tags (labels, keywords).
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub(crate) struct ListArgs {
    /// Only names that contain this text, in any case
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    let wanted = fold(args.contains.as_deref().unwrap_or_default());
    let tags = count_tags(&*ctx.db()?)?;
    let rows: Vec<Row> = tags
        .iter()
        .filter(|tag| fold(&tag.name).contains(&wanted))
        .map(|tag| row([("name", json!(tag.name))]))
        .collect();
    let shown = args.limit.unwrap_or(rows.len()).min(rows.len());
    ctx.print_rows(&["name"], &rows[..shown], rows.len())
}
