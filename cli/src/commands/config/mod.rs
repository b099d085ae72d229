//! Commands on settings.

mod get;
mod set;

use crate::context::Context;
use crate::error::CliError;

/// Settings of the library
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ConfigCommand {
    Get(get::GetArgs),
    Set(set::SetArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &ConfigCommand) -> Result<(), CliError> {
    match command {
        ConfigCommand::Get(args) => get::cmd_get(ctx, args),
        ConfigCommand::Set(args) => set::cmd_set(ctx, args),
    }
}
