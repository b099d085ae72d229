//! What is kept, for whom, and how much of it.

use crate::exec::{Spool, Spooled, anonymous_file};
use crate::run::Caller;
use crate::run::bound::{Printed, Source};
use crate::surface::Way;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// How much is kept of outputs that did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most bytes of one output; what a command prints beyond them is counted.
    pub output_bytes: u64,
    /// The most bytes of all outputs of a session; 0 keeps nothing.
    pub session_bytes: u64,
    /// The most outputs of a session.
    pub outputs: usize,
}

impl Default for Retention {
    /// 64 MiB of one output, 128 MiB and 32 outputs of a session; the oldest give way.
    fn default() -> Self {
        Self { output_bytes: 64 << 20, session_bytes: 128 << 20, outputs: 32 }
    }
}

impl Retention {
    /// Tells whether anything is kept.
    pub(crate) fn keeps(&self) -> bool {
        self.session_bytes > 0 && self.outputs > 0
    }
}

/// Whose an output is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) session: String,
    pub(crate) principal: String,
}

impl Owner {
    pub(crate) fn of(caller: &Caller) -> Self {
        Self { session: caller.session.clone(), principal: caller.principal.name.clone() }
    }
}

/// The outputs that are kept.
#[derive(Debug, Default)]
pub(crate) struct Store {
    retention: Retention,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    closed: bool,
    outputs: VecDeque<Arc<Kept>>,
}

/// One output.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(super) handle: String,
    owner: Owner,
    file: File,
    length: u64,
    /// How many bytes were printed, of which `length` are there.
    pub(super) total: u64,
    pub(super) mime: &'static str,
    /// The limit that it did not fit.
    pub(super) limit: usize,
    /// The command that printed it.
    pub(super) source: String,
    pub(super) untrusted: bool,
}

impl Kept {
    pub(super) fn source(&self) -> Source<'_> {
        Source::File(&self.file, self.length)
    }
}

/// Keeps one output.
#[derive(Debug)]
pub(crate) struct Keeper {
    pub(crate) store: Arc<Store>,
    pub(crate) owner: Owner,
    /// How the caller reads it.
    pub(crate) way: Way,
    pub(crate) source: String,
    pub(crate) untrusted: bool,
}

impl Keeper {
    /// Keeps an output; returns how it is read, and what it is called.
    pub(crate) fn keep(self, printed: Printed, mime: &'static str, limit: usize) -> io::Result<(Way, String)> {
        let total = printed.total;
        let Spooled { file, length } = match printed.spooled {
            Some(spooled) => spooled,
            None => {
                let mut file = anonymous_file()?;
                file.write_all(&printed.head)?;
                Spooled { file, length: printed.head.len() as u64 }
            }
        };
        let Self { store, owner, way, source, untrusted } = self;
        let kept = Kept { handle: String::new(), owner, file, length, total, mime, limit, source, untrusted };
        store.put(kept).map(|handle| (way, handle))
    }
}

impl Store {
    pub(crate) fn new(retention: Retention) -> Self {
        Self { retention, state: Mutex::default() }
    }

    /// Makes the file for what a command prints beyond what is held in memory; `None` where nothing is kept.
    pub(crate) fn spool(&self) -> Option<Arc<Spool>> {
        self.retention
            .keeps()
            .then(|| Arc::new(Spool::new(self.retention.output_bytes.min(self.retention.session_bytes))))
    }

    /// Forgets all outputs, and takes no more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.outputs.clear();
    }

    /// Finds an output of its owner.
    pub(super) fn find(&self, handle: &str, owner: &Owner) -> Option<Arc<Kept>> {
        let is_it = |kept: &&Arc<Kept>| kept.handle == handle && kept.owner == *owner;
        self.state().outputs.iter().find(is_it).cloned()
    }

    /// Returns what an owner's outputs are called.
    pub(super) fn handles(&self, owner: &Owner) -> Vec<String> {
        let state = self.state();
        state.outputs.iter().filter(|kept| kept.owner == *owner).map(|kept| kept.handle.clone()).collect()
    }

    /// Takes an output in; the oldest of its owner give way.
    fn put(&self, mut kept: Kept) -> io::Result<String> {
        let Retention { session_bytes, outputs, .. } = self.retention;
        let mut state = self.state();
        if state.closed {
            return Err(io::Error::other("the server is ending"));
        }
        if kept.length > session_bytes || outputs == 0 {
            return Err(io::Error::other(format!("{session_bytes} bytes are kept of a session at most")));
        }
        loop {
            let of_owner = || state.outputs.iter().filter(|other| other.owner == kept.owner);
            let bytes: u64 = of_owner().map(|other| other.length).sum();
            if of_owner().count() < outputs && bytes + kept.length <= session_bytes {
                break;
            }
            let Some(oldest) = state.outputs.iter().position(|other| other.owner == kept.owner) else { break };
            state.outputs.remove(oldest);
        }
        state.last += 1;
        kept.handle = format!("out_{}", state.last);
        let handle = kept.handle.clone();
        state.outputs.push_back(Arc::new(kept));
        Ok(handle)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(session: &str, principal: &str) -> Owner {
        Owner { session: session.into(), principal: principal.into() }
    }

    fn keep(store: &Arc<Store>, owner: &Owner, bytes: usize) -> io::Result<String> {
        let way = Way::Own { tool: "output_read".into() };
        let keeper = Keeper { store: store.clone(), owner: owner.clone(), way, source: "x".into(), untrusted: false };
        keeper.keep(Printed::text("x".repeat(bytes)), "text/plain", 10).map(|(_, handle)| handle)
    }

    #[test]
    fn the_oldest_of_the_same_owner_give_way() {
        let store = Arc::new(Store::new(Retention { output_bytes: 100, session_bytes: 100, outputs: 3 }));
        let (a, b) = (owner("a", "p"), owner("b", "p"));
        let other = keep(&store, &b, 90).unwrap();
        let first = keep(&store, &a, 40).unwrap();
        let second = keep(&store, &a, 40).unwrap();
        let third = keep(&store, &a, 40).unwrap();
        assert_eq!(store.handles(&a), [second.clone(), third.clone()]);
        let more: Vec<String> = (0..3).map(|_| keep(&store, &a, 1).unwrap()).collect();
        assert_eq!(store.handles(&a), more);
        assert_eq!(store.handles(&b), std::slice::from_ref(&other));
        assert!(keep(&store, &a, 101).is_err());
        for (handle, owner) in [(&first, &a), (&other, &a), (&more[0], &b), (&more[0], &self::owner("a", "q"))] {
            assert!(store.find(handle, owner).is_none(), "{handle} {owner:?}");
        }
        assert!(store.find(&more[0], &a).is_some());
        store.close();
        assert!(store.find(&more[0], &a).is_none() && keep(&store, &a, 1).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_nobody_elses_and_has_no_name() {
        use std::os::unix::fs::MetadataExt;
        let store = Arc::new(Store::default());
        let owner = owner("a", "p");
        let handle = keep(&store, &owner, 10).unwrap();
        let metadata = store.find(&handle, &owner).unwrap().file.metadata().unwrap();
        assert_eq!((metadata.nlink(), metadata.mode() & 0o777), (0, 0o600));
    }
}
