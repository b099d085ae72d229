//! OpenAlex's REST API: <https://api.openalex.org>.

use super::crossref::plain_text;
use super::http::encode;
use crate::formats::{Creator, Kind, Record, Role, When, csl_json};
use crate::model::normalize_doi;
use serde_json::Value;

/// Where OpenAlex answers.
pub(super) const BASE_URL: &str = "https://api.openalex.org";

pub(super) fn doi_path(doi: &str) -> String {
    format!("/works/doi:{}", encode(doi))
}

pub(super) fn search_path(words: &str) -> String {
    format!("/works?per-page=5&search={}", encode(words))
}

/// The works of an answer.
pub(super) fn works_of(value: Value) -> Vec<Value> {
    match value {
        Value::Object(mut object) => match object.remove("results") {
            Some(Value::Array(results)) => results,
            _ => vec![Value::Object(object)],
        },
        other => vec![other],
    }
}

/// Reads a work; what has another shape than documented is left out.
pub(super) fn read_work(work: &Value) -> Record {
    let text =
        |pointer: &str| work.pointer(pointer).and_then(Value::as_str).map(plain_text).filter(|text| !text.is_empty());
    let pages = match (text("/biblio/first_page"), text("/biblio/last_page")) {
        (Some(first), Some(last)) if first != last => Some(format!("{first}-{last}")),
        (first, last) => first.or(last),
    };
    let year = work.get("publication_year").and_then(Value::as_i64).and_then(|year| i32::try_from(year).ok());
    let names = work.get("authorships").and_then(Value::as_array).into_iter().flatten();
    let names = names.filter_map(|authorship| authorship.pointer("/author/display_name").and_then(Value::as_str));
    let kind = match work.get("type").and_then(Value::as_str) {
        Some("article" | "review" | "letter" | "editorial") => Kind::ArticleJournal,
        Some("preprint") => Kind::Article,
        Some(other) => csl_json::kind_named(other).unwrap_or_default(),
        None => Kind::default(),
    };
    Record {
        kind,
        title: text("/title").or_else(|| text("/display_name")),
        creators: names.map(creator).collect(),
        // Of old works OpenAlex knows the year; it gives the first of January as the day.
        issued: text("/publication_date")
            .filter(|date| !date.ends_with("-01-01"))
            .and_then(|date| When::parse(&date))
            .or(year.map(When::from_year)),
        container_title: text("/primary_location/source/display_name"),
        issn: text("/primary_location/source/issn_l"),
        publisher: text("/primary_location/source/host_organization_name"),
        volume: text("/biblio/volume"),
        issue: text("/biblio/issue"),
        pages,
        doi: text("/doi").and_then(|doi| normalize_doi(&doi)),
        language: text("/language"),
        abstract_text: work.get("abstract_inverted_index").and_then(read_abstract),
        ..Record::default()
    }
}

fn creator(name: &str) -> Creator {
    match name.rsplit_once(' ') {
        Some((given, family)) => Creator::person(Role::Author, family, given),
        None => Creator::literal(Role::Author, name),
    }
}

/// Puts an abstract together again, which comes as words and their positions.
fn read_abstract(index: &Value) -> Option<String> {
    const LONGEST: u64 = 20_000;
    let mut words: Vec<(u64, &str)> = Vec::new();
    for (word, positions) in index.as_object()? {
        let positions = positions.as_array().into_iter().flatten().filter_map(Value::as_u64);
        words.extend(positions.filter(|position| *position < LONGEST).map(|position| (position, word.as_str())));
    }
    words.sort_unstable();
    let text = words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_work_is_read() {
        let record = read_work(&json!({
            "doi": "https://doi.org/10.1002/J.1538", "title": "A Mathematical Theory of Communication", "type": "article",
            "publication_year": 1948, "publication_date": "1948-07-01",
            "authorships": [{"author": {"display_name": "Claude E. Shannon"}}, {}],
            "primary_location": {"source": {"display_name": "Bell System Technical Journal", "issn_l": "0005-8580"}},
            "biblio": {"volume": "27", "issue": "3", "first_page": "379", "last_page": "423"},
            "abstract_inverted_index": {"is": [1, 3], "It": [0], "what": [2]},
        }));
        assert_eq!(record.doi.as_deref(), Some("10.1002/j.1538"));
        assert_eq!(record.creators, [Creator::person(Role::Author, "Shannon", "Claude E.")]);
        assert_eq!(record.pages.as_deref(), Some("379-423"));
        assert_eq!(record.abstract_text.as_deref(), Some("It is what is"));
        assert_eq!(record.year(), Some(1948));
        assert_eq!(read_work(&json!({"title": 7, "biblio": []})), Record::default());
    }
}
