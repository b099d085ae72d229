use clap_facade::annotate::read_only;

/// Search the full text of titles, creators, abstracts, notes and tags, best match first.
///
/// All words are required, in any order and by their stem (`networks` finds `network`). `word*` matches beginnings,
/// `"a phrase"` in double quotes matches word for word, `OR` between words takes either. Snippets show where a match
/// stands, with the words in [brackets].
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output()
    .example("Where was that sentence about phlogiston", "search phlogiston")
    .example("A phrase, among notes alone", "search '\"normal science\"' --within notes"))]
pub(crate) struct SearchArgs {
    /// Words and "phrases" to look for
    #[arg(required = true)]
    query: Vec<String>,

    /// Look only within these parts
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    within: Vec<SearchPart>,

    /// Leave out what contains this word or "phrase"
    #[arg(long, value_name = "WORD")]
    without: Vec<String>,

    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

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

/// Translates what a person types into an FTS5 expression; none if it holds no word.
fn expression(query: &str, without: &[String], within: &[SearchPart]) -> Option<String> {
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
