//! What a running command says: when it spoke last, what it asks, how far it has got.

use super::progress::{Channel, Ending, LINE_BYTES, Progress};
use crate::run::bound::Bound;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How long a command may wait for the answer to what is surely a question.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether a command has become silent.
const LOOK: Duration = Duration::from_secs(1);
/// The most bytes of a question that are shown.
const SHOWN: usize = 300;

/// Listens to both streams of one command.
pub(super) struct Listener {
    heard: Mutex<Heard>,
    progress: Option<Progress>,
}

struct Heard {
    last: Instant,
    spoke: Channel,
    out: Line,
    err: Line,
}

/// The line that is being written.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// It was ended by a return, which may be the first half of a newline.
    returned: bool,
    /// It writes over another one: a bar, which is worth reading before its end.
    over: bool,
}

impl Listener {
    pub(super) fn new(progress: Option<Progress>) -> Self {
        let (out, err) = (Line::default(), Line::default());
        Self { heard: Mutex::new(Heard { last: Instant::now(), spoke: Channel::Err, out, err }), progress }
    }

    pub(super) fn hear(&self, channel: Channel, chunk: &[u8]) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.last = Instant::now();
        heard.spoke = channel;
        let line = match channel {
            Channel::Out => &mut heard.out,
            Channel::Err => &mut heard.err,
        };
        match &self.progress {
            Some(progress) => line.write(chunk, |ending, line| progress.read(channel, ending, line)),
            // Only what is not finished matters, so that the rest need not be looked at.
            None => {
                let ended = chunk.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
                line.write(&chunk[ended.unwrap_or(0)..], |_, _| {});
            }
        }
    }

    /// Returns what the command printed last without ending the line; `None` where it ended it.
    pub(super) fn unfinished(&self) -> Option<String> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let line = match heard.spoke {
            Channel::Out => &heard.out,
            Channel::Err => &heard.err,
        };
        let text = if line.returned { String::new() } else { Bound::tail(&line.bytes, SHOWN) };
        (!text.is_empty()).then_some(text)
    }

    /// Waits until the command has been silent for as long as it may be.
    pub(super) async fn silence(&self, limit: Option<Duration>) {
        loop {
            let asks = self.unfinished().is_some_and(|line| is_question(&line));
            let limit = if asks { Some(limit.map_or(PATIENCE, |limit| limit.min(PATIENCE))) } else { limit };
            let silent = self.heard.lock().unwrap_or_else(PoisonError::into_inner).last.elapsed();
            match limit.map(|limit| limit.saturating_sub(silent)) {
                Some(Duration::ZERO) => return,
                Some(left) => sleep(left.min(LOOK)).await,
                None => sleep(LOOK).await,
            }
        }
    }
}

impl Line {
    fn write(&mut self, chunk: &[u8], mut ended: impl FnMut(Ending, &[u8])) {
        for piece in chunk.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            if self.returned {
                let ending = if piece == b"\n" { Ending::Newline } else { Ending::Return };
                ended(ending, &self.bytes);
                self.bytes.clear();
                self.returned = false;
                self.over = ending == Ending::Return;
                if piece == b"\n" {
                    continue;
                }
            }
            let (text, end) = match piece.split_last() {
                Some((end @ (b'\n' | b'\r'), text)) => (text, Some(*end)),
                _ => (piece, None),
            };
            let room = LINE_BYTES.saturating_sub(self.bytes.len());
            self.bytes.extend_from_slice(&text[..text.len().min(room)]);
            match end {
                Some(b'\n') => {
                    ended(Ending::Newline, &self.bytes);
                    self.bytes.clear();
                    self.over = false;
                }
                Some(_) => self.returned = true,
                None if self.over => ended(Ending::Return, &self.bytes),
                None => {}
            }
        }
    }
}

/// Tells whether a line that was not ended is surely a question.
pub(super) fn is_question(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "y/n",
        "yes/no",
        "y or n",
        "password",
        "passphrase",
        "passcode",
        "username",
        "user name",
        "press enter",
        "press any key",
        "continue?",
        "proceed?",
        "are you sure",
        "overwrite",
        "confirm",
    ];
    let line = line.lines().last().unwrap_or_default().trim().to_ascii_lowercase();
    line.ends_with([':', '?', ']', ')', '>']) && WORDS.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finished_is_known_with_progress_and_without() {
        let table: &[(&[&str], Option<&str>)] = &[
            (&["done\n"], None),
            (&["Overwrite? [y/N] "], Some("Overwrite? [y/N]")),
            (&["a\nb\nPass", "word: "], Some("Password:")),
            (&["a\r\nb\r\n"], None),
            (&["a\r", "\n"], None),
            (&["10%\r20%\r"], None),
            (&["\r10%", "\rname: "], Some("name:")),
            (&["\u{1b}[1mSure?\u{1b}[0m "], Some("Sure?")),
            (&["", "   "], None),
        ];
        for (chunks, unfinished) in table {
            for progress in [None, Some(Progress::new().0)] {
                let listener = Listener::new(progress);
                chunks.iter().for_each(|chunk| listener.hear(Channel::Err, chunk.as_bytes()));
                assert_eq!(listener.unfinished().as_deref(), *unfinished, "{chunks:?}");
            }
        }
    }

    #[test]
    fn a_newline_of_two_bytes_is_no_bar() {
        let (progress, steps) = Progress::new();
        let listener = Listener::new(Some(progress));
        for chunk in ["one\r\ntwo\r", "\nthree\r\n"] {
            listener.hear(Channel::Out, chunk.as_bytes());
        }
        assert!(!steps.has_changed().unwrap());
        listener.hear(Channel::Out, b"\r10% of it\r20% of it\r");
        assert_eq!(steps.borrow().progress, 10.0);
    }

    #[test]
    fn questions_are_told_from_what_is_only_slow() {
        for question in
            ["Overwrite x? [y/N]", "Password:", "Enter passphrase for key '/x':", "Proceed? (yes/no)", "a\nConfirm?"]
        {
            assert!(is_question(question), "{question}");
        }
        for slow in ["Downloading x:", "linking...", "[1/3]", "password accepted", "10%", ""] {
            assert!(!is_question(slow), "{slow}");
        }
    }
}
