//! The file by which the server processes of a principal share what it has used up, and the time that they share.

use super::usage::{Time, Usage};
use crate::run::audit::{Lock, private};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions, read_to_string};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
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

    /// Reads the book in a file, lets it be changed, and writes it back, while every other process waits.
    pub(super) fn in_file<T>(path: &Path, change: impl FnOnce(&mut Self) -> T) -> io::Result<T> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = private(OpenOptions::new().read(true).write(true).truncate(false), path)?;
        let file_to_lock = file.try_clone()?;
        let _lock = Lock::take(&file_to_lock)?;
        let mut before = Vec::new();
        file.read_to_end(&mut before)?;
        let mut book = match before.is_empty() {
            true => Self::default(),
            false => serde_json::from_slice(&before).map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{error}; without the file, budgets start anew"))
            })?,
        };
        let done = change(&mut book);
        let after = serde_json::to_vec(&book)?;
        if let Err(error) = replace(&mut file, &after) {
            // A full disk must not leave half of it.
            let _ = replace(&mut file, &before);
            return Err(error);
        }
        Ok(done)
    }
}

impl Clock {
    /// Reads the machine's clocks.
    pub(super) fn system() -> Self {
        let boot = read_to_string("/proc/sys/kernel/random/boot_id");
        let start = Instant::now();
        let boot = match (boot, uptime()) {
            (Ok(boot), Some(_)) => boot.trim().to_owned(),
            // No other process shares this time.
            _ => format!("{}-{}", std::process::id(), wall()),
        };
        Self(Arc::new(move || {
            let since_boot = uptime().unwrap_or_else(|| start.elapsed().as_millis().try_into().unwrap_or(u64::MAX));
            Reading { boot: boot.clone(), since_boot, wall: wall() }
        }))
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

fn replace(file: &mut File, text: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(text)?;
    file.set_len(text.len() as u64)
}

/// Returns how long the machine has been on, sleep included: the one such time that all processes share and nobody sets.
fn uptime() -> Option<u64> {
    let text = read_to_string("/proc/uptime").ok()?;
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    Some(seconds.parse::<u64>().ok()? * 1000 + hundredths.parse::<u64>().ok()? * 10)
}

fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis().try_into().unwrap_or(u64::MAX)
}
