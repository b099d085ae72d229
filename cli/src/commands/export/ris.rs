use super::{ExportArgs, export};
use crate::context::Context;
use crate::error::CliError;
use crate::formats::ris;
use clap_facade::annotate;

/// Export items as RIS, for EndNote, Zotero, Mendeley and other reference managers
///
/// Without keys, all items that the filters let through. Prints, or writes --output FILE.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().mutating_when("output").untrusted_output()
    .example("Print two works as RIS", "export ris darwin1859 shannon1948"))]
pub(crate) struct RisArgs {
    #[command(flatten)]
    export: ExportArgs,
}

pub(crate) fn cmd_ris(ctx: &mut Context<'_, '_>, args: &RisArgs) -> Result<(), CliError> {
    export(ctx, &args.export, "ris", ris::render)
}
