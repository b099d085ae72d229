use super::{Duplicates, Incoming, plan_records, shelve};
use crate::commands::provider::{SourceArgs, open_cache};
use crate::context::Context;
use crate::enrich::{Source as _, SourceError};
use crate::error::CliError;
use crate::formats::Record;
use crate::model::normalize_doi;
use crate::progress::Progress;
use clap_facade::annotate;

/// Import works by DOI: fetch title, authors and all other fields from Crossref or OpenAlex
///
/// With --from the works are taken from a file instead, offline. What the library has already is
/// passed over.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating().untrusted_output()
    .example("Add a paper by its DOI", "import doi 10.1080/01621459.1949.10483310 --yes"))]
pub(crate) struct DoiArgs {
    /// DOIs, with or without https://doi.org/
    #[arg(value_name = "DOI", required = true)]
    dois: Vec<String>,
    #[command(flatten)]
    source: SourceArgs,
    /// A collection (name, path or id) to put the works into; may be given again
    #[arg(long, value_name = "PATH")]
    collection: Vec<String>,
    /// A tag for each of the works; may be given again
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

pub(crate) fn cmd_doi(ctx: &mut Context<'_, '_>, args: &DoiArgs) -> Result<(), CliError> {
    let mut dois: Vec<String> = Vec::new();
    for text in &args.dois {
        let doi = normalize_doi(text)
            .ok_or_else(|| CliError::usage(format!("{text:?} is no DOI")).hint("a DOI looks like 10.1000/182"))?;
        if !dois.contains(&doi) {
            dois.push(doi);
        }
    }
    let found = look_up(ctx, args, &dois)?;
    ctx.write(|ctx, plan| {
        for (doi, work) in dois.iter().zip(found) {
            let record = match work {
                Ok(Some(record)) => record,
                Ok(None) if ctx.globals.operation.ignore_missing => {
                    plan.skip("import", format!("DOI {doi}"), "no such work is known there");
                    continue;
                }
                failed => {
                    let unknown = || CliError::not_found(format!("no work with the DOI {doi} is known there"));
                    plan.fail("import", format!("DOI {doi}"), failed.err().map_or_else(unknown, CliError::from));
                    continue;
                }
            };
            let mut works = [Incoming::new(&record, "", 0)];
            shelve(&mut works, &args.collection, &args.tag);
            plan_records(ctx, plan, &works, Duplicates::Skip)?;
        }
        Ok(())
    })
}

fn look_up(
    ctx: &mut Context<'_, '_>,
    args: &DoiArgs,
    dois: &[String],
) -> Result<Vec<Result<Option<Record>, SourceError>>, CliError> {
    if let Some(mut file) = args.source.file(ctx)? {
        let wanted = |doi: &String| Record { doi: Some(doi.clone()), ..Record::default() };
        let found = dois.iter().map(|doi| {
            let works = file.candidates(&wanted(doi))?;
            Ok(works.into_iter().find(|work| work.doi.as_ref() == Some(doi)))
        });
        return Ok(found.collect());
    }
    let options = args.source.http(ctx)?;
    let cache = open_cache(ctx);
    let cancelled = ctx.io.cancelled;
    let mut provider = args.source.ask(options, cache, &cancelled);
    let mut progress = Progress::start(ctx.io, &ctx.globals, "looking up", dois.len());
    let mut found = Vec::new();
    for doi in dois {
        progress.step();
        match provider.by_doi(doi) {
            Err(SourceError::Cancelled) => return Err(SourceError::Cancelled.into()),
            answer => found.push(answer),
        }
    }
    progress.finish();
    Ok(found)
}
