//! Cuts JSON at whole elements, keeping its shape.

use super::cut::{Cut, Unit};
use super::scan::{Flow, Key, Kind, Scanner, Span};
use super::source::Source;
use std::io::{self, Write};

/// Writes a document that fits the limit: whole, or the largest part of it cut first.
pub(super) fn shrink(source: Source<'_>, limit: usize) -> io::Result<(String, Vec<Cut>)> {
    let mut shrink = Shrink { source, out: Vec::new(), cuts: Vec::new() };
    let whole = Scanner::at(source, 0).span()?;
    shrink.value(whole, limit as u64, String::new())?;
    let text = String::from_utf8(shrink.out).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok((text, shrink.cuts))
}

/// Writes the children of a container behind the first `skip`, as many as fit and at most `most`; the whole value where
/// all of it is asked for. Returns how many it shows of how many there are, and what was cut inside them.
pub(crate) fn page(
    source: Source<'_>,
    span: Span,
    at: &str,
    skip: u64,
    most: u64,
    limit: usize,
) -> io::Result<(String, u64, u64, Vec<Cut>)> {
    let mut shrink = Shrink { source, out: Vec::new(), cuts: Vec::new() };
    let limit = limit as u64;
    let (mut shown, mut total) = (0, 0);
    match span.kind {
        Kind::Array | Kind::Object => {
            let (open, close) = if span.kind == Kind::Array { (b'[', b']') } else { (b'{', b'}') };
            let (mut used, mut full) = (1, false);
            shrink.out.push(open);
            spans(source, span, |key, child| {
                total += 1;
                if total <= skip || full {
                    return Ok(Flow::On);
                }
                let room = room(&key, child);
                full = shown >= most || used + room > limit && shown > 0;
                if !full {
                    used += room;
                    if shown > 0 {
                        shrink.out.push(b',');
                    }
                    shrink.name(&key)?;
                    // One that is too large even by itself is better shown in part than not at all.
                    let fits = limit.saturating_sub(1 + room - child.size);
                    shrink.value(child, fits, format!("{at}{}", key.pointer()))?;
                    shown += 1;
                }
                Ok(Flow::On)
            })?;
            shrink.out.push(close);
        }
        Kind::String | Kind::Plain => shrink.value(span, limit, at.to_owned())?,
    }
    let text = String::from_utf8(shrink.out).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok((text, shown, total, shrink.cuts))
}

/// Calls for each child of a container with where it stands.
pub(crate) fn spans(
    source: Source<'_>,
    container: Span,
    mut each: impl FnMut(Key, Span) -> io::Result<Flow>,
) -> io::Result<()> {
    Scanner::at(source, container.start).children(|key, inner| {
        let span = inner.span()?;
        each(key, span)
    })
}

/// Writes a string cut to the limit, at a whole character; returns how much of it is shown, quotes left out.
fn cut_string(source: Source<'_>, span: Span, limit: u64, out: &mut Vec<u8>) -> io::Result<u64> {
    let mut raw = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(source.reader(span.start), limit.saturating_sub(1).max(1)), &mut raw)?;
    // An escape sequence, with the one it makes a pair with, is at most twelve bytes long.
    let is_string = |raw: &[u8]| serde_json::from_slice::<String>(&[raw, b"\""].concat()).is_ok();
    let length = (1..=raw.len()).rev().take(13).find(|length| is_string(&raw[..*length]));
    raw.truncate(length.unwrap_or(1));
    out.extend_from_slice(&raw);
    out.push(b'"');
    Ok(raw.len() as u64 - 1)
}

/// How deep a container is cut inside: each level of one that does not fit is read again.
const LEVELS: usize = 12;

/// The longest pointer that is told; beyond it the place that holds the one which was cut.
const POINTER_BYTES: usize = 500;

struct Shrink<'a> {
    source: Source<'a>,
    out: Vec<u8>,
    cuts: Vec<Cut>,
}

impl Shrink<'_> {
    fn value(&mut self, span: Span, limit: u64, at: String) -> io::Result<()> {
        if span.size <= limit {
            return Scanner::copy(self.source, span, &mut self.out);
        }
        let is_deep = at.matches('/').count() >= LEVELS;
        let instead: &[u8] = match span.kind {
            Kind::Array if !is_deep => return self.array(span, limit, at),
            Kind::Object if !is_deep => return self.object(span, limit, at),
            Kind::String => {
                let shown = cut_string(self.source, span, limit, &mut self.out)?;
                self.cut(at, Unit::Bytes, shown, span.size - 2);
                return Ok(());
            }
            Kind::Array => b"[]",
            Kind::Object => b"{}",
            Kind::Plain => b"null",
        };
        self.out.extend_from_slice(instead);
        self.cut(at, Unit::Bytes, 0, span.size);
        Ok(())
    }

    fn cut(&mut self, mut at: String, unit: Unit, shown: u64, total: u64) {
        if at.len() > POINTER_BYTES {
            let end = at.floor_char_boundary(POINTER_BYTES);
            at.truncate(at[..end].rfind('/').unwrap_or_default());
        }
        self.cuts.push(Cut { at: Some(at), unit, shown, total });
    }

    fn name(&mut self, key: &Key) -> io::Result<()> {
        if let Key::Name(name) = key {
            serde_json::to_writer(&mut self.out, name)?;
            self.out.write_all(b":")?;
        }
        Ok(())
    }

    fn array(&mut self, span: Span, limit: u64, at: String) -> io::Result<()> {
        let (mut used, mut shown, mut total) = (2, 0, 0);
        let mut kept: Vec<Span> = Vec::new();
        let mut first = None;
        spans(self.source, span, |_, element| {
            first.get_or_insert(element);
            used += element.size + 1;
            if used <= limit + 1 {
                kept.push(element);
                shown += 1;
            }
            total += 1;
            Ok(Flow::On)
        })?;
        self.out.push(b'[');
        match first {
            Some(first) if kept.is_empty() => {
                self.value(first, limit.saturating_sub(2), format!("{at}/0"))?;
                shown = 1;
            }
            _ => {
                for (n, element) in kept.into_iter().enumerate() {
                    if n > 0 {
                        self.out.push(b',');
                    }
                    Scanner::copy(self.source, element, &mut self.out)?;
                }
            }
        }
        self.out.push(b']');
        if shown < total {
            self.cut(at, Unit::Elements, shown, total);
        }
        Ok(())
    }

    fn object(&mut self, span: Span, limit: u64, at: String) -> io::Result<()> {
        let mut largest: Option<Span> = None;
        let mut first_name = None;
        let (mut whole, mut total, mut fitting, mut full) = (1, 0, 0, false);
        spans(self.source, span, |key, member| {
            first_name.get_or_insert(room(&key, member) - member.size);
            whole += room(&key, member);
            total += 1;
            full |= whole > limit;
            fitting += u64::from(!full);
            largest = largest.filter(|largest| largest.size >= member.size).or(Some(member));
            Ok(Flow::On)
        })?;
        let Some(largest) = largest else { return Ok(()) };
        let rest = whole - largest.size;
        let cuts_one = rest < limit / 2;
        // Where even the first does not fit it is better shown in part than not at all, if there is room for its name.
        let first_alone = !cuts_one && fitting == 0;
        let shown = match first_alone && first_name > Some(limit / 2) {
            true => 0,
            false if cuts_one => total,
            false => fitting.max(1),
        };
        let mut members = Vec::new();
        spans(self.source, span, |key, member| {
            if members.len() as u64 == shown {
                return Ok(Flow::Stop);
            }
            members.push((key, member));
            Ok(Flow::On)
        })?;
        self.out.push(b'{');
        for (n, (key, member)) in members.into_iter().enumerate() {
            if n > 0 {
                self.out.push(b',');
            }
            self.name(&key)?;
            let limit = match () {
                () if cuts_one && member.start == largest.start => limit - rest,
                () if first_alone => limit.saturating_sub(room(&key, member) - member.size + 1),
                () => member.size,
            };
            self.value(member, limit, format!("{at}{}", key.pointer()))?;
        }
        self.out.push(b'}');
        if shown < total {
            self.cut(at, Unit::Members, shown, total);
        }
        Ok(())
    }
}

/// What a child takes in its container: its name, its value, and what stands between.
pub(crate) fn room(key: &Key, span: Span) -> u64 {
    let name = match key {
        Key::Index(_) => 0,
        // Quotes and a colon; what has to be escaped takes up to six times as much.
        Key::Name(name) => serde_json::to_string(name).map_or(0, |name| name.len()) as u64 + 1,
    };
    name + span.size + 1
}
