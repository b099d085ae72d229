//! Commands that write the library's works as a bibliography.

mod bibtex;
mod csl_json;
mod markdown;
mod ris;

use crate::commands::selection::Selection;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::formats::Record;
use serde_json::json;
use std::path::PathBuf;

/// Write works out as a bibliography: BibTeX, RIS, CSL-JSON or Markdown
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ExportCommand {
    Bibtex(bibtex::BibtexArgs),
    Ris(ris::RisArgs),
    CslJson(csl_json::CslJsonArgs),
    Markdown(markdown::MarkdownArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &ExportCommand) -> Result<(), CliError> {
    match command {
        ExportCommand::Bibtex(args) => bibtex::cmd_bibtex(ctx, args),
        ExportCommand::Ris(args) => ris::cmd_ris(ctx, args),
        ExportCommand::CslJson(args) => csl_json::cmd_csl_json(ctx, args),
        ExportCommand::Markdown(args) => markdown::cmd_markdown(ctx, args),
    }
}

/// What is exported, and where to.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    selection: Selection,
    /// Write to this file instead of printing: needs --yes
    #[arg(long, short = 'o', value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Prints a bibliography, or writes it to a file under the write contract.
fn export(
    ctx: &mut Context<'_, '_>,
    args: &ExportArgs,
    format: &'static str,
    render: impl FnOnce(&[Record]) -> String,
) -> Result<(), CliError> {
    let items = args.selection.items(ctx)?;
    let records: Vec<Record> = items.iter().map(Record::from).collect();
    let count = records.len();
    let text = render(&records);
    let Some(path) = &args.output else {
        if records.is_empty() {
            ctx.note("nothing found")?;
        }
        return ctx.print_document(format, &text, row([("count", json!(count))]));
    };
    ctx.write(|_, plan| {
        plan.attempt("export", format!("file {}", path.display()), |plan| {
            plan.change("works", json!(null), json!(count));
            plan.write_file(path, Some(text.into_bytes()))
        });
        plan.result("count", json!(count));
        Ok(())
    })
}
