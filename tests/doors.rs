//! The doors: one suite, imported once for each of them, and what only a real process can show.

mod memory;
mod process;

use crate::session::{Era, Session};
use clap_facade::surface::Choice;
use std::path::PathBuf;
use tempfile::TempDir;

/// How a connection is opened.
#[derive(Clone, Copy, Debug)]
struct Opening {
    era: Era,
    surface: Choice,
    audit: Audit,
}

/// Whether the audit's file can be made.
#[derive(Clone, Copy, Debug)]
enum Audit {
    Writable,
    Unwritable,
}

impl Opening {
    fn of(era: Era) -> Self {
        Self { era, surface: Choice::Facade, audit: Audit::Writable }
    }

    fn surface(self, surface: Choice) -> Self {
        Self { surface, ..self }
    }

    fn audit(self, audit: Audit) -> Self {
        Self { audit, ..self }
    }
}

/// An open connection to a server of the peers tree, which ends with it.
struct Connection {
    session: Session,
    audit: PathBuf,
    _server: Box<dyn Send + Sync>,
    _folder: TempDir,
}

impl std::ops::Deref for Connection {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

/// Makes the place of the audit, or makes it impossible.
fn state(folder: &TempDir, audit: Audit) -> PathBuf {
    let state = folder.path().join("state");
    if let Audit::Unwritable = audit {
        std::fs::write(&state, "not a folder").unwrap();
    }
    state
}

/// Returns a number of milliseconds, over a year, that no other call on this machine sleeps.
fn nap() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    100_000_000_000 + u64::from(std::process::id()) * 1_000 + next
}

/// Returns the word of a command line that carries such a number.
fn nap_word(ms: u64) -> String {
    format!("--ms={ms}")
}
