//! What carries a proved call out: the CLI's own code in process, or its own executable.
//!
//! | | [`InProcess`] | [`Subprocess`] |
//! | --- | --- | --- |
//! | runs | a function of the proof's matches | the executable, with the proof's argv |
//! | stdin, stdout, stderr | given to the command, never the process's own | pipes; stdin is null unless given |
//! | reads / writes | in parallel / one at a time | as the executable's own locks have it |
//! | time-out, cancel | a token the command polls | the process group gets TERM, then KILL |
//! | a read-only call | is taken at its word | is held to it by the kernel, where that can |
//! | a crash | is caught and refused | is an exit by signal |
//! | one transaction over several calls | where the CLI offers it | no |
//!
//! A command that ran and exited non-zero is [`Finished`]; a [`Refusal`] means that it was not run to its end.

mod apart;
mod capture;
mod fence;
mod group;
mod in_process;
mod listen;
mod mask;
mod progress;
mod spool;
mod stray;
mod subprocess;
mod terminal;
mod threads;
mod turn;

pub(crate) use apart::{STACK_BYTES, apart};
pub use fence::Enforcement;
pub(crate) use fence::remark as fence_remark;
pub(crate) use group::Group;
pub use in_process::{CommandResult, InProcess, InUse, Io, UnitOfWork};
pub use mask::Mask;
pub use progress::{Progress, Step};
pub use spool::Spool;
pub(crate) use spool::{Spooled, anonymous_file};
pub use subprocess::Subprocess;
pub(crate) use subprocess::{is_bare_name, is_executable};
pub(crate) use terminal::leave as leave_terminal;

use crate::argv::Proved;
use crate::catalog::{Effect, Hidden, Operation};
use crate::refusal::Refusal;
use serde_json::Value;
use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub use tokio_util::sync::CancellationToken;

/// The environment variable that every command has which runs for an agent: what is the operator's alone refuses there.
pub(crate) const CALL: &str = "CLAP_FACADE_CALL";

/// A future that can be sent, behind a pointer.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Carries proved calls out.
pub trait Executor: Send + Sync {
    /// Runs one job to its end.
    ///
    /// Dropping the future stops the command like a cancel does.
    ///
    /// # Errors
    /// [`TimedOut`](crate::refusal::Kind::TimedOut), [`NeedsInput`](crate::refusal::Kind::NeedsInput) and
    /// [`Cancelled`](crate::refusal::Kind::Cancelled), all with what the command had printed by then; [`NotStarted`](crate::refusal::Kind::NotStarted),
    /// [`Panicked`](crate::refusal::Kind::Panicked); [`Busy`](crate::refusal::Kind::Busy) where an earlier change does
    /// not end.
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>>;

    /// Tells how calls of an operation that only read are held to it; `None` where the system has no part in it, because
    /// commands run in this process.
    fn enforcement(&self, operation: &Operation) -> Option<Enforcement> {
        let _ = operation;
        None
    }

    /// Tells whether any job could run at all, without running one: what a server asks before it starts.
    ///
    /// # Errors
    /// [`NotStarted`](crate::refusal::Kind::NotStarted), saying what is missing.
    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Returns the same with another environment for its commands; `None` where they run in this process.
    fn in_surroundings(&self, surroundings: &Surroundings) -> Option<Arc<dyn Executor>> {
        let _ = surroundings;
        None
    }

    /// Returns the folder that commands start in; `None` for this process's.
    fn cwd(&self) -> Option<&Path> {
        None
    }

    /// Opens one transaction over several jobs; `None` where the CLI offers none.
    ///
    /// `timeout` bounds the wait for other writes to end. `max_changes` caps what the whole may change.
    fn begin(&self, opening: Opening) -> Option<BoxFuture<'_, Result<Box<dyn Unit>, Refusal>>> {
        let _ = opening;
        None
    }
}

/// Several jobs that take effect together or not at all.
///
/// Dropped without a commit, it is rolled back. So is a unit with a job that panicked or did not stop in time; every
/// later call of such a unit is refused.
pub trait Unit: Send {
    /// Runs one job inside the transaction.
    ///
    /// # Errors
    /// As [`Executor::execute`].
    fn execute(&mut self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>>;

    /// Makes every change permanent and returns what the CLI reports on the whole.
    ///
    /// # Errors
    /// Why nothing was made permanent.
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<Option<Value>, String>>;

    /// Takes every change back.
    fn rollback(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// Where commands run that are processes of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Names of the variables that reach commands, `*` standing for any characters; `None` for all.
    pub pass: Option<Vec<String>>,
    /// Variables that are set for commands.
    pub set: Vec<(String, String)>,
    /// Variables with secrets that are set for commands.
    pub secrets: Vec<(String, Hidden)>,
    /// The folder that commands start in; `None` for this process's.
    pub cwd: Option<PathBuf>,
}

/// What a transaction over several jobs may do.
#[derive(Clone, Debug)]
pub struct Opening {
    /// What becomes of it where nothing fails.
    pub intent: Intent,
    /// The most changes that the whole may make.
    pub max_changes: Option<u64>,
    /// The longest wait for other writes to end.
    pub timeout: Duration,
    /// Ends the wait.
    pub cancel: CancellationToken,
}

/// What becomes of a transaction where nothing fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// It is committed.
    Apply,
    /// It is rolled back in any case: its jobs show what they would do, each after the ones before it.
    Preview,
}

/// What to run: made from a proof alone.
#[derive(Clone, Debug)]
pub struct Job {
    /// The call, proved.
    pub proved: Arc<Proved>,
    /// The effect that the call may have: decides whether it runs beside other calls.
    pub effect: Effect,
    /// What the command reads; nothing and an immediate end where `None`.
    pub stdin: Option<Vec<u8>>,
    /// How long and how much.
    pub limits: Limits,
    /// Where stdout goes once it is more than `limits` hold in memory; without it the rest is counted.
    pub spool: Option<Arc<Spool>>,
    /// What is taken out of both streams.
    pub mask: Arc<Mask>,
    /// Stops the command.
    pub cancel: CancellationToken,
    /// Where it is told how far the command has got.
    pub progress: Option<Progress>,
}

impl Job {
    /// Makes the job of a proved call: its own effect, no stdin, the default limits.
    pub fn new(proved: Arc<Proved>) -> Self {
        let effect = proved.invocation().effect();
        Self {
            proved,
            effect,
            stdin: None,
            limits: Limits::default(),
            spool: None,
            mask: Arc::default(),
            cancel: CancellationToken::new(),
            progress: None,
        }
    }
}

/// How long a command may run and how much of its output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time from the call to the command's end, waiting for other writes included.
    pub timeout: Duration,
    /// How long a command that is a process of its own may print nothing; `None` for as long as it may run. One that
    /// has surely asked something waits for ten seconds at most.
    pub silence: Option<Duration>,
    /// How many bytes of stdout are held in memory, from its start.
    pub stdout_bytes: usize,
    /// How many bytes of stderr are kept, from its end.
    pub stderr_bytes: usize,
}

impl Default for Limits {
    /// 55 seconds, because clients commonly give up after 60; 16 MiB of stdout, 64 KiB of stderr.
    fn default() -> Self {
        Self { timeout: Duration::from_secs(55), silence: None, stdout_bytes: 16 << 20, stderr_bytes: 64 << 10 }
    }
}

/// A command that ran to its end, whatever it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// The start of its stdout.
    pub stdout: Captured,
    /// The end of its stderr.
    pub stderr: Captured,
    /// From the call to the command's end.
    pub elapsed: Duration,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with an exit code.
    Code(i32),
    /// By a signal that nobody here sent.
    Signal(i32),
}

impl Exit {
    /// Tells whether the command reports success.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// What was kept of one output stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes kept: any bytes, not only UTF-8.
    pub bytes: Vec<u8>,
    /// How many bytes the command wrote.
    pub total: u64,
}

impl Captured {
    /// Tells whether bytes were left out.
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// Renders an error with its causes, on one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
