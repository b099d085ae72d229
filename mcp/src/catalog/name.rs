//! Names: of tools, of properties, and from any name back to its operation.

use super::Operation;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The most characters of a tool name: hosts count the server's name in.
pub(super) const TOOL_MAX: usize = 52;
/// The most characters of a property key.
const PROPERTY_MAX: usize = 64;

/// Gives each of several distinct paths its tool name, `^[a-z][a-z0-9_]{0,51}$`.
///
/// A name that would be cut or that two paths would share carries a hash of its path, so that the
/// order of the paths changes nothing; a reserved one is told apart by `_command`.
pub(super) fn tools(paths: &[&[String]], prefix: &str, reserved: &[String]) -> Vec<String> {
    let words = |path: &&[String]| match format!("{prefix}{}", tool_words(path)) {
        taken if reserved.contains(&taken) => format!("{taken}_command"),
        free => free,
    };
    let plain: Vec<String> = paths.iter().map(words).collect();
    let mut users: HashMap<&str, usize> = HashMap::with_capacity(plain.len() + reserved.len());
    for name in plain.iter().chain(reserved) {
        *users.entry(name).or_default() += 1;
    }
    if plain.iter().all(|name| users[name.as_str()] == 1 && name.len() <= TOOL_MAX) {
        return plain;
    }
    let mut salt = 0_u64;
    loop {
        let names = plain.iter().zip(paths).map(|(name, path)| match users[name.as_str()] {
            1 if name.len() <= TOOL_MAX => name.clone(),
            _ => hashed(name, path, salt),
        });
        let names: Vec<String> = names.collect();
        let mut seen: HashSet<&str> = reserved.iter().map(String::as_str).collect();
        if names.iter().all(|name| seen.insert(name)) {
            return names;
        }
        salt += 1;
    }
}

fn tool_words(path: &[String]) -> String {
    let mut name: String =
        path.join("_").chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name.insert_str(0, "x_");
    }
    name
}

fn hashed(name: &str, path: &[String], salt: u64) -> String {
    let bytes = path.iter().flat_map(|word| word.bytes().chain([0])).chain(salt.to_le_bytes());
    let cut = name[..name.len().min(TOOL_MAX - 9)].trim_end_matches('_');
    format!("{cut}_{:08x}", fnv(bytes) as u32)
}

/// FNV-1a: a hash that stays the same from release to release.
pub(super) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Makes a property key out of any name: `^[A-Za-z0-9_.-]{1,64}$`.
pub(super) fn property(name: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let key = match name.chars().all(is_valid) {
        true => name.to_owned(),
        false => name.chars().map(|c| if is_valid(c) { c } else { '_' }).collect(),
    };
    match key.len() {
        0 => "arg".to_owned(),
        1..=PROPERTY_MAX => key,
        _ => format!("{}_{:08x}", &key[..PROPERTY_MAX - 9], fnv(name.bytes()) as u32),
    }
}

/// Property keys already given in one operation; `-` and `_` count as the same.
#[derive(Default)]
pub(super) struct Properties(Vec<String>);

impl Properties {
    /// Takes a key, or the first free one with a number behind it.
    pub(super) fn take(&mut self, key: &str) -> String {
        let stem = &key[..key.len().min(PROPERTY_MAX - 4)];
        let numbered = (2..).map(|n: usize| format!("{stem}_{n}"));
        let key = std::iter::once(key.to_owned()).chain(numbered).find(|key| !self.holds(key)).unwrap_or_default();
        self.0.push(key.clone());
        key
    }

    pub(super) fn holds(&self, key: &str) -> bool {
        self.0.iter().any(|taken| is_same(taken, key))
    }
}

/// Tells whether two names differ at most in `-` and `_`, which users and agents take for the same.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let dash = |byte: u8| if byte == b'_' { b'-' } else { byte };
    a.len() == b.len() && a.bytes().map(dash).eq(b.bytes().map(dash))
}

pub(super) fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// From every name of an operation to its index.
#[derive(Debug)]
pub(super) struct Index {
    exact: HashMap<String, usize>,
    /// Names without regard to case and separators; `None` where two operations share one.
    lenient: HashMap<String, Option<usize>>,
}

impl Index {
    /// `spoken` holds the other ways to say each operation's path.
    pub(super) fn new(operations: &[Arc<Operation>], spoken: &[Vec<String>]) -> Self {
        let names = || HashMap::with_capacity(2 * operations.len());
        let mut index = Self { exact: names(), lenient: HashMap::with_capacity(operations.len()) };
        // Names win over tool names, and those over aliases.
        for (n, operation) in operations.iter().enumerate() {
            index.exact.insert(operation.name.clone(), n);
        }
        for (n, operation) in operations.iter().enumerate() {
            index.exact.entry(operation.tool.clone()).or_insert(n);
            index.add_lenient(&operation.name, n);
        }
        for (n, ways) in spoken.iter().enumerate() {
            for way in ways {
                index.exact.entry(way.clone()).or_insert(n);
                index.add_lenient(way, n);
            }
        }
        for (n, operation) in operations.iter().enumerate() {
            for former in &operation.former {
                index.exact.entry(former.clone()).or_insert(n);
                index.lenient.entry(loose(former)).or_insert(Some(n));
            }
        }
        index
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let exact = self.exact.get(name).copied();
        exact.or_else(|| self.lenient.get(&loose(name)).copied().flatten())
    }

    fn add_lenient(&mut self, name: &str, n: usize) {
        let entry = self.lenient.entry(loose(name)).or_insert(Some(n));
        if *entry != Some(n) {
            *entry = None;
        }
    }
}

/// Writes a name so that `Items  list`, `items_list`, `items.list` and `items/list` are the same.
pub(super) fn loose(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || "-_./".contains(c)).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns the candidates most like a name, best first; none that has nothing to do with it.
pub(crate) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    // A name that is longer than any candidate could be is compared by its start, so that it costs no more.
    let wanted = Words::new(&name[..name.floor_char_boundary(COMPARED_BYTES)]);
    let scored = candidates.map(|candidate| (wanted.likeness(&Words::new(candidate)), candidate));
    let mut scored: Vec<_> = scored.filter(|(score, _)| *score >= LIKE).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// The most bytes of a name that are compared with candidates.
const COMPARED_BYTES: usize = 256;

/// The least likeness of a name worth proposing.
const LIKE: f64 = 0.75;

/// A name as written and with its words in alphabetical order: `merge tags` is like `tags merge`.
struct Words {
    written: String,
    sorted: String,
}

impl Words {
    fn new(name: &str) -> Self {
        let mut words: Vec<String> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        let written = words.join(" ");
        words.sort_unstable();
        Self { written, sorted: words.join(" ") }
    }

    fn likeness(&self, other: &Self) -> f64 {
        let written = strsim::jaro_winkler(&self.written, &other.written);
        // A little less, so that the right order wins.
        let sorted = strsim::jaro_winkler(&self.sorted, &other.sorted) * 0.98;
        let ends = other.written.rsplit(' ').next().is_some_and(|last| last == self.written);
        if ends { written.max(0.9) } else { written.max(sorted) }
    }
}
