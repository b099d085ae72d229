use crate::commands::library::with_pdf;
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::hygiene::{Aspect, Member, Siblings, gaps};
use crate::model::Item;
use crate::model::{Depth, Shelves, members};
use clap_facade::annotate::read_only;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Find what a collection lacks: fields, PDFs or tags its siblings have, and recent years.
///
/// A field is compared among items of one type; PDFs and tags among all members. Something is a gap when at least
/// `--share` of the members have it and others don't. The report also says how recent the material is: the newest
/// year, the years without any item, and how many items fall into the last `--recent` years.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("What do the papers on the shelf Physics lack", "collections gaps Physics"))]
pub(crate) struct GapsArgs {
    /// The collection: its name, path or id
    collection: String,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    recursive: bool,

    /// Percentage of the members that must have something before its absence is a gap
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=99))]
    share: u8,

    /// How many years back count as recent, newer material
    #[arg(long, value_name = "YEARS", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    recent: u16,
}

pub(crate) fn cmd_gaps(ctx: &mut Context<'_, '_>, args: &GapsArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let shelves = Shelves::load(&db)?;
    let id = shelves.resolve(&args.collection)?;
    let items = members(&db, &shelves, id, Depth::of(args.recursive))?;
    let pdfs = with_pdf(&db)?;
    let pool: Vec<Member> = items.iter().map(|item| member(item, pdfs.contains(&item.id))).collect();
    let found = gaps(&pool, Siblings { share: f64::from(args.share) / 100.0, least: 2 });
    let present = db.count("SELECT CAST(strftime('%Y', 'now') AS INTEGER)", &[])?;
    let coverage = years(&items, present, i64::from(args.recent));
    if ctx.globals.output.json {
        let object = row([
            ("path", json!(shelves.path(id))),
            ("items", json!(items.len())),
            ("gaps", json!(found)),
            ("years", coverage),
        ]);
        return ctx.print_object(&object);
    }
    let rows: Vec<Row> = found
        .iter()
        .map(|gap| {
            let lacks = match &gap.aspect {
                Aspect::Field(name) => name.clone(),
                Aspect::Pdf => "PDF".to_owned(),
                Aspect::Tags => "any tag".to_owned(),
                Aspect::Tag(name) => format!("tag {name}"),
            };
            let share = format!("{:.0} %", gap.share * 100.0);
            row([
                ("lacks", json!(lacks)),
                ("siblings", json!(share)),
                ("type", json!(gap.item_type)),
                ("items", json!(gap.lacking)),
            ])
        })
        .collect();
    ctx.print_rows(&["lacks", "siblings", "type", "items"], &rows, rows.len())?;
    ctx.note(&format!("years: {}", crate::output::inline(&coverage)))
}

fn member(item: &Item, has_pdf: bool) -> Member {
    let mut has: BTreeSet<Aspect> = item.fields.keys().map(|name| Aspect::Field(name.clone())).collect();
    has.extend(item.issued.as_ref().map(|_| Aspect::Field("issued".to_owned())));
    has.extend(item.creators.first().map(|_| Aspect::Field("creators".to_owned())));
    has.extend(has_pdf.then_some(Aspect::Pdf));
    has.extend(item.tags.first().map(|_| Aspect::Tags));
    has.extend(item.tags.iter().map(|tag| Aspect::Tag(tag.clone())));
    Member { key: item.key.clone(), item_type: item.kind.clone(), has }
}

/// How recent the material is, and which years between the oldest and the present it leaves out.
fn years(items: &[Item], present: i64, recent: i64) -> Value {
    let years: BTreeSet<i64> = items.iter().filter_map(Item::year).collect();
    let since = present - recent + 1;
    let lately = items.iter().filter(|item| item.year().is_some_and(|year| year >= since)).count();
    // Over centuries a list of the missing years says nothing; the last twenty do.
    let start = years.first().copied().unwrap_or(present).max(present - 20);
    let missing: Vec<i64> = (start..=present).filter(|year| !years.contains(year)).collect();
    json!({
        "oldest": years.first(),
        "newest": years.last(),
        "recent_since": since,
        "recent_items": lately,
        "without_items": missing,
    })
}
