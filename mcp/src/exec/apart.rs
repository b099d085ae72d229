//! Blocking work of an adopter's `main`, which may be an async one.

use std::io;
use std::thread::{Builder, scope};

/// The stack of the server's threads: what a `main` usually has, since fixed tools run on them.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// Runs work on a thread of its own and waits: an event loop can be neither run nor dropped inside another.
pub(crate) fn apart<T: Send>(name: &str, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    scope(|scope| {
        let thread = Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        thread.join().map_err(|_| io::Error::other(format!("{name} panicked")))?
    })
}
