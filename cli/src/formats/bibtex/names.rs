//! Lists of names, as `author` and `editor` hold them.

use super::source::FILLER;
use crate::formats::{Creator, Name, Role};
use biblatex::{Chunk, ChunksRef};
use std::borrow::Cow;

/// Reads `Knuth, Donald E. and {Free Software Foundation} and others`.
pub(super) fn read_names(chunks: ChunksRef<'_>, role: Role) -> Vec<Creator> {
    let chars = collapse(chunks);
    split_at_and(&chars)
        .into_iter()
        .filter(|name| !name.is_empty() && !is_others(name))
        .map(|name| read_name(name, role))
        .collect()
}

/// The text of a chunk, formulas with their signs, and whether it is protected from being split.
pub(super) fn marked_text(chunk: &Chunk) -> (Cow<'_, str>, bool) {
    match chunk {
        Chunk::Normal(text) => (Cow::Borrowed(text), false),
        Chunk::Verbatim(text) => (Cow::Borrowed(text), true),
        Chunk::Math(text) => (Cow::Owned(format!("${text}$")), true),
    }
}

/// Writes one name, such that it is read back unchanged.
pub(super) fn write_name(name: &Name, escape: impl Fn(&str) -> String) -> String {
    match name {
        Name::Literal(name) => format!("{{{}}}", escape(name)),
        Name::Person { family, given: None } => {
            let is_word =
                !family.contains([' ', ',', '=', '$']) && !family.eq_ignore_ascii_case("and") && family != "others";
            if is_word { escape(family) } else { format!("{},", protect(family, &escape)) }
        }
        Name::Person { family, .. } => {
            let (given, suffix) = name.given_and_suffix();
            let given = protect(given.unwrap_or_default(), &escape);
            match suffix {
                Some(suffix) => format!("{}, {}, {given}", protect(family, &escape), protect(suffix, &escape)),
                None => format!("{}, {given}", protect(family, &escape)),
            }
        }
    }
}

/// A character, and whether braces protect it.
type Marked = (char, bool);

/// The characters of a field, with runs of white space as one space.
fn collapse(chunks: ChunksRef<'_>) -> Vec<Marked> {
    let mut out: Vec<Marked> = Vec::new();
    for chunk in chunks {
        let (text, protected) = marked_text(&chunk.v);
        for c in text.chars().filter(|c| *c != FILLER) {
            let c = if c.is_whitespace() { ' ' } else { c };
            if c != ' ' || out.last().is_some_and(|(last, _)| *last != ' ') {
                out.push((c, protected));
            }
        }
    }
    out
}

fn split_at_and(chars: &[Marked]) -> Vec<&[Marked]> {
    let mut names = Vec::new();
    let mut start = 0;
    for (index, _) in chars.iter().enumerate() {
        let word = chars.get(index..index + 5).unwrap_or_default();
        if index >= start && word.iter().all(|(_, protected)| !protected) && plain(word).eq_ignore_ascii_case(" and ") {
            names.push(trim(&chars[start..index]));
            start = index + 4;
        }
    }
    names.push(trim(&chars[start.min(chars.len())..]));
    names
}

/// Whether a name stands for the ones that are left out.
fn is_others(name: &[Marked]) -> bool {
    plain(name) == "others" && name.iter().all(|(_, protected)| !protected)
}

fn read_name(name: &[Marked], role: Role) -> Creator {
    if name.iter().all(|(_, protected)| *protected) {
        return Creator::literal(role, &plain(name));
    }
    let parts: Vec<&[Marked]> = name.split(|marked| *marked == (',', false)).map(trim).collect();
    if let Some(creator) = read_extended(&parts, role) {
        return creator;
    }
    match parts.as_slice() {
        [whole] => {
            let family = family_start(whole);
            Creator::person(role, &plain(&whole[family..]), &plain(&whole[..family]))
        }
        [family, given] => Creator::person(role, &plain(family), &plain(given)),
        [family, suffix, given @ ..] => {
            let given: Vec<String> = given.iter().map(|part| plain(part)).filter(|part| !part.is_empty()).collect();
            let suffix = plain(suffix);
            let given = if suffix.is_empty() { given.join(", ") } else { format!("{}, {suffix}", given.join(", ")) };
            Creator::person(role, &plain(family), given.trim_start_matches(", "))
        }
        [] => Creator::literal(role, ""),
    }
}

/// Reads BibLaTeX's `family=Beethoven, given=Ludwig, prefix=van`.
fn read_extended(parts: &[&[Marked]], role: Role) -> Option<Creator> {
    let mut family = None;
    let (mut given, mut prefix, mut suffix) = (String::new(), String::new(), String::new());
    for part in parts {
        let text = plain(part);
        let (key, value) = text.split_once('=')?;
        let value = value.trim().to_owned();
        match key.trim() {
            "family" => family = Some(value),
            "given" => given = value,
            "prefix" => prefix = value,
            "suffix" => suffix = value,
            "given-i" | "prefix-i" | "family-i" | "suffix-i" | "useprefix" | "id" => {}
            _ => return None,
        }
    }
    let family = format!("{prefix} {}", family?);
    let given = if suffix.is_empty() { given } else { format!("{given}, {suffix}") };
    Some(Creator::person(role, &family, &given))
}

/// Where the family name starts in `Ludwig van Beethoven`: at the particle, else at the last word.
fn family_start(name: &[Marked]) -> usize {
    let mut last = 0;
    for index in 0..name.len() {
        let is_start = name[index].0 != ' ' && (index == 0 || name[index - 1] == (' ', false));
        if !is_start {
            continue;
        }
        if !name[index].1 && name[index].0.is_lowercase() {
            return index;
        }
        last = index;
    }
    last
}

/// Escapes a part of a name, and puts what would split it in braces.
fn protect(part: &str, escape: &impl Fn(&str) -> String) -> String {
    let splits =
        part.contains(',') || part.contains('=') || part.split(' ').any(|word| word.eq_ignore_ascii_case("and"));
    // A part in braces as a whole would be read as a literal only if the rest of the name were, too.
    if splits { format!("{{{}}}", escape(part)) } else { escape(part) }
}

fn plain(chars: &[Marked]) -> String {
    chars.iter().map(|(c, _)| *c).collect()
}

fn trim(mut chars: &[Marked]) -> &[Marked] {
    while let [(' ', _), rest @ ..] | [rest @ .., (' ', _)] = chars {
        chars = rest;
    }
    chars
}
