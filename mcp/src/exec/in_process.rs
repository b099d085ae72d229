//! Runs the CLI's own code, from the very matches that the proof parsed.

use super::capture::{Keep, partial};
use super::chain;
use super::listen::Listener;
use super::progress::Channel;
use super::threads;
use super::turn::{Turn, Turns};
use super::{BoxFuture, CancellationToken, Captured, Executor, Exit, Finished, Job, Limits, Opening, Unit};
use crate::argv::Proved;
use crate::catalog::{Effect, said};
use crate::refusal::{Kind, Refusal};
use clap::ArgMatches;
use serde_json::Value;
use std::any::Any;
use std::error::Error;
use std::io::{self, Cursor, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_util::sync::DropGuard;

/// How long a stopped command may take to end before its caller is answered.
const STOP_GRACE: Duration = Duration::from_millis(250);
/// The least time that a commit has before its caller is answered without it.
const COMMIT_GRACE: Duration = Duration::from_secs(5);

/// What a command returns: its exit code, or an error that is printed to its stderr and exits with 1.
pub type CommandResult = Result<u8, Box<dyn Error + Send + Sync>>;

/// What a command reads and writes instead of the process's own streams.
pub struct Io<'a> {
    /// What the command reads; at its end from the start where the caller gave nothing.
    pub stdin: &'a mut (dyn Read + Send),
    /// The result.
    pub stdout: &'a mut (dyn Write + Send),
    /// Messages for people.
    pub stderr: &'a mut (dyn Write + Send),
    /// Set when the caller gave up or time ran out: a command that takes long polls it and ends.
    pub cancel: &'a CancellationToken,
}

/// Several commands that take effect together or not at all, as the CLI does it.
///
/// Dropped without a commit, it must leave no change: a workflow is previewed by running its commands in a unit that is
/// rolled back. What can't be rolled back, such as a file, is put off until the commit, or the command is refused.
pub trait UnitOfWork: Send {
    /// Runs one command inside the transaction.
    ///
    /// # Errors
    /// What the command's own `main` would print.
    fn run(&mut self, matches: &ArgMatches, io: &mut Io<'_>) -> CommandResult;

    /// Makes every change permanent and returns what there is to report on the whole.
    ///
    /// # Errors
    /// Why nothing was made permanent.
    fn commit(self: Box<Self>) -> Result<Option<Value>, Box<dyn Error + Send + Sync>>;

    /// Takes every change back.
    fn rollback(self: Box<Self>);
}

/// What a unit of work ends in that could not begin because another process is writing: refused as [`Busy`](Kind::Busy),
/// so that the caller tries again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InUse(pub String);

type Run = dyn Fn(&ArgMatches, &mut Io<'_>) -> CommandResult + Send + Sync;
type Begin = dyn Fn(&Opening) -> Result<Box<dyn UnitOfWork>, Box<dyn Error + Send + Sync>> + Send + Sync;

/// Runs the CLI's own code, each call on a thread of its own.
///
/// Read-only calls run in parallel; others one at a time, and waiting for one's turn can be cancelled. A panic is
/// caught, refused and reported on stderr by the panic hook; nothing stays locked.
///
/// A command can't be stopped from outside. When time runs out or the caller cancels, [`Io::cancel`] is set; the caller
/// is answered when the command ends, or after a grace if it does not. A write that was left behind so keeps the turn
/// to write until it has really ended: other writes are refused as [`Busy`](Kind::Busy), and reads go on. A command
/// that ends with success within the grace is reported as what it is: done.
///
/// A command runs on a thread that may have run others before: what those left in thread-locals is still there.
///
/// Not for code that calls `process::exit`, prints past its [`Io`] or may abort: use
/// [`Subprocess`](super::Subprocess).
#[derive(Clone)]
pub struct InProcess {
    run: Arc<Run>,
    begin: Option<Arc<Begin>>,
    turns: Turns,
    stop_grace: Duration,
}

impl InProcess {
    /// Runs commands by `run`: what the CLI's `main` does after parsing, with the streams given.
    pub fn new(run: impl Fn(&ArgMatches, &mut Io<'_>) -> CommandResult + Send + Sync + 'static) -> Self {
        Self { run: Arc::new(run), begin: None, turns: Turns::default(), stop_grace: STOP_GRACE }
    }

    /// Offers one transaction over several commands; `begin` is told what the whole may do.
    #[must_use]
    pub fn with_unit<F>(mut self, begin: F) -> Self
    where
        F: Fn(&Opening) -> Result<Box<dyn UnitOfWork>, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    {
        self.begin = Some(Arc::new(begin));
        self
    }

    /// Sets how long a stopped command may take to end before its caller is answered; else it is 250 ms.
    #[must_use]
    pub fn stop_grace(mut self, grace: Duration) -> Self {
        self.stop_grace = grace;
        self
    }
}

impl Executor for InProcess {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async move {
            let call = Call::new(job, self.stop_grace);
            let turn = match call.effect {
                Effect::ReadOnly => None,
                Effect::Mutating | Effect::Destructive => {
                    let what = format!("`{}`", call.proved.invocation().operation().name);
                    Some(self.turns.wait(&what, call.limits.timeout, self.stop_grace, &call.stop).await?)
                }
            };
            let left = turn.as_ref().map(|turn| turn.left().clone());
            let run = self.run.clone();
            call.carry_out(turn, left, move |_, matches, io| run(matches, io)).await.0
        })
    }

    fn begin(&self, opening: Opening) -> Option<BoxFuture<'_, Result<Box<dyn Unit>, Refusal>>> {
        let begin = self.begin.clone()?;
        let stop_grace = self.stop_grace;
        Some(Box::pin(async move {
            let (timeout, cancel) = (opening.timeout, opening.cancel.clone());
            let end = Instant::now() + timeout;
            let turn = self.turns.wait("a workflow", timeout, stop_grace, &cancel).await?;
            let left = turn.left().clone().drop_guard();
            let opened = on_thread(move || begin(&opening).map(|work| Open { work: Some(work), turn }));
            let opened = tokio::select! {
                biased;
                opened = opened => opened?,
                () = cancel.cancelled() => return Err(Refusal::new(Kind::Cancelled)),
                () = sleep(end.saturating_duration_since(Instant::now())) => {
                    return Err(Refusal::new(Kind::Busy).because(format!("no transaction could be opened within {timeout:?}")));
                }
            };
            left.disarm();
            let open = opened.map_err(|error| {
                let kind = if error.is::<InUse>() { Kind::Busy } else { Kind::NotStarted };
                Refusal::new(kind).because(format!("no transaction could be opened: {}", chain(&*error)))
            })?;
            Ok(Box::new(Transaction { open: Some(open), end, stop_grace }) as Box<dyn Unit>)
        }))
    }
}

/// A transaction as the pipeline holds it; closed once a job of it was lost.
struct Transaction {
    open: Option<Open>,
    end: Instant,
    stop_grace: Duration,
}

/// The CLI's transaction and the turn to write: rolled back when dropped.
struct Open {
    work: Option<Box<dyn UnitOfWork>>,
    turn: Turn,
}

impl Unit for Transaction {
    fn execute(&mut self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async move {
            let call = Call::new(job, self.stop_grace);
            // The turn is part of `open`: a job that outlives its caller keeps it until it ends.
            let open = self.open.take().ok_or_else(|| Refusal::new(Kind::NotStarted).because(ROLLED_BACK))?;
            let left = open.turn.left().clone();
            let (ran, open) = call
                .carry_out(open, Some(left), |open, matches, io| match &mut open.work {
                    Some(work) => work.run(matches, io),
                    None => Err(ROLLED_BACK.into()),
                })
                .await;
            self.open = open;
            ran
        })
    }

    fn commit(mut self: Box<Self>) -> BoxFuture<'static, Result<Option<Value>, String>> {
        let open = self.open.take();
        let within = self.end.saturating_duration_since(Instant::now()).max(COMMIT_GRACE);
        Box::pin(async move {
            let mut open = open.ok_or(ROLLED_BACK)?;
            let left = open.turn.left().clone().drop_guard();
            let committed = timeout(within, on_thread(move || open.work.take().map(UnitOfWork::commit))).await;
            let committed = committed.map_err(|_| COMMITTING)?.map_err(|refusal| refusal.message)?;
            left.disarm();
            committed.ok_or(ROLLED_BACK)?.map_err(|error| chain(&*error))
        })
    }

    fn rollback(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        let open = self.open.take();
        let stop_grace = self.stop_grace;
        Box::pin(async move {
            let left = open.as_ref().map(|open| open.turn.left().clone().drop_guard());
            // Dropping it is what rolls back; a panic of the rollback is already on stderr.
            if timeout(stop_grace, on_thread(move || drop(open))).await.is_ok() {
                left.map(DropGuard::disarm);
            }
        })
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            open.turn.left().cancel();
            let _ = spawn(move || drop(open));
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| work.rollback()));
        }
    }
}

const ROLLED_BACK: &str = "the transaction was rolled back, because a command in it crashed or did not stop in time";
const COMMITTING: &str = "the commit has not ended yet, so that it is not known whether anything was changed";

/// One call on its way.
struct Call {
    proved: Arc<Proved>,
    effect: Effect,
    stdin: Vec<u8>,
    limits: Limits,
    stop_grace: Duration,
    /// The caller's token, and set also when time runs out or the caller goes away.
    stop: CancellationToken,
    started: Instant,
    stdout: Stream,
    stderr: Stream,
}

impl Call {
    fn new(job: Job, stop_grace: Duration) -> Self {
        let listener = job.progress.map(|progress| Arc::new(Listener::new(Some(progress))));
        let stream = |channel, keep| Stream::new(keep, listener.clone().map(|listener| (listener, channel)));
        Self {
            stdout: stream(Channel::Out, Keep::spooled(job.limits.stdout_bytes, job.spool).masked(&job.mask)),
            stderr: stream(Channel::Err, Keep::tail(job.limits.stderr_bytes).masked(&job.mask)),
            proved: job.proved,
            effect: job.effect,
            stdin: job.stdin.unwrap_or_default(),
            limits: job.limits,
            stop_grace,
            stop: job.cancel.child_token(),
            started: Instant::now(),
        }
    }

    /// Runs the command on a thread that owns `state` until the command has really ended.
    ///
    /// The state comes back unless the command panicked or did not stop in time; else it is dropped there. `left` is set
    /// when the command goes on without a caller.
    async fn carry_out<S, R>(
        mut self,
        state: S,
        left: Option<CancellationToken>,
        run: R,
    ) -> (Result<Finished, Refusal>, Option<S>)
    where
        S: Send + 'static,
        R: FnOnce(&mut S, &ArgMatches, &mut Io<'_>) -> CommandResult + Send + 'static,
    {
        let _stop_when_dropped = self.stop.clone().drop_guard();
        if self.stop.is_cancelled() {
            return (Err(Refusal::new(Kind::Cancelled)), Some(state));
        }
        let mut ended = match self.start(state, run) {
            Ok(ended) => ended,
            Err(refusal) => return (Err(refusal), None),
        };
        let left = left.map(CancellationToken::drop_guard);
        let stopped = tokio::select! {
            biased;
            ended = &mut ended => {
                left.map(DropGuard::disarm);
                return self.finish(ended.ok());
            }
            () = self.stop.cancelled() => Refusal::new(Kind::Cancelled),
            () = sleep(self.limits.timeout.saturating_sub(self.started.elapsed())) => Refusal::new(Kind::TimedOut)
                .because(format!("the command did not end within {:?} and was stopped", self.limits.timeout)),
        };
        self.stop.cancel();
        let ended = timeout(self.stop_grace, &mut ended).await;
        if ended.is_ok() {
            left.map(DropGuard::disarm);
        }
        match ended {
            // It did its work after all: to call that stopped would make an agent do it twice.
            Ok(Ok((Ok(0), state))) => self.finish(Some((Ok(0), state))),
            Ok(Ok((Ok(_), state))) => (Err(self.refuse(stopped)), state),
            Ok(ended) => self.finish(ended.ok()),
            Err(_) => {
                let running = format!("{}: it was told to stop and has not ended yet", stopped.kind.sentence());
                (Err(self.refuse(stopped.because(running).hint("see what it did before you try again"))), None)
            }
        }
    }

    fn start<S, R>(&mut self, state: S, run: R) -> Result<oneshot::Receiver<Ended<S>>, Refusal>
    where
        S: Send + 'static,
        R: FnOnce(&mut S, &ArgMatches, &mut Io<'_>) -> CommandResult + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let (proved, stop) = (self.proved.clone(), self.stop.clone());
        let (mut stdout, mut stderr) = (self.stdout.clone(), self.stderr.clone());
        let mut stdin = Cursor::new(std::mem::take(&mut self.stdin));
        let mut state = state;
        spawn(move || {
            let ran = catch_unwind(AssertUnwindSafe(|| {
                let mut io = Io { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr, cancel: &stop };
                run(&mut state, proved.matches(), &mut io).unwrap_or_else(|error| {
                    let _ = writeln!(io.stderr, "error: {}", chain(&*error));
                    1
                })
            }));
            // Where nobody waits any more the state is dropped here, and its lock only now released.
            let _ = match ran {
                Ok(code) => sender.send((Ok(code), Some(state))),
                Err(panic) => {
                    drop(state);
                    sender.send((Err(panic_message(&*panic)), None))
                }
            };
        })?;
        Ok(receiver)
    }

    fn finish<S>(self, ended: Option<Ended<S>>) -> (Result<Finished, Refusal>, Option<S>) {
        match ended {
            Some((Ok(code), state)) => {
                let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
                let exit = Exit::Code(code.into());
                (Ok(Finished { exit, stdout, stderr, elapsed: self.started.elapsed() }), state)
            }
            Some((Err(panic), state)) => {
                (Err(self.refuse(Refusal::new(Kind::Panicked).because(format!("the command crashed: {panic}")))), state)
            }
            None => (Err(self.refuse(Refusal::new(Kind::Panicked))), None),
        }
    }

    fn refuse(&self, refusal: Refusal) -> Refusal {
        Refusal { partial: partial(&self.stdout.take(), &self.stderr.take()), ..refusal }
    }
}

/// The exit code or what the panic said, and the state unless it was lost.
type Ended<S> = (Result<u8, String>, Option<S>);

/// An output stream that its command writes and its caller may read at any time.
#[derive(Clone)]
struct Stream {
    keep: Arc<Mutex<Keep>>,
    listener: Option<(Arc<Listener>, Channel)>,
}

impl Stream {
    fn new(keep: Keep, listener: Option<(Arc<Listener>, Channel)>) -> Self {
        Self { keep: Arc::new(Mutex::new(keep)), listener }
    }

    fn take(&self) -> Captured {
        self.keep.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut keep = self.keep.lock().unwrap_or_else(PoisonError::into_inner);
        let masked = keep.mask(bytes);
        if let Some((listener, channel)) = &self.listener {
            listener.hear(*channel, &masked);
        }
        if let Some(spill) = keep.push(&masked) {
            spill.write();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Does blocking work beside the runtime.
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    let (sender, receiver) = oneshot::channel();
    spawn(move || {
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    })?;
    match receiver.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(panic)) => {
            Err(Refusal::new(Kind::Panicked).because(format!("the command crashed: {}", panic_message(&*panic))))
        }
        Err(_) => Err(Refusal::new(Kind::Panicked)),
    }
}

/// Does work on a thread of its own.
fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
    threads::spawn(work).map_err(|error| {
        Refusal::new(Kind::NotStarted).because(format!("no thread could be started for the command: {error}"))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    said(panic).unwrap_or("no message").chars().take(300).collect()
}
