//! CSL-JSON: an array of items, one item, `{"items": [..]}`, or one item a line.

use super::{Creator, FormatError, Kind, Name, Parsed, Record, Role, When};
use crate::model::normalize_doi;
use serde_json::{Map, Value, json};

/// Reads CSL-JSON.
///
/// # Errors
/// On text that isn't JSON, and on the first field that has the wrong shape; its line is the one its item starts on.
pub fn parse(text: &str) -> Result<Parsed, FormatError> {
    let mut parsed = Parsed::default();
    for (line, value) in split_items(text)? {
        let record = read_item(line, value)?;
        parsed.push(line, record);
    }
    Ok(parsed)
}

/// Writes records as an array of CSL-JSON items.
pub fn render(records: &[Record]) -> String {
    let items: Vec<Value> = records.iter().map(to_item).collect();
    let mut out = serde_json::to_string_pretty(&items).unwrap_or_default();
    out.push('\n');
    out
}

/// Turns a record into a CSL-JSON item, with `id` as its key.
pub fn to_item(record: &Record) -> Value {
    let mut item = Map::new();
    let mut text = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            item.insert(name.to_owned(), json!(value));
        }
    };
    text("id", &record.citekey);
    text("type", &Some(record.kind.csl().to_owned()));
    text("title", &record.title);
    text("container-title", &record.container_title);
    text("volume", &record.volume);
    text("issue", &record.issue);
    text("number", &record.number);
    text("event-title", &record.event);
    text("genre", &record.genre);
    text("page", &record.pages);
    text("publisher", &record.publisher);
    text("publisher-place", &record.place);
    text("edition", &record.edition);
    text("collection-title", &record.series);
    text("DOI", &record.doi);
    text("ISBN", &record.isbn);
    text("ISSN", &record.issn);
    text("URL", &record.url);
    text("language", &record.language);
    text("abstract", &record.abstract_text);
    text("note", &record.note);
    if !record.keywords.is_empty() {
        // CSL has one string here; a comma in a keyword needs the array that citeproc also takes.
        let plain = record.keywords.iter().all(|word| !word.contains([',', ';']));
        item.insert("keyword".into(), if plain { json!(record.keywords.join(", ")) } else { json!(record.keywords) });
    }
    for role in Role::ALL {
        let names: Vec<Value> = record.creators_as(role).map(|creator| name_item(&creator.name)).collect();
        if !names.is_empty() {
            item.insert(role.csl().into(), Value::Array(names));
        }
    }
    for (name, date) in [("issued", &record.issued), ("accessed", &record.accessed)] {
        if let Some(date) = date {
            item.insert(name.into(), date_item(date));
        }
    }
    for (name, value) in &record.extra {
        item.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(item)
}

/// Reads one item; `line` is where it stands.
///
/// # Errors
/// On the first field that has the wrong shape.
pub fn read_item(line: usize, value: Value) -> Result<Record, FormatError> {
    let Value::Object(fields) = value else {
        return Err(FormatError::new(line, format!("expected an item as an object, found {}", shape(&value))));
    };
    let mut record = Record::default();
    let mut authored = Vec::new();
    for (name, value) in fields {
        if value.is_null() {
            continue;
        }
        read_field(&mut record, &mut authored, &name, value)
            .map_err(|message| FormatError::new(line, message).in_field(name))?;
    }
    // The order of the roles is fixed, whatever the order of the keys.
    authored.sort_by_key(|(role, _)| *role);
    record.creators = authored.into_iter().flat_map(|(_, creators)| creators).collect();
    Ok(record)
}

/// The items of a text, and the line each starts on.
///
/// # Errors
/// On text that isn't JSON.
pub(crate) fn split_items(text: &str) -> Result<Vec<(usize, Value)>, FormatError> {
    let mut items = Vec::new();
    let trimmed = text.trim_start();
    if let Some(inner) = trimmed.strip_prefix('[') {
        let start = text.len() - inner.len();
        split_array(text, start, &mut items)?;
        return Ok(items);
    }
    let mut at = text.len() - trimmed.len();
    while at < text.len() {
        let (value, end) = read_value(text, at)?;
        let line = line_at(text, at);
        match value {
            Value::Object(mut object) if object.get("items").is_some_and(Value::is_array) => {
                if let Some(Value::Array(inner)) = object.remove("items") {
                    items.extend(inner.into_iter().map(|item| (line, item)));
                }
            }
            value => items.push((line, value)),
        }
        at = skip_space(text, end);
    }
    Ok(items)
}

/// Reads the elements of an array one by one, to know where each starts.
fn split_array(text: &str, mut at: usize, items: &mut Vec<(usize, Value)>) -> Result<(), FormatError> {
    at = skip_space(text, at);
    if text[at..].starts_with(']') {
        return expect_end(text, at + 1);
    }
    loop {
        let (value, end) = read_value(text, at)?;
        items.push((line_at(text, at), value));
        at = skip_space(text, end);
        match text[at..].chars().next() {
            Some(',') => at = skip_space(text, at + 1),
            Some(']') => return expect_end(text, at + 1),
            Some(c) => {
                return Err(FormatError::new(
                    line_at(text, at),
                    format!("expected `,` or `]` after an item, found `{c}`"),
                ));
            }
            None => return Err(FormatError::new(line_at(text, at), "the file ends inside the array of items")),
        }
    }
}

/// Reads the value at a position; yields it and where it ends.
fn read_value(text: &str, at: usize) -> Result<(Value, usize), FormatError> {
    let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, at + stream.byte_offset())),
        Some(Err(error)) => {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Err(FormatError::new(line_at(text, at) + error.line().max(1) - 1, format!("not JSON: {message}")))
        }
        None => Err(FormatError::new(line_at(text, at), "the file ends where an item is expected")),
    }
}

fn expect_end(text: &str, at: usize) -> Result<(), FormatError> {
    let at = skip_space(text, at);
    if at == text.len() { Ok(()) } else { Err(FormatError::new(line_at(text, at), "text after the array of items")) }
}

fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn read_field(
    record: &mut Record,
    authored: &mut Vec<(Role, Vec<Creator>)>,
    name: &str,
    value: Value,
) -> Result<(), String> {
    if let Some(role) = Role::from_csl(name) {
        authored.push((role, read_names(role, value)?));
        return Ok(());
    }
    let field = match name {
        "id" | "citation-key" => {
            let key = read_text(value)?;
            // A citation key says more than an id that a program made.
            if name == "citation-key" || record.citekey.is_none() {
                record.citekey = key;
            }
            return Ok(());
        }
        "type" => {
            record.kind = read_kind(&read_text(value)?.unwrap_or_default())?;
            return Ok(());
        }
        "issued" => {
            record.issued = read_date(value)?;
            return Ok(());
        }
        "accessed" => {
            record.accessed = read_date(value)?;
            return Ok(());
        }
        "keyword" => {
            record.keywords = read_keywords(value)?;
            return Ok(());
        }
        "page" => {
            record.pages = read_text(value)?.map(|pages| pages.replace(['–', '—'], "-"));
            return Ok(());
        }
        "DOI" => {
            record.doi = read_text(value)?.map(|doi| normalize_doi(&doi).unwrap_or(doi));
            return Ok(());
        }
        "title" => &mut record.title,
        "container-title" => &mut record.container_title,
        "volume" => &mut record.volume,
        "issue" => &mut record.issue,
        "number" => &mut record.number,
        "event-title" | "event" => &mut record.event,
        "genre" => &mut record.genre,
        "publisher" => &mut record.publisher,
        "publisher-place" => &mut record.place,
        "edition" => &mut record.edition,
        "collection-title" => &mut record.series,
        "ISBN" => &mut record.isbn,
        "ISSN" => &mut record.issn,
        "URL" => &mut record.url,
        "language" => &mut record.language,
        "abstract" => &mut record.abstract_text,
        "note" => &mut record.note,
        other => {
            record.extra.insert(other.to_owned(), value);
            return Ok(());
        }
    };
    *field = read_text(value)?;
    Ok(())
}

/// A string or a number; of an array of them, as Crossref has, the first.
fn read_text(value: Value) -> Result<Option<String>, String> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        Value::Array(mut values) if values.iter().all(|value| value.is_string() || value.is_number()) => {
            if values.is_empty() {
                return Ok(None);
            }
            return read_text(values.swap_remove(0));
        }
        other => return Err(format!("expected a string or a number, found {}", shape(&other))),
    };
    let text = text.trim();
    Ok(if text.is_empty() { None } else { Some(text.to_owned()) })
}

fn read_kind(name: &str) -> Result<Kind, String> {
    kind_named(name).ok_or_else(|| format!("`{name}` isn't a CSL type; `mycli schema item-types` lists them"))
}

/// The kind with a CSL type, or with one of Crossref's names for the common ones.
pub fn kind_named(name: &str) -> Option<Kind> {
    let crossref = match name {
        "journal-article" => Some(Kind::ArticleJournal),
        "book-chapter" | "book-section" | "book-part" => Some(Kind::Chapter),
        "proceedings-article" => Some(Kind::PaperConference),
        "monograph" | "edited-book" | "reference-book" | "book-set" | "proceedings" => Some(Kind::Book),
        "dissertation" => Some(Kind::Thesis),
        "posted-content" | "preprint" => Some(Kind::Article),
        "reference-entry" => Some(Kind::EntryEncyclopedia),
        "other" | "" => Some(Kind::Document),
        _ => None,
    };
    crossref.or_else(|| Kind::from_csl(name))
}

fn read_names(role: Role, value: Value) -> Result<Vec<Creator>, String> {
    let Value::Array(names) = value else {
        return Err(format!("expected an array of names, found {}", shape(&value)));
    };
    let mut creators = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let part = |key: &str| name.get(key).and_then(Value::as_str).map(str::trim).filter(|part| !part.is_empty());
        let number = index + 1;
        if !name.is_object() {
            return Err(format!(
                "expected name {number} as an object with `family` or `literal`, found {}",
                shape(name)
            ));
        }
        if let Some(literal) = part("literal").or_else(|| part("name")) {
            creators.push(Creator::literal(role, literal));
            continue;
        }
        let Some(family) = part("family") else {
            match part("given") {
                // A person known by one name.
                Some(given) => creators.push(Creator::person(role, given, "")),
                None => return Err(format!("name {number} has neither `family` nor `literal`")),
            }
            continue;
        };
        let particles: Vec<&str> =
            [part("dropping-particle"), part("non-dropping-particle"), Some(family)].into_iter().flatten().collect();
        let given: Vec<&str> = [part("given"), part("suffix")].into_iter().flatten().collect();
        creators.push(Creator::person(role, &particles.join(" "), &given.join(", ")));
    }
    Ok(creators)
}

pub(super) fn read_date(value: Value) -> Result<Option<When>, String> {
    let object = match value {
        Value::Object(object) => object,
        // Not CSL, but common and clear.
        Value::String(text) => return Ok(When::parse(&text)),
        Value::Number(year) => return Ok(When::parse(&year.to_string())),
        other => {
            return Err(format!("expected a date such as {{\"date-parts\": [[1948, 7]]}}, found {}", shape(&other)));
        }
    };
    if let Some(parts) = object.get("date-parts") {
        let first =
            parts.get(0).and_then(Value::as_array).ok_or("expected `date-parts` as an array of arrays of numbers")?;
        let mut numbers = Vec::new();
        for part in first.iter().take(3) {
            let number = part.as_i64().or_else(|| part.as_str().and_then(|text| text.trim().parse().ok()));
            match number {
                Some(number) => numbers.push(number),
                None if part.is_null() || part.as_str().is_some_and(|text| text.trim().is_empty()) => break,
                None => return Err(format!("`date-parts` holds {part}, expected a number")),
            }
        }
        if let Some(year) = numbers.first() {
            return read_parts(*year, numbers.get(1).copied(), numbers.get(2).copied()).map(Some);
        }
    }
    for key in ["raw", "literal"] {
        if let Some(text) = object.get(key).and_then(Value::as_str) {
            let words = text.trim().to_owned();
            let read = if key == "raw" {
                When::parse(text)
            } else {
                Some(When::Literal(words)).filter(|_| !text.trim().is_empty())
            };
            return Ok(read);
        }
    }
    Ok(None)
}

fn read_parts(year: i64, month: Option<i64>, day: Option<i64>) -> Result<When, String> {
    let year = i32::try_from(year).map_err(|_| format!("the year {year} is out of range"))?;
    let bounded = |name: &str, value: Option<i64>, most: u8| match value {
        // Zero is how some programs say that they don't know.
        None | Some(0) => Ok(None),
        Some(value) => u8::try_from(value)
            .ok()
            .filter(|value| *value <= most)
            .map(Some)
            .ok_or_else(|| format!("the {name} {value} is not between 1 and {most}")),
    };
    let month = bounded("month", month.filter(|month| !(13..=24).contains(month)), 12)?;
    let day = bounded("day", day, 31)?.filter(|_| month.is_some());
    Ok(When::Date { year, month, day })
}

fn read_keywords(value: Value) -> Result<Vec<String>, String> {
    let words: Vec<String> = match value {
        Value::String(text) => text.split([',', ';']).map(str::to_owned).collect(),
        Value::Array(words) => words
            .into_iter()
            .map(|word| match word {
                Value::String(word) => Ok(word),
                other => Err(format!("expected keywords as strings, found {}", shape(&other))),
            })
            .collect::<Result<_, _>>()?,
        other => return Err(format!("expected keywords as a string, found {}", shape(&other))),
    };
    Ok(words.iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect())
}

pub(super) fn date_item(date: &When) -> Value {
    match date {
        When::Date { year, month, day } => {
            let parts = [Some(*year), month.map(i32::from), day.map(i32::from)];
            json!({"date-parts": [parts.into_iter().flatten().collect::<Vec<_>>()]})
        }
        When::Literal(words) => json!({"literal": words}),
    }
}

fn name_item(name: &Name) -> Value {
    match name {
        Name::Literal(literal) => json!({"literal": literal}),
        Name::Person { family, given: None } => json!({"family": family}),
        Name::Person { family, .. } => {
            let mut item = json!({"family": family});
            let (given, suffix) = name.given_and_suffix();
            if let Some(given) = given {
                item["given"] = json!(given);
            }
            if let Some(suffix) = suffix {
                item["suffix"] = json!(suffix);
            }
            item
        }
    }
}

/// What a value is, in words.
fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, testing};
    use super::*;

    #[test]
    fn the_shapes_in_the_wild_are_read() {
        let one = r#"{"id": 7, "type": "journal-article", "title": ["T"], "container-title": [], "issued": {"date-parts": [["1948", 7]]}}"#;
        for text in [format!("[{one}]"), format!("{{\"items\": [{one}]}}"), one.to_owned(), format!("{one}\n")] {
            let records = Format::CslJson.parse(&text).unwrap().records;
            assert_eq!(records.len(), 1, "{text}");
            assert_eq!(records[0].citekey.as_deref(), Some("7"));
            assert_eq!(records[0].kind, Kind::ArticleJournal);
            assert_eq!(records[0].title.as_deref(), Some("T"));
            assert_eq!(records[0].issued, Some(When::Date { year: 1948, month: Some(7), day: None }));
        }
        assert_eq!(Format::CslJson.parse(&format!("{one}\n{one}\n")).unwrap().records.len(), 2);
        assert_eq!(Format::CslJson.parse("[]").unwrap().records, []);
    }

    #[test]
    fn faults_are_named_with_line_and_field() {
        for (text, line, field, words) in [
            ("[\n{\"title\": \"a\"},\n{\"title\": {}}\n]", 3, Some("title"), "found an object"),
            ("[{\"type\": \"nonsense\"}]", 1, Some("type"), "nonsense"),
            ("[{\"author\": \"Hobbes\"}]", 1, Some("author"), "array of names"),
            ("[{\"author\": [\"Hobbes\"]}]", 1, Some("author"), "name 1"),
            ("[{\"author\": [{}]}]", 1, Some("author"), "neither"),
            ("[{\"issued\": {\"date-parts\": [[1651, 13, 1], [1]]}}]", 0, None, ""),
            ("[{\"issued\": {\"date-parts\": [[1651, 40]]}}]", 1, Some("issued"), "month 40"),
            ("[{\"issued\": {\"date-parts\": [[\"x\"]]}}]", 1, Some("issued"), "expected a number"),
            ("[\n{\"title\": \"a\"\n\"b\"}]", 3, None, "not JSON"),
            ("[{\"title\": \"a\"}", 1, None, "inside the array"),
            ("[{\"title\": \"a\"} {}]", 1, None, "expected `,`"),
            ("[] x", 1, None, "after the array"),
            ("[1]", 1, None, "found a number"),
            ("[", 1, None, "the file ends"),
        ] {
            let result = Format::CslJson.parse(text);
            if line == 0 {
                assert!(result.is_ok(), "a season is no month: {result:?}");
                continue;
            }
            let error = result.unwrap_err();
            assert_eq!((error.line, error.field.as_deref()), (line, field), "{text:?}: {error}");
            assert!(error.message.contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        testing::assert_round_trip(Format::CslJson);
    }
}
