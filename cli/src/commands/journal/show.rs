use crate::context::Context;
use crate::contract::{changes_of, undone_by};
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;

/// Show one run of the journal: every row it changed, before and after
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("What run 1 changed", "journal show 1"))]
pub(crate) struct ShowArgs {
    /// The run's number, from `mycli journal list`
    #[arg(value_name = "RUN")]
    run: i64,
}

pub(crate) fn cmd_show(ctx: &mut Context<'_, '_>, args: &ShowArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let sql = "SELECT id AS run, applied_at, operation, summary, digest, undoes FROM journal_runs WHERE id = ?1";
    let Some(mut run) = db.first(sql, &[args.run.into()])? else {
        return Err(CliError::not_found(format!("no run {} in the journal", args.run))
            .hint("`mycli journal list` shows the runs"));
    };
    run.insert("undone_by".to_owned(), json!(undone_by(&db, args.run)?));
    let changes = changes_of(&db, args.run)?;
    let output = &ctx.globals.output;
    if output.json || output.csv || output.plain || output.quiet {
        run.insert("changes".to_owned(), json!(changes));
        return ctx.print_object(&run);
    }
    ctx.print_object(&run)?;
    writeln!(ctx.io.stdout)?;
    ctx.print_rows(&["action", "target", "table", "before", "after"], &changes, changes.len())
}
