use super::labels::find_tag;
use crate::commands::targets::act_on;
use crate::context::Context;
use crate::error::CliError;
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
            let found = find_tag(plan, name);
            act_on(ctx, plan, "delete", name, found, |plan, tag| {
                plan.retarget(tag.name.clone());
                plan.delete("tags", tag.id)
            });
        }
        Ok(())
    })
}
