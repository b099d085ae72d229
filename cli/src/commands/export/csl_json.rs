use super::{ExportArgs, export};
use crate::context::Context;
use crate::error::CliError;
use crate::formats::csl_json;
use clap_facade::annotate;

/// Export items as CSL-JSON, for Pandoc, citeproc and Zotero
///
/// Without keys, all items that the filters let through. Prints, or writes --output FILE.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().mutating_when("output").untrusted_output()
    .example("Everything tagged physics as CSL-JSON", "export csl-json --tag physics"))]
pub(crate) struct CslJsonArgs {
    #[command(flatten)]
    export: ExportArgs,
}

pub(crate) fn cmd_csl_json(ctx: &mut Context<'_, '_>, args: &CslJsonArgs) -> Result<(), CliError> {
    export(ctx, &args.export, "csl-json", csl_json::render)
}
