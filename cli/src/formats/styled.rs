//! Citations and bibliographies in a citation style, by hayagriva's CSL processor.

use super::{Record, When, csl_json};
use hayagriva::archive::{ArchivedStyle, locales};
use hayagriva::citationberg::json::Item;
use hayagriva::citationberg::{FontStyle, FontWeight, IndependentStyle, Locale, Style as CslStyle, VerticalAlign};
use hayagriva::{
    BibliographyDriver, BibliographyRequest, CitationItem, CitationRequest, ElemChild, ElemChildren, Formatted,
    Rendered,
};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A citation style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// American Psychological Association, 7th edition
    #[default]
    Apa,
    /// Chicago Manual of Style, author and date
    ChicagoAuthorDate,
    /// Institute of Electrical and Electronics Engineers, numbered
    Ieee,
    /// Modern Language Association
    Mla,
    /// Vancouver, numbered, as in medicine
    Vancouver,
    /// Harvard, as in Cite Them Right
    Harvard,
}

/// What styled text is marked up in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Look {
    /// Plain text
    #[default]
    Text,
    /// Markdown
    Markdown,
    /// HTML
    Html,
}

/// One entry of a bibliography.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The key of the work.
    pub key: String,
    /// The entry, with its number where the style has one.
    pub text: String,
}

impl Style {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apa => "apa",
            Self::ChicagoAuthorDate => "chicago-author-date",
            Self::Ieee => "ieee",
            Self::Mla => "mla",
            Self::Vancouver => "vancouver",
            Self::Harvard => "harvard",
        }
    }

    fn csl(self) -> Option<IndependentStyle> {
        let archived = match self {
            Self::Apa => ArchivedStyle::AmericanPsychologicalAssociation,
            Self::ChicagoAuthorDate => ArchivedStyle::ChicagoAuthorDate,
            Self::Ieee => ArchivedStyle::InstituteOfElectricalAndElectronicsEngineers,
            Self::Mla => ArchivedStyle::ModernLanguageAssociation,
            Self::Vancouver => ArchivedStyle::NlmCitationSequence,
            Self::Harvard => ArchivedStyle::HarvardCiteThemRight,
        };
        match archived.get() {
            CslStyle::Independent(style) => Some(style),
            CslStyle::Dependent(_) => None,
        }
    }
}

/// Cites works together, as in the text: `(Darwin, 1859; Turing, 1936)`.
pub fn render_citation(records: &[Record], style: Style, look: Look) -> String {
    let rendered = render(records, style, Together::Yes);
    let citations = rendered.map(|rendered| rendered.citations).unwrap_or_default();
    citations.iter().map(|citation| write_all(&citation.citation, look)).collect::<Vec<_>>().join(" ")
}

/// Lists works, in the style's order.
pub fn render_bibliography(records: &[Record], style: Style, look: Look) -> Vec<Reference> {
    let Some(bibliography) = render(records, style, Together::No).and_then(|rendered| rendered.bibliography) else {
        return Vec::new();
    };
    let entries = bibliography.items.into_iter().map(|item| {
        let mut text = String::new();
        if let Some(number) = &item.first_field {
            write_child(&mut text, number, look);
            text.push(' ');
        }
        text.push_str(&write_all(&item.content, look));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Reference { key: item.key, text: without_double_stops(&text) }
    });
    entries.collect()
}

/// The words of English bibliographies; unpacking every language takes long.
static LOCALES: LazyLock<Vec<Locale>> = LazyLock::new(|| {
    let is_english = |locale: &Locale| locale.lang.as_ref().is_some_and(|code| code.0.starts_with("en"));
    locales().into_iter().filter(is_english).collect()
});

/// Whether works stand in one citation or in one each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    Yes,
    No,
}

fn render(records: &[Record], style: Style, together: Together) -> Option<Rendered> {
    let style = style.csl()?;
    let items: Vec<Item> = records.iter().map(csl_item).collect();
    if items.is_empty() {
        return None;
    }
    let mut driver = BibliographyDriver::new();
    let size = if together == Together::Yes { items.len() } else { 1 };
    for group in items.chunks(size) {
        let cited = group.iter().map(CitationItem::with_entry).collect();
        driver.citation(CitationRequest::from_items(cited, &style, &LOCALES));
    }
    Some(driver.finish(BibliographyRequest { style: &style, locale: None, locale_files: &LOCALES }))
}

/// Takes out the full stop that the processor puts after a title's own question or exclamation mark.
fn without_double_stops(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_word = chars.peek().is_none_or(|next| matches!(next, ' ' | '”' | '’' | '"' | '*' | '<'));
        if !(c == '.' && ends_word && out.ends_with(['?', '!'])) {
            out.push(c);
        }
    }
    out
}

/// The record as the processor takes it: it knows no dates in words, and no field of its own shape.
fn csl_item(record: &Record) -> Item {
    let mut plain = record.clone();
    plain.extra.clear();
    plain.keywords.clear();
    plain.note = None;
    plain.abstract_text = None;
    // Without a language the processor takes every title for English and may change its capitals.
    plain.language.get_or_insert_with(|| "en-US".to_owned());
    for date in [&mut plain.issued, &mut plain.accessed] {
        let year = date.as_ref().and_then(When::year).filter(|year| i16::try_from(*year).is_ok());
        if !matches!(date, Some(When::Date { .. })) || year.is_none() {
            *date = year.map(When::from_year);
        }
        // The processor counts a year 0, which people don't: its -339 is their 340 BC.
        if let Some(When::Date { year, .. }) = date
            && *year < 0
        {
            *year += 1;
        }
    }
    let mut value = csl_json::to_item(&plain);
    if let Value::Object(fields) = &mut value {
        fields.entry("id").or_insert_with(|| json!(""));
    }
    serde_json::from_value(value).unwrap_or_else(|_| Item(Default::default()))
}

fn write_all(children: &ElemChildren, look: Look) -> String {
    let mut out = String::new();
    for child in &children.0 {
        write_child(&mut out, child, look);
    }
    out
}

fn write_child(out: &mut String, child: &ElemChild, look: Look) {
    match child {
        ElemChild::Text(text) => write_text(out, text, look),
        ElemChild::Elem(elem) => {
            let spaced = elem.display.is_some() && !out.is_empty() && !out.ends_with(' ');
            if spaced {
                out.push(' ');
            }
            elem.children.0.iter().for_each(|child| write_child(out, child, look));
        }
        ElemChild::Link { text, url } if url.starts_with("http://") || url.starts_with("https://") => match look {
            Look::Text => out.push_str(&text.text),
            Look::Markdown if text.text == *url => out.push_str(&format!("<{url}>")),
            Look::Markdown => {
                out.push('[');
                write_text(out, text, look);
                out.push_str(&format!("](<{}>)", url.replace('<', "%3C").replace('>', "%3E")));
            }
            Look::Html => {
                out.push_str(&format!("<a href=\"{}\">", escape_html(url)));
                write_text(out, text, look);
                out.push_str("</a>");
            }
        },
        ElemChild::Link { text, .. } => write_text(out, text, look),
        ElemChild::Markup(markup) => out.push_str(&escape(markup, look)),
        ElemChild::Transparent { .. } => {}
    }
}

fn write_text(out: &mut String, text: &Formatted, look: Look) {
    let formatting = &text.formatting;
    let italic = formatting.font_style == FontStyle::Italic;
    let bold = formatting.font_weight == FontWeight::Bold;
    let raised = match formatting.vertical_align {
        VerticalAlign::Sup => Some("sup"),
        VerticalAlign::Sub => Some("sub"),
        _ => None,
    };
    let (mut open, mut close) = (String::new(), String::new());
    let mut mark = |html: &str, markdown: &str| {
        match look {
            Look::Text => {}
            Look::Markdown if !markdown.is_empty() => {
                open.push_str(markdown);
                close.insert_str(0, markdown);
            }
            Look::Markdown | Look::Html => {
                open.push_str(&format!("<{html}>"));
                close.insert_str(0, &format!("</{html}>"));
            }
        };
    };
    if italic {
        mark("i", "*");
    }
    if bold {
        mark("b", "**");
    }
    if let Some(tag) = raised {
        mark(tag, "");
    }
    // Markdown wants its marks next to letters, not to spaces.
    let inner = text.text.trim();
    let start = text.text.len() - text.text.trim_start().len();
    out.push_str(&text.text[..start]);
    if !inner.is_empty() {
        out.push_str(&format!("{open}{}{close}", escape(inner, look)));
        out.push_str(&text.text[start + inner.len()..]);
    }
}

fn escape(text: &str, look: Look) -> String {
    match look {
        Look::Text => text.to_owned(),
        Look::Html => escape_html(text),
        Look::Markdown => {
            let mut out = String::with_capacity(text.len());
            for c in text.chars() {
                if matches!(c, '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']') {
                    out.push('\\');
                }
                out.push(c);
            }
            out
        }
    }
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::{Creator, Kind, Role};
    use super::*;
    use clap::ValueEnum;

    fn works() -> Vec<Record> {
        vec![
            Record {
                citekey: Some("shannon1948".into()),
                kind: Kind::ArticleJournal,
                title: Some("A Mathematical Theory of <Communication>".into()),
                creators: vec![Creator::person(Role::Author, "Shannon", "Claude E.")],
                issued: Some(When::Date { year: 1948, month: Some(7), day: None }),
                container_title: Some("Bell System Technical Journal".into()),
                volume: Some("27".into()),
                issue: Some("3".into()),
                pages: Some("379-423".into()),
                ..Record::default()
            },
            Record {
                citekey: Some("hobbes1651".into()),
                kind: Kind::Book,
                title: Some("Leviathan".into()),
                creators: vec![Creator::person(Role::Author, "Hobbes", "Thomas")],
                issued: Some(When::from_year(1651)),
                publisher: Some("Andrew Crooke".into()),
                place: Some("London".into()),
                ..Record::default()
            },
        ]
    }

    #[test]
    fn works_are_cited_together() {
        assert_eq!(render_citation(&works(), Style::Apa, Look::Text), "(Hobbes, 1651; Shannon, 1948)");
        assert_eq!(render_citation(&[], Style::Apa, Look::Text), "");
    }

    #[test]
    fn a_bibliography_has_the_styles_order_and_marks() {
        let apa = render_bibliography(&works(), Style::Apa, Look::Markdown);
        assert_eq!(apa.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), ["hobbes1651", "shannon1948"]);
        assert_eq!(apa[0].text, "Hobbes, T. (1651). *Leviathan*. Andrew Crooke.");
        assert!(apa[1].text.contains("\\<Communication\\>"), "{}", apa[1].text);
        let html = render_bibliography(&works(), Style::Apa, Look::Html);
        assert!(html[1].text.contains("&lt;Communication&gt;") && html[1].text.contains("<i>Bell"), "{}", html[1].text);
        let mut asks = works().remove(1);
        asks.title = Some("Who Goes There?".into());
        asks.issued = Some(When::from_year(-340));
        let asked = render_bibliography(&[asks], Style::Apa, Look::Text);
        assert_eq!(asked[0].text, "Hobbes, T. (340 B.C.E.). Who Goes There? Andrew Crooke.");
        let ieee = render_bibliography(&works(), Style::Ieee, Look::Text);
        assert!(ieee[0].text.starts_with("[1] C. E. Shannon"), "{}", ieee[0].text);
    }

    #[test]
    fn every_style_takes_every_kind_however_little_is_known() {
        let mut works = Vec::new();
        for kind in Kind::ALL {
            works.push(Record { kind: *kind, title: Some("T".into()), ..Record::default() });
            works.push(Record {
                citekey: Some(format!("odd-{kind}")),
                kind: *kind,
                title: Some("—".into()),
                creators: vec![Creator::literal(Role::Author, "{}"), Creator::person(Role::Editor, "x", "")],
                issued: Some(When::Date { year: -350, month: None, day: None }),
                accessed: Some(When::Literal("once".into())),
                pages: Some("12, 15-x".into()),
                volume: Some("s2-42".into()),
                number: Some("99999999999".into()),
                edition: Some("2nd, rev.".into()),
                language: Some("?".into()),
                ..Record::default()
            });
        }
        for style in Style::value_variants() {
            render_citation(&works, *style, Look::Html);
            assert_eq!(render_bibliography(&works, *style, Look::Html).len(), works.len(), "{style:?}");
        }
    }
}
