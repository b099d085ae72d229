//! The formats, what they yield and how they fail.

use super::{Record, bibtex, csl_json, ris};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// BibTeX and BibLaTeX.
    Bibtex,
    /// RIS, as reference managers and publishers export it.
    Ris,
    /// CSL-JSON: an array, one object, or one object a line.
    CslJson,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Bibtex, Self::Ris, Self::CslJson];

    /// Tells the format of a text by its content.
    pub fn detect(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with(['[', '{']) {
            return Some(Self::CslJson);
        }
        // The first line that looks like either decides: a RIS abstract may hold an `@`, a BibTeX preamble may hold words.
        for line in text.lines().map(str::trim_start) {
            if ris::is_type_line(line) {
                return Some(Self::Ris);
            }
            if bibtex::is_entry_line(line) {
                return Some(Self::Bibtex);
            }
        }
        None
    }

    /// Reads a text of this format.
    ///
    /// # Errors
    /// With the line, and the field where there is one, of the first thing that can't be read.
    pub fn parse(self, text: &str) -> Result<Parsed, FormatError> {
        let text = clean(text);
        match self {
            Self::Bibtex => bibtex::parse(&text),
            Self::Ris => ris::parse(&text),
            Self::CslJson => csl_json::parse(&text),
        }
    }

    /// Writes records in this format.
    pub fn render(self, records: &[Record]) -> String {
        match self {
            Self::Bibtex => bibtex::render(records),
            Self::Ris => ris::render(records),
            Self::CslJson => csl_json::render(records),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bibtex => "BibTeX",
            Self::Ris => "RIS",
            Self::CslJson => "CSL-JSON",
        })
    }
}

/// What a text holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Its records, in order.
    pub records: Vec<Record>,
    /// The line each record starts on, from 1.
    pub lines: Vec<usize>,
    /// Fields that have no place in a record, and how often each occurs.
    pub ignored: BTreeMap<String, usize>,
}

impl Parsed {
    pub(crate) fn push(&mut self, line: usize, record: Record) {
        self.lines.push(line);
        self.records.push(record);
    }

    /// Counts a field that has no place in a record.
    pub(super) fn ignore(&mut self, field: &str) {
        *self.ignored.entry(field.to_owned()).or_default() += 1;
    }
}

/// Why a text can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {message}", self.field.as_ref().map(|field| format!(", field `{field}`")).unwrap_or_default())]
#[non_exhaustive]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The field, where one is at fault.
    pub field: Option<String>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl FormatError {
    /// An error for a text that is of no known format.
    pub(crate) fn unknown() -> Self {
        Self::new(1, "this is neither BibTeX, nor RIS, nor CSL-JSON")
    }

    /// An error on a line.
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, field: None, message: message.into() }
    }

    /// The same error, with the field at fault.
    pub(super) fn in_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

/// Without a byte order mark, and with one kind of line end.
fn clean(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        for (text, expected) in [
            ("\u{feff}@article{a, title={T}}", Some(Format::Bibtex)),
            ("% a comment\n\n  @STRING{x = \"y\"}", Some(Format::Bibtex)),
            ("Some words first\n@book(a, title={T})", Some(Format::Bibtex)),
            ("\r\n\r\nTY  - JOUR\r\nER  - \r\n", Some(Format::Ris)),
            ("TY  - JOUR\nAB  - by\n@article{x}\nER  -", Some(Format::Ris)),
            (" [ ]", Some(Format::CslJson)),
            ("{\"id\": 1}\n{\"id\": 2}", Some(Format::CslJson)),
            ("mail me@example.org", None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(Format::detect(text), expected, "{text:?}");
        }
    }
}
