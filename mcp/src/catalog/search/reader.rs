//! Reads the words of operations into postings.

use super::index::GroupAbout;
use super::lexicon::Lexicon;
use super::words::{each_word, fold, stem};
use crate::catalog::{Operation, ParamKind, ValueType};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// How many words of a path are told apart; what is longer is one word from there on.
pub(super) const PATH_WORDS: usize = 8;
/// Half of what a word can tell is told by this much weight.
const SATURATION: f32 = 3.0;
/// The weight, saturated, from which on a word tells as much as a name does.
const TELLING: f32 = 0.5;
/// A text of this many words counts as it is; longer ones less for each word.
const PLAIN_LENGTH: f32 = 12.0;
/// So many params count as they are; of more, each counts less.
const PLAIN_PARAMS: f32 = 6.0;
/// How much of a name is told by a part of it that is one of several: `pdf` of `missing-pdf`.
const PART: f32 = 0.55;

/// What is known of one stem.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) postings: Vec<Posting>,
    /// How many operations have the word; one that mentions it in passing is a part of one.
    pub(super) having: f32,
}

/// A stem in an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) operation: u32,
    /// How much of the operation the word tells, saturating at 1.
    pub(super) weight: f32,
    /// Which words of the path it is, a bit each.
    pub(super) path: u8,
}

/// All that was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) vocabulary: BTreeMap<String, Entry>,
    pub(super) spelled: Lexicon,
    /// How much of an operation's path each of its words is; together 1.
    pub(super) shares: Vec<[f32; PATH_WORDS]>,
    /// The words of paths → operations.
    pub(super) named: BTreeMap<String, Vec<u32>>,
    /// Param name with `-` → operations.
    pub(super) params: HashMap<String, Vec<u32>>,
}

/// Where a word stands.
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
    /// How much a word tells there: the command's own name most.
    fn weight(self) -> f32 {
        match self {
            Self::Leaf => 4.0,
            Self::Alias => 3.5,
            Self::Group | Self::About => 2.5,
            Self::ExampleTitle => 1.2,
            Self::Long | Self::GroupAbout => 1.0,
            Self::ParamName => 0.9,
            Self::Choice => 0.8,
            Self::ParamHelp => 0.4,
            Self::ExampleLine => 0.3,
        }
    }
}

/// Reads operations in the tree's order.
pub(super) fn read<'a>(operations: impl Iterator<Item = &'a Operation>, groups: &'a [GroupAbout]) -> Read {
    let mut reader = Reader {
        abouts: groups.iter().map(|group| (group.name.as_str(), group.about.as_str())).collect(),
        ..Reader::default()
    };
    for (at, operation) in (0_u32..).zip(operations) {
        reader.read(at, operation);
    }
    reader.finish()
}

/// BM25's inverse document frequency: always above 0.
pub(super) fn rarity(operations: usize, having: f32) -> f32 {
    (1.0 + ((operations as f32 - having).max(0.0) + 0.5) / (having + 0.5)).ln()
}

/// Collects words; a text that many commands share is split once.
#[derive(Default)]
struct Reader<'a> {
    abouts: HashMap<&'a str, &'a str>,
    /// Word as spelled → number of its stem.
    numbers: HashMap<String, u32>,
    stems: HashMap<String, u32>,
    postings: Vec<Vec<Posting>>,
    texts: HashMap<&'a str, Range<usize>>,
    read: Vec<u32>,
    /// By number, what the operation at hand has of it; `touched` says which are not empty.
    found: Vec<(f32, u8)>,
    touched: Vec<u32>,
    shares: Vec<[f32; PATH_WORDS]>,
    named: HashMap<&'a str, Vec<u32>>,
    params: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, at: u32, operation: &'a Operation) {
        self.path(at, operation);
        for alias in &operation.aliases {
            self.text(alias.rsplit(' ').next().unwrap_or_default(), Field::Alias, 1.0);
        }
        self.text(&operation.about, Field::About, 1.0);
        self.text(operation.long_about.as_deref().unwrap_or_default(), Field::Long, 1.0);
        for example in &operation.examples {
            self.text(&example.title, Field::ExampleTitle, 1.0);
            self.text(&example.line, Field::ExampleLine, 1.0);
        }
        let share = (PLAIN_PARAMS / operation.params.len() as f32).min(1.0).sqrt();
        for param in &operation.params {
            self.text(&param.name, Field::ParamName, share);
            self.text(param.long_help.as_deref().unwrap_or(&param.help), Field::ParamHelp, share);
            for choice in value_type(&param.kind).into_iter().flat_map(|value| &value.choices) {
                self.text(&choice.name, Field::Choice, share);
                self.text(&choice.help, Field::ParamHelp, share);
            }
            for name in param.aliases.iter().chain([&param.name]) {
                self.params.entry(name).or_default().push(at);
            }
        }
        for number in self.touched.drain(..) {
            let (weight, path) = std::mem::take(&mut self.found[number as usize]);
            let weight = weight / (weight + SATURATION);
            self.postings[number as usize].push(Posting { operation: at, weight, path });
        }
    }

    fn path(&mut self, at: u32, operation: &'a Operation) {
        let mut bit = 0;
        let mut shares = [0.0; PATH_WORDS];
        let mut end = 0;
        for (depth, name) in operation.path.iter().enumerate() {
            let leaf = depth + 1 == operation.path.len();
            let (field, share) = if leaf { (Field::Leaf, 1.5) } else { (Field::Group, 1.0) };
            let range = self.split(name);
            // A compound comes first in one piece, which names all its parts.
            let parts = range.start + usize::from(range.len() > 2)..range.end;
            let weight = field.weight() * if parts.len() > 1 { PART } else { 1.0 };
            let mut bits = 0;
            for part in parts.clone() {
                self.add(self.read[part], weight, 1 << bit);
                shares[bit] += share / parts.len() as f32;
                bits |= 1 << bit;
                bit = (bit + 1).min(PATH_WORDS - 1);
            }
            if parts.start > range.start {
                self.add(self.read[range.start], field.weight(), bits);
            }
            self.named.entry(name).or_default().push(at);
            end += name.len() + usize::from(depth > 0);
            // The name is the path joined by spaces, so that a group's name is its start.
            let group = operation.name.get(..end).filter(|_| !leaf).and_then(|group| self.abouts.get(group));
            if let Some(about) = group.copied() {
                self.text(about, Field::GroupAbout, 1.0);
            }
        }
        let all: f32 = shares.iter().sum();
        self.shares.push(shares.map(|share| if all > 0.0 { share / all } else { 0.0 }));
    }

    fn text(&mut self, text: &'a str, field: Field, share: f32) {
        let range = self.split(text);
        let long = (range.len() as f32 / PLAIN_LENGTH).max(1.0).sqrt();
        for at in range {
            self.add(self.read[at], field.weight() * share / long, 0);
        }
    }

    /// Returns where in `read` the numbers of a text's words are.
    fn split(&mut self, text: &'a str) -> Range<usize> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let from = self.read.len();
        each_word(text, |word| {
            let number = self.number(word);
            self.read.push(number);
        });
        self.texts.insert(text, from..self.read.len());
        from..self.read.len()
    }

    fn add(&mut self, number: u32, weight: f32, path: u8) {
        let found = &mut self.found[number as usize];
        if *found == (0.0, 0) {
            self.touched.push(number);
        }
        // A word said again adds less than said first.
        found.0 = found.0.max(weight) + found.0.min(weight) * 0.3;
        found.1 |= path;
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(known) = self.numbers.get(word) {
            return *known;
        }
        let next = self.postings.len() as u32;
        let number = *self.stems.entry(stem(word)).or_insert(next);
        if number == next {
            self.postings.push(Vec::new());
            self.found.push((0.0, 0));
        }
        self.numbers.insert(word.to_owned(), number);
        number
    }

    fn finish(mut self) -> Read {
        let entry = |(stem, number): (String, u32)| {
            let postings = std::mem::take(&mut self.postings[number as usize]);
            // A word that many mention in passing and one has for its name is rare all the same.
            let having: f32 = postings.iter().map(|posting| posting.weight).sum::<f32>() / TELLING;
            (stem, Entry { postings, having })
        };
        let vocabulary = self.stems.into_iter().map(entry).collect();
        let mut params: HashMap<String, Vec<u32>> = HashMap::new();
        for (name, having) in self.params {
            params.entry(fold(name).replace('_', "-")).or_default().extend(having);
        }
        for having in params.values_mut() {
            having.sort_unstable();
            having.dedup();
        }
        let mut named: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (name, having) in self.named {
            each_word(name, |word| named.entry(word.to_owned()).or_default().extend(&having));
        }
        let spelled = Lexicon::new(self.numbers.into_keys());
        Read { vocabulary, spelled, shares: self.shares, named, params }
    }
}

fn value_type(kind: &ParamKind) -> Option<&ValueType> {
    match kind {
        ParamKind::One(value) | ParamKind::Optional { value, .. } | ParamKind::Many { item: value, .. } => Some(value),
        ParamKind::Switch | ParamKind::Count => None,
    }
}
