//! Full-text queries, as people type them and as the index takes them.

use crate::db::{Db, Row};
use crate::error::CliError;
use serde_json::json;

/// A part of an item that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SearchPart {
    /// Titles
    Title,
    /// Authors, editors and others
    Creators,
    /// Abstracts
    Abstract,
    /// Notes
    Notes,
    /// Tags
    Tags,
}

impl SearchPart {
    /// The column of the full-text index.
    fn column(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Creators => "creators",
            Self::Abstract => "abstract",
            Self::Notes => "notes",
            Self::Tags => "tags",
        }
    }
}

/// Weights of the index's columns (key, title, abstract, venue, creators, tags, notes) in the ranking.
const RANK: &str = "bm25(items_fts, 8.0, 10.0, 2.0, 1.0, 6.0, 4.0, 3.0)";

/// Finds the items outside the trash whose text matches, best first: `id` and `snippet`.
///
/// # Errors
/// When the query holds no word, or SQLite fails.
pub(crate) fn hits(db: &Db, query: &str, without: &[String], within: &[SearchPart]) -> Result<Vec<Row>, CliError> {
    let expression = expression(query, without, within).ok_or_else(|| {
        CliError::usage(format!("{query:?} holds no word to look for")).hint("a word needs a letter or a digit")
    })?;
    let sql = format!(
        "SELECT i.id, snippet(items_fts, -1, '[', ']', '…', 18) AS snippet
         FROM items_fts JOIN items i ON i.id = items_fts.rowid AND i.trashed_at IS NULL
         WHERE items_fts MATCH ?1 ORDER BY {RANK}, i.id"
    );
    db.query(&sql, &[json!(expression)])
}

/// Translates what a person types into an FTS5 expression; none if it holds no word.
pub(crate) fn expression(query: &str, without: &[String], within: &[SearchPart]) -> Option<String> {
    let mut wanted = alternatives(query)?;
    for words in without {
        if let Some(unwanted) = alternatives(words) {
            wanted = format!("({wanted}) NOT ({unwanted})");
        }
    }
    if within.is_empty() {
        return Some(wanted);
    }
    let columns: Vec<_> = within.iter().map(|part| part.column()).collect();
    Some(format!("{{{}}} : ({wanted})", columns.join(" ")))
}

fn alternatives(query: &str) -> Option<String> {
    let mut either: Vec<Vec<String>> = vec![Vec::new()];
    for term in terms(query) {
        match term {
            Term::Or => either.push(Vec::new()),
            Term::Words { text, prefix } => {
                // Quoted, nothing in the text is an operator to FTS5.
                let quoted = format!("\"{}\"{}", text.replace('"', "\"\""), if prefix { " *" } else { "" });
                either.last_mut()?.push(quoted);
            }
        }
    }
    let either: Vec<String> = either.into_iter().filter(|all| !all.is_empty()).map(|all| all.join(" AND ")).collect();
    (!either.is_empty()).then(|| either.join(" OR "))
}

enum Term {
    Or,
    Words { text: String, prefix: bool },
}

fn terms(query: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for (index, part) in query.split('"').enumerate() {
        if index % 2 == 1 {
            terms.push(Term::Words { text: part.to_owned(), prefix: false });
            continue;
        }
        for word in part.split_whitespace() {
            terms.push(match word {
                "OR" => Term::Or,
                "AND" => continue,
                _ => Term::Words { text: word.trim_end_matches('*').to_owned(), prefix: word.ends_with('*') },
            });
        }
    }
    terms.retain(|term| match term {
        Term::Or => true,
        Term::Words { text, .. } => text.chars().any(char::is_alphanumeric),
    });
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_becomes_an_expression() {
        for (query, expected) in [
            ("phlogiston", "\"phlogiston\""),
            ("graph networks", "\"graph\" AND \"networks\""),
            ("\"normal science\" crisis", "\"normal science\" AND \"crisis\""),
            ("net*", "\"net\" *"),
            ("colour OR color paint", "\"colour\" OR \"color\" AND \"paint\""),
            ("self-attention NOT NEAR(", "\"self-attention\" AND \"NOT\" AND \"NEAR(\""),
            ("\"open phrase", "\"open phrase\""),
            ("title:x ^y", "\"title:x\" AND \"^y\""),
            ("OR OR a", "\"a\""),
        ] {
            assert_eq!(expression(query, &[], &[]).as_deref(), Some(expected), "{query}");
        }
        for query in ["", " ", "\"\"", "***", "OR", "-- !"] {
            assert_eq!(expression(query, &[], &[]), None, "{query}");
        }
    }

    #[test]
    fn words_can_be_left_out_and_parts_chosen() {
        assert_eq!(
            expression("a OR b", &["c d".into(), "!".into()], &[SearchPart::Title, SearchPart::Tags]).as_deref(),
            Some("{title tags} : ((\"a\" OR \"b\") NOT (\"c\" AND \"d\"))")
        );
    }
}
