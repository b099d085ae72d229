//! Commands on tags.

mod audit;
mod audit_fix;
mod delete;
mod inventory;
mod labels;
mod list;
mod merge;
mod rename;

use crate::context::Context;
use crate::error::CliError;

/// Labels of items: list, count, check, rename, merge and delete tags
#[derive(Debug, clap::Subcommand)]
pub(crate) enum TagsCommand {
    List(list::ListArgs),
    Inventory(inventory::InventoryArgs),
    Audit(audit::AuditArgs),
    Rename(rename::RenameArgs),
    Merge(merge::MergeArgs),
    Delete(delete::DeleteArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &TagsCommand) -> Result<(), CliError> {
    match command {
        TagsCommand::List(args) => list::cmd_list(ctx, args),
        TagsCommand::Inventory(args) => inventory::cmd_inventory(ctx, args),
        TagsCommand::Audit(args) => match &args.command {
            None => audit::cmd_audit(ctx, args),
            Some(audit::AuditCommand::Fix(args)) => audit_fix::cmd_audit_fix(ctx, args),
        },
        TagsCommand::Rename(args) => rename::cmd_rename(ctx, args),
        TagsCommand::Merge(args) => merge::cmd_merge(ctx, args),
        TagsCommand::Delete(args) => delete::cmd_delete(ctx, args),
    }
}
