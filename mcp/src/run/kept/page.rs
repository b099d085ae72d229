//! One page of a kept output.

use super::store::Kept;
use super::unescape::Unescape;
use crate::run::bound::{
    Capped, Cut, Delivered, Flow, Form, Key, Lines, Media, Scanner, Source, Span, Unit, ValueKind, Window, clean, page,
};
use std::io::{self, BufReader, Write};

/// What is asked for of an output.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) pointer: Option<String>,
    pub(super) pattern: Option<String>,
    pub(super) skip: u64,
    pub(super) most: u64,
}

/// A page, and where the next one begins.
pub(super) struct Page {
    pub(super) delivered: Delivered,
    /// Where it was cut; the first is what the page itself was cut from.
    pub(super) cuts: Vec<Cut>,
}

/// Why there is no page.
pub(super) enum Missing {
    /// The pointer leads nowhere.
    Pointer,
    /// A pointer leads into JSON alone.
    NoJson,
    Fault(io::Error),
}

impl From<io::Error> for Missing {
    fn from(error: io::Error) -> Self {
        Self::Fault(error)
    }
}

impl Part {
    /// Returns the same part with a pointer into what a marked result shows as its `data`.
    pub(super) fn unmarked(&self, kept: &Kept) -> Option<Self> {
        let pointer = self.pointer.as_deref().filter(|_| kept.untrusted)?.strip_prefix("/data")?;
        let is_below = pointer.is_empty() || pointer.starts_with('/');
        is_below.then(|| Self { pointer: Some(pointer.to_owned()), ..self.clone() })
    }

    /// Reads the part of an output.
    pub(super) fn read(&self, kept: &Kept) -> Result<Page, Missing> {
        let source = kept.source();
        match (kept.mime, &self.pointer, &self.pattern) {
            (Form::TEXT, None, _) => Ok(self.lines(source.reader(0), None, kept.limit)?),
            (Form::JSON, pointer, pattern) => {
                let at = pointer.as_deref().unwrap_or_default();
                let span = Scanner::find(source, at)?.ok_or(Missing::Pointer)?;
                match (span.kind, pattern) {
                    (ValueKind::String, _) => {
                        let text = Unescape::new(source.reader(span.start))?;
                        Ok(self.lines(BufReader::new(text), Some(at), kept.limit)?)
                    }
                    (_, Some(pattern)) => Ok(self.leaves(source, span, at, pattern, kept.limit)?),
                    (_, None) => Ok(self.children(source, span, at, kept.limit)?),
                }
            }
            (_, Some(_), _) => Err(Missing::NoJson),
            (_, None, _) => Ok(self.bytes(kept)?),
        }
    }

    fn lines(&self, reader: impl io::BufRead, at: Option<&str>, limit: usize) -> io::Result<Page> {
        let window = Window::new(Lines::new(reader, limit), self.skip, self.most, limit, self.pattern.as_deref())?;
        let cut = Cut { at: at.map(str::to_owned), unit: Unit::Lines, shown: window.shown, total: window.total };
        Ok(self.page(Delivered { text: window.text, ..Delivered::default() }, cut, Vec::new()))
    }

    fn children(&self, source: Source<'_>, span: Span, at: &str, limit: usize) -> io::Result<Page> {
        let (text, shown, total, cuts) = page(source, span, at, self.skip, self.most, limit)?;
        let unit = if span.kind == ValueKind::Object { Unit::Members } else { Unit::Elements };
        let cut = Cut { at: Some(at.to_owned()), unit, shown, total };
        Ok(self.page(Delivered { text, json: true, ..Delivered::default() }, cut, cuts))
    }

    /// Finds the plain values that hold the pattern, or that stand where it says: a line for each.
    fn leaves(&self, source: Source<'_>, span: Span, at: &str, pattern: &str, limit: usize) -> io::Result<Page> {
        let mut found = Found { part: self, pattern, limit, text: String::new(), shown: 0, total: 0, full: false };
        found.walk(&mut Scanner::at(source, span.start), at)?;
        let cut = Cut { at: Some(at.to_owned()), unit: Unit::Lines, shown: found.shown, total: found.total };
        Ok(self.page(Delivered { text: found.text, ..Delivered::default() }, cut, Vec::new()))
    }

    /// Reads a part of what is no text: as many bytes as fit once they are in base64.
    fn bytes(&self, kept: &Kept) -> io::Result<Page> {
        let source = kept.source();
        let size = self.most.min((kept.limit as u64 / 4 * 3).max(3));
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(source.reader(self.skip), size), &mut bytes)?;
        let cut = Cut { at: None, unit: Unit::Bytes, shown: bytes.len() as u64, total: source.len() };
        let media = Media { form: Form::Blob, mime: "application/octet-stream", bytes };
        Ok(self.page(Delivered { media: Some(media), ..Delivered::default() }, cut, Vec::new()))
    }

    fn page(&self, delivered: Delivered, cut: Cut, inner: Vec<Cut>) -> Page {
        Page { delivered, cuts: std::iter::once(cut).chain(inner).collect() }
    }
}

/// The longest value that is searched as the text that it stands for, and how much of it is shown.
const LEAF_BYTES: usize = 64 << 10;
const SHOWN_BYTES: usize = 200;

struct Found<'a> {
    part: &'a Part,
    pattern: &'a str,
    limit: usize,
    text: String,
    shown: u64,
    total: u64,
    full: bool,
}

impl Found<'_> {
    fn walk(&mut self, scanner: &mut Scanner<'_>, at: &str) -> io::Result<()> {
        match scanner.kind()? {
            ValueKind::Array | ValueKind::Object => scanner.children(|key: Key, inner| {
                self.walk(inner, &format!("{at}{}", key.pointer()))?;
                Ok(Flow::On)
            }),
            ValueKind::String | ValueKind::Plain => {
                let mut leaf = Leaf { start: Capped { bytes: Vec::new(), most: LEAF_BYTES }, over: false };
                scanner.value(&mut leaf)?;
                self.leaf(at, &leaf);
                Ok(())
            }
        }
    }

    fn leaf(&mut self, at: &str, leaf: &Leaf) {
        let raw = String::from_utf8_lossy(&leaf.start.bytes);
        let text = serde_json::from_str::<String>(&raw).unwrap_or_else(|_| raw.clone().into_owned());
        if !at.contains(self.pattern) && !text.contains(self.pattern) {
            return;
        }
        self.total += 1;
        if self.total <= self.part.skip || self.full {
            return;
        }
        let shown = &raw[..raw.floor_char_boundary(SHOWN_BYTES)];
        let more = if leaf.over || shown.len() < raw.len() { "…" } else { "" };
        let line = format!("{at}: {}{more}\n", clean(shown));
        self.full = self.shown > 0 && self.text.len() + line.len() > self.limit || self.shown >= self.part.most;
        if !self.full {
            self.text.push_str(&line);
            self.shown += 1;
        }
    }
}

/// The start of a value, which may be of any length.
struct Leaf {
    start: Capped,
    over: bool,
}

impl Write for Leaf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.start.most - self.start.bytes.len();
        self.over |= bytes.len() > room;
        self.start.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
