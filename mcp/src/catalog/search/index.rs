//! The index itself: what is known of each operation's words, and the scores.

use super::lexicon::Lexicon;
use super::query::{Query, Term, TermKind};
use super::thesaurus::{THESAURUS, is_stop_word};
use super::words::{fold, start, stem, words};
use crate::catalog::{Effect, Operation, ParamKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

/// Ranks operations by what somebody wants.
#[derive(Debug)]
pub struct Index {
    operations: Vec<Arc<Operation>>,
    groups: Vec<GroupAbout>,
    /// Stem → postings, most telling words included.
    vocabulary: BTreeMap<String, Entry>,
    spelled: Lexicon,
    /// How much of an operation's path each of its words is; together 1.
    shares: Vec<[f32; PATH_WORDS]>,
    /// Folded param name → operations.
    params: HashMap<String, Vec<u32>>,
    /// What an operation may be called, without regard to `-`, `_` and case → operations.
    names: HashMap<String, Vec<u32>>,
}

/// What a group of commands is for, by its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupAbout {
    /// The path joined by spaces.
    pub name: String,
    /// One line of help, or empty.
    pub about: String,
}

/// An operation that a query may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The operation.
    pub operation: Arc<Operation>,
    /// How well it fits; comparable within one search alone.
    pub score: f32,
}

/// A top-level group, or an operation that stands alone at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSummary {
    /// Its name.
    pub name: String,
    /// One line of help, or empty.
    pub about: String,
    /// How many operations it has.
    pub operations: usize,
}

#[derive(Debug, Default)]
struct Entry {
    postings: Vec<Posting>,
    /// How few operations have the word, from 0.
    rarity: f32,
}

#[derive(Clone, Copy, Debug)]
struct Posting {
    operation: u32,
    /// How much of the operation the word tells, saturating at 1.
    weight: f32,
    /// Which words of the path it is, a bit each.
    path: u8,
}

/// Where a word stands, with how much it tells there.
///
/// The own name of a command tells most; long texts tell less the longer they are.
#[derive(Clone, Copy)]
enum Field {
    Leaf,
    Alias,
    Group,
    About,
    GroupAbout,
    Long,
    ExampleTitle,
    ExampleLine,
    ParamName,
    ParamHelp,
    Choice,
}

impl Field {
    fn weight(self) -> f32 {
        match self {
            Self::Leaf => 4.0,
            Self::Alias => 3.5,
            Self::Group => 2.5,
            Self::About => 2.5,
            Self::ExampleTitle => 1.2,
            Self::Long => 1.0,
            Self::ParamName => 0.9,
            Self::Choice => 0.8,
            Self::GroupAbout => 1.0,
            Self::ParamHelp => 0.4,
            Self::ExampleLine => 0.3,
        }
    }
}

/// How many words of a path are told apart; what is longer is one word from there on.
const PATH_WORDS: usize = 8;
/// Half of what a word can tell is told by this much weight.
const SATURATION: f32 = 3.0;
/// The weight, saturated, from which on a word tells as much as a name does.
const TELLING: f32 = 0.6;
/// A text of this many words counts as it is; longer ones less for each word.
const PLAIN_LENGTH: f32 = 12.0;
/// So many params count as they are; of more, each counts less.
const PLAIN_PARAMS: f32 = 6.0;
/// How much a wholly named path adds to a score.
const PATH_BONUS: f32 = 0.6;
/// How much of a word a typing error leaves.
const TYPO: f32 = 0.75;
/// What a question or a preview adds to operations that change nothing.
const READ_BONUS: f32 = 1.25;
/// Hits below this part of the best one are noise.
const NOISE: f32 = 0.12;
/// What the very name of an operation scores.
const EXACT: f32 = 1_000.0;

impl Index {
    /// Reads the words of all operations, and of the groups they stand in.
    pub fn new(operations: &[Arc<Operation>], groups: &[GroupAbout]) -> Self {
        let mut reader = Reader::default();
        let abouts: HashMap<&str, &str> =
            groups.iter().map(|group| (group.name.as_str(), group.about.as_str())).collect();
        let mut params: HashMap<String, Vec<u32>> = HashMap::new();
        let mut names: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, operation) in (0_u32..).zip(operations) {
            reader.read(at, operation, &abouts);
            for param in &operation.params {
                for name in param.aliases.iter().chain([&param.name]) {
                    note(&mut params, fold(name).replace('_', "-"), at);
                }
            }
            for name in operation.aliases.iter().chain([&operation.name, &operation.tool]) {
                note(&mut names, loose(name), at);
            }
        }
        let shares = std::mem::take(&mut reader.shares);
        let (vocabulary, spelled) = reader.finish(operations.len());
        Self { operations: operations.to_vec(), groups: groups.to_vec(), vocabulary, spelled, shares, params, names }
    }

    /// Returns the operations that a query may mean, best first, at most `limit`; ties in the tree's order.
    ///
    /// Any text is a query; one that matches nothing gives nothing.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let read = Query::parse(query);
        let mut scores = vec![0.0_f32; self.operations.len()];
        let mut named = vec![[0.0_f32; PATH_WORDS]; self.operations.len()];
        for term in &read.terms {
            self.add_term(term, &mut scores, &mut named);
        }
        for flag in &read.flags {
            self.add_flag(flag, &mut scores);
        }
        for (at, (score, operation)) in scores.iter_mut().zip(&self.operations).enumerate() {
            let path_named: f32 = self.shares[at].iter().zip(named[at]).map(|(share, sure)| share * sure).sum();
            *score *= 1.0 + PATH_BONUS * path_named;
            if read.reads && operation.declared == Some(Effect::ReadOnly) {
                *score *= READ_BONUS;
            }
        }
        for at in self.names.get(&loose(query)).into_iter().flatten() {
            let operation = &self.operations[*at as usize];
            let spelled_out = operation.name == query.trim() || operation.tool == query.trim();
            scores[*at as usize] += if spelled_out { 2.0 * EXACT } else { EXACT };
        }
        self.rank(&scores, limit)
    }

    /// Returns the names nearest to a query that matches nothing, best first, at most `limit`.
    pub fn nearest(&self, query: &str, limit: usize) -> Vec<&str> {
        let asked: Vec<String> = words(start(query, 200));
        let likeness = |name: &str| {
            let best = |asked: &String| {
                words(name).iter().map(|word| strsim::normalized_damerau_levenshtein(asked, word)).fold(0.0, f64::max)
            };
            asked.iter().map(best).fold(0.0, f64::max)
        };
        let mut near: Vec<(f64, &str)> =
            self.operations.iter().map(|operation| (likeness(&operation.name), operation.name.as_str())).collect();
        near.retain(|(likeness, _)| *likeness > 0.3);
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.into_iter().take(limit).map(|(_, name)| name).collect()
    }

    /// Returns the top level of the tree, in its order.
    pub fn groups(&self) -> Vec<GroupSummary> {
        let mut summaries: Vec<GroupSummary> = Vec::new();
        let mut at: HashMap<&str, usize> = HashMap::new();
        for operation in &self.operations {
            let name = operation.path.first().unwrap_or(&operation.name).as_str();
            let at = *at.entry(name).or_insert_with(|| {
                let about = self.groups.iter().find(|group| group.name == name).map(|group| group.about.clone());
                summaries.push(GroupSummary { name: name.to_owned(), about: about.unwrap_or_default(), operations: 0 });
                summaries.len() - 1
            });
            summaries[at].operations += 1;
            if operation.path.len() < 2 && summaries[at].about.is_empty() {
                summaries[at].about.clone_from(&operation.about);
            }
        }
        summaries
    }

    fn add_term(&self, term: &Term, scores: &mut [f32], named: &mut [[f32; PATH_WORDS]]) {
        // Of all that a word may mean, only the best counts for one operation: many synonyms prove nothing.
        let mut best: BTreeMap<u32, f32> = BTreeMap::new();
        for (entry, likely) in self.readings(term) {
            for posting in &entry.postings {
                let score = likely * entry.rarity * posting.weight;
                let known = best.entry(posting.operation).or_insert(0.0);
                *known = known.max(score);
                for bit in (0..PATH_WORDS).filter(|bit| posting.path & (1 << bit) != 0) {
                    let sure = &mut named[posting.operation as usize][bit];
                    let said = if term.kind == TermKind::Unwanted { 0.0 } else { likely * term.weight };
                    *sure = sure.max(said);
                }
            }
        }
        let sign = if term.kind == TermKind::Unwanted { -0.5 } else { 1.0 };
        for (operation, score) in best {
            scores[operation as usize] += sign * term.weight * score;
        }
    }

    /// Returns the indexed words that a term may mean, each with how likely it does.
    fn readings(&self, term: &Term) -> Vec<(&Entry, f32)> {
        let mut likely: BTreeMap<&str, f32> = BTreeMap::new();
        match term.kind {
            TermKind::Phrase => self.read_as(&term.word, 1.0, &mut likely),
            TermKind::Joined => {
                let joined = stem(&term.word);
                if self.vocabulary.contains_key(&joined) || THESAURUS.knows(&term.word) {
                    self.read_as(&joined, 1.0, &mut likely);
                }
            }
            TermKind::Word | TermKind::Unwanted => {
                let stemmed = stem(&term.word);
                self.read_as(&stemmed, 1.0, &mut likely);
                if !self.vocabulary.contains_key(&stemmed) && !THESAURUS.knows(&term.word) {
                    for (word, sure) in self.corrections(&term.word) {
                        self.read_as(&stem(&word), sure, &mut likely);
                    }
                }
            }
        }
        likely.into_iter().filter_map(|(word, sure)| Some((self.vocabulary.get(word)?, sure))).collect()
    }

    fn read_as<'a>(&'a self, stem: &str, sure: f32, likely: &mut BTreeMap<&'a str, f32>) {
        let mut may_be = |word: &str, sure: f32| {
            if let Some((word, _)) = self.vocabulary.get_key_value(word) {
                let known = likely.entry(word).or_insert(0.0);
                *known = known.max(sure);
            }
        };
        may_be(stem, sure);
        for (meant, weight) in THESAURUS.meant(stem) {
            may_be(meant, sure * weight);
        }
        let length = stem.chars().count();
        if length < 3 || stem.contains('_') {
            return;
        }
        for (longer, _) in self
            .vocabulary
            .range::<str, _>((Bound::Included(stem), Bound::Unbounded))
            .take_while(|(word, _)| word.starts_with(stem))
        {
            may_be(longer, sure * 0.6 * length as f32 / longer.chars().count() as f32);
        }
        for (cut, _) in stem.char_indices().skip(4).filter(|(cut, _)| *cut * 5 >= stem.len() * 3) {
            may_be(&stem[..cut], sure * 0.45);
        }
    }

    /// Returns the known words that a mistyped one may be, none where it is most likely a stop word.
    fn corrections(&self, word: &str) -> Vec<(String, f32)> {
        let own = self.spelled.near(word);
        let general = THESAURUS.near(word);
        let Some(least) = own.iter().chain(&general).map(|(_, distance)| *distance).min() else { return Vec::new() };
        let mut found: BTreeSet<&str> =
            own.iter().chain(&general).filter(|(_, d)| *d == least).map(|(w, _)| *w).collect();
        let first = word.chars().next().unwrap_or_default();
        if found.iter().any(|near| near.starts_with(first)) {
            found.retain(|near| near.starts_with(first));
        }
        if found.iter().any(|near| is_stop_word(near)) && own.iter().all(|(_, distance)| *distance > least) {
            return Vec::new();
        }
        found.into_iter().map(|near| (near.to_owned(), TYPO.powi(least as i32))).collect()
    }

    /// A flag tells the more, the fewer commands have it.
    fn add_flag(&self, flag: &str, scores: &mut [f32]) {
        let Some(having) = self.params.get(flag) else { return };
        let weight = 1.2 * rarity(self.operations.len(), having.len() as f32);
        for operation in having {
            scores[*operation as usize] += weight;
        }
    }

    fn rank(&self, scores: &[f32], limit: usize) -> Vec<Hit> {
        let best = scores.iter().copied().fold(0.0, f32::max);
        let mut ranked: Vec<usize> =
            (0..scores.len()).filter(|at| scores[*at] > 0.0 && scores[*at] >= best.min(EXACT / 10.0) * NOISE).collect();
        ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        ranked.truncate(limit);
        ranked.into_iter().map(|at| Hit { operation: Arc::clone(&self.operations[at]), score: scores[at] }).collect()
    }
}

/// Collects words while the index is built; a text that many commands share is split once.
#[derive(Default)]
struct Reader {
    numbers: HashMap<String, u32>,
    stems: HashMap<String, u32>,
    postings: Vec<Vec<Posting>>,
    texts: HashMap<String, Arc<[u32]>>,
    found: BTreeMap<u32, (f32, u8)>,
    shares: Vec<[f32; PATH_WORDS]>,
}

impl Reader {
    fn read(&mut self, at: u32, operation: &Operation, abouts: &HashMap<&str, &str>) {
        self.found.clear();
        let mut bit = 0;
        let mut shares = [0.0; PATH_WORDS];
        let last = operation.path.len().saturating_sub(1);
        for (depth, name) in operation.path.iter().enumerate() {
            let (field, share) = if depth == last { (Field::Leaf, 1.5) } else { (Field::Group, 1.0) };
            let mut parts = words(name);
            // A compound comes first in one piece, which names all its parts.
            let whole = (parts.len() > 2 && parts[0] == parts[1..].concat()).then(|| parts.remove(0));
            let mut bits = 0;
            for part in &parts {
                let number = self.number(part.clone());
                self.count(number, field.weight() * if parts.len() > 1 { 0.7 } else { 1.0 }, 1 << bit);
                shares[bit] += share / parts.len() as f32;
                bits |= 1 << bit;
                bit = (bit + 1).min(PATH_WORDS - 1);
            }
            if let Some(whole) = whole {
                let number = self.number(whole);
                self.count(number, field.weight(), bits);
            }
            let group = operation.path[..depth].join(" ");
            if let Some(about) = abouts.get(group.as_str()) {
                self.text(about, Field::GroupAbout);
            }
        }
        let all: f32 = shares.iter().sum();
        self.shares.push(shares.map(|share| if all > 0.0 { share / all } else { 0.0 }));
        for alias in &operation.aliases {
            self.text(alias.rsplit(' ').next().unwrap_or_default(), Field::Alias);
        }
        self.text(&operation.about, Field::About);
        self.text(operation.long_about.as_deref().unwrap_or_default(), Field::Long);
        for example in &operation.examples {
            self.text(&example.title, Field::ExampleTitle);
            self.text(&example.line, Field::ExampleLine);
        }
        let share = (PLAIN_PARAMS / operation.params.len() as f32).min(1.0).sqrt();
        for param in &operation.params {
            self.part(&param.name, Field::ParamName, share);
            self.part(param.long_help.as_deref().unwrap_or(&param.help), Field::ParamHelp, share);
            let (ParamKind::One(value) | ParamKind::Optional { value, .. } | ParamKind::Many { item: value, .. }) =
                &param.kind
            else {
                continue;
            };
            for choice in &value.choices {
                self.part(&choice.name, Field::Choice, share);
                self.part(&choice.help, Field::ParamHelp, share);
            }
        }
        for (number, (weight, path)) in std::mem::take(&mut self.found) {
            self.postings[number as usize].push(Posting {
                operation: at,
                weight: weight / (weight + SATURATION),
                path,
            });
        }
    }

    fn text(&mut self, text: &str, field: Field) {
        self.part(text, field, 1.0);
    }

    fn part(&mut self, text: &str, field: Field, share: f32) {
        let numbers = self.numbers(text);
        let long = (numbers.len() as f32 / PLAIN_LENGTH).max(1.0).sqrt();
        for number in numbers.iter() {
            self.count(*number, field.weight() * share / long, 0);
        }
    }

    fn count(&mut self, number: u32, weight: f32, path: u8) {
        let found = self.found.entry(number).or_default();
        // A word said again adds less than said first.
        found.0 = found.0.max(weight) + found.0.min(weight) * 0.3;
        found.1 |= path;
    }

    fn numbers(&mut self, text: &str) -> Arc<[u32]> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let numbers: Arc<[u32]> = words(text).into_iter().map(|word| self.number(word)).collect();
        self.texts.insert(text.to_owned(), Arc::clone(&numbers));
        numbers
    }

    fn number(&mut self, word: String) -> u32 {
        if let Some(known) = self.numbers.get(&word) {
            return *known;
        }
        let next = self.postings.len() as u32;
        let number = *self.stems.entry(stem(&word)).or_insert(next);
        if number == next {
            self.postings.push(Vec::new());
        }
        self.numbers.insert(word, number);
        number
    }

    fn finish(self, operations: usize) -> (BTreeMap<String, Entry>, Lexicon) {
        let mut postings = self.postings;
        let entry = |(stem, number): (String, u32)| {
            let postings = std::mem::take(&mut postings[number as usize]);
            // A word that many mention in passing and one has for its name is rare all the same.
            let having: f32 = postings.iter().map(|posting| posting.weight).sum::<f32>() / TELLING;
            (stem, Entry { rarity: rarity(operations, having), postings })
        };
        (self.stems.into_iter().map(entry).collect(), Lexicon::new(self.numbers.into_keys()))
    }
}

/// BM25's inverse document frequency: always above 0.
fn rarity(operations: usize, having: f32) -> f32 {
    let all = operations as f32;
    (1.0 + ((all - having).max(0.0) + 0.5) / (having + 0.5)).ln()
}

/// Brings the spellings of one name together: `items_get`, `Items  get`, `items-get`.
fn loose(name: &str) -> String {
    let parts =
        start(name, 400).split(|c: char| c.is_whitespace() || matches!(c, '-' | '_')).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn note(map: &mut HashMap<String, Vec<u32>>, key: String, operation: u32) {
    let known = map.entry(key).or_default();
    if known.last() != Some(&operation) {
        known.push(operation);
    }
}
