//! Commands on notes.

mod add;
mod delete;
mod edit;
mod get;
mod list;
mod text;

use crate::context::Context;
use crate::error::CliError;

/// Notes about items: list, read, write, change and delete them
#[derive(Debug, clap::Subcommand)]
pub(crate) enum NotesCommand {
    List(list::ListArgs),
    Get(get::GetArgs),
    Add(add::AddArgs),
    Edit(edit::EditArgs),
    Delete(delete::DeleteArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &NotesCommand) -> Result<(), CliError> {
    match command {
        NotesCommand::List(args) => list::cmd_list(ctx, args),
        NotesCommand::Get(args) => get::cmd_get(ctx, args),
        NotesCommand::Add(args) => add::cmd_add(ctx, args),
        NotesCommand::Edit(args) => edit::cmd_edit(ctx, args),
        NotesCommand::Delete(args) => delete::cmd_delete(ctx, args),
    }
}
