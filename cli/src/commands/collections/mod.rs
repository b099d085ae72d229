//! Commands on collections.

mod add;
mod create;
mod delete;
mod gaps;
mod get;
mod list;
mod r#move;
mod remove;
mod rename;
mod stats;
mod tree;

use crate::context::Context;
use crate::error::CliError;

/// Shelves for items: list, fill, arrange and check collections
#[derive(Debug, clap::Subcommand)]
pub(crate) enum CollectionsCommand {
    List(list::ListArgs),
    Get(get::GetArgs),
    Tree(tree::TreeArgs),
    Stats(stats::StatsArgs),
    Gaps(gaps::GapsArgs),
    Create(create::CreateArgs),
    Rename(rename::RenameArgs),
    Move(r#move::MoveArgs),
    Delete(delete::DeleteArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &CollectionsCommand) -> Result<(), CliError> {
    match command {
        CollectionsCommand::List(args) => list::cmd_list(ctx, args),
        CollectionsCommand::Get(args) => get::cmd_get(ctx, args),
        CollectionsCommand::Tree(args) => tree::cmd_tree(ctx, args),
        CollectionsCommand::Stats(args) => stats::cmd_stats(ctx, args),
        CollectionsCommand::Gaps(args) => gaps::cmd_gaps(ctx, args),
        CollectionsCommand::Create(args) => create::cmd_create(ctx, args),
        CollectionsCommand::Rename(args) => rename::cmd_rename(ctx, args),
        CollectionsCommand::Move(args) => r#move::cmd_move(ctx, args),
        CollectionsCommand::Delete(args) => delete::cmd_delete(ctx, args),
        CollectionsCommand::Add(args) => add::cmd_add(ctx, args),
        CollectionsCommand::Remove(args) => remove::cmd_remove(ctx, args),
    }
}
