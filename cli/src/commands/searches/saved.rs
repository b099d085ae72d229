use crate::db::{Db, Row};
use crate::error::CliError;
use crate::model::Shelves;
use crate::model::{FIELDS, Item, not_found};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What narrows a saved search; kept as JSON beside its query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub(crate) struct Filters {
    /// Only items of this type, like book or article-journal
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Only items with this tag; given twice, with all of them
    #[arg(long, value_name = "TAG")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tag: Vec<String>,
    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    /// Only items whose creator's name holds this text
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    creator: Option<String>,
    /// Only items whose field holds this text, like `publisher=Springer`
    #[arg(long = "where", value_name = "FIELD=TEXT", value_parser = parse_condition)]
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<String>,
    /// Only items published in this year or later
    #[arg(long, value_name = "YEAR", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<i64>,
    /// Only items published in this year or earlier
    #[arg(long, value_name = "YEAR", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
    /// Only items added in the last so many days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    added_days: Option<u16>,
}

impl Filters {
    /// Reads what [`Filters::to_json`] wrote; what can't be read narrows nothing.
    pub(crate) fn from_json(text: &Value) -> Self {
        text.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Whether nothing is narrowed.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Writes the filters as they are kept.
    pub(crate) fn to_json(&self) -> String {
        json!(self).to_string()
    }

    /// Says the filters as a person would type them.
    pub(crate) fn describe(&self) -> String {
        let Value::Object(filters) = json!(self) else { return String::new() };
        let flag = |(name, value): (&String, &Value)| match value {
            Value::Array(values) => values
                .iter()
                .map(|value| format!("--{name} {}", crate::output::inline(value)))
                .collect::<Vec<_>>()
                .join(" "),
            value => format!("--{} {}", name.replace('_', "-"), crate::output::inline(value)),
        };
        filters.iter().map(flag).collect::<Vec<_>>().join(" ")
    }

    /// Reads the items outside the trash that pass, by key.
    pub(crate) fn select(&self, db: &Db) -> Result<Vec<Item>, CliError> {
        let mut conditions = vec!["i.trashed_at IS NULL".to_owned()];
        let mut params: Vec<Value> = Vec::new();
        let mut filter = |condition: &str, value: Value| {
            params.push(value);
            conditions.push(condition.replace('?', &format!("?{}", params.len())));
        };
        if let Some(kind) = &self.kind {
            filter("i.type = ?", json!(kind));
        }
        for tag in &self.tag {
            filter(
                "EXISTS (SELECT 1 FROM item_tags it JOIN tags t ON t.id = it.tag_id WHERE it.item_id = i.id AND t.name = ?)",
                json!(tag),
            );
        }
        if let Some(collection) = &self.collection {
            let shelves = Shelves::load(db)?;
            let ids = shelves.subtree(shelves.resolve(collection)?);
            let sql = "i.id IN (SELECT item_id FROM collection_items WHERE collection_id IN (SELECT value FROM json_each(?)))";
            filter(sql, Value::from(ids));
        }
        if let Some(name) = &self.creator {
            let sql =
                "EXISTS (SELECT 1 FROM item_creators ic JOIN creators c ON c.id = ic.creator_id WHERE ic.item_id = i.id
                       AND instr(lower(concat_ws(' ', c.given, c.family, c.literal)), lower(?)) > 0)";
            filter(sql, json!(name));
        }
        for condition in &self.conditions {
            let (name, text) = condition.split_once('=').unwrap_or_default();
            if let Some(column) = columns().find(|column| *column == name) {
                filter(&format!("instr(lower(i.{column}), lower(?)) > 0"), json!(text));
            }
        }
        if let Some(year) = self.since {
            filter("i.year >= ?", json!(year));
        }
        if let Some(year) = self.until {
            filter("i.year <= ?", json!(year));
        }
        if let Some(days) = self.added_days {
            filter("i.added_at >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', ?)", json!(format!("-{days} days")));
        }
        Item::select(db, &format!("{} ORDER BY i.key", conditions.join(" AND ")), &params)
    }
}

/// Finds a saved search by its name.
pub(crate) fn find_search(db: &Db, name: &str) -> Result<Row, CliError> {
    if let Some(row) = db.first("SELECT * FROM searches WHERE name = ?1", &[json!(name.trim())])? {
        return Ok(row);
    }
    let names = db.query("SELECT name FROM searches ORDER BY name", &[])?;
    let known: Vec<&str> = names.iter().filter_map(|row| row["name"].as_str()).collect();
    Err(not_found("saved search", name, &known))
}

fn columns() -> impl Iterator<Item = &'static str> {
    ["key", "type", "title", "issued"].into_iter().chain(FIELDS.iter().map(|field| field.name))
}

fn parse_condition(text: &str) -> Result<String, CliError> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| CliError::usage("write FIELD=TEXT, like publisher=Springer"))?;
    let column = name.trim().to_lowercase().replace('-', "_");
    if !columns().any(|known| known == column) {
        return Err(CliError::usage(format!("unknown field {name:?}; `mycli schema fields` lists the names")));
    }
    Ok(format!("{column}={}", value.trim()))
}
