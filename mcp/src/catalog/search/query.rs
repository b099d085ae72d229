//! Reads a query: which of its words name a command, a flag, a value, or what is not wanted.

use super::thesaurus::{THESAURUS, is_stop_word};
use super::words::{ASSIGNMENT, fold, start, stem, words};

/// What is read of a query, in bytes: more is not a question but a document.
const QUERY_MAX: usize = 2_000;
/// How many terms are looked up.
const TERMS_MAX: usize = 96;
/// How far a particle may stand from its verb: "put that old one away".
const PARTICLE_REACH: usize = 4;
/// How many words a negation reaches.
const NEGATION_REACH: usize = 3;
/// How much a word counts that is somebody's data: quoted, or the value of a flag.
const VALUE: f32 = 0.3;

/// A query, read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Query {
    pub(super) terms: Vec<Term>,
    /// Flags by their folded name, as in `--dry-run` and `-n`.
    pub(super) flags: Vec<String>,
    /// It asks, or says that nothing may change: reading answers it.
    pub(super) reads: bool,
}

/// One word or phrase of a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) word: String,
    pub(super) weight: f32,
    pub(super) kind: TermKind,
}

/// How a term stands in its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermKind {
    /// A folded word.
    Word,
    /// A folded word that says what shall not happen.
    Unwanted,
    /// A verb's stem and its particle: `turn_off`.
    Phrase,
    /// Two neighbours written as one, which count only where that is known: "log in", `login`.
    Joined,
}

impl Query {
    /// Reads a query; any text is one.
    pub(super) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        let read = lex(start(text, QUERY_MAX), &mut query.flags);
        let asks = asks(&read);
        query.reads = asks || changes_nothing(&read);
        query.terms = terms(&read, asks);
        query.terms.truncate(TERMS_MAX);
        query.flags.truncate(TERMS_MAX);
        query
    }
}

struct Word {
    word: String,
    weight: f32,
}

fn lex(text: &str, flags: &mut Vec<String>) -> Vec<Word> {
    let mut read = Vec::new();
    let mut quote = None;
    let mut after_flag = false;
    for chunk in text.split_whitespace() {
        let opened = chunk.chars().next().filter(|c| "'\"`‘“«".contains(*c));
        quote = quote.or(opened.map(closing));
        let weight = if quote.is_some() || after_flag { VALUE } else { 1.0 };
        after_flag = false;
        let bare = chunk.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        if quote.is_some_and(|end| bare.ends_with(end) && (opened.is_none() || bare.chars().count() > 1)) {
            quote = None;
        }
        let mut push = |text: &str, weight: f32| read.extend(words(text).into_iter().map(|word| Word { word, weight }));
        if let Some(flag) = chunk.strip_prefix('-').map(|rest| rest.trim_start_matches('-')).filter(|f| is_name(f)) {
            let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
            flags.push(fold(name).replace('_', "-"));
            push(name, 0.7);
            push(value, VALUE);
            after_flag = value.is_empty();
        } else if let Some((key, value)) = bare.split_once('=').filter(|(key, _)| is_name(key)) {
            push(key, weight);
            push(value, VALUE);
            read.push(Word { word: ASSIGNMENT.to_owned(), weight });
        } else if let Some(kind) = kind_of_name(bare) {
            push(kind, weight);
        } else if let Some((stem, extension)) = bare.rsplit_once('.').filter(|(_, end)| is_name(end)) {
            push(stem, 0.5 * weight);
            push(extension, weight);
        } else {
            push(chunk, weight);
        }
    }
    read
}

/// Names the kind of thing that a token stands for, where its shape tells.
fn kind_of_name(token: &str) -> Option<&'static str> {
    let doi =
        |token: &str| token.strip_prefix("10.").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if token.contains("doi.org/") || (doi(token) && token.contains('/')) {
        Some("doi")
    } else if token.contains("://") {
        Some("url")
    } else if token.split_once('@').is_some_and(|(user, host)| is_name(user) && host.contains('.')) {
        Some("email")
    } else {
        None
    }
}

fn closing(opened: char) -> char {
    match opened {
        '‘' => '’',
        '“' => '”',
        '«' => '»',
        same => same,
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
}

fn terms(read: &[Word], reads: bool) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut push = |word: String, weight: f32, kind: TermKind| match terms.iter_mut().find(|term| term.word == word) {
        Some(known) => known.weight = known.weight.max(weight),
        None => terms.push(Term { word, weight, kind }),
    };
    let mut negation_left = 0_usize;
    let mut particles = Vec::new();
    let mut head_seen = reads;
    for (at, Word { word, weight }) in read.iter().enumerate() {
        negation_left = if is_negation(word) { NEGATION_REACH } else { negation_left.saturating_sub(1) };
        let verb = stem(word);
        let phrase = (at + 1..read.len().min(at + 1 + PARTICLE_REACH))
            .find_map(|next| THESAURUS.phrase(&verb, &read[next].word).map(|phrase| (next, phrase)));
        let before = at.checked_sub(1).map_or("", |before| read[before].word.as_str());
        let after = read.get(at + 1).map_or("", |after| after.word.as_str());
        let stop = is_stop_word(word);
        let mut weight = *weight;
        let told = is_past(word) && is_person(before);
        if told || (reads && is_action(phrase.map_or(&verb, |(_, phrase)| phrase))) {
            weight *= TOLD;
        } else if negation_left == 0
            && (matches!(after, "it" | "them" | "this") || !(head_seen || stop || is_past(word)))
        {
            weight *= WISH;
        }
        head_seen |= !stop && !told;
        if let Some((next, phrase)) = phrase {
            particles.push(next);
            push(phrase.to_owned(), weight, TermKind::Phrase);
        }
        if let Some(next) = read.get(at + 1) {
            // Two words that say something by themselves need no third voice: "csl json".
            let share = if stop || is_stop_word(&next.word) { 1.0 } else { 0.4 };
            push(format!("{word}{}", next.word), share * weight.min(next.weight), TermKind::Joined);
        }
        let kind = if negation_left > 0 && is_action(&verb) { TermKind::Unwanted } else { TermKind::Word };
        if !stop && !particles.contains(&at) {
            // The verb of a phrase says little by itself: "take out", "put away".
            push(word.clone(), if phrase.is_some() { weight * 0.4 } else { weight }, kind);
        } else if phrase.is_none() && !THESAURUS.meant(&verb).is_empty() {
            // Question words still hint at something: "which" at a list.
            push(word.clone(), weight * 0.7, kind);
        }
    }
    terms
}

/// The first verb of an order, or the one in "shrink it", is what is wished.
const WISH: f32 = 1.4;
/// What somebody did, or asks whether it was done, is told and not wished: "I removed most of them".
const TOLD: f32 = 0.5;

fn is_person(word: &str) -> bool {
    matches!(word, "i" | "we" | "you" | "he" | "she" | "they" | "it" | "ive" | "weve")
}

fn is_past(word: &str) -> bool {
    word.ends_with("ed")
        || matches!(word, "did" | "made" | "ran" | "took" | "wrote" | "sent" | "built" | "lost" | "got" | "found")
}

fn is_negation(word: &str) -> bool {
    matches!(word, "dont" | "not" | "never" | "without" | "avoid" | "instead" | "rather")
}

/// Tells whether a verb changes something, so that a negation before it forbids a command.
fn is_action(verb: &str) -> bool {
    ["add", "edit", "delete", "move", "run", "apply", "write", "install", "send"].iter().any(|action| {
        let action = stem(action);
        verb == action || THESAURUS.meant(verb).iter().any(|(meant, _)| *meant == action)
    })
}

fn asks(read: &[Word]) -> bool {
    read.first().is_some_and(|first| {
        [
            "what", "which", "who", "whose", "where", "when", "why", "how", "is", "are", "am", "do", "does", "did",
            "has", "have",
        ]
        .contains(&first.word.as_str())
    })
}

fn changes_nothing(read: &[Word]) -> bool {
    read.windows(2).any(|pair| {
        let [a, b] = [pair[0].word.as_str(), pair[1].word.as_str()];
        (matches!(a, "write" | "change" | "touch" | "modify") && b == "nothing")
            || (a == "without" && matches!(b, "writing" | "changing" | "touching" | "modifying"))
            || (a == "dry" && b == "run")
    }) || read.iter().any(|word| word.word == "preview")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(query: &str, word: &str) -> Option<f32> {
        Query::parse(query).terms.iter().find(|term| term.word == word).map(|term| term.weight)
    }

    #[test]
    fn flags_are_told_and_values_count_less() {
        let query = Query::parse("--dry_run -n --filter=web --max 4 year=1999");
        assert_eq!(query.flags, ["dry-run", "n", "filter", "max"]);
        assert!(weight("--filter=web x", "web") < weight("--filter=web", "filter"));
        assert_eq!(weight("rename 'old name' now", "rename"), Some(WISH));
        assert_eq!(weight("rename 'old name' now", "name"), Some(VALUE));
    }

    #[test]
    fn a_particle_away_from_its_verb_makes_a_phrase() {
        assert_eq!(weight("turn the thing off", "turn_off"), Some(WISH));
        assert_eq!(weight("turn the very big old thing off", "turn_off"), None);
    }

    #[test]
    fn what_is_wished_counts_more_than_what_is_told() {
        let told = "I removed the old ones by mistake, restore them";
        assert!(weight(told, "restore") > weight(told, "mistake"));
        assert!(weight(told, "removed") < weight(told, "mistake"));
        assert!(weight("which did I delete", "delete") < Some(1.0));
        assert!(weight("see 10.1126/science.1058040 or https://x.org", "doi").is_some());
    }

    #[test]
    fn negations_mark_what_follows() {
        let query = Query::parse("archive it, don't delete anything");
        let negated: Vec<_> =
            query.terms.iter().filter(|term| term.kind == TermKind::Unwanted).map(|term| term.word.as_str()).collect();
        assert!(negated.contains(&"delete") && !negated.contains(&"archive"), "{negated:?}");
    }

    #[test]
    fn questions_are_answered_by_reading() {
        for (query, reads) in
            [("which tags exist", true), ("import it but write nothing", true), ("can they be merged", false)]
        {
            assert_eq!(Query::parse(query).reads, reads, "{query}");
        }
    }

    #[test]
    fn any_text_is_a_query() {
        for text in ["", " ", "\0", "---- == :// .", "''", "é".repeat(60_000).as_str(), "a ".repeat(50_000).as_str()] {
            assert!(Query::parse(text).terms.len() <= TERMS_MAX);
        }
    }
}
