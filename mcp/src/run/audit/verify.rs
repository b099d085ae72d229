//! Finds what was done to an audit behind its back.

use super::chain::{Head, Link, NOTHING, hash};
use super::log::{Lock, TRIES, is_at};
use super::read::{is_absent, opened};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// What a look at a whole audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// How many whole lines there are, those of earlier files included.
    pub lines: u64,
    /// The number of the last line; 0 where there is none.
    pub seq: u64,
    /// The last line's SHA-256; empty where there is none.
    pub hash: String,
    /// The bytes of a last line whose writer ended in the middle of it; the next line that is written replaces it.
    pub torn: usize,
    /// What is wrong, in the order of the files.
    pub faults: Vec<Fault>,
}

/// A place where the audit is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// The line's place in it, from 1; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file.display(), self.problem),
            line => write!(f, "{}:{line}: {}", self.file.display(), self.problem),
        }
    }
}

/// Checks every line of an audit, its earlier files included, against the one before it and the last against the head.
///
/// Servers may write meanwhile.
///
/// # Errors
/// Where a file can't be read. An audit that was never written has no faults.
pub fn verify(path: &Path) -> io::Result<Verification> {
    let (head, files) = snapshot(path)?;
    let mut walk = Walk { head: head.as_ref(), last: None, found: Verification::default() };
    for (file, reader) in files {
        walk.file(&file, reader, file == path)?;
    }
    Ok(walk.end(path))
}

type Snapshot = (Option<Head>, Vec<(PathBuf, io::Take<File>)>);

/// Opens the files and reads the head while nobody writes.
fn snapshot(path: &Path) -> io::Result<Snapshot> {
    for _ in 0..TRIES {
        let current = match File::open(path) {
            Ok(file) => Some(file),
            Err(error) if is_absent(&error) => None,
            Err(error) => return Err(error),
        };
        let _lock = current.as_ref().map(Lock::take).transpose()?;
        // Whoever had the lock may have rotated the file, and a server may have made the first one just now.
        if current.as_ref().map_or_else(|| !path.exists(), |file| is_at(file, path)) {
            return taken(path);
        }
    }
    Err(io::Error::other("other processes keep replacing the file"))
}

fn taken(path: &Path) -> io::Result<Snapshot> {
    let head = match File::open(Head::path(path)) {
        Ok(file) => Head::read(&file)?,
        Err(error) if is_absent(&error) => None,
        Err(error) => return Err(error),
    };
    let files = opened(path)?.into_iter().map(|(path, file)| {
        let size = file.metadata()?.len();
        Ok((path, file.take(size)))
    });
    Ok((head, files.collect::<io::Result<_>>()?))
}

struct Walk<'a> {
    head: Option<&'a Head>,
    last: Option<Seen>,
    found: Verification,
}

/// A line that was passed.
struct Seen {
    file: PathBuf,
    line: u64,
    seq: u64,
    hash: String,
    known: Known,
}

/// Whether a line is already known to be wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Sound,
    Wrong,
}

impl Walk<'_> {
    fn file(&mut self, path: &Path, reader: impl Read, is_current: bool) -> io::Result<()> {
        let mut reader = BufReader::new(reader);
        let mut number = 0;
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            number += 1;
            let whole = line.last() == Some(&b'\n');
            if whole {
                line.pop();
                self.line(path, number, &line);
            } else if is_current {
                self.found.torn = line.len();
            } else {
                self.fault(path, number, "it is cut off");
            }
            line.clear();
        }
        Ok(())
    }

    fn line(&mut self, path: &Path, number: u64, bytes: &[u8]) {
        self.found.lines += 1;
        let due = self.last.as_ref().map(|last| last.seq + 1);
        let mut seen = Seen { file: path.to_owned(), line: number, seq: 0, hash: hash(bytes), known: Known::Sound };
        let Some(link) = Link::of(bytes) else {
            self.fault(path, number, "it is no line of the audit: it was edited or added");
            let seq = due.unwrap_or_else(|| self.head.map_or(1, |head| head.first));
            self.last = Some(Seen { seq, known: Known::Wrong, ..seen });
            return;
        };
        seen.seq = link.seq;
        if link.headless {
            self.fault(path, number, "the head was gone when it was written: lines before it may have been removed");
        }
        match self.last.take() {
            None => self.start(&link, &seen),
            Some(last) if link.seq == last.seq + 1 && link.prev == last.hash => {}
            Some(last) if link.seq == last.seq + 1 => {
                // It is told once which line is wrong.
                if last.known == Known::Sound {
                    self.fault(
                        &last.file,
                        last.line,
                        "it is not what was written here: the next line has another hash of it",
                    );
                }
            }
            Some(last) if link.seq > last.seq + 1 => {
                let (from, to) = (last.seq + 1, link.seq - 1);
                let lines = if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
                self.fault(path, number, format!("{lines} of the chain should stand before it: removed or moved"));
            }
            Some(last) => {
                let problem = format!(
                    "it is line {} of the chain and stands after line {}: moved, repeated or edited",
                    link.seq, last.seq
                );
                self.fault(path, number, problem);
            }
        }
        if self.head.is_some_and(|head| head.seq == seen.seq && head.hash != seen.hash) {
            self.fault(path, number, "it is not what was written here: the head has another hash of it");
            seen.known = Known::Wrong;
        }
        self.last = Some(seen);
    }

    fn start(&mut self, link: &Link, seen: &Seen) {
        let first = self.head.map_or(link.seq, |head| head.first);
        if link.seq > first {
            let problem = format!("the chain should begin with line {first}, and this is line {}: removed", link.seq);
            self.fault(&seen.file, seen.line, problem);
        }
        if link.seq == 1 && link.prev != NOTHING {
            self.fault(&seen.file, seen.line, "it is the first line and names one before it: it was edited");
        }
    }

    fn end(mut self, path: &Path) -> Verification {
        match (self.head, self.last.take()) {
            (None, None) => {}
            (None, Some(_)) => {
                self.fault(&Head::path(path), 0, "it is missing: whether the last lines were removed can't be told");
            }
            (Some(head), None) if head.seq > 0 => {
                self.fault(path, 0, format!("lines {} to {} of the chain were removed", head.first, head.seq));
            }
            (Some(_), None) => {}
            (Some(head), Some(last)) => {
                if head.seq > last.seq {
                    let problem = format!("lines {} to {} of the chain should follow: removed", last.seq + 1, head.seq);
                    self.fault(&last.file, last.line, problem);
                }
                (self.found.seq, self.found.hash) = (last.seq, last.hash);
            }
        }
        self.found
    }

    fn fault(&mut self, file: &Path, line: u64, problem: impl Into<String>) {
        self.found.faults.push(Fault { file: file.to_owned(), line, problem: problem.into() });
    }
}
