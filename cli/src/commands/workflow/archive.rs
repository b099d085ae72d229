use crate::commands::targets::act_on;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Put workflow runs aside, so that `workflow status` no longer shows them.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct ArchiveArgs {
    /// The runs; all finished ones when left out
    #[arg(value_name = "RUN")]
    runs: Vec<i64>,
}

pub(crate) fn cmd_archive(ctx: &mut Context<'_, '_>, args: &ArchiveArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        let runs = match args.runs.is_empty() {
            true => {
                let sql = "SELECT id FROM workflow_runs WHERE state = 'done' AND archived_at IS NULL ORDER BY id";
                plan.db().query(sql, &[])?.iter().filter_map(|row| row["id"].as_i64()).collect()
            }
            false => args.runs.clone(),
        };
        for id in runs {
            let target = format!("workflow run {id}");
            let found = plan.row("workflow_runs", id)?.ok_or_else(|| {
                CliError::not_found(format!("there is no {target}")).hint("`workflow status` shows the runs")
            });
            act_on(ctx, plan, "archive", target, found, |plan, run| {
                if run["archived_at"].is_null() {
                    plan.change("archived", json!(false), json!(true));
                    let now = plan.now();
                    plan.update("workflow_runs", id, row([("archived_at", json!(now))]))?;
                }
                Ok(())
            });
        }
        Ok(())
    })
}
