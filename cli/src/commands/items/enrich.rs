use crate::commands::input::parse_share;
use crate::commands::provider::{SourceArgs, open_cache};
use crate::commands::selection::Selection;
use crate::context::Context;
use crate::contract::Plan;
use crate::db::Row;
use crate::enrich::{Basis, Proposal, Source, SourceError, propose};
use crate::error::CliError;
use crate::formats::{Record, texts, to_item};
use crate::model::Item;
use crate::progress::Progress;
use clap_facade::annotate;
use serde_json::json;

/// Enrich items: fill in missing DOIs, abstracts, years, venues, volumes and pages
///
/// Looks each item up by DOI, else by title, first author and year, at Crossref or OpenAlex or in a
/// file (--from, offline). Only what is missing is filled in, and only from a work that is surely the
/// same. Without keys, every item that lacks one of the fields is looked up, up to --limit. One item's
/// failure does not stop the others.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().untrusted_output()
    .example("Fill gaps offline from the demo's file", "items enrich --from demo-works.json --yes")
    .example("Find the DOI of one paper at Crossref", "items enrich turing1936 --field doi"))]
pub(crate) struct EnrichArgs {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    source: SourceArgs,
    /// Fill in only this field; may be given again [default: all of them]
    #[arg(long = "field", value_enum, value_name = "FIELD")]
    fields: Vec<Gap>,
    /// How sure a match must be, from 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.9, value_parser = parse_share)]
    threshold: f64,
    /// Look up at most this many items
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
}

/// A field that can be filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Gap {
    /// The DOI
    Doi,
    /// The abstract
    Abstract,
    /// The date of publication
    Issued,
    /// The journal, book or proceedings
    ContainerTitle,
    /// The volume
    Volume,
    /// The issue
    Issue,
    /// The pages
    Pages,
    /// The publisher
    Publisher,
}

impl Gap {
    const ALL: [Self; 8] = [
        Self::Doi,
        Self::Abstract,
        Self::Issued,
        Self::ContainerTitle,
        Self::Volume,
        Self::Issue,
        Self::Pages,
        Self::Publisher,
    ];

    fn column(self) -> &'static str {
        match self {
            Self::Doi => "doi",
            Self::Abstract => "abstract",
            Self::Issued => "issued",
            Self::ContainerTitle => "container_title",
            Self::Volume => "volume",
            Self::Issue => "issue",
            Self::Pages => "pages",
            Self::Publisher => "publisher",
        }
    }

    fn is_open(self, item: &Item) -> bool {
        match self {
            Self::Issued => item.issued.is_none(),
            other => item.field(other.column()).is_none(),
        }
    }
}

pub(crate) fn cmd_enrich(ctx: &mut Context<'_, '_>, args: &EnrichArgs) -> Result<(), CliError> {
    let gaps = if args.fields.is_empty() { Gap::ALL.to_vec() } else { args.fields.clone() };
    let (mut items, mut missing) = (Vec::new(), Vec::new());
    for (key, found) in args.selection.each(ctx)? {
        match found {
            Ok(item) => items.push(item),
            Err(error) => missing.push((key, error)),
        }
    }
    items.retain(|item| gaps.iter().any(|gap| gap.is_open(item)));
    let left_out = items.len().saturating_sub(args.limit as usize);
    items.truncate(args.limit as usize);
    let answers = look_up(ctx, args, &items)?;
    // What this command does about failures is to go on: one unknown work says nothing about the next.
    ctx.globals.gates.continue_on_error = true;
    ctx.write(|_, plan| {
        for (item, answer) in items.iter().zip(answers) {
            plan_one(plan, item, answer, &gaps, args.threshold);
        }
        for (key, error) in missing {
            plan.fail("enrich", format!("item {key}"), error);
        }
        if left_out > 0 {
            plan.warn(format!("{left_out} more items have gaps; --limit looks up more at once"));
        }
        Ok(())
    })
}

fn look_up(
    ctx: &mut Context<'_, '_>,
    args: &EnrichArgs,
    items: &[Item],
) -> Result<Vec<Result<Proposal, SourceError>>, CliError> {
    if let Some(mut file) = args.source.file(ctx)? {
        return ask_all(ctx, &mut file, args, items);
    }
    let options = args.source.http(ctx)?;
    let cache = open_cache(ctx);
    let cancelled = ctx.io.cancelled;
    let mut provider = args.source.ask(options, cache, &cancelled);
    ask_all(ctx, &mut provider, args, items)
}

/// Asks about every item; a provider that keeps failing isn't asked any more.
fn ask_all(
    ctx: &mut Context<'_, '_>,
    source: &mut dyn Source,
    args: &EnrichArgs,
    items: &[Item],
) -> Result<Vec<Result<Proposal, SourceError>>, CliError> {
    const PATIENCE: usize = 3;
    let mut answers: Vec<Result<Proposal, SourceError>> = Vec::with_capacity(items.len());
    let mut failures_in_a_row = 0;
    let mut progress = Progress::start(ctx.io, &ctx.globals, "looking up", items.len());
    for item in items {
        ctx.ensure_wanted()?;
        progress.step();
        if failures_in_a_row >= PATIENCE
            && let Some(last) = answers.last().cloned()
        {
            answers.push(last);
            continue;
        }
        let answer = propose(source, &Record::from(item), args.threshold);
        match &answer {
            Err(SourceError::Cancelled) => return Err(SourceError::Cancelled.into()),
            Err(_) => failures_in_a_row += 1,
            Ok(_) => failures_in_a_row = 0,
        }
        answers.push(answer);
    }
    progress.finish();
    Ok(answers)
}

fn plan_one(plan: &mut Plan, item: &Item, answer: Result<Proposal, SourceError>, gaps: &[Gap], threshold: f64) {
    let target = format!("item {}", item.key);
    match answer {
        Ok(Proposal::Unknown) => plan.skip("enrich", target, "no such work is known there"),
        Ok(Proposal::Unsure { best, title }) => {
            let reason = match best.basis {
                Basis::Doi => "another work has the DOI".to_owned(),
                Basis::Likeness => format!("the likeliest work, {title:?}, fits by {} of {threshold}", best.score),
            };
            plan.skip("enrich", target, reason);
        }
        Ok(Proposal::Found { work, .. }) => {
            plan.attempt("enrich", target, |plan| fill(plan, item, &work, gaps));
        }
        Err(error) => plan.fail("enrich", target, error.into()),
    }
}

/// Fills the gaps an item still has from a work.
fn fill(plan: &mut Plan, item: &Item, work: &Record, gaps: &[Gap]) -> Result<(), CliError> {
    let Some(stored) = plan.row("items", item.id)? else {
        return Err(CliError::not_found(format!("item {} is gone", item.key)));
    };
    let issued = to_item(work).issued;
    let mut work = work.clone();
    let known = texts(&mut work);
    let mut changes = Row::new();
    for gap in gaps.iter().filter(|gap| stored.get(gap.column()).is_none_or(|value| value.is_null())) {
        let column = gap.column();
        let value = match gap {
            Gap::Issued => issued.clone(),
            _ => known.iter().find(|(name, _)| *name == column).and_then(|(_, value)| (*value).clone()),
        };
        if *gap == Gap::Doi
            && let Some(doi) = &value
            && let Some(other) = plan.find("items", &[("doi", json!(doi))])?
        {
            plan.warn(format!(
                "item {} has the DOI of {} already: they may be duplicates",
                other["key"].as_str().unwrap_or_default(),
                item.key
            ));
            continue;
        }
        if let Some(value) = value {
            changes.insert(column.to_owned(), json!(value));
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    changes.insert("updated_at".to_owned(), json!(plan.now()));
    plan.update("items", item.id, changes)
}
