use std::ops::Range;

/// One replacement in a text: the bytes of a range give way to others.
#[derive(Debug)]
pub(super) struct Splice {
    range: Range<usize>,
    text: String,
}

impl Splice {
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { range: at..at, text: text.into() }
    }

    pub(super) fn delete(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }

    pub(super) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

/// Applies splices that don't overlap; insertions at one place stay in their order.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut out = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for splice in splices {
        out.push_str(&text[at..splice.range.start]);
        out.push_str(&splice.text);
        at = splice.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Returns the text's own line ending, by its first line.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns where the line of `at` starts.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns where the line of `at` ends, its line ending included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// Returns the range to delete with some lines; a file whose last line has no ending keeps to that.
pub(super) fn lines(text: &str, start: usize, end: usize) -> Range<usize> {
    if end < text.len() || text.ends_with('\n') {
        return start..end;
    }
    let before = text[..start].strip_suffix('\n').unwrap_or(&text[..start]);
    before.strip_suffix('\r').unwrap_or(before).len()..end
}

/// Returns where a line starts, by its number from 1.
pub(super) fn line(text: &str, number: usize) -> usize {
    text.split_inclusive('\n').take(number.saturating_sub(1)).map(str::len).sum()
}

/// Returns the blanks that the line of `at` starts with.
pub(super) fn indent_of(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the line and column, from 1 and in characters, of a byte.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    (line, before[line_start(before, before.len())..].chars().count() + 1)
}
