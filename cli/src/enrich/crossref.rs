//! Crossref's REST API: <https://api.crossref.org>.

use super::http::encode;
use crate::formats::{Record, csl_json};
use serde_json::{Map, Value};

/// Where Crossref answers.
pub(super) const BASE_URL: &str = "https://api.crossref.org";

pub(super) fn doi_path(doi: &str) -> String {
    format!("/works/{}", encode(doi))
}

pub(super) fn search_path(words: &str) -> String {
    format!("/works?rows=5&query.bibliographic={}", encode(words))
}

/// The works of an answer, of a list, or the value itself.
pub(super) fn works_of(value: Value) -> Vec<Value> {
    let Value::Object(mut object) = value else { return vec![value] };
    match object.remove("message") {
        Some(Value::Object(mut message)) => match message.remove("items") {
            Some(Value::Array(items)) => items,
            _ => vec![Value::Object(message)],
        },
        Some(other) => {
            object.insert("message".to_owned(), other);
            vec![Value::Object(object)]
        }
        None => vec![Value::Object(object)],
    }
}

/// Whether a value is a work as Crossref has it, where CSL-JSON has a plain string.
pub(super) fn is_work(value: &Value) -> bool {
    value.get("title").is_some_and(Value::is_array) || value.get("container-title").is_some_and(Value::is_array)
}

/// Reads a work; what has another shape than documented is left out.
pub(super) fn read_work(work: &Value) -> Record {
    let mut item = Map::new();
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => values.first().and_then(Value::as_str).map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    for (name, csl) in [
        ("title", "title"),
        ("container-title", "container-title"),
        ("volume", "volume"),
        ("issue", "issue"),
        ("page", "page"),
        ("publisher", "publisher"),
        ("publisher-location", "publisher-place"),
        ("edition-number", "edition"),
        ("DOI", "DOI"),
        ("ISBN", "ISBN"),
        ("ISSN", "ISSN"),
        ("language", "language"),
        ("abstract", "abstract"),
    ] {
        if let Some(value) = work.get(name).and_then(text) {
            item.insert(csl.to_owned(), plain_text(&value).into());
        }
    }
    if let (Some(Value::String(title)), Some(subtitle)) = (item.get_mut("title"), work.get("subtitle").and_then(text))
        && !title.contains(&subtitle)
        && !subtitle.trim().is_empty()
    {
        title.push_str(": ");
        title.push_str(&plain_text(&subtitle));
    }
    for role in ["author", "editor", "translator"] {
        let names = work.get(role).and_then(Value::as_array);
        let is_name =
            |name: &&Value| ["family", "name", "literal"].iter().any(|key| name.get(key).is_some_and(Value::is_string));
        if let Some(names) = names {
            item.insert(role.to_owned(), names.iter().filter(is_name).cloned().collect());
        }
    }
    for name in ["published-print", "issued", "published", "published-online"] {
        let year = work.get(name).and_then(|date| date.get("date-parts")?.get(0)?.get(0)?.as_i64());
        if year.is_some() && !item.contains_key("issued") {
            item.insert("issued".to_owned(), work[name].clone());
        }
    }
    let mut record = csl_json::read_item(1, Value::Object(item)).unwrap_or_default();
    if let Some(kind) = work.get("type").and_then(Value::as_str).and_then(csl_json::kind_named) {
        record.kind = kind;
    }
    record
}

/// Takes out JATS and HTML tags; a paragraph becomes a line.
pub(super) fn plain_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let tag = &rest[start + 1..];
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match tag.find('>').filter(|_| is_tag) {
            Some(end) => {
                let name = tag[..end].trim_start_matches('/');
                if name.ends_with("p") || name.ends_with("title") || name.ends_with("sec") {
                    out.push(' ');
                }
                rest = &tag[end + 1..];
            }
            None => {
                out.push('<');
                rest = tag;
            }
        }
    }
    out.push_str(rest);
    for (entity, c) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    {
        out = out.replace(entity, c);
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Kind, When};
    use serde_json::json;

    #[test]
    fn a_work_is_read_and_oddities_are_left_out() {
        let record = read_work(&json!({
            "DOI": "10.1112/PLMS/S2-42.1.230",
            "type": "journal-article",
            "title": ["On Computable Numbers, with an Application to the <i>Entscheidungsproblem</i>"],
            "container-title": ["Proceedings of the London Mathematical Society"],
            "short-container-title": [],
            "author": [{"given": "A. M.", "family": "Turing", "sequence": "first"}, {"given": "?"}, 7],
            "issued": {"date-parts": [[null]]},
            "published-online": {"date-parts": [[1937, 1]]},
            "page": "230-265", "volume": "s2-42", "ISSN": ["0024-6115", "1234-5678"],
            "abstract": "<jats:title>Abstract</jats:title><jats:p>One &amp; two, a &lt; b</jats:p>",
            "event": {"name": "x"}, "license": [{"URL": "y"}],
        }));
        assert_eq!(record.kind, Kind::ArticleJournal);
        assert_eq!(
            record.title.as_deref(),
            Some("On Computable Numbers, with an Application to the Entscheidungsproblem")
        );
        assert_eq!(record.creators.len(), 1);
        assert_eq!(record.issued, Some(When::Date { year: 1937, month: Some(1), day: None }));
        assert_eq!(record.issn.as_deref(), Some("0024-6115"));
        assert_eq!(record.abstract_text.as_deref(), Some("Abstract One & two, a < b"));
        assert!(record.extra.is_empty());
        assert_eq!(read_work(&json!({"title": [7], "type": "grant"})), Record::default());
    }
}
