use crate::context::Context;
use crate::contract::{plan_undo, undone_by};
use crate::error::CliError;
use clap_facade::annotate;

/// Undo an applied run: put every row and file back as it was before
///
/// Refuses where a later run changed the same rows, and says which run that was. Undoing an undo
/// does the change again.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().example("Take back run 1", "journal undo 1 --yes"))]
pub(crate) struct UndoArgs {
    /// The run's number, from `mycli journal list`
    #[arg(value_name = "RUN")]
    run: i64,
}

pub(crate) fn cmd_undo(ctx: &mut Context<'_, '_>, args: &UndoArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        if ctx.globals.operation.idempotent
            && let Some(by) = undone_by(&plan.db(), args.run)?
        {
            plan.skip("undo", format!("run {}", args.run), format!("run {by} undid it"));
            return Ok(());
        }
        plan_undo(plan, args.run)
    })
}
