use crate::commands::selection::Selection;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::formats::{Look, Record, Style, render_bibliography};
use clap_facade::annotate;
use serde_json::json;

/// Format a bibliography: a list of references in a citation style like APA, Chicago, IEEE or MLA
///
/// Without keys, of all items that the filters let through. The style decides the order.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("The reading of a course as a Markdown reference list", "items bibliography --collection Physics --style chicago-author-date --format markdown"))]
pub(crate) struct BibliographyArgs {
    #[command(flatten)]
    selection: Selection,
    /// The citation style
    #[arg(long, value_enum, default_value_t = Style::Apa, value_name = "STYLE")]
    style: Style,
    /// How the text is marked up
    #[arg(long, value_enum, default_value_t = Look::Text, value_name = "FORMAT")]
    format: Look,
}

pub(crate) fn cmd_bibliography(ctx: &mut Context<'_, '_>, args: &BibliographyArgs) -> Result<(), CliError> {
    let items = args.selection.items(ctx)?;
    let records: Vec<Record> = items.iter().map(Record::from).collect();
    let references = render_bibliography(&records, args.style, args.format);
    let text = match args.format {
        Look::Text => references.iter().map(|entry| format!("{}\n", entry.text)).collect::<String>(),
        Look::Markdown => references.iter().map(|entry| format!("- {}\n", entry.text)).collect(),
        Look::Html => {
            let entries = references.iter().map(|entry| format!("  <li>{}</li>\n", entry.text));
            format!("<ul>\n{}</ul>\n", entries.collect::<String>())
        }
    };
    let entries: Vec<_> = references.iter().map(|entry| json!({"key": entry.key, "text": entry.text})).collect();
    let more = row([("style", json!(args.style.name())), ("count", json!(entries.len())), ("entries", json!(entries))]);
    if references.is_empty() {
        ctx.note("nothing found")?;
    }
    ctx.print_document("bibliography", &text, more)
}
