use super::labels::{find_tag, tag_name};
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Rename a tag (label, keyword) on every item.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("to read is called later from now on", "tags rename 'to read' later"))]
pub(crate) struct RenameArgs {
    /// The tag as it is
    tag: String,

    /// Its new name; an existing tag is refused: merge them instead
    name: String,
}

pub(crate) fn cmd_rename(ctx: &mut Context<'_, '_>, args: &RenameArgs) -> Result<(), CliError> {
    let name = tag_name(&args.name)?;
    ctx.write(|_, plan| {
        let tag = find_tag(plan, &args.tag)?;
        plan.attempt("rename", tag.name.clone(), |plan| {
            if name != tag.name && plan.find("tags", &[("name", json!(name))])?.is_some() {
                return Err(CliError::precondition(format!("there is a tag {name:?} already"))
                    .hint("`tags merge OLD --into NEW` makes the two one"));
            }
            plan.update("tags", tag.id, row([("name", json!(name))]))
        });
        Ok(())
    })
}
