use super::steps::Script;
use crate::context::Context;
use crate::contract::Plan;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::io::Io;
use serde_json::{Value, json};

/// How far a workflow has come, kept in the library.
pub(crate) struct Checkpoint {
    id: i64,
    done: usize,
}

impl Checkpoint {
    /// Begins a run, or finds the interrupted one of the same steps.
    pub(crate) fn open(ctx: &mut Context<'_, '_>, script: &Script, resume: bool) -> Result<Self, CliError> {
        let digest = script.digest();
        let sql = "SELECT id, done FROM workflow_runs WHERE digest = ?1 AND state <> 'done' AND archived_at IS NULL
                   ORDER BY id DESC LIMIT 1";
        let interrupted = ctx.db()?.first(sql, &[json!(digest)])?;
        match (interrupted, resume) {
            (Some(run), true) => {
                let done = run["done"].as_u64().and_then(|done| usize::try_from(done).ok()).unwrap_or_default();
                Ok(Self { id: run["id"].as_i64().unwrap_or_default(), done })
            }
            (None, true) => Err(CliError::not_found("no interrupted run has these steps")
                .hint("`workflow status` shows the interrupted runs; without --resume the file runs from its start")),
            (Some(run), false) if run["done"] != json!(0) => {
                Err(CliError::precondition(format!("run {} of these steps was interrupted", run["id"]))
                    .hint("--resume goes on with it; `workflow archive` puts it aside"))
            }
            _ => {
                let mut id = 0;
                keep(ctx, |plan| {
                    let now = json!(plan.now());
                    let columns = [
                        ("name", json!(script.file)),
                        ("path", json!(script.file)),
                        ("digest", json!(digest)),
                        ("state", json!("running")),
                        ("steps", json!(json!(script.commands()).to_string())),
                        ("done", json!(0)),
                        ("started_at", now.clone()),
                        ("updated_at", now),
                    ];
                    id = plan.insert("workflow_runs", row(columns))?;
                    Ok(())
                })?;
                Ok(Self { id, done: 0 })
            }
        }
    }

    /// How many steps are done.
    pub(crate) fn done(&self) -> usize {
        self.done
    }

    /// Records that one more step is done.
    pub(crate) fn step_done(&mut self, ctx: &mut Context<'_, '_>) -> Result<(), CliError> {
        self.done += 1;
        self.record(ctx, row([("done", json!(self.done)), ("state", json!("running")), ("error", Value::Null)]))
    }

    /// Records why the next step failed.
    pub(crate) fn failed(&self, ctx: &mut Context<'_, '_>, error: &CliError) -> Result<(), CliError> {
        self.record(ctx, row([("state", json!("failed")), ("error", json!(error.to_string()))]))
    }

    /// Records that all steps are done.
    pub(crate) fn finished(&self, ctx: &mut Context<'_, '_>) -> Result<(), CliError> {
        self.record(ctx, row([("state", json!("done"))]))
    }

    fn record(&self, ctx: &mut Context<'_, '_>, mut changes: Row) -> Result<(), CliError> {
        keep(ctx, |plan| {
            changes.insert("updated_at".to_owned(), json!(plan.now()));
            plan.update("workflow_runs", self.id, changes)
        })
    }
}

/// Makes a change of its own, without a word: the workflow reports.
fn keep(ctx: &mut Context<'_, '_>, change: impl FnOnce(&mut Plan) -> Result<(), CliError>) -> Result<(), CliError> {
    let mut globals = ctx.globals.clone();
    globals.output.json = false;
    let mut io = Io {
        stdin: &mut std::io::empty(),
        stdout: &mut std::io::sink(),
        stderr: &mut std::io::sink(),
        terminal: false,
        cancelled: ctx.io.cancelled,
    };
    let mut quiet = Context::new(globals, &mut io, "workflow checkpoint".to_owned())?;
    quiet.write(|_, plan| {
        plan.attempt("keep", "checkpoint", change);
        Ok(())
    })
}
