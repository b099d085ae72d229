use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::{FIELDS, ITEM_TYPES, not_found};
use clap_facade::annotate::read_only;
use serde_json::{Value, json};

/// List the fields an item can have, what they mean and which types need them.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("What does a thesis need", "schema fields --type thesis"))]
pub(crate) struct FieldsArgs {
    /// Say which fields this item type needs
    #[arg(long = "type", value_name = "TYPE")]
    item_type: Option<String>,
}

pub(crate) fn cmd_fields(ctx: &mut Context<'_, '_>, args: &FieldsArgs) -> Result<(), CliError> {
    let known: Vec<&str> = ITEM_TYPES.iter().map(|kind| kind.name).collect();
    if let Some(name) = args.item_type.as_deref().filter(|name| !known.contains(name)) {
        return Err(not_found("item type", name, &known));
    }
    let common = [
        ("type", "type", "kind of work"),
        ("title", "title", "title"),
        ("issued", "issued", "date of publication: YYYY, YYYY-MM or YYYY-MM-DD"),
        ("author", "author", "authors, in their order"),
    ];
    let fields = common.into_iter().chain(FIELDS.iter().map(|field| (field.name, field.csl, field.about)));
    let rows: Vec<Row> = fields
        .map(|(name, csl, about)| {
            let needed: Vec<&str> =
                ITEM_TYPES.iter().filter(|kind| kind.needs.contains(&name)).map(|kind| kind.name).collect();
            let needed = match &args.item_type {
                Some(kind) => json!(needed.contains(&kind.as_str())),
                None => Value::from(needed),
            };
            row([("field", json!(name)), ("csl", json!(csl)), ("about", json!(about)), ("needed", needed)])
        })
        .collect();
    ctx.print_rows(&["field", "about", "needed"], &rows, rows.len())
}
