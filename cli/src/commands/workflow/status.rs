use crate::context::Context;
use crate::error::CliError;
use crate::model::not_found;
use clap_facade::annotate::read_only;
use serde_json::{Value, json};

/// Show the checkpoints of workflow runs: what was done, what was interrupted.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct StatusArgs {
    /// Only this run
    run: Option<i64>,

    /// Also archived runs
    #[arg(long)]
    all: bool,
}

pub(crate) fn cmd_status(ctx: &mut Context<'_, '_>, args: &StatusArgs) -> Result<(), CliError> {
    let sql = "SELECT id AS run, name, state, done, json_array_length(steps) AS total, error,
                 CASE WHEN done < json_array_length(steps) THEN json_extract(steps, '$[' || done || ']') END AS next,
                 started_at, updated_at, archived_at
               FROM workflow_runs
               WHERE (?1 IS NULL OR id = ?1) AND (?2 OR ?1 IS NOT NULL OR archived_at IS NULL) ORDER BY id DESC";
    let rows = ctx.db()?.query(sql, &[json!(args.run), json!(args.all)])?;
    if let Some(run) = args.run.filter(|_| rows.is_empty()) {
        let known = ctx.db()?.query("SELECT CAST(id AS TEXT) AS id FROM workflow_runs", &[])?;
        let known: Vec<&str> = known.iter().filter_map(|row| row.get("id").and_then(Value::as_str)).collect();
        return Err(not_found("workflow run", &run.to_string(), &known));
    }
    ctx.print_rows(&["run", "name", "state", "done", "total", "error"], &rows, rows.len())
}
