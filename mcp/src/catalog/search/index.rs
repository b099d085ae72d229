//! The index itself: what is known of each operation's words, and the scores.

use super::query::{Query, Term, TermKind};
use super::reader::{self, Entry, PATH_WORDS, Read, rarity};
use super::thesaurus::{THESAURUS, is_stop_word};
use super::words::{start, stem, words};
use crate::catalog::{Effect, Operation};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

/// Ranks operations by what somebody wants.
#[derive(Debug)]
pub struct Index {
    operations: Vec<Arc<Operation>>,
    groups: Vec<GroupAbout>,
    read: Read,
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

/// How much a wholly named path adds to a score.
const PATH_BONUS: f32 = 0.6;
/// How much of a word a typing error leaves.
const TYPO: f32 = 0.75;
/// How much of a word each of its halves is.
const HALF: f32 = 0.7;
/// What a flag by its name adds, beside its words.
const FLAG: f32 = 1.2;
/// What a question or a preview adds to operations that change nothing.
const READ_BONUS: f32 = 1.25;
/// Hits below this part of the best one are noise.
const NOISE: f32 = 0.12;
/// What the very name of an operation scores.
const EXACT: f32 = 1_000.0;

impl Index {
    /// Reads the words of all operations, and of the groups they stand in.
    pub fn new(operations: &[Arc<Operation>], groups: &[GroupAbout]) -> Self {
        let mut names: HashMap<String, Vec<u32>> = HashMap::new();
        for (at, operation) in (0_u32..).zip(operations) {
            for name in operation.aliases.iter().chain([&operation.name, &operation.tool]) {
                let known = names.entry(loose(name)).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
        }
        let read = reader::read(operations.iter().map(Arc::as_ref), groups);
        Self { operations: operations.to_vec(), groups: groups.to_vec(), read, names }
    }

    /// Returns the operations that a query may mean, best first, at most `limit`; ties in the tree's order.
    ///
    /// Any text is a query; one that matches nothing gives nothing.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let asked = Query::parse(query);
        let mut scores = Scores::new(self.operations.len());
        for term in &asked.terms {
            self.add_term(term, &mut scores);
        }
        for flag in &asked.flags {
            self.add_flag(flag, &mut scores);
        }
        let mut scores = scores.with_paths(&self.read.shares);
        if asked.reads {
            for (score, operation) in scores.iter_mut().zip(&self.operations) {
                *score *= if operation.declared == Some(Effect::ReadOnly) { READ_BONUS } else { 1.0 };
            }
        }
        let noise = NOISE * scores.iter().copied().fold(0.0, f32::max);
        for score in scores.iter_mut().filter(|score| **score < noise) {
            *score = 0.0;
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
        let mut asked = words(start(query, 200));
        asked.truncate(8);
        let mut likeness = vec![0.0_f64; self.operations.len()];
        for (word, having) in &self.read.named {
            let like =
                asked.iter().map(|asked| strsim::normalized_damerau_levenshtein(asked, word)).fold(0.0, f64::max);
            for at in having {
                let known = &mut likeness[*at as usize];
                *known = known.max(like);
            }
        }
        let mut near: Vec<usize> = (0..likeness.len()).filter(|at| likeness[*at] > 0.3).collect();
        near.sort_by(|a, b| likeness[*b].total_cmp(&likeness[*a]));
        near.into_iter().take(limit).map(|at| self.operations[at].name.as_str()).collect()
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

    fn add_term(&self, term: &Term, scores: &mut Scores) {
        let unwanted = term.kind == TermKind::Unwanted;
        let readings = self.readings(term);
        let all = self.operations.len();
        let own = self.read.vocabulary.get(&stem(&term.word)).map_or(0.0, |entry| entry.having);
        // Whatever the CLI calls a thing, it is as common as all its names: a rare synonym in passing proves little.
        let meant = readings.iter().map(|(entry, likely)| entry.having * likely).sum::<f32>().max(own);
        for (entry, likely) in readings {
            let rare = if likely < 1.0 { rarity(all, meant) } else { rarity(all, entry.having) };
            for posting in &entry.postings {
                let named = if unwanted { 0 } else { posting.path };
                scores.may_be(posting.operation, likely * rare * posting.weight, named, likely * term.weight);
            }
        }
        scores.settle(if unwanted { -0.5 } else { 1.0 } * term.weight);
    }

    /// Returns the indexed words that a term may mean, each with how likely it does.
    fn readings(&self, term: &Term) -> Vec<(&Entry, f32)> {
        let mut likely: BTreeMap<&str, f32> = BTreeMap::new();
        match term.kind {
            TermKind::Phrase => self.read_as(&term.word, 1.0, &mut likely),
            TermKind::Joined => {
                let joined = stem(&term.word);
                if self.read.vocabulary.contains_key(&joined) || THESAURUS.knows(&term.word) {
                    self.read_as(&joined, 1.0, &mut likely);
                }
            }
            TermKind::Word | TermKind::Unwanted => {
                let stemmed = stem(&term.word);
                self.read_as(&stemmed, 1.0, &mut likely);
                if !self.read.vocabulary.contains_key(&stemmed) && !THESAURUS.knows(&term.word) {
                    for half in self.halves(&term.word) {
                        self.read_as(&half, HALF, &mut likely);
                    }
                    for (word, sure) in self.corrections(&term.word) {
                        self.read_as(&stem(&word), sure, &mut likely);
                    }
                }
            }
        }
        likely.into_iter().filter_map(|(word, sure)| Some((self.read.vocabulary.get(word)?, sure))).collect()
    }

    fn read_as<'a>(&'a self, stem: &str, sure: f32, likely: &mut BTreeMap<&'a str, f32>) {
        let mut may_be = |word: &str, sure: f32| {
            if let Some((word, _)) = self.read.vocabulary.get_key_value(word) {
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
            .read
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

    /// Returns the two words of the index that one is made of: `filename`.
    fn halves(&self, word: &str) -> Vec<String> {
        let known = |half: &str| half.len() > 2 && self.read.vocabulary.contains_key(&stem(half));
        let cut = word.char_indices().map(|(cut, _)| word.split_at(cut)).find(|(a, b)| known(a) && known(b));
        cut.map(|(a, b)| vec![stem(a), stem(b)]).unwrap_or_default()
    }

    /// Returns the known words that a mistyped one may be, none where it is most likely a stop word.
    fn corrections(&self, word: &str) -> Vec<(String, f32)> {
        let own = self.read.spelled.near(word);
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
    fn add_flag(&self, flag: &str, scores: &mut Scores) {
        let Some(having) = self.read.params.get(flag) else { return };
        for operation in having {
            scores.may_be(*operation, rarity(self.operations.len(), having.len() as f32), 0, 0.0);
        }
        scores.settle(FLAG);
    }

    fn rank(&self, scores: &[f32], limit: usize) -> Vec<Hit> {
        let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
        let mut ranked: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        if limit < ranked.len() {
            ranked.select_nth_unstable_by(limit, better);
            ranked.truncate(limit);
        }
        ranked.sort_unstable_by(better);
        ranked.into_iter().map(|at| Hit { operation: Arc::clone(&self.operations[at]), score: scores[at] }).collect()
    }
}

/// The scores of one search, term by term.
struct Scores {
    settled: Vec<f32>,
    /// How surely each word of a path was said.
    named: Vec<[f32; PATH_WORDS]>,
    /// What the term at hand adds. Of all that it may mean, the best alone counts: many synonyms prove nothing.
    open: Vec<f32>,
    touched: Vec<u32>,
}

impl Scores {
    fn new(operations: usize) -> Self {
        let (settled, open) = (vec![0.0; operations], vec![0.0; operations]);
        Self { settled, open, named: vec![[0.0; PATH_WORDS]; operations], touched: Vec::new() }
    }

    fn may_be(&mut self, operation: u32, score: f32, path: u8, sure: f32) {
        let open = &mut self.open[operation as usize];
        if *open == 0.0 {
            self.touched.push(operation);
        }
        *open = open.max(score);
        if path != 0 {
            for (bit, named) in self.named[operation as usize].iter_mut().enumerate() {
                if path & (1 << bit) != 0 {
                    *named = named.max(sure.min(1.0));
                }
            }
        }
    }

    fn settle(&mut self, weight: f32) {
        for operation in self.touched.drain(..) {
            self.settled[operation as usize] += weight * std::mem::take(&mut self.open[operation as usize]);
        }
    }

    fn with_paths(self, shares: &[[f32; PATH_WORDS]]) -> Vec<f32> {
        let said = |(shares, named): (&[f32; PATH_WORDS], &[f32; PATH_WORDS])| {
            shares.iter().zip(named).map(|(share, sure)| share * sure).sum::<f32>()
        };
        let paths = shares.iter().zip(&self.named).map(said);
        self.settled.iter().zip(paths).map(|(score, path)| score * (1.0 + PATH_BONUS * path)).collect()
    }
}

/// Brings the spellings of one name together: `items_get`, `Items  get`, `items-get`.
fn loose(name: &str) -> String {
    let mut loose = String::with_capacity(name.len().min(400));
    for c in start(name, 400).chars() {
        if !(c.is_whitespace() || matches!(c, '-' | '_')) {
            loose.extend(c.to_lowercase());
        } else if !loose.is_empty() && !loose.ends_with(' ') {
            loose.push(' ');
        }
    }
    loose.truncate(loose.trim_end().len());
    loose
}
