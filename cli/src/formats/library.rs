//! Records and the library's items, one as the other.

use super::{Creator, Kind, Name, Record, Role, When, csl_json};
use crate::model::{self, ITEM_TYPES, Item};
use serde_json::json;

impl From<&Item> for Record {
    fn from(item: &Item) -> Self {
        let mut record = Record {
            citekey: Some(item.key.clone()).filter(|key| !key.is_empty()),
            title: Some(item.title.clone()).filter(|title| !title.is_empty()),
            issued: item.issued.as_deref().and_then(When::parse),
            creators: item.creators.iter().filter_map(creator_of).collect(),
            accessed: item.field("accessed").and_then(When::parse),
            keywords: item.tags.clone(),
            extra: item.extra.clone(),
            ..Record::default()
        };
        // What the library has no column for was kept under its CSL name.
        let kept = ["type", "note", "issued"].map(|name| record.extra.remove(name));
        let [kind, note, issued] = kept;
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or(&item.kind);
        record.kind = Kind::from_csl(kind).unwrap_or_default();
        record.note = note.and_then(|note| note.as_str().map(str::to_owned));
        record.issued = record.issued.or_else(|| csl_json::read_date(issued?).ok().flatten());
        for (name, field) in texts(&mut record) {
            *field = item.field(name).map(str::to_owned);
        }
        record
    }
}

/// Turns a record into an item that isn't stored yet; keywords become tags.
pub fn to_item(record: &Record) -> Item {
    let mut record = record.clone();
    let mut item = Item {
        key: record.citekey.take().unwrap_or_default(),
        kind: record.kind.csl().to_owned(),
        title: record.title.take().unwrap_or_default(),
        creators: record.creators.iter().map(stored_creator).collect(),
        tags: std::mem::take(&mut record.keywords),
        extra: std::mem::take(&mut record.extra),
        ..Item::default()
    };
    if !ITEM_TYPES.iter().any(|known| known.name == item.kind) {
        item.extra.insert("type".to_owned(), json!(item.kind));
        item.kind = Kind::Document.csl().to_owned();
    }
    match &record.issued {
        Some(date @ When::Date { .. }) => item.issued = Some(date.to_string()),
        Some(words) => {
            item.extra.insert("issued".to_owned(), csl_json::date_item(words));
        }
        None => {}
    }
    if let Some(note) = record.note.take() {
        item.extra.insert("note".to_owned(), json!(note));
    }
    if let Some(accessed) = &record.accessed {
        item.set_field("accessed", &accessed.to_string());
    }
    for (name, field) in texts(&mut record) {
        item.set_field(name, field.as_deref().unwrap_or_default());
    }
    // A tag counts once, whatever the file says.
    let mut seen = std::collections::HashSet::new();
    item.tags.retain(|tag| seen.insert(tag.clone()));
    item
}

/// The fields of a record that are columns of the library, by column.
pub(crate) fn texts(record: &mut Record) -> [(&'static str, &mut Option<String>); 17] {
    [
        ("container_title", &mut record.container_title),
        ("collection_title", &mut record.series),
        ("publisher", &mut record.publisher),
        ("publisher_place", &mut record.place),
        ("volume", &mut record.volume),
        ("issue", &mut record.issue),
        ("pages", &mut record.pages),
        ("number", &mut record.number),
        ("edition", &mut record.edition),
        ("doi", &mut record.doi),
        ("isbn", &mut record.isbn),
        ("issn", &mut record.issn),
        ("url", &mut record.url),
        ("language", &mut record.language),
        ("abstract", &mut record.abstract_text),
        ("event", &mut record.event),
        ("genre", &mut record.genre),
    ]
}

fn creator_of(stored: &model::Creator) -> Option<Creator> {
    let role = Role::from_csl(&stored.role)?;
    Some(match stored.literal.as_str() {
        "" => Creator::person(role, &stored.family, &stored.given),
        literal => Creator::literal(role, literal),
    })
}

fn stored_creator(creator: &Creator) -> model::Creator {
    let role = creator.role.csl().to_owned();
    match &creator.name {
        Name::Literal(literal) => model::Creator { role, literal: literal.clone(), ..model::Creator::default() },
        Name::Person { family, given } => model::Creator {
            role,
            family: family.clone(),
            given: given.clone().unwrap_or_default(),
            literal: String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FIELDS, ROLES};

    #[test]
    fn every_type_role_and_field_of_the_library_has_its_place() {
        for known in ITEM_TYPES {
            assert!(Kind::from_csl(known.name).is_some(), "{}", known.name);
        }
        for role in ROLES {
            assert!(Role::from_csl(role).is_some(), "{role}");
        }
        let mut record = Record::default();
        let mut names: Vec<&str> = texts(&mut record).iter().map(|(name, _)| *name).collect();
        names.push("accessed");
        names.sort_unstable();
        let mut fields: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
        fields.sort_unstable();
        assert_eq!(names, fields);
    }

    #[test]
    fn what_has_no_column_comes_back() {
        let record = Record {
            citekey: Some("k".into()),
            kind: Kind::LegalCase,
            title: Some("T".into()),
            creators: vec![
                Creator::person(Role::Director, "Lang", "Fritz"),
                Creator::literal(Role::Author, "Bell Labs"),
            ],
            issued: Some(When::Literal("in press".into())),
            accessed: Some(When::Date { year: 2020, month: Some(1), day: Some(2) }),
            genre: Some("opinion".into()),
            note: Some("a note".into()),
            keywords: vec!["a".into(), "b".into()],
            extra: json!({"jurisdiction": "us"}).as_object().cloned().unwrap(),
            ..Record::default()
        };
        assert_eq!(Record::from(&to_item(&record)), record);
    }
}
