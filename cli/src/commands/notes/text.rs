use crate::commands::input;
use crate::context::Context;
use crate::contract::Plan;
use crate::db::Row;
use crate::error::CliError;
use crate::model::squash;
use std::path::Path;

/// The longest title that is made from a note's text, in characters.
const TITLE_LENGTH: usize = 60;

/// Takes a text as given, or from standard input where it is `-`; white space around it goes.
pub(crate) fn read_text(ctx: &mut Context<'_, '_>, text: &str) -> Result<String, CliError> {
    let read = if text == "-" { input::read_text(ctx, Path::new("-"))? } else { text.to_owned() };
    Ok(read.trim().to_owned())
}

/// Writes quote, page and text as one Markdown body.
pub(crate) fn body_of(text: &str, quote: Option<&str>, page: Option<&str>) -> String {
    let page = page.map(str::trim).filter(|page| !page.is_empty()).map(|page| format!("(p. {page})"));
    let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
    let quoted = quote.map(|quote| quote.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n"));
    let parts = match (quoted, page) {
        (Some(quoted), Some(page)) => vec![format!("{quoted}\n> {page}"), text.to_owned()],
        (Some(quoted), None) => vec![quoted, text.to_owned()],
        (None, Some(page)) if !text.is_empty() => vec![format!("{text} {page}")],
        _ => vec![text.to_owned()],
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Makes a title of the first words of a note.
pub(crate) fn title_of(text: &str, quote: Option<&str>) -> String {
    let first = text.lines().map(squash).find(|line| !line.is_empty());
    let line = first.or_else(|| quote.map(squash)).unwrap_or_default();
    let line = line.trim_start_matches(['#', '>', ' ']);
    if line.chars().count() <= TITLE_LENGTH {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE_LENGTH).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words))
}

/// Finds a note by its number, as the plan leaves it.
pub(crate) fn find_note(plan: &Plan, id: i64) -> Result<Row, CliError> {
    plan.row("notes", id)?.ok_or_else(|| no_note(id))
}

/// The error about a note that does not exist.
pub(crate) fn no_note(id: i64) -> CliError {
    CliError::not_found(format!("there is no note {id}")).hint("`notes list` shows their numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quote_page_and_text_make_a_body() {
        for (text, quote, page, body) in [
            ("Shifts.", None, None, "Shifts."),
            ("Shifts.", None, Some("12"), "Shifts. (p. 12)"),
            ("Shifts.", Some("normal\nscience"), Some("12"), "> normal\n> science\n> (p. 12)\n\nShifts."),
            ("", Some("normal science"), None, "> normal science"),
            ("", None, Some("12"), ""),
            ("", Some(" "), None, ""),
        ] {
            assert_eq!(body_of(text, quote, page), body);
        }
    }

    #[test]
    fn a_title_is_the_first_words() {
        assert_eq!(title_of("\n# Paradigms \nmore", None), "Paradigms");
        assert_eq!(title_of("", Some("normal science")), "normal science");
        let long = title_of(&"wörter ".repeat(20), None);
        assert!(long.ends_with("wörter…") && long.chars().count() <= TITLE_LENGTH + 1, "{long}");
    }
}
