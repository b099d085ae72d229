//! The source text before the parser sees it.

use crate::formats::FormatError;
use biblatex::{Pair, ParseError, RawBibliography, RawChunk, RawEntry, Spanned};
use std::collections::{HashMap, HashSet};

/// Stands for a byte that is to vanish, so that positions stay as they are.
pub(super) const FILLER: char = '\u{1}';

/// Stands for a hyphen that must not become a part of a dash.
const HYPHEN: char = '\u{2}';

/// A copy, byte for byte as long, in which hyphens stay hyphens: for addresses.
pub(super) fn keep_hyphens(text: &str) -> String {
    text.replace("--", &format!("-{HYPHEN}"))
}

/// Takes out what stood for something else.
pub(super) fn unmask(text: &str) -> String {
    text.replace(FILLER, "").replace(HYPHEN, "-")
}

/// Fields that hold no TeX.
pub(super) fn is_verbatim(field: &str) -> bool {
    matches!(field, "url" | "doi" | "eprint" | "file" | "uri" | "pdf" | "urlraw")
}

/// The line of a byte position, from 1.
pub(super) fn line_at(text: &str, position: usize) -> usize {
    let end = text.floor_char_boundary(position.min(text.len()));
    text[..end].matches('\n').count() + 1
}

/// A copy, byte for byte as long, in which TeX that only matters for typesetting is blank.
pub(super) fn mask(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    while at < out.len() {
        match out[at] {
            b'~' => out[at] = b' ',
            b'\\' => {
                at = mask_command(&mut out, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    // Only whole ASCII bytes were replaced by ASCII bytes.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Refuses what would make the parser recurse without end.
pub(super) fn check_nesting(text: &str) -> Result<(), FormatError> {
    const DEEPEST: usize = 100;
    let mut depth = 0_usize;
    let mut escaped = false;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(FormatError::new(
                line_at(text, position),
                format!("braces are nested more than {DEEPEST} deep"),
            ));
        }
    }
    Ok(())
}

/// Refuses `@string`s and entries that refer to themselves, directly or in a circle.
pub(super) fn check_circles(text: &str, raw: &RawBibliography<'_>) -> Result<(), FormatError> {
    let mut strings: HashMap<String, Vec<String>> = HashMap::new();
    let mut places: HashMap<String, (usize, &str)> = HashMap::new();
    for pair in &raw.abbreviations {
        let name = pair.key.v.to_ascii_lowercase();
        let used = pair.value.v.iter().filter_map(|chunk| match chunk.v {
            RawChunk::Abbreviation(used) => Some(used.to_ascii_lowercase()),
            RawChunk::Normal(_) => None,
        });
        strings.insert(name.clone(), used.collect());
        places.insert(name, (pair.key.span.start, "@string"));
    }
    if let Some(name) = find_circle(&strings) {
        let (position, field) = places[&name];
        return Err(FormatError::new(line_at(text, position), format!("`{name}` is defined by itself")).in_field(field));
    }

    let mut parents: HashMap<String, Vec<String>> = HashMap::new();
    let mut places: HashMap<String, (usize, &str)> = HashMap::new();
    for entry in &raw.entries {
        let key = entry.v.key.v.to_owned();
        for (position, field, named) in parents_of(&entry.v) {
            parents.entry(key.clone()).or_default().extend(named);
            places.insert(key.clone(), (position, field));
        }
    }
    if let Some(key) = find_circle(&parents) {
        let (position, field) = places[&key];
        let message = format!("`{key}` refers to itself, directly or through others");
        return Err(FormatError::new(line_at(text, position), message).in_field(field));
    }
    Ok(())
}

/// Returns the entries that one inherits from: where that is said, in which field, and which they are.
fn parents_of<'a>(entry: &'a RawEntry<'_>) -> impl Iterator<Item = (usize, &'static str, Vec<String>)> + 'a {
    entry.fields.iter().filter_map(|pair| {
        let field = match pair.key.v.to_ascii_lowercase().as_str() {
            "crossref" => "crossref",
            "xdata" => "xdata",
            _ => return None,
        };
        let text = |chunk: &Spanned<RawChunk<'a>>| match chunk.v {
            RawChunk::Normal(text) | RawChunk::Abbreviation(text) => text,
        };
        let value: String = pair.value.v.iter().map(text).collect();
        Some((pair.key.span.start, field, value.split(',').map(|key| key.trim().to_owned()).collect()))
    })
}

/// The most parts that one value may be joined of: the time that takes grows with their square.
const MOST_PARTS: usize = 10_000;

/// The most bytes that any file may grow to by its `@string`s and by what entries inherit; a large one four times its size.
const GROWN_BYTES: u64 = 32 << 20;

/// Refuses a small file that would fill the memory: each `@string` may hold the one before it twice, each entry inherit
/// all of a large one. Nothing in it is circular by now.
pub(super) fn check_growth(text: &str, raw: &RawBibliography<'_>) -> Result<(), FormatError> {
    let fields = raw.entries.iter().flat_map(|entry| &entry.v.fields);
    if let Some(pair) = raw.abbreviations.iter().chain(fields).find(|pair| pair.value.v.len() > MOST_PARTS) {
        let message = format!("more than {MOST_PARTS} parts are joined by `#`");
        return Err(FormatError::new(line_at(text, pair.key.span.start), message).in_field(pair.key.v));
    }
    let most = GROWN_BYTES.max(text.len() as u64 * 4);
    let refuse = |position: usize, name: &str| {
        let message = format!("`{name}` makes the file grow beyond {} MiB", most >> 20);
        Err(FormatError::new(line_at(text, position), message))
    };
    let strings: HashMap<String, &[Spanned<RawChunk<'_>>]> =
        raw.abbreviations.iter().map(|pair| (pair.key.v.to_ascii_lowercase(), &*pair.value.v)).collect();
    let used = |name: &String| chunks(strings.get(name).copied().unwrap_or_default());
    let sizes = grown(strings.keys(), used);
    if let Some(pair) = raw.abbreviations.iter().find(|pair| sizes[&pair.key.v.to_ascii_lowercase()] > most) {
        return refuse(pair.key.span.start, pair.key.v);
    }

    let entries: HashMap<String, &RawEntry<'_>> =
        raw.entries.iter().map(|entry| (entry.v.key.v.to_owned(), &entry.v)).collect();
    let own = |entry: &RawEntry<'_>| {
        let field = |pair: &Pair<'_>| {
            let (bytes, names) = chunks(&pair.value.v);
            names.iter().filter_map(|name| sizes.get(name)).fold(bytes, |sum, more| sum.saturating_add(*more))
        };
        entry.fields.iter().map(field).fold(0, u64::saturating_add)
    };
    let inherits = |key: &String| {
        let parents = |entry: &RawEntry<'_>| parents_of(entry).flat_map(|(.., named)| named).collect();
        entries.get(key).map_or((0, Vec::new()), |entry| (own(entry), parents(entry)))
    };
    let sizes = grown(entries.keys(), inherits);
    let mut total = 0_u64;
    for entry in &raw.entries {
        total = total.saturating_add(sizes.get(entry.v.key.v).copied().unwrap_or_default());
        if total > most {
            return refuse(entry.span.start, entry.v.key.v);
        }
    }
    Ok(())
}

/// Returns how large each is: by itself, and with all that it takes in.
fn grown<'a>(
    names: impl Iterator<Item = &'a String>,
    of: impl Fn(&String) -> (u64, Vec<String>),
) -> HashMap<String, u64> {
    let mut sizes: HashMap<String, u64> = HashMap::new();
    for name in names {
        // With an explicit stack, as for circles.
        let mut path = vec![name.clone()];
        while let Some(name) = path.last() {
            let (own, takes) = of(name);
            let unknown: Vec<&String> = takes.iter().filter(|taken| !sizes.contains_key(*taken)).collect();
            if unknown.is_empty() {
                let size = takes.iter().fold(own, |sum, taken| sum.saturating_add(sizes[taken]));
                sizes.insert(name.clone(), size);
                path.pop();
            } else {
                let unknown: Vec<String> = unknown.into_iter().cloned().collect();
                path.extend(unknown);
            }
        }
    }
    sizes
}

/// Returns how long the parts of a value are that stand there, and the names of the others.
fn chunks(value: &[Spanned<RawChunk<'_>>]) -> (u64, Vec<String>) {
    let mut bytes = 0;
    let mut names = Vec::new();
    for chunk in value {
        match chunk.v {
            RawChunk::Normal(text) => bytes += text.len() as u64,
            RawChunk::Abbreviation(name) => names.push(name.to_ascii_lowercase()),
        }
    }
    (bytes, names)
}

/// Names the line and field of a parser's error.
pub(super) fn explain(text: &str, fields: &[(std::ops::Range<usize>, String)], error: &ParseError) -> FormatError {
    let out = FormatError::new(line_at(text, error.span.start), error.kind.to_string());
    match fields.iter().find(|(span, _)| span.contains(&error.span.start)) {
        Some((_, field)) => out.in_field(field.clone()),
        None => out,
    }
}

/// Masks the command at `at`; returns where to go on.
fn mask_command(out: &mut [u8], at: usize) -> usize {
    let Some(&next) = out.get(at + 1) else { return at + 1 };
    if next.is_ascii_alphabetic() {
        let end = at + 1 + out[at + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let name = std::str::from_utf8(&out[at + 1..end]).unwrap_or_default().to_owned();
        let braced = out.get(end) == Some(&b'{');
        match name.as_str() {
            "noopsort" | "label" if braced => {
                let close = out[end..].iter().position(|b| *b == b'}').map_or(out.len(), |length| end + length + 1);
                out[at..close].fill(FILLER as u8);
                return close;
            }
            "emph" | "textit" | "textbf" | "textsc" | "textrm" | "textsf" | "texttt" | "textup" | "textsl"
            | "textnormal" | "mbox" | "text" | "url" | "ensuremath" | "uppercase" | "MakeUppercase"
                if braced =>
            {
                out[at..end].fill(FILLER as u8);
            }
            "em" | "it" | "bf" | "sc" | "rm" | "tt" | "sl" | "relax" | "itshape" | "bfseries" | "scshape" => {
                out[at..end].fill(FILLER as u8);
                if out.get(end) == Some(&b' ') {
                    out[end] = FILLER as u8;
                }
            }
            _ => {}
        }
        return end;
    }
    match next {
        b' ' | b'\n' | b'\t' => out[at] = b' ',
        b',' | b';' => out[at..at + 2].fill(b' '),
        b'/' | b'!' | b'@' => out[at..at + 2].fill(FILLER as u8),
        // An accent on a dotless letter, `\'\i`: the accent alone suffices.
        b'\'' | b'`' | b'^' | b'"' | b'~' | b'=' if out.get(at + 2) == Some(&b'\\') => {
            let dotless = matches!(out.get(at + 3), Some(b'i' | b'j'));
            if dotless && !out.get(at + 4).is_some_and(u8::is_ascii_alphabetic) {
                out[at + 2] = out[at + 3];
                out[at + 3] = FILLER as u8;
                return at + 4;
            }
        }
        _ => {}
    }
    at + 2
}

/// A name that can be reached from itself.
fn find_circle(edges: &HashMap<String, Vec<String>>) -> Option<String> {
    let mut finished = HashSet::new();
    let mut names: Vec<_> = edges.keys().collect();
    names.sort();
    for start in names {
        // Depth first with an explicit stack: the chain of a hostile file may be long.
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((name, next)) = path.last_mut() {
            let target = edges.get(*name).and_then(|targets| targets.get(*next));
            *next += 1;
            match target {
                None => {
                    let name = *name;
                    finished.insert(name);
                    path.pop();
                }
                Some(target) if path.iter().any(|(name, _)| name == target) => return Some(target.clone()),
                Some(target) if finished.contains(target.as_str()) => {}
                Some(target) => path.push((target, 0)),
            }
        }
    }
    None
}
