//! Commands on items.

mod add;
mod list;

use crate::context::Context;
use crate::error::CliError;

/// List, add, edit, tag, cite and clean up the works of the library
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ItemsCommand {
    List(list::ListArgs),
    Add(add::AddArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &ItemsCommand) -> Result<(), CliError> {
    match command {
        ItemsCommand::List(args) => list::cmd_list(ctx, args),
        ItemsCommand::Add(args) => add::cmd_add(ctx, args),
    }
}

/// The columns of a list of items in text.
pub(crate) const ITEM_COLUMNS: &[&str] = &["key", "year", "creators", "title"];
