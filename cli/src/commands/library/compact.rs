use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::{Value, json};

/// Shrink the database file: give the space of deleted items back to the disk (VACUUM).
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct CompactArgs {}

pub(crate) fn cmd_compact(ctx: &mut Context<'_, '_>, _args: &CompactArgs) -> Result<(), CliError> {
    let path = ctx.library().path();
    if !ctx.library().exists()? {
        return Err(CliError::not_found("there is no library file yet").hint("`mycli init` makes one"));
    }
    ctx.write(|_, plan| {
        let db = plan.db();
        let free = db.count("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size", &[])?;
        plan.warn("the content stays the same, so there is nothing that an undo would have to bring back");
        plan.attempt("compact", path.display().to_string(), |plan| {
            plan.change("unused bytes", json!(free), json!(0));
            plan.external(move |db| {
                let size = || std::fs::metadata(&path).map_or(0, |file| file.len());
                let before = size();
                db.connection().execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?;
                Ok::<Value, CliError>(json!({"bytes_before": before, "bytes_after": size()}))
            });
            Ok(())
        });
        Ok(())
    })
}
