use super::doi::normalize_doi;
use super::fields::{FIELDS, ITEM_TYPES, ROLES};
use crate::db::{Db, Row};
use crate::error::CliError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A work in the library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// The row id; 0 when the item is not stored.
    pub id: i64,
    /// The citation key, unique in the library.
    pub key: String,
    /// The type, one of [`ITEM_TYPES`].
    pub kind: String,
    /// The title.
    pub title: String,
    /// Date of publication: YYYY, YYYY-MM or YYYY-MM-DD; a year before our era has a `-`.
    pub issued: Option<String>,
    /// The creators in their order.
    pub creators: Vec<Creator>,
    /// The other fields by column, see [`FIELDS`]; none is empty.
    pub fields: BTreeMap<String, String>,
    /// What has no field, by its CSL name.
    pub extra: Row,
    /// The tags, sorted.
    pub tags: Vec<String>,
    /// The paths of the collections that hold it.
    pub collections: Vec<String>,
    /// When it was added.
    pub added_at: String,
    /// When its own fields were last changed.
    pub updated_at: String,
    /// When it was put into the trash.
    pub trashed_at: Option<String>,
}

/// A person or body, and what it did for an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Creator {
    /// One of [`ROLES`].
    pub role: String,
    /// The family name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub family: String,
    /// The given names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub given: String,
    /// The whole name, of a body or of someone without a family name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub literal: String,
}

impl Creator {
    /// Reads `Family, Given`, `Given Family` or `{Whole Name}`.
    ///
    /// # Errors
    /// When the name is empty.
    pub fn parse(role: &str, name: &str) -> Result<Self, CliError> {
        let name = name.trim();
        let role = role.to_owned();
        let whole = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let (family, given) = match name.split_once(',') {
            Some((family, given)) => (family.trim(), given.trim()),
            None => name.rsplit_once(' ').map_or((name, ""), |(given, family)| (family, given.trim())),
        };
        if name.is_empty() || (family.is_empty() && whole.is_none()) {
            return Err(CliError::usage(format!("{name:?} is no name")).hint("write `Family, Given` or `{Whole Name}`"));
        }
        Ok(match whole {
            Some(literal) => Self { role, literal: literal.trim().to_owned(), ..Self::default() },
            None => Self { role, family: family.to_owned(), given: given.to_owned(), literal: String::new() },
        })
    }

    /// The name as lists sort it: `Family, Given`.
    pub fn name(&self) -> String {
        match (self.literal.as_str(), self.given.as_str()) {
            ("", "") => self.family.clone(),
            ("", given) => format!("{}, {given}", self.family),
            (literal, _) => literal.to_owned(),
        }
    }
}

impl Item {
    /// Reads items; `condition` is SQL over `items i`, with `?1` and so on for `params`.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn select(db: &Db, condition: &str, params: &[Value]) -> Result<Vec<Self>, CliError> {
        Ok(db.query(&format!("{SELECT} WHERE {condition}"), params)?.iter().map(Self::from_row).collect())
    }

    /// The year of publication.
    pub fn year(&self) -> Option<i64> {
        let issued = self.issued.as_deref()?;
        let end = issued.char_indices().skip(1).find(|(_, c)| !c.is_ascii_digit()).map_or(issued.len(), |(at, _)| at);
        issued[..end].parse().ok()
    }

    /// A field by its column.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// Sets or, with an empty value, clears a field.
    pub fn set_field(&mut self, name: &str, value: &str) {
        match value.trim() {
            "" => self.fields.remove(name),
            value => self.fields.insert(name.to_owned(), value.to_owned()),
        };
    }

    /// The creators of a role.
    pub fn creators_as<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a Creator> {
        self.creators.iter().filter(move |creator| creator.role == role)
    }

    /// Puts values into their stored form and refuses what can't be stored.
    ///
    /// # Errors
    /// When the title is missing, or the type, date, role or DOI has no valid form.
    pub fn normalize(&mut self) -> Result<(), CliError> {
        let wrong = |field: &str, message: String| CliError::usage(message).at("", 0, field);
        self.title = self.title.trim().to_owned();
        if self.title.is_empty() {
            return Err(wrong("title", "an item needs a title".to_owned()));
        }
        if !ITEM_TYPES.iter().any(|known| known.name == self.kind) {
            return Err(wrong("type", format!("unknown type {:?}", self.kind))
                .hint("`mycli schema item-types` lists the types"));
        }
        if let Some(issued) = &self.issued
            && !is_date(issued)
        {
            return Err(wrong("issued", format!("{issued:?} is no date")).hint("write YYYY, YYYY-MM or YYYY-MM-DD"));
        }
        if let Some(creator) = self.creators.iter().find(|creator| !ROLES.contains(&creator.role.as_str())) {
            return Err(wrong("creators", format!("unknown role {:?}", creator.role))
                .hint(format!("the roles are {}", ROLES.join(", "))));
        }
        self.fields.retain(|_, value| !value.trim().is_empty());
        if let Some(doi) = self.fields.get_mut("doi") {
            *doi = normalize_doi(doi)
                .ok_or_else(|| wrong("doi", format!("{doi:?} is no DOI")).hint("a DOI looks like 10.1000/182"))?;
        }
        Ok(())
    }

    /// The item as JSON: every field, the missing ones null.
    pub fn to_row(&self) -> Row {
        let mut row = crate::db::row([
            ("key", json!(self.key)),
            ("type", json!(self.kind)),
            ("title", json!(self.title)),
            ("creators", json!(self.creators)),
            ("year", json!(self.year())),
            ("issued", json!(self.issued)),
        ]);
        for field in FIELDS {
            row.insert(field.name.to_owned(), json!(self.fields.get(field.name)));
        }
        row.insert("extra".to_owned(), Value::Object(self.extra.clone()));
        row.insert("tags".to_owned(), json!(self.tags));
        row.insert("collections".to_owned(), json!(self.collections));
        row.insert("added_at".to_owned(), json!(self.added_at));
        row.insert("updated_at".to_owned(), json!(self.updated_at));
        row.insert("trashed_at".to_owned(), json!(self.trashed_at));
        row
    }

    fn from_row(row: &Row) -> Self {
        let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let parsed =
            |name: &str| text(name).and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default();
        let fields = FIELDS.iter().filter_map(|field| Some((field.name.to_owned(), text(field.name)?)));
        Self {
            id: row["id"].as_i64().unwrap_or_default(),
            key: text("key").unwrap_or_default(),
            kind: text("type").unwrap_or_default(),
            title: text("title").unwrap_or_default(),
            issued: text("issued"),
            creators: serde_json::from_value(parsed("creators")).unwrap_or_default(),
            fields: fields.collect(),
            extra: parsed("extra").as_object().cloned().unwrap_or_default(),
            tags: serde_json::from_value(parsed("tags")).unwrap_or_default(),
            collections: serde_json::from_value(parsed("collections")).unwrap_or_default(),
            added_at: text("added_at").unwrap_or_default(),
            updated_at: text("updated_at").unwrap_or_default(),
            trashed_at: text("trashed_at"),
        }
    }
}

const SELECT: &str = "SELECT i.*,
  (SELECT json_group_array(json_object('role', ic.role, 'family', c.family, 'given', c.given, 'literal', c.literal)
     ORDER BY ic.position, ic.id) FROM item_creators ic JOIN creators c ON c.id = ic.creator_id
     WHERE ic.item_id = i.id) AS creators,
  (SELECT json_group_array(t.name ORDER BY t.name) FROM item_tags it JOIN tags t ON t.id = it.tag_id
     WHERE it.item_id = i.id) AS tags,
  (SELECT json_group_array(p.path ORDER BY p.path) FROM collection_items ci JOIN collection_paths p
     ON p.id = ci.collection_id WHERE ci.item_id = i.id) AS collections
FROM items i";

fn is_date(text: &str) -> bool {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let parts: Vec<&str> = rest.split('-').collect();
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let in_range = |part: &str, max: u32| part.len() == 2 && part.parse::<u32>().is_ok_and(|n| (1..=max).contains(&n));
    let year = parts[0];
    let year_fits = digits(year) && (year.len() == 4 || (sign && (1..=4).contains(&year.len())));
    year_fits
        && parts.len() <= 3
        && parts.iter().all(|part| digits(part))
        && parts.get(1).is_none_or(|month| in_range(month, 12))
        && parts.get(2).is_none_or(|day| in_range(day, 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for date in ["1859", "1859-11", "1859-11-24", "-0380", "-380", "0099"] {
            assert!(is_date(date), "{date}");
        }
        for date in ["", "-", "59", "1859-13", "1859-1", "1859-11-24-1", "1859-00", "c. 1859", "1859-11-32", "18590"] {
            assert!(!is_date(date), "{date}");
        }
    }

    #[test]
    fn years() {
        for (issued, year) in [("1859-11-24", 1859), ("-0380", -380), ("0099", 99)] {
            let item = Item { issued: Some(issued.to_owned()), ..Item::default() };
            assert_eq!(item.year(), Some(year), "{issued}");
        }
    }

    #[test]
    fn names() {
        for (text, name) in [
            ("Darwin, Charles", "Darwin, Charles"),
            ("Mary W. Shelley", "Shelley, Mary W."),
            ("{Royal Society}", "Royal Society"),
            ("Plato", "Plato"),
        ] {
            assert_eq!(Creator::parse("author", text).unwrap().name(), name);
        }
        for text in ["", " ", ",", ", Charles"] {
            assert!(Creator::parse("author", text).is_err(), "{text:?}");
        }
    }
}
