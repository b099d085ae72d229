//! What a command prints beyond what is held in memory.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Takes what does not fit in memory, up to a limit; the rest is dropped by whoever counts it.
///
/// The file has no name, so that nothing is left behind however this process ends, and nobody else can open it.
#[derive(Debug)]
pub struct Spool {
    limit: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<File>,
    length: u64,
    fault: Option<io::Error>,
}

/// The start of an output, in a file.
#[derive(Debug)]
pub(crate) struct Spooled {
    pub(crate) file: File,
    pub(crate) length: u64,
}

impl Spool {
    /// Makes a spool that takes so many bytes; there is no file until it gets any.
    pub fn new(limit: u64) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Appends bytes as far as there is room.
    pub(crate) fn append(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let room = usize::try_from(self.limit - state.length).unwrap_or(usize::MAX);
        let bytes = &bytes[..bytes.len().min(room)];
        if bytes.is_empty() || state.fault.is_some() {
            return;
        }
        match state.append(bytes) {
            Ok(()) => state.length += bytes.len() as u64,
            Err(fault) => state.fault = Some(fault),
        }
    }

    /// Tells whether more would be written.
    pub(crate) fn has_room(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.length < self.limit && state.fault.is_none()
    }

    /// Takes the file; `None` where nothing came in.
    ///
    /// # Errors
    /// Why not all of it could be written.
    pub(crate) fn take(&self) -> io::Result<Option<Spooled>> {
        let State { file, length, fault } =
            std::mem::take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner));
        match fault {
            Some(fault) => Err(fault),
            None => Ok(file.map(|file| Spooled { file, length })),
        }
    }
}

/// Makes a file that has no name and is its owner's alone, and that is gone once it is closed.
pub(crate) fn anonymous_file() -> io::Result<File> {
    let file = tempfile::tempfile()?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

impl State {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(anonymous_file()?),
        };
        file.write_all(bytes)
    }
}
