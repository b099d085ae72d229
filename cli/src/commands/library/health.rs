use super::counts::{AttachedFile, attached_files};
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::{CliError, ErrorKind};
use crate::hygiene::{Finding, Purpose, Subject, Weight, examine};
use crate::model::{Depth, Shelves, members};
use crate::model::{ITEM_TYPES, Item};
use clap_facade::annotate::read_only;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Check the library's quality: broken metadata, missing fields, lost files; a gate for scripts.
///
/// Presets: `quick` is what every library should pass; `citation` adds what a bibliography needs; `review` adds what
/// a literature review needs (abstracts, PDFs, tags); `all` is everything. With `--fail-on` a finding of that weight or
/// more ends with exit code 11. `--fix` repairs what needs no judgement.
#[derive(Debug, clap::Args)]
#[command(add = read_only().mutating_when("fix").untrusted_output()
    .example("Is everything there that a bibliography needs", "library health --for citation")
    .example("Repair what the quick gate complains about", "library health --for quick --fix"))]
pub(crate) struct HealthArgs {
    /// What the library has to be good for
    #[arg(long = "for", value_enum, default_value_t = Purpose::Quick, value_name = "PURPOSE")]
    purpose: Purpose,

    /// Exit with code 11 if there is a finding of this weight or more
    #[arg(long, value_enum, value_name = "WEIGHT")]
    fail_on: Option<Weight>,

    /// Repair what needs no judgement: stray spaces, DOI links, page ranges, ISBN hyphens
    #[arg(long)]
    fix: bool,

    /// Show at most this many findings
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,

    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,
}

pub(crate) fn cmd_health(ctx: &mut Context<'_, '_>, args: &HealthArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let items = match &args.collection {
        Some(collection) => {
            let shelves = Shelves::load(&db)?;
            let id = shelves.resolve(collection)?;
            members(&db, &shelves, id, Depth::Inside)?
        }
        None => Item::select(&db, "i.trashed_at IS NULL ORDER BY i.key", &[])?,
    };
    let findings = examine_all(ctx, &items, args.purpose)?;
    let left = if args.fix { fix(ctx, &items, findings)? } else { report(ctx, args, items.len(), findings)? };
    let failing = left.iter().filter(|finding| args.fail_on.is_some_and(|weight| finding.weight >= weight)).count();
    if failing == 0 {
        return Ok(());
    }
    let noun = if failing == 1 { "finding is" } else { "findings are" };
    Err(CliError::new(ErrorKind::Quality, format!("{failing} {noun} at or above the weight of --fail-on")).printed())
}

fn examine_all(ctx: &mut Context<'_, '_>, items: &[Item], purpose: Purpose) -> Result<Vec<Finding>, CliError> {
    let db = ctx.db()?;
    let present = db.count("SELECT CAST(strftime('%Y', 'now') AS INTEGER)", &[])?;
    let mut files: BTreeMap<i64, Vec<AttachedFile>> = BTreeMap::new();
    for file in attached_files(&db)? {
        files.entry(file.item).or_default().push(file);
    }
    let mut same_doi: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in
        db.query("SELECT lower(doi) AS doi, key FROM items WHERE doi <> '' AND trashed_at IS NULL ORDER BY key", &[])?
    {
        let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
        same_doi.entry(text("doi")).or_default().push(text("key"));
    }
    let mut findings = Vec::new();
    for item in items {
        ctx.ensure_wanted()?;
        let files = files.get(&item.id).map_or(&[][..], Vec::as_slice);
        let twins = item.field("doi").and_then(|doi| same_doi.get(&doi.to_lowercase()));
        findings.extend(examine(&subject(item, files, twins.map_or(&[][..], Vec::as_slice)), purpose, present));
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
    Ok(findings)
}

fn subject(item: &Item, files: &[AttachedFile], same_doi: &[String]) -> Subject {
    let mut fields = item.fields.clone();
    fields.insert("title".to_owned(), item.title.clone());
    fields.extend(item.issued.clone().map(|issued| ("issued".to_owned(), issued)));
    let needs = ITEM_TYPES.iter().find(|kind| kind.name == item.kind).map_or(&[][..], |kind| kind.needs);
    Subject {
        key: item.key.clone(),
        fields,
        required: needs.iter().map(|name| (*name).to_owned()).collect(),
        creators: item.creators.len(),
        tags: item.tags.len(),
        collections: item.collections.len(),
        pdfs: files.iter().filter(|file| file.is_pdf && file.is_there).count(),
        lost: files.iter().filter(|file| !file.is_there).map(|file| file.path.clone()).collect(),
        same_doi: same_doi.iter().filter(|key| **key != item.key).cloned().collect(),
    }
}

/// Reports what was found, and gives it back.
fn report(
    ctx: &mut Context<'_, '_>,
    args: &HealthArgs,
    items: usize,
    findings: Vec<Finding>,
) -> Result<Vec<Finding>, CliError> {
    let count = |weight: Weight| findings.iter().filter(|finding| finding.weight == weight).count();
    let (errors, warnings, infos) = (count(Weight::Error), count(Weight::Warning), count(Weight::Info));
    let shown: Value = findings.iter().take(args.limit).map(|finding| json!(finding)).collect();
    if ctx.globals.output.json {
        let passes = !findings.iter().any(|finding| args.fail_on.is_some_and(|weight| finding.weight >= weight));
        ctx.print_object(&row([
            ("ok", json!(passes)),
            ("items", json!(items)),
            ("errors", json!(errors)),
            ("warnings", json!(warnings)),
            ("infos", json!(infos)),
            ("total", json!(findings.len())),
            ("findings", shown),
        ]))?;
        return Ok(findings);
    }
    let rows: Vec<Row> = shown.as_array().into_iter().flatten().filter_map(|row| row.as_object().cloned()).collect();
    ctx.print_rows(&["weight", "check", "key", "message"], &rows, findings.len())?;
    ctx.note(&format!("{items} items: {errors} errors, {warnings} warnings, {infos} infos"))?;
    Ok(findings)
}

/// Repairs what can be repaired under the write contract, and gives back what is left.
fn fix(ctx: &mut Context<'_, '_>, items: &[Item], findings: Vec<Finding>) -> Result<Vec<Finding>, CliError> {
    let (repairs, left): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| finding.repair.is_some());
    ctx.write(|_, plan| {
        for item in items {
            let mine: Vec<&Finding> = repairs.iter().filter(|finding| finding.key == item.key).collect();
            if mine.is_empty() {
                continue;
            }
            plan.attempt("repair", format!("item {}", item.key), |plan| {
                let mut changes: Row =
                    mine.iter().filter_map(|finding| Some((finding.field.clone()?, json!(finding.repair)))).collect();
                changes.insert("updated_at".to_owned(), json!(plan.now()));
                plan.update("items", item.id, changes)
            });
        }
        plan.result("left", json!(left.len()));
        Ok(())
    })?;
    Ok(left)
}
