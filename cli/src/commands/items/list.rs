use super::ITEM_COLUMNS;
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use crate::model::Item;
use crate::model::Shelves;
use clap_facade::annotate;
use serde_json::{Value, json};

/// List items, filtered by type, tag, collection, creator or year
///
/// Without a filter this is the whole library, page by page: --limit says how many items make a page, --offset
/// where to go on. Items in the trash are left out unless --trashed asks for them.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Articles tagged genetics, newest first", "items list --type article-journal --tag genetics --sort year --reverse"))]
pub(crate) struct ListArgs {
    /// Only items of this type, like book or article-journal
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only items with this tag; given twice, with all of them
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "PATH")]
    collection: Option<String>,
    /// Only items whose creator's name holds this text
    #[arg(long, value_name = "NAME")]
    creator: Option<String>,
    /// Only items published in this year or later
    #[arg(long, value_name = "YEAR", allow_negative_numbers = true)]
    since: Option<i64>,
    /// Only items published in this year or earlier
    #[arg(long, value_name = "YEAR", allow_negative_numbers = true)]
    until: Option<i64>,
    /// List what is in the trash instead
    #[arg(long)]
    trashed: bool,
    /// Order by this
    #[arg(long, value_enum, default_value_t = Sort::Key, value_name = "ORDER")]
    sort: Sort,
    /// Turn the order round
    #[arg(long)]
    reverse: bool,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Leave out this many items first
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

/// What a list of items is ordered by.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Sort {
    /// Citation key
    Key,
    /// Title
    Title,
    /// Year of publication
    Year,
    /// When it was added
    Added,
    /// When it was last changed
    Updated,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let mut conditions = vec![if args.trashed { "i.trashed_at IS NOT NULL" } else { "i.trashed_at IS NULL" }];
    let mut params: Vec<Value> = Vec::new();
    let mut filter = |condition: &'static str, value: Value| {
        conditions.push(condition);
        params.push(value);
    };
    if let Some(kind) = &args.kind {
        filter("i.type = ?", json!(kind));
    }
    for tag in &args.tag {
        filter(
            "i.id IN (SELECT it.item_id FROM item_tags it JOIN tags t ON t.id = it.tag_id WHERE t.name = ?)",
            json!(tag),
        );
    }
    if let Some(collection) = Shelves::find(&db, args.collection.as_deref())? {
        filter("i.id IN (SELECT item_id FROM collection_items WHERE collection_id = ?)", json!(collection));
    }
    if let Some(name) = &args.creator {
        filter(
            "i.id IN (SELECT ic.item_id FROM item_creators ic JOIN creators c ON c.id = ic.creator_id
             WHERE instr(lower(concat_ws(' ', c.given, c.family, c.literal)), lower(?)) > 0)",
            json!(name),
        );
    }
    if let Some(year) = args.since {
        filter("i.year >= ?", json!(year));
    }
    if let Some(year) = args.until {
        filter("i.year <= ?", json!(year));
    }
    let condition = conditions.join(" AND ");
    let total = db.count(&format!("SELECT count(*) FROM items i WHERE {condition}"), &params)?;
    let direction = if args.reverse { "DESC" } else { "ASC" };
    let order = match args.sort {
        Sort::Key => "i.key",
        Sort::Title => "lower(i.title)",
        Sort::Year => "i.issued IS NULL, i.year",
        Sort::Added => "i.added_at",
        Sort::Updated => "i.updated_at",
    };
    params.extend([json!(args.limit), json!(args.offset)]);
    let items =
        Item::select(&db, &format!("{condition} ORDER BY {order} {direction}, i.id LIMIT ? OFFSET ?"), &params)?;
    let rows: Vec<Row> = items.iter().map(Item::to_row).collect();
    ctx.print_rows(ITEM_COLUMNS, &rows, usize::try_from(total).unwrap_or_default())
}
