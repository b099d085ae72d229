use super::{Duplicates, Incoming, plan_records, shelve};
use crate::commands::input::read_bibliography;
use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;
use std::path::PathBuf;

/// Import a bibliography file: BibTeX, BibLaTeX, RIS or CSL-JSON, told by its content
///
/// Keywords become tags. What the library has already (by DOI, by key and title, or by title and
/// date) is passed over. A file with a fault is refused whole, with the line and the field of it;
/// with --continue-on-error the faulty works alone are left out. `import scan` shows first what a file
/// would bring.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().untrusted_output()
    .example("Import a .bib file into a collection", "import file references.bib --collection Physics --yes"))]
pub(crate) struct FileArgs {
    /// The file; `-` reads standard input, where there is one
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// A collection (name, path or id) to put the works into; may be given again
    #[arg(long, value_name = "PATH")]
    collection: Vec<String>,
    /// A tag for each of the works; may be given again
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// What happens to works that the library has already
    #[arg(long, value_enum, default_value_t = Duplicates::Skip, value_name = "WAY")]
    duplicates: Duplicates,
}

pub(crate) fn cmd_file(ctx: &mut Context<'_, '_>, args: &FileArgs) -> Result<(), CliError> {
    let (format, parsed) = read_bibliography(ctx, &args.file)?;
    let shown = args.file.display().to_string();
    let pairs = parsed.records.iter().zip(&parsed.lines);
    let mut works: Vec<Incoming> = pairs.map(|(record, line)| Incoming::new(record, &shown, *line)).collect();
    shelve(&mut works, &args.collection, &args.tag);
    ctx.write(|ctx, plan| {
        if works.is_empty() {
            plan.warn(format!("{shown} holds no works"));
        }
        if !parsed.ignored.is_empty() {
            let fields: Vec<String> = parsed.ignored.iter().map(|(name, count)| format!("{name} ({count})")).collect();
            plan.warn(format!("fields without a place in the library are left out: {}", fields.join(", ")));
        }
        plan.result("format", json!(format.to_string()));
        plan_records(ctx, plan, &works, args.duplicates)
    })
}
