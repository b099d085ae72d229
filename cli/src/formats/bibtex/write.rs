//! Records → BibTeX.

use super::names::write_name;
use super::source::{FILLER, mask};
use crate::formats::{Kind, Record, Role, When};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Writes records as BibTeX in UTF-8; a record without a citation key gets one.
pub fn render(records: &[Record]) -> String {
    let mut taken: HashSet<String> = records.iter().filter_map(|record| record.citekey.clone()).collect();
    let mut out = String::new();
    for record in records {
        let key = record.citekey.clone().unwrap_or_else(|| free_key(record, &mut taken));
        if !out.is_empty() {
            out.push('\n');
        }
        write_entry(&mut out, record, &key);
    }
    out
}

fn write_entry(out: &mut String, record: &Record, key: &str) {
    let kind = record.kind;
    let (entry_type, genre) = match (kind, record.genre.as_deref()) {
        (Kind::Thesis, Some(PHD_THESIS)) => ("phdthesis", None),
        (Kind::Thesis, Some(MASTERS_THESIS)) => ("mastersthesis", None),
        (Kind::Thesis, Some(genre)) => ("phdthesis", Some(escape(genre))),
        (_, genre) => (kind.bibtex(), genre.map(escape)),
    };
    let mut body = String::new();
    {
        let mut field = |name: &str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                // Writing to a String can't fail.
                let _ = writeln!(body, "  {name} = {{{value}}},");
            }
        };
        let text = |value: &Option<String>| value.as_deref().map(escape);
        if genre.is_some() {
            field("type", genre);
        }
        if super::read::kind_of(kind.bibtex()) != Some(kind) {
            field("entrysubtype", Some(escape(kind.csl())));
        }
        for role in Role::ALL {
            let names: Vec<String> = record.creators_as(role).map(|c| write_name(&c.name, escape)).collect();
            field(role_field(role), Some(names.join(" and ")));
        }
        field("title", record.title.as_deref().map(protect_case));
        field(container_field(kind), text(&record.container_title));
        match &record.issued {
            Some(When::Date { year, .. }) => field("year", Some(year.to_string())),
            Some(When::Literal(words)) => field("year", Some(escape(words))),
            None => {}
        }
        if let Some(When::Date { month: Some(month), day, .. }) = &record.issued {
            field("month", Some(month.to_string()));
            field("day", day.map(|day| day.to_string()));
        }
        field("volume", text(&record.volume));
        let (issue, number) = numbers(kind);
        field(issue, text(&record.issue));
        field(number, text(&record.number));
        field("pages", record.pages.as_deref().map(|pages| escape(pages).replace("-{}-", "-").replace('-', "--")));
        field(publisher_field(kind), text(&record.publisher));
        field("address", text(&record.place));
        field("edition", text(&record.edition));
        field("series", text(&record.series));
        field("doi", record.doi.as_deref().map(escape_verbatim));
        field("isbn", text(&record.isbn));
        field("issn", text(&record.issn));
        field("url", record.url.as_deref().map(escape_verbatim));
        field("urldate", record.accessed.as_ref().map(|date| escape(&date.to_string())));
        field("eventtitle", text(&record.event));
        field("language", text(&record.language));
        let keywords: Vec<String> = record.keywords.iter().map(|word| write_keyword(word)).collect();
        field("keywords", Some(keywords.join(", ")));
        field("abstract", text(&record.abstract_text));
        field("note", text(&record.note));
    }
    let _ = write!(out, "@{entry_type}{{{key},\n{body}}}\n");
}

/// What `@phdthesis` says about a thesis.
pub(super) const PHD_THESIS: &str = "PhD thesis";
/// What `@mastersthesis` says about a thesis.
pub(super) const MASTERS_THESIS: &str = "Master's thesis";

/// The fields for the issue and for the number of the work: BibTeX says `number` for whichever is usual.
pub(super) fn numbers(kind: Kind) -> (&'static str, &'static str) {
    if kind.is_numbered() { ("issue", "number") } else { ("number", "eid") }
}

/// The field that holds names of a role.
pub(super) fn role_field(role: Role) -> &'static str {
    match role {
        Role::Author => "author",
        Role::Editor => "editor",
        Role::Translator => "translator",
        Role::Contributor => "contributor",
        Role::Director => "director",
    }
}

fn container_field(kind: Kind) -> &'static str {
    if kind.is_contained() { "booktitle" } else { "journal" }
}

fn publisher_field(kind: Kind) -> &'static str {
    match kind {
        Kind::Thesis => "school",
        Kind::Report => "institution",
        _ => "publisher",
    }
}

/// A key like `shannon1948`, with a letter where that is taken.
fn free_key(record: &Record, taken: &mut HashSet<String>) -> String {
    let name = record.creators.first().map_or("anon", |creator| creator.name.sort_name());
    let mut key: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    if key.is_empty() {
        key.push_str("anon");
    }
    if let Some(year) = record.year() {
        let _ = write!(key, "{}", year.unsigned_abs());
    }
    let mut candidate = key.clone();
    let mut number = 1;
    while !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{key}-{number}");
    }
    candidate
}

/// Writes text so that TeX prints it and the parser reads it back, character by character.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '$'
            && let Some(math) = leading_math(rest)
        {
            out.push_str(math);
            rest = &rest[math.len()..];
            continue;
        }
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' => {
                out.push('\\');
                out.push(c);
            }
            // Two hyphens would become a dash.
            '-' if out.ends_with('-') => out.push_str("{}-"),
            FILLER => {}
            _ if c.is_whitespace() => out.push(' '),
            _ => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The formula at the start of a text, `$x^2$`: told from a price by what only a formula holds.
fn leading_math(text: &str) -> Option<&str> {
    let length = text[1..].find('$')?;
    let formula = &text[1..1 + length];
    let mut depth = 0_i32;
    for byte in formula.bytes() {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        if depth < 0 {
            return None;
        }
    }
    let is_math = depth == 0
        && mask(formula) == formula
        && formula.contains(['\\', '^', '_'])
        && !formula.contains(['~', FILLER, '\n']);
    is_math.then(|| &text[..length + 2])
}

/// Escapes a title, with braces around the words whose capitals a style must keep.
fn protect_case(title: &str) -> String {
    if title.contains('$') {
        return escape(title);
    }
    let words: Vec<String> = title
        .split(' ')
        .map(|word| {
            let escaped = escape(word);
            if word.chars().skip(1).any(char::is_uppercase) { format!("{{{escaped}}}") } else { escaped }
        })
        .collect();
    words.join(" ")
}

fn write_keyword(word: &str) -> String {
    if word.contains([',', ';']) { format!("{{{}}}", escape(word)) } else { escape(word) }
}

/// Escapes what even a field without TeX can't hold.
fn escape_verbatim(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '{' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
