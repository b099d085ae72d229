use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Create an empty library, ready to be filled.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct InitArgs {}

pub(crate) fn cmd_init(ctx: &mut Context<'_, '_>, _args: &InitArgs) -> Result<(), CliError> {
    let path = ctx.library().path().display().to_string();
    let exists = ctx.library().exists()?;
    ctx.write(|ctx, plan| {
        if exists && ctx.globals.operation.idempotent {
            plan.skip("create", path, "exists already");
            return Ok(());
        }
        if exists {
            return Err(CliError::precondition("the library exists already")
                .at(path, 0, "")
                .hint("use it as it is; `library stats` says what it holds"));
        }
        plan.warn("an undo leaves the empty file, which holds the journal");
        plan.attempt("create", path.clone(), |plan| {
            // The contract makes the file when the first change is applied.
            plan.external(move |_| Ok(json!({"file": path})));
            Ok(())
        });
        Ok(())
    })
}
