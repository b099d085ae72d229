use super::labels::{ensure_tag, find_tag, merge_tag, tag_name};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use clap_facade::annotate::mutating;

/// Merge several tags into one: two labels become a single label.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Two spellings become one label", "tags merge neural-networks --into 'neural networks'"))]
pub(crate) struct MergeArgs {
    /// The tags that go
    #[arg(required = true, value_name = "TAG")]
    tags: Vec<String>,

    /// The tag that stays, made if it doesn't exist
    #[arg(long, value_name = "TAG")]
    into: String,
}

pub(crate) fn cmd_merge(ctx: &mut Context<'_, '_>, args: &MergeArgs) -> Result<(), CliError> {
    let into = tag_name(&args.into)?;
    ctx.write(|ctx, plan| {
        // The tag that stays is made right before the first merge, so that a failure before it leaves no tag behind.
        let mut kept = None;
        for name in &args.tags {
            match find_tag(plan, name) {
                Err(error) if error.kind() == ErrorKind::NotFound && ctx.globals.operation.ignore_missing => {
                    plan.skip("merge", name, "does not exist");
                }
                Err(error) => plan.fail("merge", name, error),
                Ok(tag) => {
                    if kept.is_none() {
                        kept = ensure_tag(plan, &into)?;
                    }
                    if let Some(into) = &kept {
                        merge_tag(plan, &tag, into);
                    }
                }
            }
        }
        Ok(())
    })
}
