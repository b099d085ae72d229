//! Walks over JSON text without keeping it: what is read may be far larger than memory is to be used for.
//!
//! The text has been found valid before; on anything else a walk ends with an error, never in a loop.

use super::source::Source;
use std::io::{self, BufRead, Write};

/// The longest key that is read.
const KEY_BYTES: usize = 64 << 10;

/// A reader at some place of a JSON text.
pub(crate) struct Scanner<'a> {
    reader: Box<dyn BufRead + 'a>,
    at: u64,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its first byte.
    pub(crate) start: u64,
    /// How long it is without the spaces between its parts.
    pub(crate) size: u64,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Array,
    Object,
    String,
    /// A number, `true`, `false` or `null`.
    Plain,
}

/// What a child of a container goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Index(u64),
    Name(String),
}

impl Key {
    /// Writes it as a part of a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        match self {
            Self::Index(index) => format!("/{index}"),
            Self::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        }
    }

    fn is(&self, token: &str) -> bool {
        match self {
            Self::Index(index) => token.parse() == Ok(*index) && !(token.len() > 1 && token.starts_with(['0', '+'])),
            Self::Name(name) => name == token,
        }
    }
}

/// Whether a walk over children goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    Stop,
}

/// How deep values may stand in each other; serde_json, by which most would read them, goes no deeper.
const DEPTH: usize = 127;

/// Tells whether an output is one JSON document, an object or an array; one that is too deep is text.
pub(crate) fn is_document(source: Source<'_>) -> bool {
    let Ok(head) = source.head(1 << 10) else { return false };
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
        && match source {
            Source::Memory(bytes) => serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok(),
            Source::File(..) => serde_json::from_reader::<_, serde::de::IgnoredAny>(source.reader(0)).is_ok(),
        }
        && is_shallow(source.reader(0)).unwrap_or_default()
}

/// Tells whether no value of a valid document stands too deep.
fn is_shallow(mut reader: impl BufRead) -> io::Result<bool> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    loop {
        let bytes = reader.fill_buf()?;
        for byte in bytes {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            if depth > DEPTH {
                return Ok(false);
            }
        }
        let read = bytes.len();
        if read == 0 {
            return Ok(true);
        }
        reader.consume(read);
    }
}

impl<'a> Scanner<'a> {
    /// Starts at a place: the first byte of a value, or space before it.
    pub(crate) fn at(source: Source<'a>, start: u64) -> Self {
        Self { reader: source.reader(start), at: start }
    }

    /// Finds the value that a JSON pointer names; `None` where there is none.
    pub(crate) fn find(source: Source<'a>, pointer: &str) -> io::Result<Option<Span>> {
        let mut scanner = Self::at(source, 0);
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            if !matches!(scanner.kind()?, Kind::Array | Kind::Object) {
                return Ok(None);
            }
            let mut found = None;
            scanner.children(|key, inner| {
                if key.is(&token) {
                    // The first space is passed over, so that this is where the value begins.
                    inner.peek()?;
                    found = Some(inner.at);
                    return Ok(Flow::Stop);
                }
                inner.value(&mut io::sink())?;
                Ok(Flow::On)
            })?;
            match found {
                Some(start) => scanner = Self::at(source, start),
                None => return Ok(None),
            }
        }
        scanner.span().map(Some)
    }

    /// Returns where the next value stands, and passes over it.
    pub(crate) fn span(&mut self) -> io::Result<Span> {
        let kind = self.kind()?;
        let start = self.at;
        let mut size = Counter(0);
        self.value(&mut size)?;
        Ok(Span { start, size: size.0, kind })
    }

    /// Tells what the next value is.
    pub(crate) fn kind(&mut self) -> io::Result<Kind> {
        Ok(match self.peek()? {
            Some(b'[') => Kind::Array,
            Some(b'{') => Kind::Object,
            Some(b'"') => Kind::String,
            Some(_) => Kind::Plain,
            None => return Err(broken()),
        })
    }

    /// Writes a value without the spaces between its parts.
    pub(crate) fn copy(source: Source<'a>, span: Span, out: &mut dyn Write) -> io::Result<()> {
        Self::at(source, span.start).value(out)
    }

    /// Passes over the next value, writing it without the spaces between its parts.
    pub(crate) fn value(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()?.ok_or_else(broken)? {
                byte @ (b'{' | b'[') => {
                    self.take(byte, out)?;
                    depth += 1;
                    if let Some(end @ (b'}' | b']')) = self.peek()? {
                        self.take(end, out)?;
                        depth -= 1;
                    } else {
                        continue;
                    }
                }
                b'"' => self.string(out)?,
                _ => self.plain(out)?,
            }
            // A value is over: so may those be that hold it.
            loop {
                if depth == 0 {
                    return Ok(());
                }
                match self.peek()?.ok_or_else(broken)? {
                    end @ (b'}' | b']') => {
                        self.take(end, out)?;
                        depth -= 1;
                    }
                    between @ (b',' | b':') => {
                        self.take(between, out)?;
                        break;
                    }
                    _ => return Err(broken()),
                }
            }
        }
    }

    /// Calls for each child of the next value, a container; the callee passes over the child unless it stops the walk.
    ///
    /// After a stop the scanner stands in the middle, and is of no more use.
    pub(crate) fn children(&mut self, mut each: impl FnMut(Key, &mut Self) -> io::Result<Flow>) -> io::Result<()> {
        let open = self.peek()?.ok_or_else(broken)?;
        self.take(open, &mut io::sink())?;
        let mut index = 0;
        loop {
            match self.peek()?.ok_or_else(broken)? {
                end @ (b'}' | b']') => return self.take(end, &mut io::sink()),
                b',' => self.take(b',', &mut io::sink())?,
                _ => {
                    let key = if open == b'{' { Key::Name(self.key()?) } else { Key::Index(index) };
                    let before = self.at;
                    if each(key, self)? == Flow::Stop {
                        return Ok(());
                    }
                    if self.at == before {
                        return Err(broken());
                    }
                    index += 1;
                }
            }
        }
    }

    fn key(&mut self) -> io::Result<String> {
        let mut raw = Capped { bytes: Vec::new(), most: KEY_BYTES };
        self.string(&mut raw)?;
        match self.peek()? {
            Some(b':') => self.take(b':', &mut io::sink())?,
            _ => return Err(broken()),
        }
        serde_json::from_slice(&raw.bytes).map_err(|_| broken())
    }

    /// Passes over spaces and returns the byte behind them.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let spaces = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let found = buffer.get(spaces).copied();
            self.reader.consume(spaces);
            self.at += spaces as u64;
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn take(&mut self, byte: u8, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[byte])?;
        self.reader.consume(1);
        self.at += 1;
        Ok(())
    }

    fn string(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.peek()? != Some(b'"') {
            return Err(broken());
        }
        self.take(b'"', out)?;
        let mut escaped = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Err(broken());
            }
            let end = buffer.iter().position(|byte| {
                let ends = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                ends
            });
            let length = end.map_or(buffer.len(), |end| end + 1);
            out.write_all(&buffer[..length])?;
            self.reader.consume(length);
            self.at += length as u64;
            if end.is_some() {
                return Ok(());
            }
        }
    }

    fn plain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let start = self.at;
        loop {
            let buffer = self.reader.fill_buf()?;
            let is_end = |byte: &u8| {
                byte.is_ascii_whitespace() || matches!(byte, b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"')
            };
            let end = buffer.iter().position(is_end);
            let (length, is_over) = (end.unwrap_or(buffer.len()), end.is_some() || buffer.is_empty());
            out.write_all(&buffer[..length])?;
            self.reader.consume(length);
            self.at += length as u64;
            if is_over {
                return if self.at > start { Ok(()) } else { Err(broken()) };
            }
        }
    }
}

/// Counts what is written.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Holds what is written, up to a limit.
pub(crate) struct Capped {
    pub(crate) bytes: Vec<u8>,
    pub(crate) most: usize,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "it is longer than expected"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the output is not the JSON that it was taken for")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn documents() -> Vec<Value> {
        vec![
            json!({}),
            json!([]),
            json!([[], {}, [[]], {"a": {}}, "", "\"\\", 0, -1.5e300, true, null]),
            json!({"a b": [1, {"c/d": "x\ny", "e~f": [1, 2, {"": "deep"}]}], "\"q\"": "\u{1F600}é", "n": null}),
        ]
    }

    #[test]
    fn a_document_that_is_too_deep_is_text() {
        for (depth, is) in [(1, true), (DEPTH, true), (DEPTH + 1, false), (300_000, false)] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let text = format!("{}{}{}", open.repeat(depth), r#""[[{\"\\""#, close.repeat(depth));
                assert_eq!(is_document(Source::Memory(text.as_bytes())), is, "{depth} {open}");
                assert!(!is || serde_json::from_str::<Value>(&text).is_ok(), "{depth}");
            }
        }
        let wide = format!("[{}0]", "[[]],".repeat(1000));
        assert!(is_document(Source::Memory(wide.as_bytes())));
    }

    /// Returns every pointer into a value.
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
        match value {
            Value::Array(items) => items.iter().enumerate().for_each(|(n, v)| pointers(v, &format!("{at}/{n}"), found)),
            Value::Object(members) => {
                members.iter().for_each(|(k, v)| pointers(v, &format!("{at}/{}", escape(k)), found))
            }
            _ => {}
        }
    }

    #[test]
    fn every_value_is_found_and_copied_whatever_stands_between() {
        for document in documents() {
            for text in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
                let text = format!(" \n{text}\t");
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(text.as_bytes()).unwrap();
                let mut all = Vec::new();
                pointers(&document, "", &mut all);
                for source in [Source::Memory(text.as_bytes()), Source::File(&file, text.len() as u64)] {
                    assert!(is_document(source));
                    for pointer in &all {
                        let span = Scanner::find(source, pointer).unwrap().unwrap();
                        let mut copied = Vec::new();
                        Scanner::copy(source, span, &mut copied).unwrap();
                        let expected = document.pointer(pointer).unwrap().to_string();
                        assert_eq!(
                            (String::from_utf8(copied).unwrap(), span.size),
                            (expected.clone(), expected.len() as u64)
                        );
                    }
                    for missing in ["/x", "/99", "/-", "/00", "/a b/0/1"] {
                        assert_eq!(Scanner::find(source, missing).unwrap(), None, "{missing} in {text}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_keep_every_digit() {
        let text = b"[12345678901234567890123, 1.10, 1e400]";
        let mut copied = Vec::new();
        Scanner::at(Source::Memory(text), 0).value(&mut copied).unwrap();
        assert_eq!(copied, b"[12345678901234567890123,1.10,1e400]");
    }

    #[test]
    fn what_is_no_json_ends_the_walk() {
        for text in ["", "[", "[1", "{\"a\"", "{\"a\":", "[1 2", "\"", "{1:2}", "[}", ",", "[,]", "{\"a\" 1}"] {
            let source = Source::Memory(text.as_bytes());
            assert!(!is_document(source), "{text}");
            let walked = Scanner::at(source, 0).children(|_, inner| inner.value(&mut io::sink()).map(|()| Flow::On));
            let _ = (walked, Scanner::find(source, "/a"), Scanner::at(source, 0).span());
        }
    }
}
