//! RIS, the tagged format of reference managers and publishers.
//!
//! A line without a tag goes on with the line before. A creator without a comma is a body or a name that isn't to be taken
//! apart; that is why a literal name with a comma in it is the one thing RIS can't hold.

use super::{Creator, FormatError, Kind, Name, Parsed, Record, Role, When};
use crate::model::normalize_doi;
use std::fmt::Write as _;

/// Reads RIS.
///
/// # Errors
/// On text outside a record, a record that has no `ER`, an empty `TY`.
pub fn parse(text: &str) -> Result<Parsed, FormatError> {
    let mut parsed = Parsed::default();
    let mut open: Option<OpenRecord> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let Some((tag, value)) = split_tag(line) else {
            let rest = line.trim();
            match &mut open {
                _ if rest.is_empty() => {}
                Some(open) => open.continue_line(rest),
                None => return Err(stray(number, rest)),
            }
            continue;
        };
        match (tag, &mut open) {
            ("TY", Some(open)) => {
                let message = format!("a new record starts, but the one from line {} has no `ER  - ` yet", open.line);
                return Err(FormatError::new(number, message).in_field("TY"));
            }
            ("TY", none) => {
                let kind = kind_of(value).ok_or_else(|| {
                    FormatError::new(number, "is empty; expected a type such as `JOUR` or `BOOK`").in_field("TY")
                })?;
                *none = Some(OpenRecord { line: number, kind, type_code: value.to_uppercase(), lines: Vec::new() });
            }
            ("ER", Some(_)) => {
                if let Some(open) = open.take() {
                    let line = open.line;
                    let record = open.close(&mut parsed);
                    parsed.push(line, record);
                }
            }
            (_, Some(open)) => open.lines.push((tag.to_owned(), value.to_owned())),
            (_, None) => return Err(stray(number, line)),
        }
    }
    match open {
        Some(open) => {
            let message = "the record that starts here has no `ER  - ` before the file ends";
            Err(FormatError::new(open.line, message).in_field("ER"))
        }
        None => Ok(parsed),
    }
}

/// Writes records as RIS.
pub fn render(records: &[Record]) -> String {
    let mut out = String::new();
    for record in records {
        write_record(&mut out, record);
        out.push('\n');
    }
    out
}

/// Whether a line starts a record.
pub(super) fn is_type_line(line: &str) -> bool {
    split_tag(line).is_some_and(|(tag, _)| tag == "TY")
}

fn stray(line: usize, text: &str) -> FormatError {
    let start: String = text.chars().take(40).collect();
    FormatError::new(
        line,
        format!("`{start}` stands outside a record; a record starts with a line such as `TY  - JOUR`"),
    )
}

/// Splits `AU  - Hobbes, Thomas`; tolerates one space, or none, on either side of the hyphen at the end of the line.
fn split_tag(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches('\u{feff}');
    let tag = line.get(..2)?;
    let mut bytes = tag.bytes();
    let is_tag = bytes.next()?.is_ascii_uppercase()
        && bytes.next().is_some_and(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let rest = line.get(2..)?;
    let value = rest.strip_prefix("  -").or_else(|| rest.strip_prefix(" -"))?;
    (is_tag && (value.is_empty() || value.starts_with(' '))).then(|| (tag, value.trim()))
}

/// A record whose `ER` hasn't come yet.
struct OpenRecord {
    line: usize,
    kind: Kind,
    type_code: String,
    lines: Vec<(String, String)>,
}

impl OpenRecord {
    fn continue_line(&mut self, rest: &str) {
        if let Some((_, value)) = self.lines.last_mut() {
            if !value.is_empty() {
                value.push(' ');
            }
            value.push_str(rest);
        }
    }

    fn close(self, parsed: &mut Parsed) -> Record {
        let mut record = Record { kind: self.kind, ..Record::default() };
        let (mut start_page, mut end_page) = (None, None);
        let mut kind_told = false;
        let (mut second_title, mut series) = (None, None);
        for (tag, value) in self.lines.into_iter().filter(|(_, value)| !value.is_empty()) {
            match tag.as_str() {
                "ID" => record.citekey = Some(value),
                "TI" | "T1" | "CT" => set(&mut record.title, value),
                "BT" if record.kind.is_contained() => set(&mut record.container_title, value),
                "BT" => set(&mut record.title, value),
                "JO" | "JF" => set(&mut record.container_title, value),
                // Abbreviated names of the journal count only where there is no whole one.
                "JA" | "J1" | "J2" | "T2" => set(&mut second_title, value),
                "T3" => set(&mut series, value),
                "AU" | "A1" => record.creators.push(read_creator(Role::Author, &value)),
                "A2" | "ED" => record.creators.push(read_creator(Role::Editor, &value)),
                "A3" => record.creators.push(read_creator(Role::Contributor, &value)),
                "A5" => record.creators.push(read_creator(Role::Director, &value)),
                "A4" | "TA" => record.creators.push(read_creator(Role::Translator, &value)),
                // `DA` is the more exact of the two.
                "DA" => record.issued = read_date(&value).or(record.issued.take()),
                "PY" | "Y1" if record.issued.is_none() => record.issued = read_date(&value),
                "PY" | "Y1" => {}
                "VL" => set(&mut record.volume, value),
                "IS" => set(&mut record.issue, value),
                "M1" => set(&mut record.number, value),
                "Y2" => record.accessed = read_date(&value),
                "C3" => set(&mut record.event, value),
                "SP" => set(&mut start_page, value),
                "EP" => set(&mut end_page, value),
                "PB" => set(&mut record.publisher, value),
                "CY" | "PP" => set(&mut record.place, value),
                "ET" => set(&mut record.edition, value),
                "DO" => set(&mut record.doi, normalize_doi(&value).unwrap_or(value)),
                "SN" if is_isbn(&value, record.kind) => set(&mut record.isbn, value),
                "SN" => set(&mut record.issn, value),
                "UR" | "L2" | "LK" => set(&mut record.url, value),
                "AB" | "N2" => set(&mut record.abstract_text, value),
                "KW" => record
                    .keywords
                    .extend(value.split(';').map(|word| word.trim().to_owned()).filter(|w| !w.is_empty())),
                "N1" | "RN" => match &mut record.note {
                    Some(note) => {
                        note.push('\n');
                        note.push_str(&value);
                    }
                    none => *none = Some(value),
                },
                "LA" => set(&mut record.language, value),
                "M3" => match Kind::from_csl(&value) {
                    Some(kind) if kind.ris() == self.type_code && !kind_told => {
                        record.kind = kind;
                        kind_told = true;
                    }
                    _ => set(&mut record.genre, value),
                },
                other => parsed.ignore(other),
            }
        }
        if let Some(title) = second_title {
            set(&mut record.container_title, title);
        }
        record.series = series;
        record.pages = match (start_page, end_page) {
            (Some(start), Some(end)) if start != end => Some(format!("{start}-{end}")),
            (Some(start), _) => Some(start.replace(['–', '—'], "-").replace("--", "-")),
            (None, end) => end,
        };
        record
    }
}

/// Sets a field that no earlier line has set.
fn set(field: &mut Option<String>, value: String) {
    field.get_or_insert(value);
}

fn read_creator(role: Role, value: &str) -> Creator {
    let mut parts = value.splitn(3, ',').map(str::trim);
    match (parts.next(), parts.next(), parts.next().filter(|suffix| !suffix.is_empty())) {
        (Some(family), Some(given), None) => Creator::person(role, family, given),
        (Some(family), Some(given), Some(suffix)) => Creator::person(role, family, &format!("{given}, {suffix}")),
        _ => Creator::literal(role, value),
    }
}

/// Reads `1948`, `1948/07/12/`, `1948///Summer`.
fn read_date(value: &str) -> Option<When> {
    When::parse(value.split("//").next().unwrap_or(value).trim_end_matches('/'))
}

fn is_isbn(value: &str, kind: Kind) -> bool {
    let digits = value.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X')).count();
    match digits {
        8 => false,
        10 | 13 => true,
        _ => kind.has_isbn(),
    }
}

fn kind_of(code: &str) -> Option<Kind> {
    let code = code.trim().to_uppercase();
    if code.is_empty() {
        return None;
    }
    Some(match code.as_str() {
        "JOUR" | "EJOUR" | "ABST" | "INPR" => Kind::ArticleJournal,
        "BOOK" | "EBOOK" | "EDBOOK" | "CONF" | "SER" => Kind::Book,
        "CHAP" | "ECHAP" => Kind::Chapter,
        "CPAPER" => Kind::PaperConference,
        "ELEC" | "WEB" => Kind::Webpage,
        "UNPB" | "MANSCPT" => Kind::Manuscript,
        "DATA" | "DBASE" => Kind::Dataset,
        "VIDEO" | "MPCT" => Kind::MotionPicture,
        "SOUND" | "MUSIC" => Kind::Song,
        "GEN" | "" => Kind::Document,
        code => Kind::ALL.iter().copied().find(|kind| kind.ris() == code).unwrap_or_default(),
    })
}

fn write_record(out: &mut String, record: &Record) {
    let kind = record.kind;
    let mut line = |tag: &str, value: &str| {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        if !value.is_empty() {
            // Writing to a String can't fail.
            let _ = writeln!(out, "{tag}  - {value}");
        }
    };
    line("TY", kind.ris());
    // The first such line tells the kind where the type doesn't, the second the genre.
    let is_told = kind_of(kind.ris()) == Some(kind);
    if !is_told || record.genre.as_deref().is_some_and(|genre| Kind::from_csl(genre).is_some()) {
        line("M3", kind.csl());
    }
    let mut optional = |tag: &str, value: &Option<String>| line(tag, value.as_deref().unwrap_or_default());
    optional("ID", &record.citekey);
    optional("TI", &record.title);
    for creator in &record.creators {
        let tag = match creator.role {
            Role::Author => "AU",
            Role::Editor => "A2",
            Role::Contributor => "A3",
            Role::Translator => "A4",
            // RIS has no tag for it; other programs pass over this one.
            Role::Director => "A5",
        };
        optional(tag, &Some(write_creator(&creator.name)));
    }
    match &record.issued {
        Some(date @ When::Date { year, month, .. }) => {
            optional("PY", &Some(When::from_year(*year).to_string()));
            if month.is_some() {
                optional("DA", &Some(write_date(date)));
            }
        }
        Some(When::Literal(words)) => optional("PY", &Some(words.clone())),
        None => {}
    }
    let container = if kind == Kind::ArticleJournal { "JO" } else { "T2" };
    optional(container, &record.container_title);
    optional("T3", &record.series);
    optional("VL", &record.volume);
    optional("IS", &record.issue);
    optional("M1", &record.number);
    optional("M3", &record.genre);
    optional("C3", &record.event);
    match record.pages.as_deref().and_then(split_range) {
        Some((start, end)) => {
            optional("SP", &Some(start.to_owned()));
            optional("EP", &Some(end.to_owned()));
        }
        None => optional("SP", &record.pages),
    }
    optional("PB", &record.publisher);
    optional("CY", &record.place);
    optional("ET", &record.edition);
    optional("DO", &record.doi);
    optional("SN", &record.isbn);
    optional("SN", &record.issn);
    optional("UR", &record.url);
    optional("Y2", &record.accessed.as_ref().map(write_date));
    optional("LA", &record.language);
    for word in &record.keywords {
        optional("KW", &Some(word.clone()));
    }
    optional("AB", &record.abstract_text);
    for paragraph in record.note.as_deref().unwrap_or_default().lines() {
        optional("N1", &Some(paragraph.to_owned()));
    }
    out.push_str("ER  - \n");
}

fn write_date(date: &When) -> String {
    match date {
        When::Date { year, .. } if *year >= 0 => date.to_string().replace('-', "/"),
        other => other.to_string(),
    }
}

fn write_creator(name: &Name) -> String {
    match name {
        Name::Literal(name) => name.clone(),
        Name::Person { family, given: None } => format!("{family},"),
        Name::Person { family, given: Some(given) } => format!("{family}, {given}"),
    }
}

/// The ends of a plain range of pages.
fn split_range(pages: &str) -> Option<(&str, &str)> {
    let (start, end) = pages.split_once('-')?;
    let is_page = |page: &str| !page.is_empty() && page.chars().all(char::is_alphanumeric);
    (is_page(start) && is_page(end) && start != end).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::super::{Format, testing};
    use super::*;

    #[test]
    fn a_publishers_file_is_read() {
        let text = "\u{feff}TY  - JOUR\r\nAU  - Shannon, C. E.\r\nA2  - King, Martin Luther, Jr.\r\nAU  - Bell Laboratories\r\n\
            T1  - A Mathematical Theory\r\n  of Communication\r\nJO  - Bell System Technical Journal\r\nJA  - BSTJ\r\n\
            Y1  - 1948/07//\r\nVL  - 27\r\nSP  - 379\r\nEP  - 423\r\nDO  - https://doi.org/10.1002/J.1538\r\n\
            SN  - 0005-8580\r\nKW  - information; entropy\r\nKW  - coding\r\nN1  - one\r\nN1  - two\r\nXX  - odd\r\nER  -\r\n";
        let parsed = Format::Ris.parse(text).unwrap();
        let record = &parsed.records[0];
        assert_eq!(record.title.as_deref(), Some("A Mathematical Theory of Communication"));
        assert_eq!(record.container_title.as_deref(), Some("Bell System Technical Journal"));
        assert_eq!(record.issued, Some(When::Date { year: 1948, month: Some(7), day: None }));
        assert_eq!(record.pages.as_deref(), Some("379-423"));
        assert_eq!(record.doi.as_deref(), Some("10.1002/j.1538"));
        assert_eq!(record.issn.as_deref(), Some("0005-8580"));
        assert_eq!(record.keywords, ["information", "entropy", "coding"]);
        assert_eq!(record.note.as_deref(), Some("one\ntwo"));
        assert_eq!(
            record.creators,
            [
                Creator::person(Role::Author, "Shannon", "C. E."),
                Creator::person(Role::Editor, "King", "Martin Luther, Jr."),
                Creator::literal(Role::Author, "Bell Laboratories"),
            ]
        );
        assert_eq!(parsed.ignored.get("XX"), Some(&1));
    }

    #[test]
    fn faults_are_named_with_line_and_field() {
        for (text, line, field, words) in [
            ("TY  - JOUR\nTI  - A\n", 1, Some("ER"), "before the file ends"),
            ("TY  - JOUR\nTI  - A\nTY  - BOOK\nER  - \n", 3, Some("TY"), "from line 1"),
            ("\nTY  - \nER  - \n", 2, Some("TY"), "expected a type"),
            ("TY  - JOUR\nER  - \nhello\n", 3, None, "outside a record"),
            ("AU  - Nobody\n", 1, None, "outside a record"),
        ] {
            let error = Format::Ris.parse(text).unwrap_err();
            assert_eq!((error.line, error.field.as_deref()), (line, field), "{text:?}: {error}");
            assert!(error.message.contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        testing::assert_round_trip(Format::Ris);
    }
}
