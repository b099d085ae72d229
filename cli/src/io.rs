//! The streams a command is given: never the process's own below `main`.

use std::io::{Read, Write};

/// What a run reads from and writes to.
pub struct Io<'a> {
    /// What the command reads as its standard input.
    pub stdin: &'a mut (dyn Read + Send),
    /// Where the result goes.
    pub stdout: &'a mut (dyn Write + Send),
    /// Where messages and progress go.
    pub stderr: &'a mut (dyn Write + Send),
    /// Whether a person watches: colours and progress bars are allowed.
    pub terminal: bool,
    /// Whether the caller has lost interest; polled between steps of long work.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for Io<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Io").field("terminal", &self.terminal).finish_non_exhaustive()
    }
}
