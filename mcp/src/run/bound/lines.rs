//! The lines of a text output, without what only a terminal understands.

use std::borrow::Cow;
use std::io::{self, BufRead};
use std::iter::Peekable;
use std::str::Chars;

/// Reads cleaned lines, never more than a piece of one in memory.
///
/// A line that is longer than `most` bytes comes in pieces, each of which counts as a line.
pub(crate) struct Lines<R> {
    reader: R,
    most: usize,
    raw: Vec<u8>,
    /// Bytes came that are not UTF-8.
    pub(crate) invalid: bool,
}

/// How a piece of a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Newline,
    /// The line goes on.
    Full,
    Output,
}

/// Lines that fit a limit, from some line on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) text: String,
    pub(crate) shown: u64,
    /// How many lines there are in all.
    pub(crate) total: u64,
    pub(crate) invalid: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R, most: usize) -> Self {
        Self { reader, most: most.max(4), raw: Vec::new(), invalid: false }
    }

    /// Returns the next line with its newline, if it has one.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        let end = self.gather()?;
        if end == End::Output && self.raw.is_empty() {
            return Ok(None);
        }
        let rest = if end == End::Full { self.raw.split_off(whole_characters(&self.raw)) } else { Vec::new() };
        let text = String::from_utf8_lossy(&self.raw);
        self.invalid |= matches!(text, Cow::Owned(_));
        let mut text = clean_line(&text).into_owned();
        if end == End::Newline {
            text.push('\n');
        }
        self.raw = rest;
        Ok(Some(text))
    }

    /// Gathers bytes up to the end of a line, without those that a carriage return overwrites.
    fn gather(&mut self) -> io::Result<End> {
        let mut returned = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(End::Output);
            }
            let mut used = 0;
            let mut end = None;
            for byte in buffer {
                used += 1;
                match byte {
                    b'\n' => {
                        end = Some(End::Newline);
                        break;
                    }
                    b'\r' => returned = true,
                    byte => {
                        if std::mem::take(&mut returned) {
                            self.raw.clear();
                        }
                        self.raw.push(*byte);
                        if self.raw.len() >= self.most {
                            end = Some(End::Full);
                            break;
                        }
                    }
                }
            }
            self.reader.consume(used);
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }
}

impl Window {
    /// Takes lines behind the first `skip` of those that hold `pattern`, as many as fit and at most `most`; counts all.
    pub(crate) fn new(
        mut lines: Lines<impl BufRead>,
        skip: u64,
        most: u64,
        limit: usize,
        pattern: Option<&str>,
    ) -> io::Result<Self> {
        let mut window = Self::default();
        let mut full = false;
        let mut number = 0_u64;
        while let Some(line) = lines.next()? {
            number += 1;
            if !pattern.is_none_or(|pattern| line.contains(pattern)) {
                continue;
            }
            window.total += 1;
            if window.total <= skip || full {
                continue;
            }
            // Where lines are picked out, only their numbers tell where they stand.
            let numbered = if pattern.is_some() { format!("{number}: ") } else { String::new() };
            let room = limit.saturating_sub(window.text.len() + numbered.len());
            full = line.len() > room && window.shown > 0 || window.shown >= most;
            if !full {
                window.text.push_str(&numbered);
                window.text.push_str(&line[..line.floor_char_boundary(room)]);
                window.shown += 1;
            }
        }
        window.invalid = lines.invalid;
        Ok(window)
    }
}

/// Removes what only a terminal understands: escape sequences, overwritten progress, control bytes, marks that turn the
/// direction of text or can't be seen at all.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_noise) {
        return text.into();
    }
    let mut lines = Lines::new(text.as_bytes(), usize::MAX);
    let mut clean = String::with_capacity(text.len());
    while let Ok(Some(line)) = lines.next() {
        clean.push_str(&line);
    }
    clean.into()
}

fn clean_line(line: &str) -> Cow<'_, str> {
    if !line.contains(is_noise) {
        return line.into();
    }
    let mut clean = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            c if is_noise(c) => {}
            c => clean.push(c),
        }
    }
    clean.into()
}

fn is_noise(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        // What turns the direction of text, and the tags that nobody sees but a model.
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// Skips the rest of an escape sequence: CSI to its final byte, strings to BEL or ST.
fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.next() {
        Some('[') => skip_control_sequence(chars),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(chars),
        Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => drop(chars.next()),
        _ => {}
    }
}

fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {}
}

fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next() {
        if matches!(c, '\u{7}' | '\u{9c}') || c == '\u{1b}' && chars.next_if_eq(&'\\').is_some() {
            break;
        }
    }
}

/// Returns how many bytes don't end inside a character.
fn whole_characters(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let lead = bytes[from..].iter().rposition(|byte| *byte >= 0xc0).map(|at| from + at);
    match lead {
        Some(at) => {
            let length = match bytes[at] {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            // An invalid byte stays where it is: to put it off for ever would be a loop.
            if at + length > bytes.len() && at > 0 { at } else { bytes.len() }
        }
        None => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], most: usize) -> Vec<String> {
        let mut lines = Lines::new(text, most);
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn terminal_noise_is_removed() {
        for (noisy, plain) in [
            ("\u{1b}[1;31mred\u{1b}[0m\r\n10%\r50%\rdone\n\u{1b}]0;title\u{7}x\u{8}\0y\n", "red\ndone\nxy\n"),
            ("100%\r", "100%"),
            ("text\r\r\n", "text\n"),
            ("\u{9b}31mC1\u{9b}0m \u{9d}0;t\u{9c}\u{85}x", "C1 x"),
            ("\u{1b}Pq#0\u{1b}\\a\u{1b}_G\u{1b}\\b\u{1b}(Bc\u{1b}=d", "abcd"),
            ("user\u{202e}gpj\u{202c}.exe \u{2066}x\u{2069}", "usergpj.exe x"),
            ("hi\u{e0049}\u{e0047}", "hi"),
            ("\u{1b}]0;never ended\nnext\n", "\nnext\n"),
            ("a\tb\u{a0}c\n", "a\tb\u{a0}c\n"),
        ] {
            assert_eq!(clean(noisy), plain, "{noisy:?}");
            assert_eq!(read(noisy.as_bytes(), 1 << 20).concat(), plain, "{noisy:?}");
        }
    }

    #[test]
    fn long_lines_come_in_pieces_of_whole_characters() {
        let text = "aé€😀".repeat(50);
        for most in 4..40 {
            let pieces = read(format!("{text}\nend").as_bytes(), most);
            assert_eq!(pieces.concat(), format!("{text}\nend"), "{most}");
            assert!(pieces.iter().all(|piece| piece.len() <= most + 1));
        }
        assert_eq!(read(b"\xff\xfe\xf0\xc3\xe2\xff\xf0\xf0\xf0", 4).concat().chars().count(), 9);
    }

    #[test]
    fn a_window_holds_what_fits_and_counts_the_rest() {
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        let window = |skip, most, limit, pattern| {
            Window::new(Lines::new(text.as_bytes(), limit), skip, most, limit, pattern).unwrap()
        };
        let all = window(0, u64::MAX, 5_000, None);
        assert_eq!((all.text.as_str(), all.shown, all.total), (text.as_str(), 100, 100));
        assert_eq!(window(0, u64::MAX, 20, None).text, "line 1\nline 2\n");
        assert_eq!(window(98, u64::MAX, 20, None).text, "line 99\nline 100\n");
        assert_eq!(window(50, 1, 200, None).text, "line 51\n");
        let found = window(0, 2, 200, Some("9"));
        assert_eq!((found.text.as_str(), found.shown, found.total), ("9: line 9\n19: line 19\n", 2, 19));
        assert_eq!(window(200, 1, 200, None), Window { total: 100, ..Window::default() });
    }
}
