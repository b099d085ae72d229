use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::Shelves;
use crate::model::{ITEM_TYPES, Item};
use clap_facade::annotate;
use serde_json::json;

/// Audit items: the fields that a citation needs but an item lacks
///
/// What is needed depends on the type: an article needs its journal, a book its publisher.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("Books that can't be cited yet", "items audit --type book"))]
pub(crate) struct AuditArgs {
    /// Only items of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "PATH")]
    collection: Option<String>,
    /// Only items that lack this field, like issued or publisher
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
}

pub(crate) fn cmd_audit(ctx: &mut Context<'_, '_>, args: &AuditArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let wanted = args.field.as_deref().map(|field| field.to_lowercase().replace('-', "_"));
    if let Some(field) = &wanted
        && !ITEM_TYPES.iter().any(|kind| kind.needs.contains(&field.as_str()))
    {
        let mut needed: Vec<&str> = ITEM_TYPES.iter().flat_map(|kind| kind.needs).copied().collect();
        needed.sort_unstable();
        needed.dedup();
        return Err(CliError::usage(format!("no citation needs a field {field:?}"))
            .hint(format!("the needed fields are {}", needed.join(", "))));
    }
    let collection = Shelves::find(&db, args.collection.as_deref())?;
    let condition = "i.trashed_at IS NULL AND (?1 IS NULL OR i.type = ?1) AND (?2 IS NULL OR i.id IN (
        SELECT item_id FROM collection_items WHERE collection_id = ?2)) ORDER BY i.key";
    let mut rows: Vec<Row> = Vec::new();
    for item in Item::select(&db, condition, &[json!(args.kind), json!(collection)])? {
        let missing = missing_fields(&item);
        let is_wanted = wanted.as_deref().is_none_or(|field| missing.contains(&field));
        if !missing.is_empty() && is_wanted {
            rows.push(row([
                ("key", json!(item.key)),
                ("type", json!(item.kind)),
                ("missing", json!(missing)),
                ("year", json!(item.year())),
                ("title", json!(item.title)),
            ]));
        }
    }
    let total = rows.len();
    rows.truncate(args.limit as usize);
    ctx.print_rows(&["key", "type", "missing", "title"], &rows, total)
}

/// The fields that a citation of the item needs but the item lacks.
pub(crate) fn missing_fields(item: &Item) -> Vec<&'static str> {
    let needs = ITEM_TYPES.iter().find(|kind| kind.name == item.kind).map_or(&[][..], |kind| kind.needs);
    let has = |field: &str| match field {
        "author" => {
            item.creators.iter().any(|creator| matches!(creator.role.as_str(), "author" | "editor" | "director"))
        }
        "issued" => item.issued.is_some(),
        _ => item.field(field).is_some(),
    };
    needs.iter().copied().filter(|field| !has(field)).collect()
}
