//! How far a command has got, read from what it prints.

use crate::run::bound::Bound;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Takes how far one call has got; what is taken never falls, whatever the command says.
#[derive(Clone)]
pub struct Progress {
    known: Arc<Mutex<Known>>,
    out: Arc<watch::Sender<Step>>,
}

/// How far a call has got.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Grows from step to step.
    pub progress: f64,
    /// What it grows to, where that is known.
    pub total: Option<f64>,
    /// What the command says of it, in at most 200 bytes, or empty.
    pub message: String,
}

/// What was taken so far.
#[derive(Default)]
struct Known {
    /// Where the count that runs now began.
    base: f64,
    /// What the command said last.
    said: f64,
    total: Option<f64>,
}

/// The most bytes of a step's message.
const MESSAGE_BYTES: usize = 200;

impl Progress {
    /// Makes a sink and what its steps are read from: always the latest, since earlier ones are of no use any more.
    pub fn new() -> (Self, watch::Receiver<Step>) {
        let (out, steps) = watch::channel(Step::default());
        (Self { known: Arc::default(), out: Arc::new(out) }, steps)
    }

    /// Takes what a command says of itself.
    fn take(&self, reading: Reading) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.base + known.said;
        let (said, total) = match reading.at {
            Some((said, total)) => (said, total.filter(|total| *total >= said && *total > 0.0)),
            None => (known.said + 1.0, None),
        };
        // A command that counts anew goes on from where the count before had come.
        if said < known.said || total != known.total {
            known.base = before;
            known.said = 0.0;
            known.total = total;
        }
        let progress = known.base + said;
        if progress > before {
            known.said = said;
            let total = total.map(|total| known.base + total);
            self.out.send_replace(Step { progress, total, message: reading.message });
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&*self.out.borrow()).finish()
    }
}

/// What one line says of progress.
#[derive(Debug, PartialEq)]
struct Reading {
    /// How far, and of how much; `None` for a sign of life.
    at: Option<(f64, Option<f64>)>,
    message: String,
}

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It stays.
    Newline,
    /// It is written over: a bar.
    Return,
}

/// Which stream a line came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Out,
    Err,
}

impl Progress {
    /// Reads one line, which as a rule says nothing of progress.
    pub(super) fn read(&self, channel: Channel, ending: Ending, line: &[u8]) {
        if let Some(reading) = reading(channel, ending, line) {
            self.take(reading);
        }
    }
}

fn reading(channel: Channel, ending: Ending, line: &[u8]) -> Option<Reading> {
    if line.trim_ascii_start().starts_with(b"{") {
        return event(&serde_json::from_slice(line).ok()?);
    }
    // A result may hold any number; only what is written over is surely none.
    if channel == Channel::Out && ending == Ending::Newline {
        return None;
    }
    let text = Bound::tail(line, LINE_BYTES);
    if text.is_empty() {
        return None;
    }
    let at = percent(&text).map(|percent| (percent, Some(100.0))).or_else(|| counted(&text, ending));
    if at.is_none() && ending == Ending::Newline {
        return None;
    }
    Some(Reading { at, message: shorten(&text) })
}

/// The most bytes of a line that are looked at.
pub(super) const LINE_BYTES: usize = 4 << 10;

/// Reads a line that is an event: `{"event":"progress","current":3,"total":9}`.
fn event(event: &Map<String, Value>) -> Option<Reading> {
    let is_progress = |key: &str| {
        let name = event.get(key).and_then(Value::as_str);
        name.is_some_and(|name| name.to_ascii_lowercase().contains("progress"))
    };
    if !["event", "type", "kind"].into_iter().any(is_progress) {
        return None;
    }
    let inner = event.get("data").and_then(Value::as_object);
    let find = |keys: &[&str]| keys.iter().find_map(|key| event.get(*key).or_else(|| inner?.get(*key)));
    let number =
        |keys: &[&str]| find(keys).and_then(Value::as_f64).filter(|number| number.is_finite() && *number >= 0.0);
    let message = find(&["message", "msg", "label", "stage", "phase", "status", "name"]).and_then(Value::as_str);
    let total = number(&["total", "length", "max", "steps"]);
    let at = match (number(&["current", "completed", "done", "position", "progress", "step"]), total) {
        (Some(said), None) if said <= 1.0 && said.fract() != 0.0 => Some((said, Some(1.0))),
        (Some(said), total) => Some((said, total)),
        (None, _) => number(&["percent", "percentage"]).map(|percent| (percent, Some(100.0))),
    };
    Some(Reading { at, message: shorten(&Bound::tail(message.unwrap_or_default().as_bytes(), LINE_BYTES)) })
}

/// Reads `42%` or `42.5 %`.
fn percent(text: &str) -> Option<f64> {
    text.match_indices('%').find_map(|(at, _)| {
        let before = text[..at].trim_end_matches(' ');
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let percent: f64 = before[before.len() - digits..].parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some(percent)
    })
}

/// Reads `[3/9]` or `(3/9)`; in a bar also `3/9`.
fn counted(text: &str, ending: Ending) -> Option<(f64, Option<f64>)> {
    text.match_indices('/').find_map(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let head = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let tail = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let stands_alone = match ending {
            Ending::Newline => head.ends_with(['[', '(']) && tail.starts_with([']', ')']),
            Ending::Return => {
                let joins = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
                !head.ends_with(joins) && !tail.starts_with(joins)
            }
        };
        let said: f64 = before[head.len()..].parse().ok()?;
        let total: f64 = after[..after.len() - tail.len()].parse().ok()?;
        (stands_alone && said <= total).then_some((said, Some(total)))
    })
}

fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    text.truncate(text.floor_char_boundary(MESSAGE_BYTES));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_for_what_they_say() {
        use {Channel::*, Ending::*};
        let table = [
            (Err, Return, " 42% |####    |", (42.0, 100.0)),
            (Out, Return, "Downloading 7.5 % done", (7.5, 100.0)),
            (Err, Newline, "done: 100%", (100.0, 100.0)),
            (Err, Return, "    Building [===>      ] 12/34: serde, syn", (12.0, 34.0)),
            (Err, Newline, "[3/9] CC main.o", (3.0, 9.0)),
            (Err, Newline, "Compiling x (3/9)", (3.0, 9.0)),
            (Out, Newline, r#"{"event":"progress","current":3,"total":9}"#, (3.0, 9.0)),
            (Err, Newline, r#"{"type":"download-progress","data":{"percent":12.5}}"#, (12.5, 100.0)),
            (Err, Newline, r#"{"kind":"progress","progress":0.25}"#, (0.25, 1.0)),
        ];
        for (channel, ending, line, (said, total)) in table {
            let read = reading(channel, ending, line.as_bytes()).unwrap_or_else(|| panic!("{line} is progress"));
            assert_eq!(read.at, Some((said, Some(total))), "{line}");
        }
        let spinner = reading(Err, Return, "\u{1b}[2K\u{1b}[32m⠙\u{1b}[0m  resolving\u{7}".as_bytes()).unwrap();
        assert_eq!(spinner, Reading { at: None, message: "⠙ resolving".to_owned() });
        let none: &[(Channel, Ending, &str)] = &[
            (Out, Newline, "50% cotton"),
            (Out, Newline, "[3/9]"),
            (Err, Newline, "on 11/30 it was"),
            (Err, Newline, "Compiling serde v1.0.0"),
            (Err, Newline, "900% more"),
            (Err, Newline, "[9/3]"),
            (Out, Newline, r#"{"event":"done","current":3,"total":9}"#),
            (Out, Newline, r#"{"progress":3}"#),
            (Out, Newline, "{ not json"),
            (Err, Return, "  \u{1b}[K "),
        ];
        for (channel, ending, line) in none {
            assert_eq!(reading(*channel, *ending, line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn steps_never_fall_whatever_is_said() {
        let (progress, mut steps) = Progress::new();
        let mut last = 0.0;
        let lines =
            ["10%", "20%", "20%", "5%", "100%", "1/3", "2/3", "spinning", "still", "1/3", "0%", "50%", "nan%", "99%"];
        let mut sent = 0;
        for line in lines.iter().cycle().take(100) {
            progress.read(Channel::Err, Ending::Return, line.as_bytes());
            if steps.has_changed().unwrap() {
                let step = steps.borrow_and_update().clone();
                assert!(step.progress > last, "{step:?} after {last}");
                assert!(step.total.is_none_or(|total| total >= step.progress), "{step:?}");
                (last, sent) = (step.progress, sent + 1);
            }
        }
        assert!(sent > 60, "{sent}");
    }

    #[test]
    fn messages_are_clean_and_bounded() {
        let line = format!("\u{1b}[1m10%\u{1b}[0m {}\u{0}\u{8}", "é ".repeat(3000));
        let read = reading(Channel::Err, Ending::Return, line.as_bytes()).unwrap();
        assert!(read.message.len() <= MESSAGE_BYTES && !read.message.contains(char::is_control), "{}", read.message);
    }
}
