//! From the names that callers write to the params of an operation.

use crate::catalog::{Operation, Param};

/// What a name in a call means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The param at this index.
    Param(usize),
    /// Any of these, none of them exactly.
    Several(Vec<String>),
    /// No param.
    Nothing,
}

/// Finds the param that a name means: exactly, by an alias, or with `_` for `-` and leading dashes.
pub(super) fn meaning(operation: &Operation, name: &str) -> Meaning {
    let exact = |matches: &dyn Fn(&Param) -> bool| operation.params.iter().position(|param| matches(param));
    if let Some(index) = exact(&|param| param.name == name) {
        return Meaning::Param(index);
    }
    if let Some(index) = exact(&|param| param.aliases.iter().any(|alias| alias == name)) {
        return Meaning::Param(index);
    }
    let plain = plain(name);
    let loose = |param: &Param| {
        names_of(param).any(|other| other.chars().map(|c| if c == '_' { '-' } else { c }).eq(plain.chars()))
    };
    let mut found = operation.params.iter().enumerate().filter(|(_, param)| loose(param));
    match (found.next(), found.next()) {
        (None, _) => Meaning::Nothing,
        (Some((index, _)), None) => Meaning::Param(index),
        (Some((_, first)), Some((_, second))) => Meaning::Several(
            [first, second].into_iter().chain(found.map(|(_, param)| param)).map(|param| param.name.clone()).collect(),
        ),
    }
}

/// Returns the candidate nearest to a word, where one is near.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.75;
    // Longer words are cut so that hostile input costs nothing.
    let word: String = plain(word).chars().take(64).flat_map(char::to_lowercase).collect();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &plain(candidate).to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Returns the param name nearest to one that does not exist.
///
/// A gate only where no more than the dashes differ: to offer it for a likeness would be to suggest an effect that the
/// caller did not ask for.
pub(super) fn nearest_param(operation: &Operation, name: &str) -> Option<String> {
    let bare = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let is_meant = |param: &Param| !param.gate || names_of(param).any(|gate| bare(gate) == bare(name));
    let params = || operation.params.iter().filter(|param| is_meant(param));
    let close = nearest(name, params().flat_map(|param| names_of(param)))?;
    params().find(|param| names_of(param).any(|name| name == close)).map(|param| param.name.clone())
}

fn names_of(param: &Param) -> impl Iterator<Item = &str> {
    std::iter::once(param.name.as_str()).chain(param.aliases.iter().map(String::as_str))
}

fn plain(name: &str) -> String {
    name.trim_start_matches('-').replace('_', "-")
}
