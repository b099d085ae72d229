//! Which known words a mistyped one is near to.

use strsim::osa_distance;

/// Known words, arranged so that most are never compared.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    by_length: Vec<Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    letters: u32,
    word: String,
}

impl Lexicon {
    /// Collects the words that can be mistaken for others: those of three letters and more.
    pub(super) fn new(words: impl IntoIterator<Item = String>) -> Self {
        let mut by_length: Vec<Vec<Known>> = Vec::new();
        for word in words {
            let length = word.chars().count();
            if length < 3 || !word.chars().all(char::is_alphabetic) {
                continue;
            }
            if by_length.len() <= length {
                by_length.resize_with(length + 1, Vec::new);
            }
            by_length[length].push(Known { letters: letters(&word), word });
        }
        Self { by_length }
    }

    /// Returns the words within the typing errors that a word of its length may have, each with its distance.
    pub(super) fn near(&self, word: &str) -> Vec<(&str, usize)> {
        let length = word.chars().count();
        let bound = errors_allowed(length);
        if bound == 0 || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let mask = letters(word);
        let mut found = Vec::new();
        for known in self.by_length.iter().take(length + bound + 1).skip(length - bound).flatten() {
            let apart = (known.letters ^ mask).count_ones() as usize;
            if apart > 2 * bound || (length == 3 && apart > 0) {
                continue;
            }
            let distance = osa_distance(word, &known.word);
            let first_differs = !known.word.starts_with(word.chars().next().unwrap_or_default());
            if distance <= bound && (distance < 2 || !first_differs || length > 8) {
                found.push((known.word.as_str(), distance));
            }
        }
        found
    }
}

/// Short words are near to too many others to be corrected freely.
fn errors_allowed(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// One bit a letter: two words differ in at least half as many places as their bits do.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |mask, c| mask | 1 << (u32::from(c) % 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let lexicon = Lexicon::new(["show", "record", "label", "bib", "delete", "duplicate", "use"].map(str::to_owned));
        for (typed, meant) in
            [("shwo", "show"), ("recrod", "record"), ("lable", "label"), ("bbi", "bib"), ("dleete", "delete")]
        {
            assert_eq!(lexicon.near(typed).iter().map(|(w, _)| *w).collect::<Vec<_>>(), [meant]);
        }
        for typed in ["us", "bob", "banana", "", "x", "über"] {
            assert_eq!(lexicon.near(typed), [], "{typed}");
        }
    }
}
