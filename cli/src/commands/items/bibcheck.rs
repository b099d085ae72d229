use crate::citations::{Markup, find_citations};
use crate::commands::input::read_text;
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::{CliError, ErrorKind};
use crate::model::Item;
use clap_facade::annotate;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Check a manuscript: which citations of a .tex, .typ or .md file are missing from the library
///
/// Finds \cite and its family, @key, #cite(<key>) and [@key; @key2] with their lines. Shows the cited
/// keys that the library lacks or has in the trash; --all shows the others, too.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Missing citations of a paper", "items bibcheck paper.tex"))]
pub(crate) struct BibcheckArgs {
    /// The manuscript: LaTeX, Typst or Markdown
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Show every cited key, not only those at fault
    #[arg(long)]
    all: bool,
    /// Exit with 11 when a cited key is missing
    #[arg(long)]
    strict: bool,
}

pub(crate) fn cmd_bibcheck(ctx: &mut Context<'_, '_>, args: &BibcheckArgs) -> Result<(), CliError> {
    let text = read_text(ctx, &args.file)?;
    let markup = Markup::detect(&args.file, &text);
    let mut cited: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for citation in find_citations(markup, &text) {
        cited.entry(citation.key).or_default().push(citation.line);
    }
    let db = ctx.db()?;
    let items = Item::select(&db, "1 ORDER BY i.key", &[])?;
    let mut rows: Vec<Row> = Vec::new();
    let mut missing = 0;
    for (key, lines) in &cited {
        // Keys of a manuscript are told apart by case, though the library is not so strict.
        let found = items.iter().find(|item| item.key == *key);
        let (status, nearest) = match found {
            Some(item) if item.trashed_at.is_some() => ("in the trash", String::new()),
            Some(_) => ("found", String::new()),
            None => ("missing", nearest(key, &items)),
        };
        missing += usize::from(status != "found");
        if args.all || status != "found" {
            rows.push(row([
                ("key", json!(key)),
                ("status", json!(status)),
                ("lines", json!(lines)),
                ("title", json!(found.map(|item| &item.title))),
                ("nearest", json!(Some(nearest).filter(|nearest| !nearest.is_empty()))),
            ]));
        }
    }
    let total = rows.len();
    ctx.print_rows(&["key", "status", "lines", "nearest", "title"], &rows, total)?;
    ctx.note(&format!("{} cited keys, {missing} at fault", cited.len()))?;
    if args.strict && missing > 0 {
        let message = format!("{missing} of {} cited keys are missing from the library", cited.len());
        return Err(CliError::new(ErrorKind::Quality, message).printed());
    }
    Ok(())
}

/// The key of the library that looks most like one.
fn nearest(key: &str, items: &[Item]) -> String {
    let wanted = key.to_lowercase();
    let scored = items.iter().map(|item| (strsim::jaro_winkler(&wanted, &item.key.to_lowercase()), &item.key));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(score, _)| *score > 0.85).map(|(_, key)| key.clone()).unwrap_or_default()
}
