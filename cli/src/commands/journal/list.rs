use crate::context::Context;
use crate::contract::undone_by;
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;

/// List the journal: the applied runs, the latest first, and whether they were undone
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().example("What was changed last", "journal list --limit 5"))]
pub(crate) struct ListArgs {
    /// Only runs of this command, like `items edit`
    #[arg(long, value_name = "COMMAND")]
    operation: Option<String>,
    /// Show at most this many runs
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let condition = "(?1 IS NULL OR operation = ?1)";
    let params = [json!(args.operation), json!(args.limit)];
    let total = db.count(&format!("SELECT count(*) FROM journal_runs WHERE {condition}"), &params[..1])?;
    let sql = format!(
        "SELECT id AS run, applied_at, operation, summary, changes, undoes, digest FROM journal_runs
         WHERE {condition} ORDER BY id DESC LIMIT ?2"
    );
    let mut rows = db.query(&sql, &params)?;
    for row in &mut rows {
        let by = undone_by(&db, row["run"].as_i64().unwrap_or_default())?;
        row.insert("undone_by".to_owned(), json!(by));
    }
    let columns = ["run", "applied_at", "operation", "summary", "undone_by"];
    ctx.print_rows(&columns, &rows, usize::try_from(total).unwrap_or_default())
}
