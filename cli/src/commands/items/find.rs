use super::ITEM_COLUMNS;
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use crate::model::{FIELDS, Item, field};
use clap_facade::annotate;
use serde_json::{Value, json};

/// Find items by their fields: conditions like year>=1900, title~species, doi= (missing)
///
/// A condition is a field, an operator and a value. The operators are `=` (is, whatever the case),
/// `!=`, `~` (contains), `!~`, `<`, `<=`, `>`, `>=`; `field=` finds items without the field and `field!=`
/// those with it. The fields are those of `mycli schema fields` and key, type, title, issued, year,
/// creator, tag, collection and note. For words anywhere in an item use `mycli search`.
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output()
    .example("Books before 1900 without a publisher", "items find type=book 'year<1900' publisher=")
    .example("Works by a Darwin tagged history or biology", "items find --any tag=history tag=biology creator~darwin"))]
pub(crate) struct FindArgs {
    /// A condition; several must all be met
    #[arg(value_name = "CONDITION", required = true)]
    conditions: Vec<String>,
    /// Find items that meet one of the conditions
    #[arg(long)]
    any: bool,
    /// Search the trash too
    #[arg(long)]
    trashed: bool,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Leave out this many items first
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

pub(crate) fn cmd_find(ctx: &mut Context<'_, '_>, args: &FindArgs) -> Result<(), CliError> {
    let conditions: Vec<Condition<'_>> = args.conditions.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
    let mut params: Vec<Value> = Vec::new();
    let sql: Vec<String> = conditions.iter().map(|condition| condition.sql(&mut params)).collect::<Result<_, _>>()?;
    let joined = sql.join(if args.any { " OR " } else { " AND " });
    let condition = format!("({joined}){}", if args.trashed { "" } else { " AND i.trashed_at IS NULL" });
    let db = ctx.db()?;
    let total = db.count(&format!("SELECT count(*) FROM items i WHERE {condition}"), &params)?;
    params.extend([json!(args.limit), json!(args.offset)]);
    let items = Item::select(&db, &format!("{condition} ORDER BY i.key LIMIT ? OFFSET ?"), &params)?;
    let rows: Vec<Row> = items.iter().map(Item::to_row).collect();
    ctx.print_rows(ITEM_COLUMNS, &rows, usize::try_from(total).unwrap_or_default())
}

/// One condition on an item.
struct Condition<'a> {
    subject: Subject,
    operator: &'static str,
    value: &'a str,
}

/// What a condition is about.
enum Subject {
    /// A column of the item.
    Column(&'static str),
    /// The year, compared as a number.
    Year,
    /// Something an item has many of: a query of its names.
    Many(&'static str),
}

/// The operators, longer ones first.
const OPERATORS: &[&str] = &["!=", "!~", "<=", ">=", "=", "~", "<", ">"];

const MANY: &[(&str, &str)] = &[
    (
        "creator",
        "SELECT concat_ws(' ', nullif(c.given, ''), nullif(c.family, ''), nullif(c.literal, '')) AS name
         FROM item_creators l JOIN creators c ON c.id = l.creator_id WHERE l.item_id = i.id",
    ),
    ("tag", "SELECT t.name FROM item_tags l JOIN tags t ON t.id = l.tag_id WHERE l.item_id = i.id"),
    (
        "collection",
        "SELECT p.path AS name FROM collection_items l JOIN collection_paths p ON p.id = l.collection_id WHERE l.item_id = i.id",
    ),
    ("note", "SELECT concat(n.title, char(10), n.body) AS name FROM notes n WHERE n.item_id = i.id"),
];

fn parse(text: &str) -> Result<Condition<'_>, CliError> {
    let hint = "a condition looks like year>=1900, title~species or doi=";
    let Some(start) = text.find(['=', '!', '~', '<', '>']) else {
        return Err(CliError::usage(format!("{text:?} has no operator")).hint(hint));
    };
    let (name, rest) = text.split_at(start);
    let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) else {
        return Err(CliError::usage(format!("{text:?} has no operator")).hint(hint));
    };
    let subject = subject(name.trim())?;
    Ok(Condition { subject, operator, value: rest[operator.len()..].trim() })
}

fn subject(name: &str) -> Result<Subject, CliError> {
    let lower = name.to_ascii_lowercase();
    if let Some((_, sql)) = MANY.iter().find(|(known, _)| *known == lower || format!("{known}s") == lower) {
        return Ok(Subject::Many(sql));
    }
    match lower.as_str() {
        "author" => Ok(Subject::Many(MANY[0].1)),
        "year" => Ok(Subject::Year),
        "key" => Ok(Subject::Column("key")),
        "type" => Ok(Subject::Column("type")),
        "title" => Ok(Subject::Column("title")),
        "issued" => Ok(Subject::Column("issued")),
        _ => match field(&lower) {
            Some(field) => Ok(Subject::Column(field.name)),
            None => {
                let mut names = vec!["key", "type", "title", "issued", "year", "creator", "tag", "collection", "note"];
                names.extend(FIELDS.iter().map(|field| field.name));
                let near = names
                    .iter()
                    .max_by(|a, b| strsim::jaro_winkler(a, &lower).total_cmp(&strsim::jaro_winkler(b, &lower)));
                let nearest = near.copied().unwrap_or_default();
                Err(CliError::usage(format!("unknown field {name:?}"))
                    .hint(format!("did you mean {nearest}? The fields are {}", names.join(", "))))
            }
        },
    }
}

impl Condition<'_> {
    /// The condition as SQL over `items i`, its values added to `params`.
    fn sql(&self, params: &mut Vec<Value>) -> Result<String, CliError> {
        let negated = self.operator.starts_with('!');
        let not = if negated { "NOT " } else { "" };
        let column = match self.subject {
            Subject::Column(name) => format!("i.{name}"),
            Subject::Year => "i.year".to_owned(),
            Subject::Many(_) => "name".to_owned(),
        };
        let test = match (&self.subject, self.operator) {
            (_, "=" | "!=") if self.value.is_empty() => String::new(),
            (Subject::Year, "=" | "!=" | "<" | "<=" | ">" | ">=") => {
                let year: i64 = self.value.parse().map_err(|_| {
                    CliError::usage(format!("{:?} is no year", self.value)).hint("a year is a whole number, like 1859")
                })?;
                params.push(json!(year));
                format!("{column} {} ?", self.operator.trim_start_matches('!'))
            }
            (_, "=" | "!=") => {
                params.push(json!(self.value));
                format!("lower({column}) = lower(?)")
            }
            (_, "~" | "!~") => {
                params.push(json!(self.value));
                format!("instr(lower({column}), lower(?)) > 0")
            }
            (_, operator) => {
                params.push(json!(self.value));
                format!("lower({column}) {operator} lower(?)")
            }
        };
        Ok(match (&self.subject, test.as_str()) {
            (Subject::Many(query), "") => format!("{}EXISTS ({query})", if negated { "" } else { "NOT " }),
            (Subject::Many(query), test) => format!("{not}EXISTS (SELECT 1 FROM ({query}) WHERE {test})"),
            (_, "") => format!("{column} IS {not}NULL"),
            (_, test) => format!("{not}coalesce({test}, 0)"),
        })
    }
}
