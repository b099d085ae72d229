//! Step 6: how much of the output reaches the caller.
//!
//! What fits is passed on byte for byte. What does not is cut at whole elements (JSON) or lines
//! (text), never inside a character, and a note says how much there was.

use serde_json::Value;

/// The output limit, in bytes.
///
/// Clients break at 1 MiB (Python's HTTP client) and hosts at some 25,000 tokens; 48 KiB stays far
/// under both.
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

/// Text that fits, and what was done to make it fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounded {
    /// The text.
    pub text: String,
    /// One sentence for each cut or repair.
    pub notes: Vec<String>,
}

impl Bound {
    /// Bounds one output; `total` is how much was printed, where not all of it was kept.
    pub fn apply(&self, bytes: Vec<u8>, total: u64) -> Bounded {
        let complete = total <= bytes.len() as u64;
        let mut notes = Vec::new();
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            notes.push("the output is not UTF-8: invalid bytes are shown as \u{fffd}".to_owned());
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        let json = complete && matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'['));
        if json && (text.len() <= self.limit || text.trim_end().len() <= self.limit) {
            let valid = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            return Bounded { text: if valid { text } else { clean(&text) }, notes };
        }
        if json && let Ok(mut value) = serde_json::from_str::<Value>(&text) {
            shrink(&mut value, self.limit, "", &mut notes);
            return Bounded { text: value.to_string(), notes };
        }
        let text = clean(&text);
        if complete && text.len() <= self.limit {
            return Bounded { text, notes };
        }
        let kept = whole_lines(&text, self.limit);
        let lines = |text: &str| text.lines().count();
        notes.push(if complete {
            format!("truncated: {} of {} lines, {} of {total} bytes are shown", lines(kept), lines(&text), kept.len())
        } else {
            format!("truncated: the first {} lines, {} of {total} bytes are shown", lines(kept), kept.len())
        });
        Bounded { text: kept.to_owned(), notes }
    }

    /// Keeps the end of a text that is told beside the output, such as a failure's reason.
    pub fn tail(bytes: &[u8], limit: usize) -> String {
        let text = clean(&String::from_utf8_lossy(bytes));
        let text = text.trim();
        if text.len() <= limit {
            return text.to_owned();
        }
        let start = text.ceil_char_boundary(text.len() - limit);
        let start = text[start..].find('\n').map_or(start, |newline| start + newline + 1);
        format!("…\n{}", &text[start..])
    }
}

/// Removes what only a terminal understands: escape sequences, overwritten progress, control bytes.
fn clean(text: &str) -> String {
    if !text.bytes().any(|byte| byte < 0x20 && byte != b'\n' && byte != b'\t' || byte == 0x7f) {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len());
    let mut line = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => clean.truncate(line),
            '\n' => {
                clean.push(c);
                line = clean.len();
            }
            '\t' => clean.push(c),
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    clean
}

/// Skips the rest of an ANSI escape sequence: CSI to its final byte, OSC to BEL or ST.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
        Some(']') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || c == '\u{1b}' && chars.next_if_eq(&'\\').is_some() {
                    break;
                }
            }
        }
        Some('(' | ')') => drop(chars.next()),
        _ => {}
    }
}

/// Returns the longest start of whole lines within the limit, or of whole characters where the
/// first line alone is too long.
fn whole_lines(text: &str, limit: usize) -> &str {
    let start = &text[..text.floor_char_boundary(limit)];
    if start.len() == text.len() {
        return start;
    }
    match start.rfind('\n') {
        Some(newline) => &start[..=newline],
        None => start,
    }
}

/// Cuts a value to the limit at whole elements, the largest part first, keeping its shape.
fn shrink(value: &mut Value, limit: usize, pointer: &str, notes: &mut Vec<String>) {
    if size(value) <= limit {
        return;
    }
    let at = if pointer.is_empty() { "the result" } else { pointer };
    match value {
        Value::Array(items) => {
            let total = items.len();
            let mut used = 2;
            let kept = items
                .iter()
                .take_while(|item| {
                    used += size(item) + 1;
                    used <= limit
                })
                .count();
            if kept == 0 {
                items.truncate(1);
                shrink(&mut items[0], limit.saturating_sub(2), &format!("{pointer}/0"), notes);
            } else {
                items.truncate(kept);
            }
            if items.len() < total {
                notes.push(format!("truncated: {at} shows {} of {total} elements", items.len()));
            }
        }
        Value::Object(members) => {
            let whole = 2 + members.iter().map(|(key, member)| key.len() + size(member) + 4).sum::<usize>();
            let Some((key, member)) = members.iter_mut().max_by_key(|(_, member)| size(member)) else { return };
            let rest = whole - size(member);
            if rest < limit / 2 {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                shrink(member, limit - rest, &pointer, notes);
                return;
            }
            let total = members.len();
            let mut used = 2;
            members.retain(|key, member| {
                used += key.len() + size(member) + 4;
                used <= limit
            });
            notes.push(format!("truncated: {at} shows {} of {total} members", members.len()));
        }
        Value::String(text) => {
            let total = text.len();
            let mut end = text.floor_char_boundary(limit.saturating_sub(2));
            while end > 0 && size(&Value::String(text[..end].to_owned())) > limit {
                end = text.floor_char_boundary(end * 3 / 4);
            }
            text.truncate(end);
            notes.push(format!("truncated: {at} shows {end} of {total} bytes"));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bounded(limit: usize, text: &str) -> Bounded {
        Bound { limit }.apply(text.as_bytes().to_vec(), text.len() as u64)
    }

    #[test]
    fn json_that_fits_is_passed_on_byte_for_byte() {
        for text in ["{ \"b\": 1.0,\n \"a\": 1e3 }\n", "[]", "[1, 2]\n\n", "{\"n\":12345678901234567890123}"] {
            assert_eq!(bounded(200, text), Bounded { text: text.to_owned(), notes: vec![] });
        }
    }

    #[test]
    fn arrays_are_cut_at_whole_elements_and_say_so() {
        let text = json!((0..1000).map(|n| json!({"n": n, "s": "é😀"})).collect::<Vec<_>>()).to_string();
        let bounded = bounded(1000, &text);
        let Value::Array(kept) = serde_json::from_str(&bounded.text).unwrap() else { panic!("an array stays one") };
        assert!(bounded.text.len() <= 1000 && kept.len() > 20);
        assert_eq!(kept.last().unwrap()["n"], kept.len() - 1);
        assert_eq!(bounded.notes, [format!("truncated: the result shows {} of 1000 elements", kept.len())]);
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
            json!({"a": "\u{1}".repeat(5000)}),
            json!([["x".repeat(5000)]]),
            json!((0..2000).map(|n| (format!("k{n}"), json!(n))).collect::<serde_json::Map<_, _>>()),
        ] {
            let value = json!([value]);
            let bounded = bounded(1000, &value.to_string());
            assert!(bounded.text.len() <= 1000, "{}", bounded.text.len());
            assert!(serde_json::from_str::<Value>(&bounded.text).is_ok());
            assert!(!bounded.notes.is_empty());
        }
    }

    #[test]
    fn text_is_cut_at_lines_and_never_inside_a_character() {
        let text = "zeile mit ü\n".repeat(100);
        let cut = bounded(100, &text);
        assert_eq!(cut.text, "zeile mit ü\n".repeat(7));
        assert_eq!(cut.notes, ["truncated: 7 of 100 lines, 91 of 1300 bytes are shown"]);
        let cut = bounded(10, &"ü".repeat(100));
        assert_eq!(cut.text, "ü".repeat(5));
    }

    #[test]
    fn what_was_not_kept_is_counted() {
        let cut = Bound { limit: 100 }.apply(b"[1,\n2".to_vec(), 4000);
        assert_eq!(cut.notes, ["truncated: the first 2 lines, 5 of 4000 bytes are shown"]);
    }

    #[test]
    fn terminal_noise_is_removed_from_text_alone() {
        let noisy = "\u{1b}[1;31mred\u{1b}[0m\r\n10%\r50%\rdone\n\u{1b}]0;title\u{7}x\u{8}\0y\n";
        assert_eq!(bounded(100, noisy).text, "red\ndone\nxy\n");
        assert_eq!(Bound::tail("a\u{1b}[Kb\n".as_bytes(), 10), "ab");
        assert_eq!(Bound::tail(b"first line\nsecond", 10), "…\nsecond");
    }

    #[test]
    fn invalid_utf8_is_shown_and_said() {
        let cut = Bound::default().apply(b"ok \xff\xfe end\n".to_vec(), 10);
        assert_eq!(cut.text, "ok \u{fffd}\u{fffd} end\n");
        assert_eq!(cut.notes.len(), 1);
    }
}
