use crate::model::{normalize_doi, squash};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a library has to be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Purpose {
    /// What every library should pass
    Quick,
    /// Also what a bibliography needs: the fields each type is cited by, well formed
    Citation,
    /// Also what a literature review needs: abstracts, PDFs, tags
    Review,
    /// Everything
    All,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Untidy
    Info,
    /// Will be noticed
    Warning,
    /// Wrong, or lost
    Error,
}

/// What the checks look at in one item.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The citation key.
    pub key: String,
    /// The filled text fields, by their names in the library.
    pub fields: BTreeMap<String, String>,
    /// The fields its type is cited by.
    pub required: Vec<String>,
    /// Number of creators.
    pub creators: usize,
    /// Number of tags.
    pub tags: usize,
    /// Number of collections.
    pub collections: usize,
    /// Attached PDFs that are there.
    pub pdfs: usize,
    /// Paths of attachments whose file is gone.
    pub lost: Vec<String>,
    /// Keys of other items with the same DOI.
    pub same_doi: Vec<String>,
}

/// A finding about one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check.
    pub check: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// The item's citation key.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// The field, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What `--fix` would put into the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
}

/// Applies the checks of a purpose to an item. `year` is the present one.
pub fn examine(subject: &Subject, purpose: Purpose, year: i64) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in CHECKS {
        let applies = match purpose {
            Purpose::Quick => check.since == Purpose::Quick,
            Purpose::Citation => check.since != Purpose::Review,
            Purpose::Review => check.since != Purpose::Citation,
            Purpose::All => true,
        };
        if applies {
            findings.extend((check.find)(subject, year).into_iter().map(|fault| Finding {
                check: check.name,
                weight: check.weight,
                key: subject.key.clone(),
                message: fault.message,
                field: fault.field,
                repair: fault.repair,
            }));
        }
    }
    findings
}

struct Check {
    name: &'static str,
    since: Purpose,
    weight: Weight,
    find: fn(&Subject, i64) -> Vec<Fault>,
}

struct Fault {
    message: String,
    field: Option<String>,
    repair: Option<String>,
}

const CHECKS: &[Check] = &[
    Check { name: "no-title", since: Purpose::Quick, weight: Weight::Error, find: no_title },
    Check { name: "no-creator", since: Purpose::Quick, weight: Weight::Warning, find: no_creator },
    Check { name: "no-year", since: Purpose::Quick, weight: Weight::Warning, find: no_year },
    Check { name: "stray-space", since: Purpose::Quick, weight: Weight::Info, find: stray_space },
    Check { name: "bad-doi", since: Purpose::Quick, weight: Weight::Error, find: bad_doi },
    Check { name: "same-doi", since: Purpose::Quick, weight: Weight::Error, find: same_doi },
    Check { name: "file-lost", since: Purpose::Quick, weight: Weight::Error, find: file_lost },
    Check { name: "field-missing", since: Purpose::Citation, weight: Weight::Error, find: field_missing },
    Check { name: "bad-pages", since: Purpose::Citation, weight: Weight::Info, find: bad_pages },
    Check { name: "bad-isbn", since: Purpose::Citation, weight: Weight::Warning, find: bad_isbn },
    Check { name: "title-in-capitals", since: Purpose::Citation, weight: Weight::Warning, find: title_in_capitals },
    Check { name: "future-year", since: Purpose::Citation, weight: Weight::Warning, find: future_year },
    Check { name: "no-abstract", since: Purpose::Review, weight: Weight::Warning, find: no_abstract },
    Check { name: "no-pdf", since: Purpose::Review, weight: Weight::Warning, find: no_pdf },
    Check { name: "no-tag", since: Purpose::Review, weight: Weight::Info, find: no_tag },
    Check { name: "in-no-collection", since: Purpose::Review, weight: Weight::Info, find: in_no_collection },
];

/// What only a tidy-up changes: these need no judgement.
const FREE_TEXT: &[&str] = &["title", "container_title", "collection_title", "publisher", "publisher_place", "event"];

fn no_title(subject: &Subject, _: i64) -> Vec<Fault> {
    when(subject.text("title").trim().is_empty(), "has no title", "title")
}

fn no_creator(subject: &Subject, _: i64) -> Vec<Fault> {
    when(subject.creators == 0, "has no author or editor", "creators")
}

fn no_year(subject: &Subject, _: i64) -> Vec<Fault> {
    match (subject.text("issued"), subject.year()) {
        ("", _) => when(true, "has no year", "issued"),
        (issued, None) => when(true, format!("has a date without a year: {issued:?}"), "issued"),
        _ => Vec::new(),
    }
}

fn stray_space(subject: &Subject, _: i64) -> Vec<Fault> {
    let stray = |name: &&&str| squash(subject.text(name)) != subject.text(name);
    FREE_TEXT
        .iter()
        .filter(stray)
        .map(|name| repair("has stray white space", name, squash(subject.text(name))))
        .collect()
}

fn bad_doi(subject: &Subject, _: i64) -> Vec<Fault> {
    let doi = subject.text("doi");
    let is_doi = |text: &str| normalize_doi(text).is_some_and(|normal| normal == text.to_lowercase());
    if doi.is_empty() || is_doi(doi) {
        return Vec::new();
    }
    // A link, a label or a mark around a DOI leaves no doubt about the DOI itself.
    let bare = doi.find("10.").and_then(|start| normalize_doi(doi[start..].trim().trim_end_matches(['.', ',', ';'])));
    match bare {
        Some(bare) => vec![repair("has a DOI with something around it", "doi", bare)],
        None => when(true, format!("has something that is no DOI: {doi:?}"), "doi"),
    }
}

fn same_doi(subject: &Subject, _: i64) -> Vec<Fault> {
    let same = format!("has the DOI of {}; see `items duplicates`", subject.same_doi.join(", "));
    when(!subject.same_doi.is_empty(), same, "doi")
}

fn file_lost(subject: &Subject, _: i64) -> Vec<Fault> {
    let fault =
        |path: &String| Fault { message: format!("the attached file is gone: {path}"), field: None, repair: None };
    subject.lost.iter().map(fault).collect()
}

fn field_missing(subject: &Subject, _: i64) -> Vec<Fault> {
    let missing = |name: &&String| match name.as_str() {
        // These have checks of their own.
        "title" | "issued" => false,
        "author" | "editor" | "creators" => false,
        name => subject.text(name).trim().is_empty(),
    };
    let fault = |name: &String| Fault {
        message: format!("lacks {name}, which its type is cited by"),
        field: Some(name.clone()),
        repair: None,
    };
    subject.required.iter().filter(missing).map(fault).collect()
}

fn bad_pages(subject: &Subject, _: i64) -> Vec<Fault> {
    let pages = subject.text("pages");
    let tidy = tidy_pages(pages);
    if tidy == pages { Vec::new() } else { vec![repair("has an untidy page range", "pages", tidy)] }
}

fn bad_isbn(subject: &Subject, _: i64) -> Vec<Fault> {
    let isbn = subject.text("isbn");
    when(!isbn.is_empty() && !is_isbn(isbn), format!("has an ISBN whose check digit is wrong: {isbn:?}"), "isbn")
}

fn title_in_capitals(subject: &Subject, _: i64) -> Vec<Fault> {
    let title = subject.text("title");
    let capitals = title.chars().filter(|c| c.is_uppercase()).count();
    when(capitals > 8 && !title.chars().any(char::is_lowercase), "has a title in capitals", "title")
}

fn future_year(subject: &Subject, present: i64) -> Vec<Fault> {
    let year = subject.year().unwrap_or(present);
    when(year > present + 1, format!("is dated {year}, in the future"), "issued")
}

fn no_abstract(subject: &Subject, _: i64) -> Vec<Fault> {
    when(subject.text("abstract").trim().is_empty(), "has no abstract", "abstract")
}

fn no_pdf(subject: &Subject, _: i64) -> Vec<Fault> {
    when(subject.pdfs == 0, "has no PDF", "attachments")
}

fn no_tag(subject: &Subject, _: i64) -> Vec<Fault> {
    when(subject.tags == 0, "has no tag", "tags")
}

fn in_no_collection(subject: &Subject, _: i64) -> Vec<Fault> {
    when(subject.collections == 0, "is in no collection", "collections")
}

fn when(wrong: bool, message: impl Into<String>, field: &str) -> Vec<Fault> {
    if wrong { vec![Fault { message: message.into(), field: Some(field.into()), repair: None }] } else { Vec::new() }
}

fn repair(message: &str, field: &str, repaired: String) -> Fault {
    Fault { message: message.into(), field: Some(field.into()), repair: Some(repaired) }
}

impl Subject {
    fn text(&self, field: &str) -> &str {
        self.fields.get(field).map_or("", String::as_str)
    }

    fn year(&self) -> Option<i64> {
        let issued = self.text("issued");
        let digits = issued.strip_prefix('-').unwrap_or(issued).chars().take_while(char::is_ascii_digit).count();
        let end = digits + usize::from(issued.starts_with('-'));
        issued[..end].parse().ok()
    }
}

/// Writes a range with one hyphen and no spaces; what is no range stays as it is.
fn tidy_pages(pages: &str) -> String {
    let parts: Vec<&str> = pages.split(['-', '–', '—']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_page =
        |part: &&str| part.chars().all(|c| c.is_ascii_alphanumeric()) && part.chars().any(|c| c.is_ascii_digit());
    match parts[..] {
        [from, to] if is_page(&from) && is_page(&to) => format!("{from}-{to}"),
        _ => pages.to_owned(),
    }
}

/// Checks the check digit of an ISBN-10 or ISBN-13; several may stand side by side.
fn is_isbn(text: &str) -> bool {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !matches!(c, '-' | ' '))
        .map(|c| if matches!(c, 'x' | 'X') { 10 } else { c.to_digit(10).unwrap_or(99) })
        .collect();
    match digits.len() {
        10 if digits[..9].iter().all(|d| *d < 10) && digits[9] <= 10 => {
            digits.iter().zip((1..=10).rev()).map(|(digit, factor)| digit * factor).sum::<u32>() % 11 == 0
        }
        13 if digits.iter().all(|d| *d < 10) => {
            digits.iter().zip([1, 3].iter().cycle()).map(|(digit, factor)| digit * factor).sum::<u32>() % 10 == 0
        }
        // Two ISBNs (print, electronic) are separated by a space or a comma.
        _ => {
            let each: Vec<&str> = text.split([' ', ',', ';']).filter(|part| !part.is_empty()).collect();
            each.len() > 1 && each.iter().all(|part| is_isbn(part))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> Subject {
        let fields = [
            ("title", "On Paradigms"),
            ("issued", "1962-05"),
            ("doi", "10.1000/xyz123"),
            ("pages", "1-20"),
            ("isbn", "978-0-226-45811-3"),
            ("abstract", "About paradigms."),
            ("publisher", "Chicago"),
        ];
        Subject {
            key: "kuhn1962".into(),
            fields: fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            required: vec!["title".into(), "publisher".into()],
            creators: 1,
            tags: 1,
            collections: 1,
            pdfs: 1,
            ..Subject::default()
        }
    }

    fn checks(subject: &Subject, purpose: Purpose) -> Vec<&'static str> {
        examine(subject, purpose, 2026).iter().map(|finding| finding.check).collect()
    }

    #[test]
    fn a_sound_item_passes_everything() {
        assert!(checks(&sound(), Purpose::All).is_empty());
    }

    #[test]
    fn each_check_finds_its_fault_and_nothing_else() {
        let with = |name: &str, value: &str| {
            let mut subject = sound();
            subject.fields.insert(name.into(), value.into());
            subject
        };
        let faulty = [
            ("no-title", with("title", " ")),
            ("no-creator", Subject { creators: 0, ..sound() }),
            ("no-year", with("issued", "")),
            ("no-year", with("issued", "spring")),
            ("stray-space", with("title", "On  Paradigms")),
            ("bad-doi", with("doi", "see website")),
            ("same-doi", Subject { same_doi: vec!["other".into()], ..sound() }),
            ("file-lost", Subject { lost: vec!["/gone.pdf".into()], ..sound() }),
            ("field-missing", with("publisher", "")),
            ("bad-pages", with("pages", "1 -- 20")),
            ("bad-isbn", with("isbn", "978-0-226-45811-4")),
            ("title-in-capitals", with("title", "ON PARADIGMS")),
            ("future-year", with("issued", "2062")),
            ("no-abstract", with("abstract", "")),
            ("no-pdf", Subject { pdfs: 0, ..sound() }),
            ("no-tag", Subject { tags: 0, ..sound() }),
            ("in-no-collection", Subject { collections: 0, ..sound() }),
        ];
        for (check, subject) in &faulty {
            let mut found = checks(subject, Purpose::All);
            // A blank title is white space too.
            found.retain(|name| *check != "no-title" || *name != "stray-space");
            assert_eq!(found, [*check]);
        }
        for check in CHECKS {
            assert!(faulty.iter().any(|(name, _)| *name == check.name), "no case for {}", check.name);
        }
    }

    #[test]
    fn presets_build_on_quick() {
        let bare = Subject { key: "x".into(), required: vec!["publisher".into()], ..Subject::default() };
        let quick = checks(&bare, Purpose::Quick);
        for purpose in [Purpose::Citation, Purpose::Review, Purpose::All] {
            let more = checks(&bare, purpose);
            assert!(quick.iter().all(|check| more.contains(check)) && more.len() > quick.len(), "{purpose:?}");
        }
        assert!(!checks(&bare, Purpose::Citation).contains(&"no-pdf"));
        assert!(!checks(&bare, Purpose::Review).contains(&"field-missing"));
    }

    #[test]
    fn repairs_need_no_judgement() {
        for (field, value, expected) in [
            ("doi", "https://doi.org/10.1000/xyz123", Some("10.1000/xyz123")),
            ("doi", "doi: 10.1000/xyz123.", Some("10.1000/xyz123")),
            ("doi", "10.1000", None),
            ("pages", "1--20", Some("1-20")),
            ("pages", "e12 – e15", Some("e12-e15")),
            ("pages", "1-2-3", None),
            ("pages", "xiv", None),
            ("title", " On\nParadigms ", Some("On Paradigms")),
        ] {
            let mut subject = sound();
            subject.fields.insert(field.into(), value.into());
            let repaired = examine(&subject, Purpose::All, 2026).into_iter().find_map(|finding| finding.repair);
            assert_eq!(repaired.as_deref(), expected, "{field} {value:?}");
        }
    }

    #[test]
    fn isbns_are_checked_by_their_digit() {
        for isbn in ["0-226-45808-3", "080442957X", "978-0-226-45811-3", "9780226458113 0226458083"] {
            assert!(is_isbn(isbn), "{isbn}");
        }
        for isbn in ["0-226-45808-4", "X804429570", "978", "", "abc", "97802264581X3"] {
            assert!(!is_isbn(isbn), "{isbn}");
        }
    }
}
