//! Help texts, cut to what a reader needs.

use clap::builder::StyledStr;

/// A short text, and the long one where it says more.
pub(super) fn short_and_long(short: Option<&StyledStr>, long: Option<&StyledStr>) -> (String, Option<String>) {
    let plain = |text: &StyledStr| {
        // Looking for styles character by character takes long, and hardly any help has some.
        let styled = text.ansi().to_string();
        let text = if styled.contains('\u{1b}') { text.to_string() } else { styled };
        match text.trim().len() == text.len() {
            true => text,
            false => text.trim().to_owned(),
        }
    };
    let long = long.map(plain).filter(|text| !text.is_empty());
    let whole = short.map(plain).filter(|text| !text.is_empty());
    if long.is_none() && whole.as_deref().is_none_or(is_one_line) {
        return (whole.unwrap_or_default(), None);
    }
    let brief = whole.as_deref().or(long.as_deref()).map(first_paragraph).unwrap_or_default();
    let long = long.or(whole).filter(|text| one_line(text) != brief);
    (brief, long)
}

/// Tells whether nothing would have to be joined.
fn is_one_line(text: &str) -> bool {
    !text.contains("  ") && !text.contains(|c: char| c != ' ' && c.is_whitespace())
}

/// Returns the first paragraph as one line.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.trim().is_empty());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Joins lines and runs of spaces.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
