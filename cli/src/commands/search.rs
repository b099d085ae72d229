use super::fulltext::{SearchPart, hits};
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use crate::model::Item;
use crate::model::Shelves;
use clap_facade::annotate::read_only;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Search the full text of titles, creators, abstracts, notes and tags, best match first.
///
/// All words are required, in any order and by their stem (`networks` finds `network`). `word*` matches beginnings,
/// `"a phrase"` in double quotes matches word for word, `OR` between words takes either. Snippets show where a match
/// stands, with the words in [brackets].
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output()
    .example("Where was that sentence about entropy", "search entropy")
    .example("A phrase, among notes alone", "search '\"last paragraph\"' --within notes"))]
pub(crate) struct SearchArgs {
    /// Words and "phrases" to look for
    #[arg(required = true)]
    query: Vec<String>,

    /// Look only within these parts
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    within: Vec<SearchPart>,

    /// Leave out what contains this word or "phrase"
    #[arg(long, value_name = "WORD")]
    without: Vec<String>,

    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

pub(crate) fn cmd_search(ctx: &mut Context<'_, '_>, args: &SearchArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let mut found = hits(&db, &args.query.join(" "), &args.without, &args.within)?;
    if let Some(collection) = &args.collection {
        let shelves = Shelves::load(&db)?;
        let ids = shelves.subtree(shelves.resolve(collection)?);
        let sql =
            "SELECT DISTINCT item_id FROM collection_items WHERE collection_id IN (SELECT value FROM json_each(?1))";
        let members: BTreeSet<Option<i64>> =
            db.query(sql, &[Value::from(ids)])?.iter().map(|row| row["item_id"].as_i64()).collect();
        found.retain(|hit| members.contains(&hit["id"].as_i64()));
    }
    let mut rows: Vec<Row> = Vec::new();
    for hit in found.iter().take(args.limit) {
        for item in Item::select(&db, "i.id = ?1", &[hit["id"].clone()])? {
            let wanted = ["key", "type", "title", "creators", "year", "tags"];
            let mut row: Row = item.to_row().into_iter().filter(|(name, _)| wanted.contains(&name.as_str())).collect();
            row.insert("snippet".into(), json!(hit["snippet"]));
            rows.push(row);
        }
    }
    ctx.print_rows(&["key", "year", "title", "snippet"], &rows, found.len())
}
