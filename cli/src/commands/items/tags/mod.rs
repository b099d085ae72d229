//! Commands on the tags of items.

mod add;
mod remove;

use crate::context::Context;
use crate::error::CliError;

/// Tag items, or take tags off
#[derive(Debug, clap::Subcommand)]
pub(crate) enum TagsCommand {
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &TagsCommand) -> Result<(), CliError> {
    match command {
        TagsCommand::Add(args) => add::cmd_add(ctx, args),
        TagsCommand::Remove(args) => remove::cmd_remove(ctx, args),
    }
}
