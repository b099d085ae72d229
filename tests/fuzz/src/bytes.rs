//! Raw input, spent piece by piece on what a call may hold.

use serde_json::{Map, Number, Value};

/// What is left of an input.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// Spends one byte; 0 where none is left.
    pub(crate) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Spends a byte on a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.next()) % end.max(1)
    }

    /// Spends a length and as many bytes.
    fn text(&mut self) -> String {
        let length = usize::from(self.next()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.next()))
    }

    /// Spends bytes on a value that may suit a param, `words` among its texts.
    pub(crate) fn value(&mut self, words: &[&str], depth: usize) -> Value {
        match self.below(if depth < 3 { 14 } else { 11 }) {
            0 => Value::Null,
            1 => true.into(),
            2 => false.into(),
            3 => self.next().into(),
            4 => (self.number() as i64).into(),
            5 => self.number().into(),
            6 => Number::from_f64(f64::from_bits(self.number())).map_or(Value::Null, Value::Number),
            7 if !words.is_empty() => words[self.below(words.len())].into(),
            8 => format!("--{}", self.text()).into(),
            9 => self.number().to_string().into(),
            11 | 12 => (0..self.below(6)).map(|_| self.value(words, depth + 1)).collect(),
            13 => Value::Object(self.object(words, depth + 1)),
            _ => self.text().into(),
        }
    }

    /// Spends bytes on an object whose keys are mostly `words`.
    pub(crate) fn object(&mut self, words: &[&str], depth: usize) -> Map<String, Value> {
        let mut object = Map::new();
        for _ in 0..self.below(12) {
            let name = match self.below(8) {
                0 => self.text(),
                1 if !words.is_empty() => format!("--{}", words[self.below(words.len())]),
                2 if !words.is_empty() => words[self.below(words.len())].replace('-', "_"),
                _ if !words.is_empty() => words[self.below(words.len())].to_owned(),
                _ => self.text(),
            };
            let value = self.value(words, depth);
            object.insert(name, value);
        }
        object
    }
}
