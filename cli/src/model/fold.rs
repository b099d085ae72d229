use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folds case, accents and punctuation away, leaving words between single spaces.
///
/// Marks that make another letter of what they stand on (Devanagari, kana) stay.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let bare = text.nfkd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase);
    for c in bare.nfc() {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            // An apostrophe joins (O'Neill), any other mark separates.
            '\'' | '’' => {}
            c if c.is_alphanumeric() || is_combining_mark(c) || c == '+' || c == '#' => folded.push(c),
            _ if folded.ends_with(' ') || folded.is_empty() => {}
            _ => folded.push(' '),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// A text as a key: folded, letters and digits alone.
pub fn fold_into_key(text: &str) -> String {
    fold(text).replace([' ', '+', '#'], "")
}

/// A mark of the blocks for Latin, Greek and Cyrillic.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Trims a text and turns each run of white space into one space.
pub fn squash(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_letters_and_digits() {
        for (text, key) in
            [("Gödel", "godel"), ("O'Brien", "obrien"), ("Straße", "strasse"), ("van Dyck", "vandyck"), ("C++", "c")]
        {
            assert_eq!(fold_into_key(text), key);
        }
    }

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
            ("ガ ｶ", "ガ カ"),
            ("हिन्दी", "हिन्दी"),
            ("김", "김"),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }
}
