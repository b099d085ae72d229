//! The property every format keeps: what it writes, it reads again.

use super::{Creator, Format, Kind, Record, Role, When};
use proptest::prelude::*;

/// Writes and reads random records, and compares.
pub(super) fn assert_round_trip(format: Format) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(records in prop::collection::vec(record(format), 0..4))| {
        let mut records = records;
        for (index, record) in records.iter_mut().enumerate() {
            record.citekey = Some(format!("key{index}:a-b_c"));
        }
        let text = format.render(&records);
        if !records.is_empty() {
            prop_assert_eq!(Format::detect(&text), Some(format), "{}", text);
        }
        let parsed = format.parse(&text);
        let parsed = parsed.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&parsed.records, &records, "{}", text);
        prop_assert!(parsed.ignored.is_empty(), "{:?}\n{}", parsed.ignored, text);
        // As another system would have saved it.
        let foreign = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        prop_assert_eq!(format.parse(&foreign).unwrap().records, records);
    });
}

/// Words that hold what formats trip over.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => "[A-Za-z]{1,8}",
        1 => "[ -~]{1,6}",
        1 => "[À-žΑ-ω一-十😀“”–—ı]{1,4}",
        1 => prop::sample::select(vec![
            "and", "{", "}", "\\", "\\emph{x}", "$", "$x^2$", "$5", "%", "@article{a,", "TY  - JOUR", "ER  -", "~", "--", "---", "\"", "#", "\\n",
            "NASA", "McCarthy", "others", "a=b", "family=x", "<i>", "/", "ER",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(word, 1..5)
        .prop_map(|words| words.join(" ").split_whitespace().collect::<Vec<_>>().join(" "))
        .prop_filter("not empty", |text| !text.is_empty())
}

/// A part of a name: without the separators that a comma format can't hold.
fn name_part(format: Format) -> impl Strategy<Value = String> {
    text()
        .prop_map(move |text| if format == Format::Ris { text.replace([',', ';'], "") } else { text })
        .prop_map(|text| {
            text.split(' ')
                .map(|word| word.trim_end_matches(','))
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .prop_filter("not empty", |text| !text.is_empty())
}

fn creators(format: Format) -> impl Strategy<Value = Vec<Creator>> {
    let role = prop::sample::select(Role::ALL.to_vec());
    let name = prop_oneof![
        3 => (name_part(format), name_part(format)).prop_map(|(family, given)| (family, Some(given))),
        1 => (name_part(format), name_part(format), name_part(format))
            .prop_map(|(family, given, suffix)| (family, Some(format!("{given}, {suffix}")))),
        1 => name_part(format).prop_map(|family| (family, Some(String::new()))),
        1 => name_part(format).prop_map(|name| (name, None)),
    ];
    prop::collection::vec((role, name), 0..4).prop_map(|creators| {
        let mut creators: Vec<Creator> = creators
            .into_iter()
            .map(|(role, (family, given))| match given {
                Some(given) => Creator::person(role, &family, &given),
                None => Creator::literal(role, &family),
            })
            .collect();
        creators.sort_by_key(|creator| creator.role);
        creators
    })
}

fn issued() -> impl Strategy<Value = When> {
    prop_oneof![
        (-400..2100_i32).prop_map(When::from_year),
        (1..2100_i32, 1..=12_u8).prop_map(|(year, month)| When::Date { year, month: Some(month), day: None }),
        (1..2100_i32, 1..=12_u8, 1..=31_u8).prop_map(|(year, month, day)| When::Date {
            year,
            month: Some(month),
            day: Some(day)
        }),
        "[a-z]{2,8}( press)?".prop_map(When::Literal),
    ]
}

fn accessed() -> impl Strategy<Value = When> {
    (1900..2100_i32, 1..=12_u8, 1..=31_u8).prop_map(|(year, month, day)| When::Date {
        year,
        month: Some(month),
        day: Some(day),
    })
}

fn record(format: Format) -> impl Strategy<Value = Record> {
    let maybe = || prop::option::of(text());
    let first = (
        prop::sample::select(Kind::ALL.to_vec()),
        maybe(),
        creators(format),
        prop::option::of(issued()),
        maybe(),
        maybe(),
    );
    let second = (maybe(), prop::option::of("[0-9]{1,3}(-[0-9]{1,3})?"), maybe(), maybe(), maybe(), maybe());
    let third = (
        prop::option::of("10\\.[0-9]{4}/[a-z0-9.()_-]{1,9}"),
        prop::option::of("97[89][0-9]{10}"),
        prop::option::of("[0-9]{4}-[0-9]{4}"),
        prop::option::of("https://[a-z]{3}\\.org/[a-z0-9~%_&=#?.-]{0,9}"),
        (maybe(), maybe(), maybe(), prop::option::of(accessed())),
        maybe(),
        prop::collection::vec(text(), 0..4),
        maybe(),
        maybe(),
    );
    (first, second, third).prop_map(move |(first, second, third)| {
        let (kind, title, creators, issued, container_title, volume) = first;
        let (issue, pages, publisher, place, edition, series) = second;
        let (doi, isbn, issn, url, (number, event, genre, accessed), abstract_text, keywords, note, language) = third;
        let keywords = match format {
            Format::Ris => keywords.iter().map(|word| word.replace(';', "x")).collect(),
            _ => keywords,
        };
        Record {
            citekey: None,
            kind,
            title,
            creators,
            issued,
            container_title,
            volume,
            issue,
            pages,
            publisher,
            place,
            edition,
            series,
            doi,
            isbn,
            issn,
            url,
            abstract_text,
            keywords,
            note,
            language,
            number,
            event,
            genre,
            accessed,
            extra: if format == Format::CslJson {
                serde_json::json!({"jurisdiction": "us"}).as_object().cloned().unwrap_or_default()
            } else {
                Default::default()
            },
        }
    })
}
