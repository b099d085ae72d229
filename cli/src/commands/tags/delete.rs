use super::labels::find_tag;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use clap_facade::annotate::mutating;

/// Delete tags (labels, keywords) from the library and from every item.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Drop the label to read", "tags delete 'to read'"))]
pub(crate) struct DeleteArgs {
    /// The tags to delete
    #[arg(required = true, value_name = "TAG")]
    tags: Vec<String>,
}

pub(crate) fn cmd_delete(ctx: &mut Context<'_, '_>, args: &DeleteArgs) -> Result<(), CliError> {
    ctx.write(|ctx, plan| {
        for name in &args.tags {
            match find_tag(plan, name) {
                Err(error) if error.kind() == ErrorKind::NotFound && ctx.globals.operation.ignore_missing => {
                    plan.skip("delete", name, "does not exist");
                }
                found => {
                    plan.attempt("delete", name, |plan| {
                        let tag = found?;
                        plan.retarget(tag.name.clone());
                        plan.delete("tags", tag.id)
                    });
                }
            }
        }
        Ok(())
    })
}
