//! Takes secrets out of whatever leaves.

use crate::catalog::{Hidden, REDACTED};
use crate::refusal::Refusal;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// The shortest value that is looked for: shorter ones stand in everything.
const SHORTEST: usize = 4;

/// The shortest line of a value of several that is looked for alone.
const LONG_LINE: usize = 16;

/// The most bytes that JSON takes for one: `\u0061` for `a`.
const ESCAPED_BYTES: usize = 6;

/// Values that are never shown.
#[derive(Clone, Default)]
pub struct Mask {
    /// The longest first, so that a value which holds another one is taken as a whole.
    needles: Vec<String>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} values)", self.needles.len())
    }
}

impl Mask {
    /// Looks for values, as they are and as JSON may write them.
    pub(crate) fn new<'a>(values: impl IntoIterator<Item = &'a Hidden>) -> Self {
        let mut needles: Vec<String> = Vec::new();
        for value in values {
            let plain = value.reveal().trim();
            // A program that prints a key line by line may indent it.
            let lines = plain.lines().map(str::trim).filter(|line| line.len() >= LONG_LINE);
            needles
                .extend(std::iter::once(plain).filter(|plain| plain.len() >= SHORTEST).chain(lines).map(str::to_owned));
        }
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.len()));
        needles.dedup();
        Self { needles }
    }

    /// Tells whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Masks a text.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.first(text.as_bytes()) {
            None => text.into(),
            Some(_) => String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned().into(),
        }
    }

    /// Masks every text in a value.
    pub(crate) fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.value(member));
                if members.keys().any(|name| self.first(name.as_bytes()).is_some()) {
                    *members = std::mem::take(members)
                        .into_iter()
                        .fold(Map::new(), |masked, member| self.member(masked, member));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Adds a member under its masked name, beside others of that name.
    fn member(&self, mut members: Map<String, Value>, (mut name, value): (String, Value)) -> Map<String, Value> {
        self.string(&mut name);
        while members.contains_key(&name) {
            name.push('\'');
        }
        members.insert(name, value);
        members
    }

    /// Masks what a refusal tells.
    pub(crate) fn refusal(&self, mut refusal: Refusal) -> Refusal {
        if self.is_empty() {
            return refusal;
        }
        self.string(&mut refusal.message);
        refusal.hint.iter_mut().for_each(|hint| self.string(hint));
        for problem in &mut refusal.problems {
            self.string(&mut problem.param);
            self.string(&mut problem.problem);
            let told = problem.given.iter_mut().chain(&mut problem.expected).chain(&mut problem.nearest);
            told.chain(&mut problem.allowed).for_each(|text| self.string(text));
        }
        if let Some(partial) = &mut refusal.partial {
            self.string(&mut partial.stdout);
            self.string(&mut partial.stderr);
        }
        refusal
    }

    pub(crate) fn string(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.text(text) {
            *text = masked;
        }
    }

    fn bytes(&self, mut bytes: &[u8]) -> Vec<u8> {
        let mut masked = Vec::with_capacity(bytes.len());
        while let Some((at, length)) = self.first(bytes) {
            masked.extend_from_slice(&bytes[..at]);
            masked.extend_from_slice(REDACTED.as_bytes());
            bytes = &bytes[at + length..];
        }
        masked.extend_from_slice(bytes);
        masked
    }

    /// Tells where the end of the bytes may be the start of a value; their length where it is not.
    fn begins(&self, bytes: &[u8]) -> usize {
        let longest = self.needles.first().map_or(0, |needle| needle.len() * ESCAPED_BYTES);
        let from = bytes.len().saturating_sub(longest);
        let begins = |at: &usize| {
            let may = |needle: &&String| needle.len() * ESCAPED_BYTES > bytes.len() - at;
            self.needles.iter().take_while(may).any(|needle| is_at(&bytes[*at..], needle) == At::Cut)
        };
        (from..bytes.len()).find(begins).unwrap_or(bytes.len())
    }

    /// Finds the first value: where, and how long it is.
    fn first(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let found = self.needles.iter().filter_map(|needle| find(bytes, needle));
        found.min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))
    }
}

fn find(bytes: &[u8], needle: &str) -> Option<(usize, usize)> {
    let first = *needle.as_bytes().first()?;
    let may_begin = |byte: &u8| *byte == first || *byte == b'\\';
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(may_begin).map(|at| from + at) {
        if let At::Whole(length) = is_at(&bytes[at..], needle) {
            return Some((at, length));
        }
        from = at + 1;
    }
    None
}

/// How far a value stands at the start of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// As a whole, in so many bytes.
    Whole(usize),
    /// As far as the bytes go.
    Cut,
    No,
}

/// Tells whether a value stands there as it is, or as JSON may write it.
fn is_at(bytes: &[u8], needle: &str) -> At {
    let plain = match bytes.len() < needle.len() {
        true if needle.as_bytes().starts_with(bytes) => At::Cut,
        false if bytes.starts_with(needle.as_bytes()) => At::Whole(needle.len()),
        _ => At::No,
    };
    match plain {
        At::Whole(_) => plain,
        _ => match in_json(bytes, needle) {
            At::No => plain,
            found => found,
        },
    }
}

/// Tells so of a text in JSON, whose writers differ in what they escape.
fn in_json(bytes: &[u8], needle: &str) -> At {
    let mut at = 0;
    for unit in needle.chars() {
        let rest = &bytes[at..];
        let found = if rest.first() == Some(&b'\\') {
            escaped(rest, unit)
        } else {
            let mut literal = [0; 4];
            let literal = unit.encode_utf8(&mut literal).as_bytes();
            match rest.len() < literal.len() {
                true if literal.starts_with(rest) => At::Cut,
                false if rest.starts_with(literal) => At::Whole(literal.len()),
                _ => At::No,
            }
        };
        match found {
            At::Whole(length) => at += length,
            other => return other,
        }
    }
    At::Whole(at)
}

/// Tells whether an escape stands for a character: `\n`, `\/`, `\u00e4`, two of those for one beyond U+FFFF.
fn escaped(bytes: &[u8], wanted: char) -> At {
    let short = match wanted {
        '"' | '\\' | '/' => Some(wanted),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    };
    match bytes.get(1) {
        None => return At::Cut,
        Some(b'u') => {}
        Some(letter) => return if short == Some(char::from(*letter)) { At::Whole(2) } else { At::No },
    }
    let mut units = [0; 2];
    let long: String = wanted.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    let is_same = |(a, b): (&u8, &u8)| a.eq_ignore_ascii_case(b);
    match bytes.iter().zip(long.as_bytes()).all(is_same) {
        true if bytes.len() < long.len() => At::Cut,
        true => At::Whole(long.len()),
        false => At::No,
    }
}

/// Masks a stream, of which a value may come in parts.
#[derive(Debug, Default)]
pub(super) struct Masking {
    /// `None` where there is nothing to look for.
    mask: Option<Arc<Mask>>,
    /// The end of what came, which may be the start of a value.
    pending: Vec<u8>,
}

impl Masking {
    pub(super) fn new(mask: &Arc<Mask>) -> Self {
        Self { mask: (!mask.is_empty()).then(|| mask.clone()), pending: Vec::new() }
    }

    /// Masks a chunk, and holds back what can't be told yet.
    pub(super) fn push<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(mask) = &self.mask else { return chunk.into() };
        self.pending.extend_from_slice(chunk);
        let mut masked = Vec::with_capacity(self.pending.len());
        let mut rest = &self.pending[..];
        loop {
            let held = mask.begins(rest);
            match mask.first(rest) {
                // A longer value may begin where a shorter one stands.
                Some((at, length)) if at < held => {
                    masked.extend_from_slice(&rest[..at]);
                    masked.extend_from_slice(REDACTED.as_bytes());
                    rest = &rest[at + length..];
                }
                _ => {
                    masked.extend_from_slice(&rest[..held]);
                    self.pending = rest[held..].to_vec();
                    return masked.into();
                }
            }
        }
    }

    /// Returns what was held back.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        let pending = std::mem::take(&mut self.pending);
        self.mask.as_ref().map_or_else(Vec::new, |mask| mask.bytes(&pending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::{Kind, Problem};
    use serde_json::json;

    fn mask() -> Mask {
        let key = "-----BEGIN KEY-----\n  MIIEvQIBADANBgkqhkiG\nshort\n\"9w0BAQEFAASC\\BKcw\"";
        Mask::new(
            &["hunter2", "hunter2-long", "pa\"ss\nword", "abc", "aaab", "\"quoted\"", "päss-кл-🔑/", key]
                .map(Hidden::new),
        )
    }

    #[test]
    fn values_are_taken_out_of_text_and_json() {
        for (text, masked) in [
            ("x hunter2 y hunter2-long z", "x [secret] y [secret] z"),
            ("hunter hunter2", "hunter [secret]"),
            ("{\"p\":\"pa\\\"ss\\nword\"} pa\"ss\nword", "{\"p\":\"[secret]\"} [secret]"),
            ("aaaaab é abc", "aa[secret] é abc"),
            (r#"{"p":"\"quoted\""} "quoted" x"#, r#"{"p":"[secret]"} [secret] x"#),
            ("\tMIIEvQIBADANBgkqhkiG\r\n\tshort", "\t[secret]\r\n\tshort"),
            (r#"["\"9w0BAQEFAASC\\BKcw\""]"#, r#"["[secret]"]"#),
            (r#"{"p":"p\u00e4ss-\u043A\u043b-\ud83d\uDD11\/"}"#, r#"{"p":"[secret]"}"#),
            (r#"{"p":"päss-кл-🔑/", "q":"\u0068unter2"}"#, r#"{"p":"[secret]", "q":"[secret]"}"#),
            (r"\u0068unter3 \ud83d \u00", r"\u0068unter3 \ud83d \u00"),
        ] {
            assert_eq!(mask().text(text), masked);
        }
        let mut value = json!({"a": ["hunter2", 1], "b": {"c": "x"}});
        mask().value(&mut value);
        assert_eq!(value, json!({"a": ["[secret]", 1], "b": {"c": "x"}}));
        let mut names = json!({"x": [{"hunter2": 1, "a": 2, "hunter2-long": {"a hunter2": 3}}]});
        mask().value(&mut names);
        assert_eq!(names, json!({"x": [{"[secret]": 1, "a": 2, "[secret]'": {"a [secret]": 3}}]}));
        let secret = || Some("hunter2".to_owned());
        let problem = Problem {
            param: "hunter2".into(),
            problem: "hunter2".into(),
            given: secret(),
            expected: secret(),
            allowed: vec!["a".into(), "hunter2".into()],
            nearest: secret(),
        };
        let refusal = Refusal::invalid(vec![problem]).because("no hunter2").hint("not hunter2");
        assert!(!mask().refusal(refusal).to_json().to_string().contains("hunter2"));
        assert_eq!(mask().refusal(Refusal::new(Kind::Internal)), Refusal::new(Kind::Internal));
    }

    #[test]
    fn values_that_come_in_parts_are_found_all_the_same() {
        let text =
            r#"aaaaab hunter hunter2hunter2-long pa\"ss\nword p\u00e4ss-\u043a\u043b-\ud83d\udd11/ \u00 hunter2-lon"#;
        let whole = mask().text(text).into_owned();
        for size in 1..text.len() {
            let mut masking = Masking::new(&Arc::new(mask()));
            let mut masked: Vec<u8> =
                text.as_bytes().chunks(size).flat_map(|chunk| masking.push(chunk).into_owned()).collect();
            masked.extend(masking.rest());
            let masked = String::from_utf8(masked).unwrap();
            assert_eq!(masked, whole, "{size}");
        }
    }
}
