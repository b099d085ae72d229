use super::add::Content;
use super::list::stored;
use crate::context::{Context, text};
use crate::error::{CliError, ErrorKind};
use crate::progress::Progress;
use clap_facade::annotate;
use serde_json::json;
use std::path::Path;

/// Check attachments: whether each file is still there and unchanged
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Find lost and changed files", "items attachments check --problems"))]
pub(crate) struct CheckArgs {
    /// The citation key or DOI of an item; without one, all items
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Show only files that are gone, changed or unreadable
    #[arg(long)]
    problems: bool,
}

pub(crate) fn cmd_check(ctx: &mut Context<'_, '_>, args: &CheckArgs) -> Result<(), CliError> {
    let mut rows = stored(ctx, &args.keys)?;
    let mut progress = Progress::start(ctx.io, &ctx.globals, "checking", rows.len());
    for row in &mut rows {
        let state = match Content::read(Path::new(text(row, "path")), &ctx.io.cancelled) {
            Ok(content) if content.sha256 == text(row, "sha256") => "ok",
            Ok(_) => "changed",
            Err(error) if error.kind() == ErrorKind::NotFound => "gone",
            Err(error) => {
                ctx.ensure_wanted().map_err(|_| error)?;
                "unreadable"
            }
        };
        row.insert("state".to_owned(), json!(state));
        progress.step();
    }
    progress.finish();
    if args.problems {
        rows.retain(|row| row["state"] != "ok");
    }
    ctx.print_rows(&["id", "key", "state", "path"], &rows, rows.len())
}
