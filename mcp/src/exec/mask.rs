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

/// Values that are never shown.
#[derive(Clone, Default)]
pub struct Mask {
    /// The longest first, so that a value which holds another one is taken as a whole.
    needles: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} values)", self.needles.len())
    }
}

impl Mask {
    /// Looks for values, and for how JSON writes them.
    pub(crate) fn new<'a>(values: impl IntoIterator<Item = &'a Hidden>) -> Self {
        let mut needles: Vec<Vec<u8>> = Vec::new();
        for value in values {
            let plain = value.reveal().trim();
            // A program that prints a key line by line may indent it.
            let lines = plain.lines().map(str::trim).filter(|line| line.len() >= LONG_LINE);
            for written in std::iter::once(plain).filter(|plain| plain.len() >= SHORTEST).chain(lines) {
                let json = Value::from(written).to_string();
                needles.extend([written, &json[1..json.len() - 1]].map(Into::into));
            }
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
        let longest = self.needles.first().map_or(0, Vec::len);
        let from = bytes.len().saturating_sub(longest.saturating_sub(1));
        let begins = |at: &usize| {
            self.needles.iter().any(|needle| needle.len() > bytes.len() - at && needle.starts_with(&bytes[*at..]))
        };
        (from..bytes.len()).find(begins).unwrap_or(bytes.len())
    }

    /// Finds the first value: where, and how long it is.
    fn first(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let found = self.needles.iter().filter_map(|needle| Some((find(bytes, needle)?, needle.len())));
        found.min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(needle) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
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
        Mask::new(&["hunter2", "hunter2-long", "pa\"ss\nword", "abc", "aaab", "\"quoted\"", key].map(Hidden::new))
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
        let text = "aaaaab hunter hunter2hunter2-long pa\"ss\nword hunter2-lon";
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
