use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folds case, accents and punctuation away, leaving words between single spaces.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            // An apostrophe joins (O'Neill), any other mark separates.
            '\'' | '’' => {}
            c if c.is_alphanumeric() || c == '+' || c == '#' => folded.push(c),
            _ if folded.ends_with(' ') || folded.is_empty() => {}
            _ => folded.push(' '),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Trims a text and turns each run of white space into one space.
pub fn squash(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_leaves_bare_words() {
        for (text, folded) in [
            ("Machine-Learning", "machine learning"),
            ("  naïve__Bayes ", "naive bayes"),
            ("Łukasiewicz", "lukasiewicz"),
            ("O’Neill", "oneill"),
            ("C++", "c++"),
            ("C#", "c#"),
            ("--", ""),
            ("日本語", "日本語"),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }
}
