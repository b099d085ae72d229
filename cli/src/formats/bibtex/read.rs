//! BibTeX → records.

use super::names::{marked_text, read_names};
use super::source::{
    check_circles, check_growth, check_nesting, explain, is_verbatim, keep_hyphens, line_at, mask, unmask,
};
use super::write::{MASTERS_THESIS, PHD_THESIS, numbers, role_field};
use crate::formats::{FormatError, Kind, Parsed, Record, Role, When};
use crate::model::normalize_doi;
use biblatex::{Bibliography, Chunk, Chunks, ChunksExt, RawBibliography, RawChunk};
use std::collections::BTreeMap;

/// Reads BibTeX or BibLaTeX; `@string`, `crossref` and `xdata` are resolved.
///
/// # Errors
/// On the first thing that isn't BibTeX, a key used twice, an unknown or circular `@string`, a circular reference.
pub fn parse(text: &str) -> Result<Parsed, FormatError> {
    check_nesting(text)?;
    let mut raw = RawBibliography::parse(text).map_err(|error| explain(text, &[], &error))?;
    check_circles(text, &raw)?;
    check_growth(text, &raw)?;

    // Copies of the same length, so that every span of the parser fits them.
    let masked = mask(text);
    let addresses = keep_hyphens(text);
    let lower = text.to_ascii_lowercase();
    let placeholders: Vec<String> = (0..raw.entries.len()).map(|index| format!("\u{0}{index}")).collect();
    let mut places = Vec::new();
    let mut kinds = Vec::new();
    for (entry, placeholder) in raw.entries.iter_mut().zip(&placeholders) {
        kinds.push((entry.v.kind.v.to_ascii_lowercase(), line_at(text, entry.span.start)));
        if entry.v.key.v.is_empty() {
            entry.v.key.v = placeholder;
        }
    }
    for pair in &mut raw.abbreviations {
        pair.key.v = &lower[pair.key.span.clone()];
    }
    let pairs = raw.entries.iter_mut().flat_map(|entry| &mut entry.v.fields).chain(&mut raw.abbreviations);
    for pair in pairs {
        let field = pair.key.v.to_ascii_lowercase();
        for chunk in &mut pair.value.v {
            chunk.v = match chunk.v {
                RawChunk::Abbreviation(_) => RawChunk::Abbreviation(&lower[chunk.span.clone()]),
                RawChunk::Normal(_) if is_verbatim(&field) => RawChunk::Normal(&addresses[chunk.span.clone()]),
                RawChunk::Normal(_) => RawChunk::Normal(&masked[chunk.span.clone()]),
            };
        }
        places.push((pair.key.span.start..pair.value.span.end, field));
    }

    let bibliography = Bibliography::from_raw(raw).map_err(|error| explain(text, &places, &error))?;
    let mut parsed = Parsed::default();
    for (entry, (kind, line)) in bibliography.into_iter().zip(kinds) {
        if matches!(kind.as_str(), "xdata" | "set") {
            continue;
        }
        let key = Some(entry.key).filter(|key| !key.starts_with('\u{0}'));
        let record = read_entry(&mut parsed, key, &kind, entry.fields);
        parsed.push(line, record);
    }
    Ok(parsed)
}

/// Whether a line starts an entry.
pub(in crate::formats) fn is_entry_line(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('@') else { return false };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    after.len() < rest.len() && after.trim_start().starts_with(['{', '('])
}

/// The kind an entry type alone tells.
pub(super) fn kind_of(entry_type: &str) -> Option<Kind> {
    Some(match entry_type {
        "article" | "suppperiodical" => Kind::ArticleJournal,
        "book" | "mvbook" | "collection" | "mvcollection" | "proceedings" | "mvproceedings" | "reference"
        | "mvreference" | "manual" => Kind::Book,
        "inbook" | "incollection" | "bookinbook" | "suppbook" | "suppcollection" => Kind::Chapter,
        "inproceedings" | "conference" => Kind::PaperConference,
        "inreference" => Kind::EntryEncyclopedia,
        "phdthesis" | "mastersthesis" | "thesis" => Kind::Thesis,
        "techreport" | "report" => Kind::Report,
        "online" | "www" | "electronic" => Kind::Webpage,
        "unpublished" => Kind::Manuscript,
        "booklet" => Kind::Pamphlet,
        "dataset" => Kind::Dataset,
        "software" => Kind::Software,
        "patent" => Kind::Patent,
        "periodical" => Kind::Periodical,
        "letter" => Kind::PersonalCommunication,
        "artwork" | "image" => Kind::Graphic,
        "movie" | "video" => Kind::MotionPicture,
        "audio" | "music" => Kind::Song,
        "performance" => Kind::Performance,
        "standard" => Kind::Standard,
        "legislation" => Kind::Legislation,
        "jurisdiction" | "legal" => Kind::LegalCase,
        "review" => Kind::Review,
        "misc" => Kind::Document,
        _ => return None,
    })
}

type Fields = BTreeMap<String, Chunks>;

fn read_entry(parsed: &mut Parsed, citekey: Option<String>, entry_type: &str, mut fields: Fields) -> Record {
    let mut kind = kind_of(entry_type).unwrap_or_default();
    if let Some(subtype) = fields.get("entrysubtype").and_then(|chunks| read_text(chunks)) {
        let named = match subtype.as_str() {
            "magazine" => Some(Kind::ArticleMagazine),
            "newspaper" => Some(Kind::ArticleNewspaper),
            name => Kind::from_csl(name),
        };
        if let Some(named) = named {
            kind = named;
            fields.remove("entrysubtype");
        }
    }
    let mut record = Record { citekey, kind, ..Record::default() };
    for role in Role::ALL {
        if let Some(chunks) = fields.remove(role_field(role)) {
            record.creators.extend(read_names(&chunks, role));
        }
    }
    record.title = take_with_subtitle(&mut fields, "title", "subtitle");
    // Of a contained work the book's title is what it appeared in; elsewhere the journal's.
    let containers = if kind.is_contained() {
        ["booktitle", "journaltitle", "journal"]
    } else {
        ["journaltitle", "journal", "booktitle"]
    };
    for (name, subtitle) in containers.into_iter().zip(["booksubtitle", "journalsubtitle", "booksubtitle"]) {
        if record.container_title.is_none() {
            record.container_title = take_with_subtitle(&mut fields, name, subtitle);
        }
    }
    record.issued = take_issued(&mut fields);
    record.volume = take(&mut fields, &["volume"]);
    let (issue, number) = numbers(kind);
    record.issue = take(&mut fields, &[issue, "issue"]);
    record.number = take(&mut fields, &[number]);
    record.pages = take(&mut fields, &["pages"]).map(|pages| normalize_pages(&pages));
    record.publisher = take(&mut fields, &["publisher", "school", "institution", "organization"]);
    record.place = take(&mut fields, &["address", "location"]);
    record.edition = take(&mut fields, &["edition"]);
    record.series = take(&mut fields, &["series"]);
    record.doi = take(&mut fields, &["doi"]).map(|doi| normalize_doi(&unescape(&doi)).unwrap_or(doi));
    record.isbn = take(&mut fields, &["isbn"]);
    record.issn = take(&mut fields, &["issn"]);
    record.url = take(&mut fields, &["url"]).map(|url| unescape(&url)).or_else(|| take_eprint(&mut fields));
    record.accessed = take(&mut fields, &["urldate"]).and_then(|date| When::parse(&date));
    record.event = take(&mut fields, &["eventtitle"]);
    record.genre = take(&mut fields, &["type"]).or_else(|| match entry_type {
        "phdthesis" => Some(PHD_THESIS.to_owned()),
        "mastersthesis" => Some(MASTERS_THESIS.to_owned()),
        _ => None,
    });
    record.language = take(&mut fields, &["language", "langid"]);
    record.keywords = fields.remove("keywords").map(|chunks| read_keywords(&chunks)).unwrap_or_default();
    record.abstract_text = take(&mut fields, &["abstract"]);
    record.note = take(&mut fields, &["note", "annotation", "annote"]);
    for field in fields.keys().filter(|field| !matches!(field.as_str(), "crossref" | "xref" | "ids")) {
        parsed.ignore(field);
    }
    record
}

/// Takes the first of some fields that holds anything.
fn take(fields: &mut Fields, names: &[&str]) -> Option<String> {
    let name = names.iter().find(|name| fields.get(**name).is_some_and(|chunks| read_text(chunks).is_some()))?;
    fields.remove(*name).and_then(|chunks| read_text(&chunks))
}

fn take_with_subtitle(fields: &mut Fields, title: &str, subtitle: &str) -> Option<String> {
    let title = take(fields, &[title])?;
    Some(match take(fields, &[subtitle]) {
        Some(subtitle) => format!("{title}: {subtitle}"),
        None => title,
    })
}

fn take_issued(fields: &mut Fields) -> Option<When> {
    let date = take(fields, &["date"]);
    let (year, month, day) = (take(fields, &["year"]), take(fields, &["month"]), take(fields, &["day"]));
    if let Some(date) = date {
        return When::parse(&date);
    }
    let issued = When::parse(&year?)?;
    let When::Date { year, month: None, .. } = issued else { return Some(issued) };
    let (month, rest) =
        month.and_then(|month| read_month(&month)).map_or((None, None), |(month, day)| (Some(month), day));
    let day = day.and_then(|day| day.parse().ok()).or(rest).filter(|day| month.is_some() && (1..=31).contains(day));
    Some(When::Date { year, month, day })
}

/// Reads `7`, `jul`, `July`, and BibTeX's usual way to name a day, `jul # "~12"`.
fn read_month(text: &str) -> Option<(u8, Option<u8>)> {
    const NAMES: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut words = text.split([' ', '.', ',']).filter(|word| !word.is_empty());
    let first = words.next()?.to_lowercase();
    let by_name = NAMES.iter().zip(1..).find(|(name, _)| first.starts_with(**name)).map(|(_, number)| number);
    let month = by_name.or_else(|| first.parse().ok().filter(|month| (1..=12).contains(month)))?;
    Some((month, words.next().and_then(|day| day.parse().ok())))
}

/// The address of a preprint that is named by its number alone.
fn take_eprint(fields: &mut Fields) -> Option<String> {
    let archive =
        ["archiveprefix", "eprinttype"].iter().find_map(|name| fields.get(*name).and_then(|c| read_text(c)))?;
    if !archive.eq_ignore_ascii_case("arxiv") {
        return None;
    }
    let number = take(fields, &["eprint"])?;
    fields.remove("archiveprefix");
    fields.remove("eprinttype");
    Some(format!("https://arxiv.org/abs/{}", number.trim_start_matches("arXiv:")))
}

fn read_keywords(chunks: &[biblatex::Spanned<Chunk>]) -> Vec<String> {
    let mut words = vec![String::new()];
    for chunk in chunks {
        let (text, protected) = marked_text(&chunk.v);
        for c in text.chars() {
            match words.last_mut() {
                Some(word) if protected || !matches!(c, ',' | ';') => word.push(c),
                _ => words.push(String::new()),
            }
        }
    }
    words.iter().filter_map(|word| tidy(word)).collect()
}

fn read_text(chunks: &[biblatex::Spanned<Chunk>]) -> Option<String> {
    tidy(&chunks.format_verbatim())
}

/// Without fillers, with runs of white space as one space; `None` if nothing is left.
fn tidy(text: &str) -> Option<String> {
    let text = unmask(text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty())
}

/// One hyphen for a range.
fn normalize_pages(pages: &str) -> String {
    let mut pages = pages.replace(['–', '—', '‐', '‑'], "-");
    while pages.contains("--") {
        pages = pages.replace("--", "-");
    }
    pages.replace(" - ", "-")
}

/// Takes the backslash off what needs none in an address, though many write one.
fn unescape(text: &str) -> String {
    let mut out = text.to_owned();
    for c in ["_", "%", "&", "#", "~", "$"] {
        out = out.replace(&format!("\\{c}"), c);
    }
    out
}
