//! One bibliographic record, shaped like CSL-JSON.

use serde_json::{Map, Value};
use std::fmt;

/// One work, as every format of this module reads and writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The key a document cites it by.
    pub citekey: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// Its title, with the subtitle after a colon.
    pub title: Option<String>,
    /// Its authors, editors and translators, in order.
    pub creators: Vec<Creator>,
    /// When it appeared.
    pub issued: Option<When>,
    /// The journal, book, proceedings or site it appeared in.
    pub container_title: Option<String>,
    /// The volume.
    pub volume: Option<String>,
    /// The issue of the journal.
    pub issue: Option<String>,
    /// The number of the work itself: of a report, patent or standard.
    pub number: Option<String>,
    /// The pages; a range has one hyphen.
    pub pages: Option<String>,
    /// The publisher, school or institution.
    pub publisher: Option<String>,
    /// The place of publication.
    pub place: Option<String>,
    /// The edition.
    pub edition: Option<String>,
    /// The series it belongs to.
    pub series: Option<String>,
    /// The DOI, without a resolver in front.
    pub doi: Option<String>,
    /// The ISBN.
    pub isbn: Option<String>,
    /// The ISSN.
    pub issn: Option<String>,
    /// Where it is on the web.
    pub url: Option<String>,
    /// When it was last seen there.
    pub accessed: Option<When>,
    /// The conference or event it was given at.
    pub event: Option<String>,
    /// What kind of thesis, report or manuscript it is.
    pub genre: Option<String>,
    /// The abstract.
    pub abstract_text: Option<String>,
    /// Its keywords, in order.
    pub keywords: Vec<String>,
    /// A free note.
    pub note: Option<String>,
    /// Its language, as written.
    pub language: Option<String>,
    /// CSL fields that have no place above; only CSL-JSON carries them.
    pub extra: Map<String, Value>,
}

impl Record {
    /// The year it appeared, where one is known.
    pub fn year(&self) -> Option<i32> {
        self.issued.as_ref().and_then(When::year)
    }

    /// The creators with one role, in order.
    pub fn creators_as(&self, role: Role) -> impl Iterator<Item = &Creator> {
        self.creators.iter().filter(move |creator| creator.role == role)
    }
}

/// A person or body, and what they did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creator {
    /// What they did.
    pub role: Role,
    /// What they are called.
    pub name: Name,
}

impl Creator {
    /// A person with a family name and perhaps given names.
    pub fn person(role: Role, family: &str, given: &str) -> Self {
        let given = Some(given.trim()).filter(|given| !given.is_empty()).map(str::to_owned);
        Self { role, name: Name::Person { family: family.trim().to_owned(), given } }
    }

    /// A body, or a name that isn't to be taken apart.
    pub fn literal(role: Role, name: &str) -> Self {
        Self { role, name: Name::Literal(name.trim().to_owned()) }
    }
}

/// What a creator is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// A person; particles belong to the family name, a suffix follows the given names after a comma.
    Person {
        /// The family name, or the only one.
        family: String,
        /// The given names.
        given: Option<String>,
    },
    /// A body, or a name that isn't to be taken apart.
    Literal(String),
}

impl Name {
    /// The part to sort and match by.
    pub fn sort_name(&self) -> &str {
        match self {
            Self::Person { family, .. } => family,
            Self::Literal(name) => name,
        }
    }

    /// The given names without the suffix, and the suffix.
    pub fn given_and_suffix(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Person { given: Some(given), .. } => match given.rsplit_once(", ") {
                Some((given, suffix)) if !given.is_empty() && !suffix.is_empty() => (Some(given), Some(suffix)),
                _ => (Some(given), None),
            },
            _ => (None, None),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person { family, given: Some(given) } => write!(f, "{family}, {given}"),
            Self::Person { family: name, given: None } | Self::Literal(name) => f.write_str(name),
        }
    }
}

/// What a creator did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Wrote it.
    Author,
    /// Edited it.
    Editor,
    /// Translated it.
    Translator,
    /// Had another part in it.
    Contributor,
    /// Directed it.
    Director,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] = [Self::Author, Self::Editor, Self::Translator, Self::Contributor, Self::Director];

    /// The name of the role in CSL.
    pub fn csl(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Editor => "editor",
            Self::Translator => "translator",
            Self::Contributor => "contributor",
            Self::Director => "director",
        }
    }

    /// The role with this name in CSL.
    pub fn from_csl(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.csl() == name)
    }
}

/// A date, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// A date, as far as it is known.
    Date {
        /// The year; negative before the common era.
        year: i32,
        /// The month, 1 to 12.
        month: Option<u8>,
        /// The day, 1 to 31.
        day: Option<u8>,
    },
    /// Words, as in "in press".
    Literal(String),
}

impl When {
    /// A bare year.
    pub fn from_year(year: i32) -> Self {
        Self::Date { year, month: None, day: None }
    }

    /// Reads `1651`, `1651-04`, `1651-04-05` (also with slashes; of a range, its start), else keeps the words.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        Some(parse_date(text).unwrap_or_else(|| Self::Literal(text.to_owned())))
    }

    /// The year; of words, the first number of four digits in them.
    pub fn year(&self) -> Option<i32> {
        match self {
            Self::Date { year, .. } => Some(*year),
            Self::Literal(words) => words
                .split(|c: char| !c.is_ascii_digit())
                .find(|digits| digits.len() == 4)
                .and_then(|digits| digits.parse().ok()),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date { year, month: None, .. } => write_year(f, *year),
            Self::Date { year, month: Some(month), day: None } => {
                write_year(f, *year)?;
                write!(f, "-{month:02}")
            }
            Self::Date { year, month: Some(month), day: Some(day) } => {
                write_year(f, *year)?;
                write!(f, "-{month:02}-{day:02}")
            }
            Self::Literal(words) => f.write_str(words),
        }
    }
}

/// Four digits at least, so that a year is never taken for a month.
fn write_year(f: &mut fmt::Formatter<'_>, year: i32) -> fmt::Result {
    let sign = if year < 0 { "-" } else { "" };
    write!(f, "{sign}{:04}", year.unsigned_abs())
}

fn parse_date(text: &str) -> Option<When> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 4 {
        return None;
    }
    let year = sign * rest[..digits].parse::<i32>().ok()?;
    let rest = rest[digits..].trim_end_matches(['?', '~', '%', '/']);
    if rest.is_empty() || is_range_end(rest) {
        return Some(When::from_year(year));
    }
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/'))?;
    let mut parts = rest[1..].splitn(3, separator);
    let month = parts.next().and_then(|part| part.parse::<u8>().ok()).filter(|month| (1..=12).contains(month))?;
    let day = match parts.next().map(|part| part.split(['/', 'T']).next().unwrap_or(part)) {
        None | Some("") => None,
        Some(part) => Some(part.parse::<u8>().ok().filter(|day| (1..=31).contains(day))?),
    };
    Some(When::Date { year, month: Some(month), day })
}

/// Whether what follows a year is the other end of a range: `/1846`, `/..`, `-1846`, `–46`.
fn is_range_end(rest: &str) -> bool {
    let Some(end) = rest.strip_prefix(['/', '-', '–']).or_else(|| rest.strip_prefix("--")) else { return false };
    let end = end.trim_start_matches('-');
    end == ".."
        || (end.len() >= 4
            && end.split('-').next().is_some_and(|year| year.len() >= 4 && year.bytes().all(|b| b.is_ascii_digit())))
}

/// Declares the kinds of work: variant, CSL type, BibTeX entry type, RIS type.
macro_rules! kinds {
    ($($variant:ident $csl:literal $bibtex:literal $ris:literal $doc:literal,)*) => {
        /// What a work is: the item types of CSL 1.0.2.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $(#[doc = $doc] $variant,)*
            /// Anything else.
            #[default]
            Document,
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$variant,)* Self::Document];

            /// The CSL type.
            pub fn csl(self) -> &'static str {
                match self { $(Self::$variant => $csl,)* Self::Document => "document" }
            }

            /// The nearest BibTeX entry type.
            pub fn bibtex(self) -> &'static str {
                match self { $(Self::$variant => $bibtex,)* Self::Document => "misc" }
            }

            /// The nearest RIS type.
            pub fn ris(self) -> &'static str {
                match self { $(Self::$variant => $ris,)* Self::Document => "GEN" }
            }
        }
    };
}

kinds! {
    ArticleJournal "article-journal" "article" "JOUR" "An article in a journal.",
    Book "book" "book" "BOOK" "A book.",
    Chapter "chapter" "incollection" "CHAP" "A chapter in a book.",
    PaperConference "paper-conference" "inproceedings" "CPAPER" "A paper in proceedings.",
    Thesis "thesis" "thesis" "THES" "A thesis.",
    Report "report" "techreport" "RPRT" "A report.",
    Webpage "webpage" "online" "ELEC" "A web page.",
    Manuscript "manuscript" "unpublished" "UNPB" "An unpublished work.",
    Article "article" "misc" "GEN" "A preprint.",
    ArticleMagazine "article-magazine" "article" "MGZN" "An article in a magazine.",
    ArticleNewspaper "article-newspaper" "article" "NEWS" "An article in a newspaper.",
    Bill "bill" "misc" "BILL" "A bill.",
    Broadcast "broadcast" "misc" "GEN" "A broadcast.",
    Classic "classic" "misc" "CLSWK" "A classical work.",
    Collection "collection" "misc" "GEN" "An archival collection.",
    Dataset "dataset" "dataset" "DATA" "A data set.",
    Entry "entry" "misc" "GEN" "An entry in a database.",
    EntryDictionary "entry-dictionary" "inreference" "DICT" "An entry in a dictionary.",
    EntryEncyclopedia "entry-encyclopedia" "inreference" "ENCYC" "An entry in an encyclopedia.",
    Event "event" "misc" "GEN" "An event.",
    Figure "figure" "misc" "FIGURE" "A figure.",
    Graphic "graphic" "misc" "ART" "A picture.",
    Hearing "hearing" "misc" "HEAR" "A hearing.",
    Interview "interview" "misc" "GEN" "An interview.",
    LegalCase "legal_case" "misc" "CASE" "A case.",
    Legislation "legislation" "misc" "STAT" "A law.",
    Map "map" "misc" "MAP" "A map.",
    MotionPicture "motion_picture" "misc" "MPCT" "A film.",
    MusicalScore "musical_score" "misc" "GEN" "A score.",
    Pamphlet "pamphlet" "booklet" "PAMP" "A pamphlet.",
    Patent "patent" "patent" "PAT" "A patent.",
    Performance "performance" "misc" "GEN" "A performance.",
    Periodical "periodical" "periodical" "JFULL" "A whole periodical.",
    PersonalCommunication "personal_communication" "misc" "PCOMM" "A letter or message.",
    Post "post" "misc" "GEN" "A post in a forum.",
    PostWeblog "post-weblog" "misc" "BLOG" "A post in a blog.",
    Regulation "regulation" "misc" "GEN" "A regulation.",
    Review "review" "misc" "GEN" "A review.",
    ReviewBook "review-book" "misc" "GEN" "A review of a book.",
    Software "software" "software" "COMP" "A program.",
    Song "song" "misc" "SOUND" "A recording.",
    Speech "speech" "misc" "GEN" "A talk.",
    Standard "standard" "misc" "STAND" "A standard.",
    Treaty "treaty" "misc" "GEN" "A treaty.",
}

impl Kind {
    /// The kind with this CSL type.
    pub fn from_csl(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.csl() == name)
    }

    /// Whether such a work is published inside a larger one that bears its own title.
    pub fn is_contained(self) -> bool {
        matches!(self, Self::Chapter | Self::PaperConference | Self::EntryDictionary | Self::EntryEncyclopedia)
    }

    /// Whether such a work bears a number of its own.
    pub fn is_numbered(self) -> bool {
        matches!(self, Self::Report | Self::Patent | Self::Standard | Self::Legislation | Self::Bill | Self::Regulation)
    }

    /// Whether such a work is identified by an ISBN rather than an ISSN.
    pub fn has_isbn(self) -> bool {
        self.is_contained()
            || matches!(self, Self::Book | Self::Thesis | Self::Report | Self::Pamphlet | Self::Classic | Self::Map)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.csl())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_far_as_they_go() {
        let date = |year, month, day| Some(When::Date { year, month, day });
        for (text, expected) in [
            ("1651", date(1651, None, None)),
            (" 1948-07 ", date(1948, Some(7), None)),
            ("1948-07-12", date(1948, Some(7), Some(12))),
            ("1948/07/12/", date(1948, Some(7), Some(12))),
            ("2020-01-02T10:00:00Z", date(2020, Some(1), Some(2))),
            ("1844/1846", date(1844, None, None)),
            ("1844-1846", date(1844, None, None)),
            ("1844–1846", date(1844, None, None)),
            ("1990/..", date(1990, None, None)),
            ("1651?", date(1651, None, None)),
            ("-0350", date(-350, None, None)),
            ("98", date(98, None, None)),
            ("1998-13", Some(When::Literal("1998-13".into()))),
            ("1998-02-99", Some(When::Literal("1998-02-99".into()))),
            ("in press", Some(When::Literal("in press".into()))),
            ("", None),
            ("  ", None),
        ] {
            assert_eq!(When::parse(text), expected, "{text:?}");
        }
        assert_eq!(When::Literal("c. 1515, reprinted 1910".into()).year(), Some(1515));
    }

    #[test]
    fn every_printed_date_is_read_back() {
        for issued in [
            When::from_year(1651),
            When::from_year(98),
            When::from_year(-350),
            When::Date { year: 1948, month: Some(7), day: None },
            When::Date { year: 12, month: Some(1), day: Some(31) },
        ] {
            assert_eq!(When::parse(&issued.to_string()), Some(issued));
        }
    }

    #[test]
    fn csl_types_are_unambiguous() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_csl(kind.csl()), Some(*kind));
        }
    }
}
