//! Commands that describe what the library knows.

mod exit_codes;
mod fields;
mod item_types;

use crate::context::Context;
use crate::error::CliError;

/// What items, fields and exit codes there are
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SchemaCommand {
    ItemTypes(item_types::ItemTypesArgs),
    Fields(fields::FieldsArgs),
    ExitCodes(exit_codes::ExitCodesArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &SchemaCommand) -> Result<(), CliError> {
    match command {
        SchemaCommand::ItemTypes(args) => item_types::cmd_item_types(ctx, args),
        SchemaCommand::Fields(args) => fields::cmd_fields(ctx, args),
        SchemaCommand::ExitCodes(args) => exit_codes::cmd_exit_codes(ctx, args),
    }
}
