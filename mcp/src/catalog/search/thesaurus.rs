//! What people say for what CLIs are called.

use super::lexicon::Lexicon;
use super::words::stem;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

/// How much a word of the same row counts beside the word itself.
const SYNONYM: f32 = 0.65;
/// How much a word counts that is only often meant.
const OFTEN_MEANT: f32 = 0.35;

/// The rows of `thesaurus.txt`, by stem.
pub(super) struct Thesaurus {
    /// Stem or phrase → stems that may be meant.
    meant: HashMap<String, Vec<(String, f32)>>,
    /// Stem of a verb → the particles that make a phrase of it, with the phrase.
    phrases: HashMap<String, Vec<(String, String)>>,
    known: Lexicon,
    words: HashSet<String>,
}

/// The thesaurus of this crate.
pub(super) static THESAURUS: LazyLock<Thesaurus> = LazyLock::new(|| Thesaurus::parse(include_str!("thesaurus.txt")));

/// Words that say nothing about which command is meant.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a about above after again ago all already also although always am an and another anybody anyone anything are \
     as at away back be because been before behind being below beneath between both but by came can cannot cant come \
     could did didnt do does doesnt doing done dont down during each either else even ever everybody everyone far few \
     for from full gimme gets go goes going got had half has hasnt have havent having he her here hers him his how \
     however i id if ill im in instead into is isnt it its itself ive just know let lets like many may maybe me might \
     mine more most much must my near need needs neither never next no nobody none nor not nothing now of off often on \
     once one ones only onto oops or other others our ours out over own per perhaps please put quite rather really same \
     she should since so some somebody someone something soon still such sure surely than that thats the their theirs \
     them then there these they thing things this those though through thus till to today together too toward two \
     under until up upon us very via want wants was wasnt way we well were weve what whats when whenever where \
     wheres whether which while who whom whose why will with within without wont would yes yet you your yours"
        .split_whitespace()
        .collect()
});

/// Tells whether a folded word says nothing about which command is meant.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word) || word.len() < 2
}

impl Thesaurus {
    /// Returns the stems that may be meant by a stem or phrase, with how much each counts.
    pub(super) fn meant(&self, stem_or_phrase: &str) -> &[(String, f32)] {
        self.meant.get(stem_or_phrase).map_or(&[], Vec::as_slice)
    }

    /// Returns the phrase that a verb's stem and a particle make.
    pub(super) fn phrase(&self, verb: &str, particle: &str) -> Option<&str> {
        let particles = self.phrases.get(verb)?;
        particles.iter().find(|(known, _)| known == particle).map(|(_, phrase)| phrase.as_str())
    }

    /// Tells whether a folded word is spelled right, as far as this table knows.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.words.contains(word) || self.meant.contains_key(&stem(word)) || is_stop_word(word)
    }

    /// Returns the words of the table near to a mistyped one, stop words included.
    pub(super) fn near(&self, word: &str) -> Vec<(&str, usize)> {
        self.known.near(word)
    }

    fn parse(table: &str) -> Self {
        let mut meant: BTreeMap<String, BTreeMap<String, f32>> = BTreeMap::new();
        let mut relate = |from: &str, to: &str, weight: f32| {
            if from != to && !to.contains('_') {
                let known = meant.entry(from.to_owned()).or_default().entry(to.to_owned()).or_insert(weight);
                *known = known.max(weight);
            }
        };
        let mut words: BTreeSet<&str> = STOP_WORDS.iter().copied().collect();
        for row in table.lines().filter(|row| !row.starts_with('#')) {
            words.extend(row.split_whitespace().filter(|word| *word != ">"));
            match row.split_once('>') {
                Some((from, to)) => {
                    let from = key(from.trim());
                    to.split_whitespace().for_each(|to| relate(&from, &key(to), OFTEN_MEANT));
                }
                None => {
                    let keys: Vec<_> = row.split_whitespace().map(key).collect();
                    for from in &keys {
                        keys.iter().for_each(|to| relate(from, to, SYNONYM));
                    }
                }
            }
        }
        let mut phrases: HashMap<String, Vec<(String, String)>> = HashMap::new();
        for phrase in meant.keys() {
            if let Some((verb, particle)) = phrase.split_once('_') {
                phrases.entry(verb.to_owned()).or_default().push((particle.to_owned(), phrase.clone()));
            }
        }
        let words: BTreeSet<_> = words.into_iter().flat_map(|word| word.split('_')).map(str::to_owned).collect();
        Self {
            meant: meant.into_iter().map(|(from, to)| (from, to.into_iter().collect())).collect(),
            phrases,
            known: Lexicon::new(words.iter().cloned()),
            words: words.into_iter().collect(),
        }
    }
}

/// The stem of a word; of a phrase, the stem of its verb with its particle as it is.
fn key(word: &str) -> String {
    match word.split_once('_') {
        Some((verb, particle)) => format!("{}_{particle}", stem(verb)),
        None => stem(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_both_ways_and_hints_one() {
        let means = |from: &str, to: &str| THESAURUS.meant(&stem(from)).iter().any(|(meant, _)| *meant == stem(to));
        assert!(means("erase", "delete") && means("delete", "erase"));
        assert!(means("which", "list") && !means("list", "which"));
        assert_eq!(THESAURUS.phrase(&stem("turning"), "off"), Some("turn_off"));
        assert!(THESAURUS.meant("turn_off").iter().any(|(meant, _)| *meant == stem("disable")));
    }

    #[test]
    fn the_table_has_one_word_a_cell_and_no_empty_row() {
        for row in include_str!("thesaurus.txt").lines().filter(|row| !row.starts_with('#') && !row.is_empty()) {
            assert!(row.split_whitespace().count() > 1, "{row}");
            assert!(row.chars().all(|c| c.is_ascii_lowercase() || matches!(c, ' ' | '_' | '>')), "{row}");
        }
    }
}
