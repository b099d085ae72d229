use crate::context::Context;
use crate::db::{Row, row};
use crate::error::{CliError, ErrorKind};
use clap_facade::annotate::read_only;
use serde_json::json;

/// List the exit codes and what each means.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct ExitCodesArgs {}

pub(crate) fn cmd_exit_codes(ctx: &mut Context<'_, '_>, _args: &ExitCodesArgs) -> Result<(), CliError> {
    let mut rows: Vec<Row> = vec![row([
        ("code", json!(0)),
        ("kind", json!("ok")),
        ("retryable", json!(false)),
        ("meaning", json!("the command did what it was asked")),
    ])];
    rows.extend(ErrorKind::ALL.iter().map(|kind| {
        row([
            ("code", json!(kind.exit_code())),
            ("kind", json!(kind.name())),
            ("retryable", json!(kind.is_retryable())),
            ("meaning", json!(kind.meaning())),
        ])
    }));
    ctx.print_rows(&["code", "kind", "retryable", "meaning"], &rows, rows.len())
}
