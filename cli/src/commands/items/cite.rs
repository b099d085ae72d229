use super::read_items;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::formats::{Look, Record, Style, render_bibliography, render_citation};
use clap_facade::annotate;
use serde_json::json;

/// Cite items: the in-text citation in a citation style, like (Darwin, 1859)
///
/// Several items make one citation. --reference adds the full reference of each, as it stands in the
/// bibliography.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Cite two works in APA style", "items cite darwin1859 shannon1948 --style apa"))]
pub(crate) struct CiteArgs {
    /// Citation keys or DOIs, or `-` for keys on stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
    /// The citation style
    #[arg(long, value_enum, default_value_t = Style::Apa, value_name = "STYLE")]
    style: Style,
    /// How the text is marked up
    #[arg(long, value_enum, default_value_t = Look::Text, value_name = "FORMAT")]
    format: Look,
    /// Print the full references, too
    #[arg(long)]
    reference: bool,
}

pub(crate) fn cmd_cite(ctx: &mut Context<'_, '_>, args: &CiteArgs) -> Result<(), CliError> {
    let items = read_items(ctx, &args.keys)?;
    let records: Vec<Record> = items.iter().map(Record::from).collect();
    let citation = render_citation(&records, args.style, args.format);
    let references = if args.reference { render_bibliography(&records, args.style, args.format) } else { Vec::new() };
    if ctx.globals.output.json {
        let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
        let references: Vec<_> = references.iter().map(|entry| json!({"key": entry.key, "text": entry.text})).collect();
        return ctx.print_object(&row([
            ("citation", json!(citation)),
            ("style", json!(args.style.name())),
            ("keys", json!(keys)),
            ("references", json!(references)),
        ]));
    }
    let mut text = format!("{citation}\n");
    for entry in references {
        text.push_str(&format!("{}\n", entry.text));
    }
    ctx.print_document("citation", &text, row([]))
}
