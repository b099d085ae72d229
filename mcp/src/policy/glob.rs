//! Patterns over command paths.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names commands by their path, word by word.
///
/// In a word, `*` stands for any characters; the word `**` stands for any number of words. So `pip *` is
/// every command right under `pip`, `pip **` is `pip` and everything below it, `*-index` is one word.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Pattern(String);

impl Pattern {
    /// Makes a pattern from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Tells whether it names this very path: words joined by spaces, the root's is empty.
    pub fn matches(&self, path: &str) -> bool {
        let mut pattern: Vec<&str> = self.0.split_whitespace().collect();
        // Two in a row mean no more than one, and each would be tried with each.
        pattern.dedup_by(|next, before| *next == "**" && *before == "**");
        let path: Vec<&str> = path.split_whitespace().collect();
        words_match(&pattern, &path)
    }

    /// Tells whether it names this path or a command above it.
    pub fn covers(&self, path: &str) -> bool {
        let words: Vec<&str> = path.split_whitespace().collect();
        (0..=words.len()).any(|length| self.matches(&words[..length].join(" ")))
    }

    /// Tells whether it names one path as it is written.
    pub fn is_literal(&self) -> bool {
        !self.0.contains('*')
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn words_match(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skipped| words_match(rest, &path[skipped..])),
        (Some((word, rest)), Some((name, below))) => word_matches(word, name) && words_match(rest, below),
        _ => false,
    }
}

/// Tells whether a word is a name, `*` standing for any characters.
pub(crate) fn word_matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, behind)) = left.split_once(part) else { return false };
        left = behind;
    }
    left.len() >= end.len() && left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_go_word_by_word() {
        let valid = [
            ("", ""),
            ("pip list", "pip list"),
            ("pip *", "pip list"),
            ("**", ""),
            ("**", "a b c"),
            ("pip **", "pip"),
            ("pip **", "pip cache purge"),
            ("** list", "list"),
            ("** list", "pip list"),
            ("** list", "pip cache list"),
            ("*-index", "default-index"),
            ("a*b*c", "abc"),
            ("a*b*c", "axbybzc"),
            ("*", "pip"),
            (&"** ".repeat(10_000), "pip cache purge"),
        ];
        for (pattern, path) in valid {
            assert!(Pattern::new(pattern).matches(path), "`{pattern}` is `{path}`");
        }
        let invalid = [
            ("", "pip"),
            ("pip", "pip list"),
            ("pip *", "pip"),
            ("pip *", "pip cache list"),
            ("pip*", "pip list"),
            ("ab*ba", "aba"),
            ("a*b", "abx"),
            ("*", ""),
            ("list", "pip list"),
            (&format!("{}x", "** ".repeat(10_000)), "pip cache purge"),
        ];
        for (pattern, path) in invalid {
            assert!(!Pattern::new(pattern).matches(path), "`{pattern}` is not `{path}`");
        }
    }

    #[test]
    fn a_pattern_covers_what_is_below() {
        assert!(Pattern::new("self").covers("self update"));
        assert!(Pattern::new("* cache").covers("pip cache purge"));
        assert!(Pattern::new("").covers("anything"));
        assert!(!Pattern::new("self update").covers("self"));
        assert!(!Pattern::new("self").covers("selfish"));
    }
}
