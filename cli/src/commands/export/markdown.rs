use super::{ExportArgs, export};
use crate::context::Context;
use crate::error::CliError;
use crate::formats::markdown;
use clap_facade::annotate;

/// Export items as a Markdown list, to read or share
///
/// One line a work, with a link where there is one. Prints, or writes --output FILE. References in a citation style come from `items bibliography`.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().mutating_when("output").untrusted_output()
    .example("A reading list as Markdown", "export markdown --collection Physics --output reading.md --yes"))]
pub(crate) struct MarkdownArgs {
    #[command(flatten)]
    export: ExportArgs,
}

pub(crate) fn cmd_markdown(ctx: &mut Context<'_, '_>, args: &MarkdownArgs) -> Result<(), CliError> {
    export(ctx, &args.export, "markdown", markdown::render)
}
