use super::{ExportArgs, export};
use crate::context::Context;
use crate::error::CliError;
use crate::formats::bibtex;
use clap_facade::annotate;

/// Export items as BibTeX, a .bib file for LaTeX, Typst and other programs
///
/// Without keys, all items that the filters let through. Prints, or writes --output FILE.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().mutating_when("output").untrusted_output()
    .example("Write a .bib file of one collection", "export bibtex --collection Physics --output references.bib --yes"))]
pub(crate) struct BibtexArgs {
    #[command(flatten)]
    export: ExportArgs,
}

pub(crate) fn cmd_bibtex(ctx: &mut Context<'_, '_>, args: &BibtexArgs) -> Result<(), CliError> {
    export(ctx, &args.export, "bibtex", bibtex::render)
}
