use super::copy::{checksum_path, copy_of, default_path};
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;
use std::path::PathBuf;

/// Back up the library: write a consistent copy of the database with a checksum file.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Back up before a big change", "library snapshot create"))]
pub(crate) struct SnapshotCreateArgs {
    /// Where to write the copy; a dated file among the library's snapshots by default
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

pub(crate) fn cmd_snapshot_create(ctx: &mut Context<'_, '_>, args: &SnapshotCreateArgs) -> Result<(), CliError> {
    let library = ctx.library().path();
    if !ctx.library().exists()? {
        return Err(CliError::not_found("there is no library file yet").hint("`mycli init` makes one"));
    }
    let run = ctx.db()?.count("SELECT coalesce(max(id), 0) FROM journal_runs", &[])?;
    let path = std::path::absolute(args.output.clone().unwrap_or_else(|| default_path(ctx, run)))?;
    if path.exists() {
        return Err(CliError::precondition("this file exists already; a snapshot never replaces one")
            .at(path.display().to_string(), 0, "")
            .hint("give --output another name"));
    }
    ctx.write(|ctx, plan| {
        if ctx.batch.is_some() {
            plan.warn("the copy holds the library as it was before this batch");
        }
        plan.attempt("create", path.display().to_string(), |plan| {
            let copy = copy_of(&library, &ctx.io.cancelled)?;
            let sum = copy.sha256.clone();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            plan.write_file(&checksum_path(&path), Some(format!("{sum}  {name}\n").into_bytes()))?;
            plan.write_staged(&path, copy)?;
            plan.result("file", json!(path));
            plan.result("sha256", json!(sum));
            Ok(())
        });
        Ok(())
    })
}
