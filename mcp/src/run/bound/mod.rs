//! Step 6: how much of the output reaches the caller, and in which form.
//!
//! What fits is passed on byte for byte. What does not is cut at whole elements (JSON) or lines (text), never inside a
//! character; a note says how much there was and how to read on, for the whole is [kept](super::kept). Output that is
//! no text goes as what it is. All of it is read from where it is, in memory or in a file, so that no output takes more
//! memory than what is shown of it.

mod cut;
mod fence;
mod fields;
mod json;
mod lines;
mod media;
mod scan;
mod source;

pub use cut::{Cut, Truncated, Unit};
pub use fence::Untrusted;
pub(crate) use fence::{MARK_BYTES, fence};
pub(crate) use fields::FIELDS;
pub use fields::Selection;
pub(crate) use json::page;
pub(crate) use lines::{Lines, Window, clean};
pub use media::{Form, Media};
pub(crate) use scan::{Capped, Flow, Key, Kind as ValueKind, Scanner, Span, is_document};
pub(crate) use source::Source;

use super::kept::Keeper;
use crate::exec::{Mask, Spooled, anonymous_file};
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::sync::Arc;

/// How much of an output is held in memory; the rest is in a file.
pub(crate) const HELD_BYTES: usize = 1 << 20;

/// How many places that were cut are told with the call that reads on.
const CALLS: usize = 3;

/// How many times as long as text an image or a sound may be, which no model reads as text.
const MEDIA_FACTOR: usize = 10;

/// The longest content that is no text, in base64: clients break at 1 MiB.
const MEDIA_BYTES: usize = 700 << 10;

/// The output limit, in bytes.
///
/// Clients break at 1 MiB (Python's HTTP client) and hosts at some 25,000 tokens; 48 KiB stays far
/// under both. An image or a sound may be ten times as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The most bytes of one output that reach the caller.
    pub limit: usize,
}

impl Default for Bound {
    fn default() -> Self {
        Self { limit: 48 * 1024 }
    }
}

impl Bound {
    /// Keeps the end of a text that is told beside the output, such as a failure's reason.
    pub fn tail(bytes: &[u8], limit: usize) -> String {
        let text = String::from_utf8_lossy(bytes);
        let text = clean(&text);
        let text = text.trim();
        if text.len() <= limit {
            return text.to_owned();
        }
        let start = text.ceil_char_boundary(text.len() - limit);
        let start = text[start..].find('\n').map_or(start, |newline| start + newline + 1);
        format!("…\n{}", &text[start..])
    }
}

/// What a command or a tool has printed.
#[derive(Debug)]
pub(crate) struct Printed {
    /// The start of it.
    pub(crate) head: Vec<u8>,
    /// All of it as far as it was taken, where it is more than the head.
    pub(crate) spooled: Option<Spooled>,
    /// How many bytes were printed.
    pub(crate) total: u64,
}

impl Printed {
    pub(crate) fn text(text: String) -> Self {
        let total = text.len() as u64;
        Self { head: text.into_bytes(), spooled: None, total }
    }

    pub(crate) fn source(&self) -> Source<'_> {
        match &self.spooled {
            Some(spooled) => Source::File(&spooled.file, spooled.length),
            None => Source::Memory(&self.head),
        }
    }

    fn is_whole(&self) -> bool {
        self.source().len() == self.total
    }
}

/// How an output is to be delivered.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) bound: Bound,
    pub(crate) fields: Option<Selection>,
    /// Keeps what does not fit.
    pub(crate) keeper: Option<Keeper>,
    /// What is taken out of it.
    pub(crate) mask: Arc<Mask>,
}

/// What reaches the caller of an output.
#[derive(Debug, Default)]
pub(crate) struct Delivered {
    pub(crate) text: String,
    /// The text is one JSON document.
    pub(crate) json: bool,
    pub(crate) media: Option<Media>,
    /// One sentence for each cut or repair.
    pub(crate) notes: Vec<String>,
    pub(crate) truncated: Option<Truncated>,
}

impl Delivery {
    /// Makes an output fit.
    pub(crate) fn deliver(self, printed: Printed) -> Delivered {
        let delivered = self.try_deliver(printed);
        // A file that can't be read any more is nothing that a caller can mend.
        delivered.unwrap_or_else(|error| Delivered {
            notes: vec![format!("the output could not be read: {error}")],
            ..Delivered::default()
        })
    }

    fn try_deliver(self, mut printed: Printed) -> io::Result<Delivered> {
        let mut notes = Vec::new();
        if let Some((form, mime)) = media::sniff(&printed.source().head(media::LOOK as u64)?) {
            return self.media(printed, form, mime);
        }
        let mut json = printed.is_whole() && is_document(printed.source());
        if let Some(fields) = &self.fields {
            match json {
                true => {
                    let (selected, said) = select(fields, &printed)?;
                    (printed, json) = (selected, true);
                    notes.extend(said);
                }
                false => notes.push("fields: the output is no JSON document, so it is shown without them".to_owned()),
            }
        }
        let limit = self.bound.limit;
        let fits = printed.spooled.is_none() && printed.is_whole() && printed.head.trim_ascii_end().len() <= limit;
        let (text, cuts) = match json {
            true if fits => (String::from_utf8_lossy(&printed.head).into_owned(), Vec::new()),
            true => json::shrink(printed.source(), limit)?,
            false => text(&printed, limit, &mut notes)?,
        };
        let mut delivered = Delivered { text, json, notes, ..Delivered::default() };
        if !cuts.is_empty() {
            let truncated = Truncated { cuts, bytes: printed.total, ..Truncated::default() };
            self.tell(&mut delivered, truncated, printed, if json { Form::JSON } else { Form::TEXT });
        }
        Ok(delivered)
    }

    /// Says what was cut, keeps the whole, and says how to read on.
    fn tell(self, delivered: &mut Delivered, mut truncated: Truncated, printed: Printed, mime: &'static str) {
        let (shown, total, length) = (delivered.text.len(), printed.total, printed.source().len());
        let kept = self.keeper.map(|keeper| keeper.keep(printed, mime, self.bound.limit));
        let (way, handle) = match kept {
            Some(Ok((way, handle))) => (Some(way), Some(handle)),
            Some(Err(error)) => {
                delivered.notes.push(format!("the rest could not be kept: {error}"));
                (None, None)
            }
            None => (None, None),
        };
        for (n, cut) in truncated.cuts.iter().enumerate() {
            let mut said = cut.to_string();
            if cut.at.is_none() {
                said.push_str(&format!(", {shown} of {total} bytes"));
            }
            if let (Some(way), Some(handle), true) = (&way, &handle, n < CALLS) {
                let (tool, arguments) = way.call(read_on(handle, cut));
                said.push_str(&format!("; the rest: {tool} {}", Value::Object(arguments.clone())));
                truncated.rest.get_or_insert((tool, arguments));
            }
            delivered.notes.push(said);
        }
        if length < total {
            delivered.notes.push(format!("the command printed {total} bytes, of which the first {length} were taken"));
        }
        truncated.handle = handle;
        delivered.truncated = Some(truncated);
    }

    /// Sends what is no text as what it is, where it fits.
    fn media(self, printed: Printed, form: Form, mime: &'static str) -> io::Result<Delivered> {
        let limit = match form {
            Form::Image | Form::Audio => (self.bound.limit * MEDIA_FACTOR).min(MEDIA_BYTES),
            Form::Blob => self.bound.limit,
        };
        let mut delivered = Delivered::default();
        if self.fields.is_some() {
            delivered.notes.push(format!("fields: the output is {mime}"));
        }
        if printed.is_whole() && printed.total.div_ceil(3) * 4 <= limit as u64 {
            let bytes = printed.source().head(printed.total)?;
            delivered.media = Some(Media { form, mime, bytes });
            return Ok(delivered);
        }
        delivered
            .notes
            .push(format!("the output is {mime} of {} bytes, which is too large to send at once", printed.total));
        let cut = Cut { at: None, unit: Unit::Bytes, shown: 0, total: printed.total };
        let truncated = Truncated { cuts: vec![cut], bytes: printed.total, ..Truncated::default() };
        self.tell(&mut delivered, truncated, printed, mime);
        Ok(delivered)
    }
}

impl Form {
    /// The MIME types of what is read as text.
    pub(crate) const JSON: &'static str = "application/json";
    pub(crate) const TEXT: &'static str = "text/plain";
}

/// The params of the call that reads on where an output was cut.
pub(crate) fn read_on(handle: &str, cut: &Cut) -> Map<String, Value> {
    let mut params = Map::new();
    params.insert("handle".into(), handle.into());
    if let Some(at) = cut.at.as_deref().filter(|at| !at.is_empty()) {
        params.insert("pointer".into(), at.into());
    }
    // A string is read from its start: its lines are told apart only there.
    if cut.shown > 0 && (cut.unit != Unit::Bytes || cut.at.is_none()) {
        params.insert("skip".into(), cut.shown.into());
    }
    params
}

fn text(printed: &Printed, limit: usize, notes: &mut Vec<String>) -> io::Result<(String, Vec<Cut>)> {
    // Nothing that needs a change: the usual case, of which no line has to be looked at.
    if let (None, Ok(text)) = (&printed.spooled, std::str::from_utf8(&printed.head))
        && printed.is_whole()
        && text.len() <= limit
    {
        return Ok((clean(text).into_owned(), Vec::new()));
    }
    let lines = Lines::new(printed.source().reader(0), limit);
    let window = Window::new(lines, 0, u64::MAX, limit, None)?;
    if window.invalid {
        notes.push("the output is not UTF-8: invalid bytes are shown as \u{fffd}".to_owned());
    }
    let is_cut = window.shown < window.total || !printed.is_whole();
    let cut = Cut { at: None, unit: Unit::Lines, shown: window.shown, total: window.total };
    Ok((window.text, if is_cut { vec![cut] } else { Vec::new() }))
}

/// Makes the selected parts of a document an output of their own.
fn select(fields: &Selection, printed: &Printed) -> io::Result<(Printed, Vec<String>)> {
    let mut parts = Parts { head: Vec::new(), file: None, total: 0 };
    let selected = {
        let mut buffered = io::BufWriter::with_capacity(16 << 10, &mut parts);
        let selected = fields.project(printed.source(), &mut buffered)?;
        buffered.flush()?;
        selected
    };
    let Parts { head, file, total } = parts;
    Ok((Printed { head, spooled: file.map(|file| Spooled { file, length: total }), total }, selected.notes))
}

/// Holds what is written as an output is held: its head in memory, and all in a file where it is more.
struct Parts {
    head: Vec<u8>,
    file: Option<std::fs::File>,
    total: u64,
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            None if self.head.len() + bytes.len() <= HELD_BYTES => self.head.extend_from_slice(bytes),
            none => {
                let file = none.insert(anonymous_file()?);
                file.write_all(&self.head)?;
                file.write_all(bytes)?;
            }
        }
        self.total += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn deliver(limit: usize, bytes: &[u8], total: usize) -> Delivered {
        let printed = Printed { head: bytes.to_vec(), spooled: None, total: total as u64 };
        Delivery { bound: Bound { limit }, fields: None, keeper: None, mask: Arc::default() }.deliver(printed)
    }

    fn bounded(limit: usize, text: &str) -> Delivered {
        deliver(limit, text.as_bytes(), text.len())
    }

    #[test]
    fn json_that_fits_is_passed_on_byte_for_byte() {
        for text in ["{ \"b\": 1.0,\n \"a\": 1e3 }\n", "[]", "[1, 2]\n\n", "{\"n\":12345678901234567890123}"] {
            let bounded = bounded(200, text);
            assert_eq!((bounded.text.as_str(), bounded.notes.len(), bounded.json), (text, 0, true));
        }
        let spaced = format!("[{}1]", " ".repeat(500));
        assert_eq!((bounded(200, &spaced).text.as_str(), bounded(200, &spaced).notes.len()), ("[1]", 0));
    }

    #[test]
    fn arrays_are_cut_at_whole_elements_and_say_so() {
        let text = json!((0..1000).map(|n| json!({"n": n, "s": "é😀"})).collect::<Vec<_>>()).to_string();
        let bounded = bounded(1000, &text);
        let Value::Array(kept) = serde_json::from_str(&bounded.text).unwrap() else { panic!("an array stays one") };
        assert!(bounded.text.len() <= 1000 && kept.len() > 20);
        assert_eq!(kept.last().unwrap()["n"], kept.len() - 1);
        assert_eq!(bounded.notes, [format!("truncated: the result shows {} of 1000 elements", kept.len())]);
        let told = bounded.truncated.unwrap().to_json();
        let cut = json!([{"at": "", "unit": "elements", "shown": kept.len(), "total": 1000}]);
        assert_eq!((&told["cuts"], &told["bytes"]), (&cut, &json!(text.len())));
    }

    #[test]
    fn the_largest_part_of_an_object_is_cut_and_the_rest_kept() {
        let text = json!({"ok": true, "result": {"items": vec!["x".repeat(20); 500]}, "tail": [1, 2]}).to_string();
        let bounded = bounded(2000, &text);
        let value: Value = serde_json::from_str(&bounded.text).unwrap();
        assert!(bounded.text.len() <= 2000);
        assert_eq!((&value["ok"], &value["tail"]), (&json!(true), &json!([1, 2])));
        assert!(bounded.notes[0].starts_with("truncated: /result/items shows "), "{:?}", bounded.notes);
    }

    #[test]
    fn whatever_is_cut_fits_and_stays_json() {
        for value in [
            json!("é".repeat(5000)),
            json!("\\😀\n".repeat(5000)),
            json!({"a": "\u{1}".repeat(5000)}),
            json!({"\n".repeat(200): "x".repeat(5000), "b": 1}),
            json!({"x".repeat(600): {"y".repeat(300): ["z".repeat(500)]}, "b": "c".repeat(900)}),
            json!([["x".repeat(5000)]]),
            (0..100).fold(json!("x".repeat(5000)), |inner, _| json!({ "a": inner, "b": [1] })),
            (0..100).fold(json!(["x".repeat(50), "y".repeat(5000)]), |inner, _| json!([inner])),
            json!({"x".repeat(5000): 1, "y": {"z".repeat(700): ["x".repeat(5000)]}}),
            json!((0..2000).map(|n| (format!("k{n}"), json!(n))).collect::<serde_json::Map<_, _>>()),
        ] {
            for text in [json!([value]).to_string(), serde_json::to_string_pretty(&json!({"v": value})).unwrap()] {
                for limit in [1000, 1001, 1010] {
                    let bounded = bounded(limit, &text);
                    assert!(bounded.text.len() <= limit, "{}: {}", bounded.text.len(), bounded.text);
                    assert!(serde_json::from_str::<Value>(&bounded.text).is_ok(), "{}", bounded.text);
                    assert!(!bounded.notes.is_empty() && bounded.notes.concat().len() < 1500, "{:?}", bounded.notes);
                }
            }
        }
    }

    #[test]
    fn text_is_cut_at_lines_and_never_inside_a_character() {
        let text = "zeile mit ü\n".repeat(100);
        let cut = bounded(100, &text);
        assert_eq!(cut.text, "zeile mit ü\n".repeat(7));
        assert_eq!(cut.notes, ["truncated: 7 of 100 lines are shown, 91 of 1300 bytes"]);
        assert_eq!(bounded(10, &"ü".repeat(100)).text, "ü".repeat(5));
    }

    #[test]
    fn what_was_not_taken_is_counted() {
        let cut = deliver(100, b"[1,\n2", 4000);
        assert_eq!(cut.text, "[1,\n2");
        let said = "the command printed 4000 bytes, of which the first 5 were taken";
        assert_eq!(cut.notes, ["truncated: 2 of 2 lines are shown, 5 of 4000 bytes", said]);
    }

    #[test]
    fn a_file_is_cut_as_memory_is() {
        let lines: String = (0..1000).map(|n| format!("line {n} é\n")).collect();
        for text in [json!((0..500).collect::<Vec<_>>()).to_string(), lines] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let spooled = Some(Spooled { file, length: text.len() as u64 });
            let printed = Printed { head: text.as_bytes()[..5].to_vec(), spooled, total: text.len() as u64 };
            let delivered = Delivery { bound: Bound { limit: 300 }, fields: None, keeper: None, mask: Arc::default() }
                .deliver(printed);
            let expected = bounded(300, &text);
            assert_eq!((delivered.text, delivered.notes), (expected.text, expected.notes));
        }
    }

    #[test]
    fn only_text_is_cleaned_and_its_end_told() {
        assert_eq!(bounded(100, "\u{1b}[1mred\u{1b}[0m\n").text, "red\n");
        assert_eq!(Bound::tail("a\u{1b}[Kb\n".as_bytes(), 10), "ab");
        assert_eq!(Bound::tail(b"first line\nsecond", 10), "…\nsecond");
    }

    #[test]
    fn invalid_utf8_is_shown_and_said() {
        let cut = bounded_bytes(b"ok \xff\xfe end\n");
        assert_eq!(cut.text, "ok \u{fffd}\u{fffd} end\n");
        assert_eq!(cut.notes.len(), 1);
    }

    fn bounded_bytes(bytes: &[u8]) -> Delivered {
        deliver(Bound::default().limit, bytes, bytes.len())
    }

    #[test]
    fn what_is_no_text_goes_as_what_it_is_or_not_at_all() {
        let png = |size| [&b"\x89PNG\r\n\x1a\n"[..], &vec![7; size]].concat();
        let delivered = deliver(1000, &png(5000), 5008);
        let media = delivered.media.unwrap();
        assert_eq!((media.form, media.mime, media.bytes), (Form::Image, "image/png", png(5000)));
        assert_eq!((delivered.text.as_str(), delivered.notes.len()), ("", 0));
        let pdf = [&b"%PDF-1.4\n"[..], &[200; 5000]].concat();
        for (bytes, total) in [(png(9000), 9008), (png(500), 20_000), (pdf.clone(), pdf.len())] {
            let delivered = deliver(1000, &bytes, total);
            assert!(delivered.media.is_none() && delivered.text.is_empty());
            assert!(delivered.notes[0].contains("too large to send"), "{:?}", delivered.notes);
        }
    }

    #[test]
    fn fields_are_selected_before_anything_is_cut() {
        let text = json!({"items": (0..500).map(|n| json!({"key": n, "long": "x".repeat(100)})).collect::<Vec<_>>()});
        let mut arguments = Map::from_iter([("fields".to_owned(), json!(["items.key"]))]);
        let fields = Selection::take(&mut arguments).unwrap();
        let delivery = Delivery { bound: Bound { limit: 10_000 }, fields, keeper: None, mask: Arc::default() };
        let delivered = delivery.deliver(Printed::text(text.to_string()));
        assert_eq!(delivered.notes, [""; 0]);
        let value: Value = serde_json::from_str(&delivered.text).unwrap();
        assert_eq!((value["items"].as_array().unwrap().len(), &value["items"][499]), (500, &json!({"key": 499})));
    }
}
