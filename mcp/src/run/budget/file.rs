//! The file by which the server processes of a principal share what it has used up, and the time that they share.

use super::usage::{Time, Usage};
use crate::run::audit::{Lock, is_at, private};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions, create_dir_all, read_to_string};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The accounts of every principal, or of every session, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Book {
    /// The book's own time when it was last looked at.
    time: Time,
    /// What the clocks said then.
    at: Option<Reading>,
    accounts: BTreeMap<String, Usage>,
}

/// What the clocks say, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reading {
    /// Which start of the machine `since_boot` counts from.
    pub(super) boot: String,
    pub(super) since_boot: u64,
    pub(super) wall: u64,
}

/// Reads the clocks.
#[derive(Clone)]
pub(super) struct Clock(pub(super) Arc<dyn Fn() -> Reading + Send + Sync>);

impl Book {
    /// Goes on to the present, and returns an account with the book's time.
    pub(super) fn account(&mut self, name: &str, now: &Reading) -> (&mut Usage, Time) {
        let passed = match &self.at {
            None => 0,
            Some(at) if at.boot == now.boot => now.since_boot.saturating_sub(at.since_boot),
            // Only the clock on the wall lasts from one start of the machine to the next.
            Some(at) => now.wall.saturating_sub(at.wall),
        };
        self.time = self.time.saturating_add(passed);
        self.at = Some(now.clone());
        (self.accounts.entry(name.to_owned()).or_default(), self.time)
    }
}

/// The file that holds a book, shared with other processes.
#[derive(Debug)]
pub(super) struct Shelf {
    path: PathBuf,
    clock: Clock,
    file: Option<File>,
}

impl Shelf {
    pub(super) fn new(path: PathBuf, clock: Clock) -> Self {
        Self { path, clock, file: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads an account, lets it be changed, and writes it back, while every other process waits.
    pub(super) fn account<T>(&mut self, name: &str, change: impl FnOnce(&mut Usage, Time) -> T) -> io::Result<T> {
        loop {
            let file = match self.file.take() {
                Some(file) => file,
                None => self.open()?,
            };
            let lock = Lock::take(&file)?;
            // Somebody may have removed it, or put another in its place, since it was opened.
            if !is_at(&file, &self.path) {
                continue;
            }
            let done = self.change(&file, name, change);
            drop(lock);
            self.file = Some(file);
            return done;
        }
    }

    fn open(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            create_dir_all(folder)?;
        }
        private(OpenOptions::new().read(true).write(true).truncate(false), &self.path)
    }

    fn change<T>(&self, mut file: &File, name: &str, change: impl FnOnce(&mut Usage, Time) -> T) -> io::Result<T> {
        let mut before = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut before)?;
        let mut book = match before.is_empty() {
            true => Book::default(),
            false => serde_json::from_slice(&before).map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{error}; without the file, budgets start anew"))
            })?,
        };
        let (usage, time) = book.account(name, &self.clock.read());
        let done = change(usage, time);
        let after = serde_json::to_vec(&book)?;
        if let Err(error) = replace(file, &after, before.len()) {
            // A full disk must not leave half of it.
            let _ = replace(file, &before, usize::MAX);
            return Err(error);
        }
        Ok(done)
    }
}

impl Clock {
    /// Reads the time of this process alone.
    pub(super) fn own() -> Self {
        let start = Instant::now();
        Self(Arc::new(move || Reading { boot: String::new(), since_boot: millis(start), wall: 0 }))
    }

    /// Reads the time that all processes of the machine share.
    pub(super) fn shared() -> Self {
        let boot = read_to_string("/proc/sys/kernel/random/boot_id");
        let uptime = Uptime::open().filter(|uptime| uptime.read().is_some());
        match (boot, uptime) {
            (Ok(boot), Some(uptime)) => {
                let boot = boot.trim().to_owned();
                Self(Arc::new(move || {
                    // What can't be read any more stands still, and gives nothing back.
                    let since_boot = uptime.read().unwrap_or_default();
                    Reading { boot: boot.clone(), since_boot, wall: wall() }
                }))
            }
            // The wall clock alone is shared, and this process's time with nobody.
            _ => {
                let (boot, start) = (format!("{}-{}", std::process::id(), wall()), Instant::now());
                Self(Arc::new(move || Reading { boot: boot.clone(), since_boot: millis(start), wall: wall() }))
            }
        }
    }

    pub(super) fn read(&self) -> Reading {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.read()).finish()
    }
}

/// How long the machine has been on, sleep included: the one such time that all processes share and nobody sets.
struct Uptime(File);

impl Uptime {
    fn open() -> Option<Self> {
        File::open("/proc/uptime").ok().map(Self)
    }

    #[cfg(unix)]
    fn read(&self) -> Option<u64> {
        let mut text = [0; 64];
        let length = std::os::unix::fs::FileExt::read_at(&self.0, &mut text, 0).ok()?;
        let text = std::str::from_utf8(text.get(..length)?).ok()?;
        let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
        Some(seconds.parse::<u64>().ok()? * 1000 + hundredths.parse::<u64>().ok()? * 10)
    }

    #[cfg(not(unix))]
    fn read(&self) -> Option<u64> {
        None
    }
}

fn replace(mut file: &File, text: &[u8], before: usize) -> io::Result<()> {
    file.rewind()?;
    file.write_all(text)?;
    if text.len() < before { file.set_len(text.len() as u64) } else { Ok(()) }
}

fn millis(since: Instant) -> u64 {
    since.elapsed().as_millis().try_into().unwrap_or(u64::MAX)
}

fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis().try_into().unwrap_or(u64::MAX)
}
