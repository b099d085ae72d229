use super::Incoming;
use crate::commands::input::read_bibliography;
use crate::context::{Context, text};
use crate::contract::Plan;
use crate::db::{Row, row};
use crate::error::CliError;
use clap_facade::annotate;
use serde_json::json;
use std::path::PathBuf;

/// Scan a bibliography file: what it would bring, what the library has already, what is faulty
///
/// Reads BibTeX, RIS or CSL-JSON, told by content. A work is new, known (the library has it) or faulty
/// (it can't be imported as it is).
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Look into a .bib file before importing it", "import scan references.bib"))]
pub(crate) struct ScanArgs {
    /// The file; `-` reads standard input, where there is one
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Show only works with this status
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<Status>,
}

/// What would become of a work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Status {
    /// It would be added
    New,
    /// The library has it
    Known,
    /// It can't be imported
    Faulty,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
            Self::Faulty => "faulty",
        }
    }
}

pub(crate) fn cmd_scan(ctx: &mut Context<'_, '_>, args: &ScanArgs) -> Result<(), CliError> {
    let (format, parsed) = read_bibliography(ctx, &args.file)?;
    let shown = args.file.display().to_string();
    let plan = Plan::new(ctx.db()?)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut counts = [0_usize; 3];
    for (record, line) in parsed.records.iter().zip(&parsed.lines) {
        ctx.ensure_wanted()?;
        let work = Incoming::new(record, &shown, *line);
        let (status, remark) = match (work.check(), work.twin(&plan)?) {
            (Err(error), _) => (Status::Faulty, error.to_string()),
            (Ok(()), Some((twin, reason))) => (Status::Known, format!("{} {reason}", text(&twin, "key"))),
            (Ok(()), None) => (Status::New, String::new()),
        };
        counts[status as usize] += 1;
        if args.status.is_none_or(|wanted| wanted == status) {
            rows.push(row([
                ("line", json!(line)),
                ("status", json!(status.name())),
                ("key", json!(record.citekey)),
                ("type", json!(record.kind.csl())),
                ("year", json!(record.year())),
                ("title", json!(record.title)),
                ("doi", json!(record.doi)),
                ("remark", json!(Some(remark).filter(|remark| !remark.is_empty()))),
            ]));
        }
    }
    let total = rows.len();
    ctx.print_rows(&["line", "status", "key", "year", "title", "remark"], &rows, total)?;
    ctx.note(&format!("{format}: {} new, {} known, {} faulty", counts[0], counts[1], counts[2]))
}
