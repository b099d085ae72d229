use super::saved::find_search;
use crate::commands::targets::act_on;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::mutating;

/// Delete saved searches; items are untouched.
#[derive(Debug, clap::Args)]
#[command(add = mutating())]
pub(crate) struct DeleteArgs {
    /// Names of the saved searches
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

pub(crate) fn cmd_delete(ctx: &mut Context<'_, '_>, args: &DeleteArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        for name in &args.names {
            let found = find_search(&plan.db(), name);
            act_on(ctx, plan, "delete", name, found, |plan, search| {
                let id = search["id"].as_i64().unwrap_or_default();
                if plan.row("searches", id)?.is_none() { Ok(()) } else { plan.delete("searches", id) }
            });
        }
        Ok(())
    })
}
