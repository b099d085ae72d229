//! Commands in this process that behave as badly as commands do.

use super::{job, prove, wait_for};
use clap_facade::exec::{
    CommandResult, Executor, Exit, Finished, InProcess, InUse, Intent, Io, Job, Limits, Opening, UnitOfWork,
};
use clap_facade::refusal::{Kind, Refusal};
use serde_json::{Value, json};
use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;
use tokio::task::JoinSet;

/// Makes an executor whose command is `run`; its first word decides what the tests tell apart.
fn executor(run: impl Fn(&str, &mut Io<'_>) -> CommandResult + Send + Sync + 'static) -> InProcess {
    InProcess::new(move |matches, io| run(&word(matches), io))
}

fn word(matches: &clap::ArgMatches) -> String {
    let words = matches.subcommand().and_then(|(_, matches)| matches.get_one::<String>("words"));
    words.cloned().unwrap_or_default()
}

fn call(operation: &str, word: &str) -> Job {
    Job::new(prove(operation, &[word]))
}

fn within(timeout: Duration, job: Job) -> Job {
    Job { limits: Limits { timeout, ..job.limits }, ..job }
}

/// A grace that a busy machine does not use up.
const PATIENT: Duration = Duration::from_secs(30);

fn spawn(executor: &InProcess, job: Job) -> tokio::task::JoinHandle<Result<Finished, Refusal>> {
    let executor = executor.clone();
    tokio::spawn(async move { executor.execute(job).await })
}

#[tokio::test]
async fn a_command_has_its_own_streams_and_exit_code() {
    let executor = executor(|word, io| {
        let mut input = String::new();
        io.stdin.read_to_string(&mut input)?;
        write!(io.stdout, "{word} {input}")?;
        write!(io.stderr, "warned")?;
        Ok(13)
    });
    for (stdin, stdout) in [(Some(b"given".to_vec()), "hello given"), (None, "hello ")] {
        let finished = executor.execute(Job { stdin, ..call("show", "hello") }).await.unwrap();
        assert_eq!((finished.exit, finished.stdout.bytes.as_slice()), (Exit::Code(13), stdout.as_bytes()));
        assert_eq!(finished.stderr.bytes, b"warned");
    }
}

#[tokio::test]
async fn an_error_is_printed_with_its_causes() {
    let executor = executor(|_, _| {
        "x".parse::<u8>().map_err(|cause| {
            let error: Box<dyn Error + Send + Sync> = Box::new(std::io::Error::other(cause));
            error
        })
    });
    let finished = executor.execute(job("show")).await.unwrap();
    assert_eq!((finished.exit, finished.stdout.total), (Exit::Code(1), 0));
    assert_eq!(finished.stderr.bytes, b"error: invalid digit found in string\n");
}

#[tokio::test]
async fn a_panic_is_refused_and_leaves_nothing_locked() {
    let executor = executor(|word, io| match word {
        "crash" => {
            writeln!(io.stdout, "before")?;
            panic!("no such {}", "thing")
        }
        _ => Ok(0),
    });
    for operation in ["change", "show", "change"] {
        let refusal = executor.execute(call(operation, "crash")).await.unwrap_err();
        assert_eq!((refusal.kind, refusal.message.as_str()), (Kind::Panicked, "the command crashed: no such thing"));
        assert_eq!(refusal.partial.unwrap().stdout, "before\n");
        assert_eq!(executor.execute(call(operation, "go on")).await.unwrap().exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn reads_run_in_parallel_and_beside_a_write() {
    let all = Barrier::new(5);
    let executor = executor(move |_, _| {
        all.wait();
        Ok(0)
    });
    let calls: Vec<_> =
        ["show", "show", "change", "show", "show"].map(|operation| spawn(&executor, job(operation))).into();
    for call in calls {
        assert!(call.await.unwrap().unwrap().exit.is_success());
    }
}

#[tokio::test]
async fn writes_run_one_at_a_time() {
    let (inside, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let executor = executor(move |_, _| {
        seen.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
        thread::sleep(Duration::from_millis(5));
        inside.fetch_sub(1, SeqCst);
        Ok(0)
    });
    let mut calls = JoinSet::new();
    for _ in 0..12 {
        calls.spawn(spawn(&executor, job("change")));
    }
    assert!(calls.join_all().await.into_iter().all(|call| call.unwrap().unwrap().exit.is_success()));
    assert_eq!(most.load(SeqCst), 1);
}

/// A command that tells when it started and ends only when told to, deaf to its token.
fn deaf() -> (InProcess, Arc<AtomicUsize>, std::sync::mpsc::Sender<()>) {
    let started = Arc::new(AtomicUsize::new(0));
    let (end, ends) = channel();
    let (count, ends) = (started.clone(), Mutex::new(ends));
    let executor = executor(move |word, io| {
        write!(io.stdout, "some")?;
        count.fetch_add(1, SeqCst);
        if word == "deaf" {
            ends.lock().unwrap().recv()?;
        }
        Ok(0)
    });
    (executor, started, end)
}

async fn started(count: &AtomicUsize, calls: usize) {
    wait_for("a start", || (count.load(SeqCst) == calls).then_some(())).await;
}

#[tokio::test]
async fn waiting_for_ones_turn_is_cancelled_and_timed() {
    let (executor, count, end) = deaf();
    let first = spawn(&executor, call("change", "deaf"));
    started(&count, 1).await;

    let second = job("change");
    let cancel = second.cancel.clone();
    let second = spawn(&executor, second);
    cancel.cancel();
    assert_eq!(second.await.unwrap().unwrap_err().kind, Kind::Cancelled);

    let third = executor.execute(within(Duration::from_millis(20), job("change"))).await.unwrap_err();
    assert_eq!(third.kind, Kind::Busy);
    assert_eq!(third.message, "`change` did not end within 20ms; nothing was run");

    end.send(()).unwrap();
    assert!(first.await.unwrap().unwrap().exit.is_success());
    assert_eq!(count.load(SeqCst), 1);
}

#[tokio::test]
async fn a_deaf_command_is_left_behind_but_keeps_its_turn() {
    let (executor, count, end) = deaf();
    let left = call("change", "deaf");
    let cancel = left.cancel.clone();
    let left = spawn(&executor, left);
    started(&count, 1).await;
    cancel.cancel();
    let refusal = left.await.unwrap().unwrap_err();
    assert_eq!(refusal.kind, Kind::Cancelled);
    assert!(refusal.message.contains("has not ended yet"), "{}", refusal.message);
    assert_eq!(refusal.partial.unwrap().stdout, "some");

    // With its whole time left: only that the other was left behind ends its wait.
    let next = within(Duration::from_secs(3600), job("change"));
    let refusal = executor.execute(next).await.unwrap_err();
    assert!(refusal.kind == Kind::Busy && refusal.kind.is_retryable());
    assert_eq!(refusal.message, "`change` was stopped and has not ended yet; nothing was run");
    assert_eq!(count.load(SeqCst), 1);
    assert!(executor.execute(job("show")).await.is_ok(), "reads go on");

    end.send(()).unwrap();
    assert!(executor.execute(job("change")).await.is_ok());
}

/// A command that ends as its word says once its token is set.
fn polling() -> (InProcess, Arc<AtomicUsize>, Arc<AtomicBool>) {
    let (started, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (count, flag) = (started.clone(), stopped.clone());
    let executor = executor(move |word, io| {
        count.fetch_add(1, SeqCst);
        while !io.cancel.is_cancelled() {
            thread::sleep(Duration::from_millis(1));
        }
        flag.store(true, SeqCst);
        write!(io.stdout, "stopped")?;
        match word {
            "done" => Ok(0),
            "error" => Err("interrupted".into()),
            _ => panic!("interrupted"),
        }
    })
    .stop_grace(PATIENT);
    (executor, started, stopped)
}

#[tokio::test]
async fn a_polling_command_is_stopped_by_cancel_time_and_a_caller_that_leaves() {
    let (executor, count, stopped) = polling();
    let cancelled = call("change", "error");
    let cancel = cancelled.cancel.clone();
    let cancelled = spawn(&executor, cancelled);
    started(&count, 1).await;
    cancel.cancel();
    let refusal = cancelled.await.unwrap().unwrap_err();
    assert_eq!((refusal.kind, refusal.partial.unwrap().stdout.as_str()), (Kind::Cancelled, "stopped"));

    let late = call("change", "error");
    let callers_own = late.cancel.clone();
    assert_eq!(executor.execute(within(Duration::from_millis(20), late)).await.unwrap_err().kind, Kind::TimedOut);
    assert!(!callers_own.is_cancelled(), "time-out is not the caller's cancel");

    stopped.store(false, SeqCst);
    let dropped = spawn(&executor, call("change", "error"));
    started(&count, 3).await;
    dropped.abort();
    wait_for("the command's end", || stopped.load(SeqCst).then_some(())).await;
}

#[tokio::test]
async fn a_write_that_is_being_stopped_is_waited_for() {
    let (executor, count, _) = polling();
    let first = spawn(&executor, call("change", "error"));
    started(&count, 1).await;
    let second = call("change", "done");
    let cancel = second.cancel.clone();
    let second = spawn(&executor, second);
    first.abort();
    started(&count, 2).await;
    cancel.cancel();
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_unit_that_does_not_open_or_roll_back_is_left_behind() {
    for stuck in ["begin", "rollback", "drop"] {
        let (end, ends) = channel::<()>();
        let ends = Arc::new(Mutex::new(ends));
        let executor = executor(|_, _| Ok(0)).stop_grace(Duration::from_millis(20)).with_unit(move |_| {
            if stuck == "begin" {
                let _ = ends.lock().unwrap().recv();
            }
            Ok(Box::new(Stuck(ends.clone())))
        });
        let begin = |timeout| executor.begin(Opening { timeout, ..opening(None) }).unwrap();
        match stuck {
            "begin" => assert_eq!(begin(Duration::from_millis(50)).await.err().unwrap().kind, Kind::Busy),
            "rollback" => begin(PATIENT).await.unwrap().rollback().await,
            _ => drop(begin(PATIENT).await.unwrap()),
        }
        let next = within(Duration::from_secs(3600), job("change"));
        let refusal = executor.execute(next).await.unwrap_err();
        assert_eq!(
            (refusal.kind, refusal.message.starts_with("a workflow was stopped")),
            (Kind::Busy, true),
            "{stuck}"
        );
        drop(end);
        while executor.execute(job("change")).await.is_err() {
            tokio::task::yield_now().await;
        }
    }
}

/// A transaction that rolls back only when told to.
struct Stuck(Arc<Mutex<std::sync::mpsc::Receiver<()>>>);

impl UnitOfWork for Stuck {
    fn run(&mut self, _: &clap::ArgMatches, _: &mut Io<'_>) -> CommandResult {
        Ok(0)
    }

    fn commit(self: Box<Self>) -> Result<Option<Value>, Box<dyn Error + Send + Sync>> {
        Ok(None)
    }

    fn rollback(self: Box<Self>) {
        let _ = self.0.lock().unwrap().recv();
    }
}

#[tokio::test]
async fn a_command_that_ends_with_success_or_a_panic_is_reported_so_though_late() {
    let (executor, ..) = polling();
    let late = |word| within(Duration::from_millis(20), call("change", word));
    assert_eq!(executor.execute(late("done")).await.unwrap().stdout.bytes, b"stopped");
    assert_eq!(executor.execute(late("crash")).await.unwrap_err().kind, Kind::Panicked);
}

#[tokio::test]
async fn output_is_kept_within_bounds_and_counted_beyond() {
    let executor = executor(|_, io| {
        (0..50_000).try_for_each(|_| io.stdout.write_all(&[b'x'; 1000]))?;
        write!(io.stderr, "first and last")?;
        Ok(0)
    });
    let limits = Limits { stdout_bytes: 1234, stderr_bytes: 4, ..Limits::default() };
    let finished = executor.execute(Job { limits, ..job("show") }).await.unwrap();
    assert_eq!((finished.stdout.bytes.len(), finished.stdout.total), (1234, 50_000_000));
    assert_eq!((finished.stderr.bytes.as_slice(), finished.stderr.total), (&b"last"[..], 14));
}

/// What a test counts the roll-backs from to let a deaf command end.
const RELEASED: usize = 100;

/// A transaction over a list of words.
struct Words {
    done: Vec<String>,
    most: Option<u64>,
    committed: Arc<Mutex<Vec<String>>>,
    rolled_back: Arc<AtomicUsize>,
}

impl UnitOfWork for Words {
    fn run(&mut self, matches: &clap::ArgMatches, io: &mut Io<'_>) -> CommandResult {
        match word(matches).as_str() {
            "crash" => panic!("crashed"),
            "deaf" => {
                while self.rolled_back.load(SeqCst) < RELEASED {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            word => self.done.push(word.to_owned()),
        }
        write!(io.stdout, "{}", self.done.len())?;
        Ok(u8::from(self.most.is_some_and(|most| self.done.len() as u64 > most)))
    }

    fn commit(self: Box<Self>) -> Result<Option<Value>, Box<dyn Error + Send + Sync>> {
        if self.done.contains(&"bad".to_owned()) {
            return Err("the disk is full".into());
        }
        self.committed.lock().unwrap().extend(self.done.iter().cloned());
        Ok(Some(json!({ "changes": self.done.len() })))
    }

    fn rollback(self: Box<Self>) {
        self.rolled_back.fetch_add(1, SeqCst);
    }
}

fn transactional() -> (InProcess, Arc<Mutex<Vec<String>>>, Arc<AtomicUsize>) {
    let (committed, rolled_back) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let (list, count) = (committed.clone(), rolled_back.clone());
    let executor = executor(|_, _| Ok(0)).with_unit(move |opening| {
        Ok(Box::new(Words {
            done: Vec::new(),
            most: opening.max_changes,
            committed: list.clone(),
            rolled_back: count.clone(),
        }))
    });
    (executor, committed, rolled_back)
}

fn opening(max_changes: Option<u64>) -> Opening {
    Opening { intent: Intent::Apply, max_changes, timeout: Duration::from_secs(30), cancel: Default::default() }
}

#[tokio::test]
async fn a_unit_is_committed_whole_or_not_at_all() {
    let (executor, committed, rolled_back) = transactional();
    let begin = || async { executor.begin(opening(Some(2))).unwrap().await.unwrap() };

    let mut unit = begin().await;
    for (word, code) in [("a", 0), ("b", 0), ("c", 1)] {
        assert_eq!(unit.execute(call("change", word)).await.unwrap().exit, Exit::Code(code));
    }
    assert_eq!(unit.commit().await, Ok(Some(json!({ "changes": 3 }))));
    assert_eq!((committed.lock().unwrap().len(), rolled_back.load(SeqCst)), (3, 0));

    let mut unit = begin().await;
    unit.execute(call("change", "d")).await.unwrap();
    unit.rollback().await;
    assert_eq!(rolled_back.load(SeqCst), 1);

    let mut unit = begin().await;
    unit.execute(call("change", "bad")).await.unwrap();
    assert_eq!(unit.commit().await, Err("the disk is full".to_owned()));

    drop(begin().await);
    wait_for("the rollback", || (rolled_back.load(SeqCst) == 2).then_some(())).await;
    assert_eq!(committed.lock().unwrap().len(), 3);
    assert!(executor.execute(job("change")).await.is_ok(), "the turn is free again");
}

#[tokio::test]
async fn a_unit_keeps_other_writes_out() {
    let (executor, ..) = transactional();
    let unit = executor.begin(opening(None)).unwrap().await.unwrap();
    let write = within(Duration::from_millis(20), job("change"));
    let refusal = executor.execute(write).await.unwrap_err();
    assert_eq!((refusal.kind, refusal.message.starts_with("a workflow did not end")), (Kind::Busy, true));
    let second = Opening { timeout: Duration::from_millis(20), ..opening(None) };
    assert_eq!(executor.begin(second).unwrap().await.err().unwrap().kind, Kind::Busy);
    assert!(executor.execute(job("show")).await.is_ok());
    unit.rollback().await;
    assert!(executor.execute(job("change")).await.is_ok());
}

#[tokio::test]
async fn a_unit_that_lost_a_job_is_rolled_back_and_refuses_the_rest() {
    for (word, kind, grace) in [("crash", Kind::Panicked, PATIENT), ("deaf", Kind::TimedOut, Duration::from_millis(20))]
    {
        let (executor, committed, rolled_back) = transactional();
        let executor = executor.stop_grace(grace);
        let mut unit = executor.begin(opening(None)).unwrap().await.unwrap();
        unit.execute(call("change", "a")).await.unwrap();
        let lost = within(Duration::from_millis(20), call("change", word));
        assert_eq!(unit.execute(lost).await.unwrap_err().kind, kind);
        assert_eq!(unit.execute(call("change", "b")).await.unwrap_err().kind, Kind::NotStarted);
        assert!(unit.commit().await.unwrap_err().contains("rolled back"));
        if word == "deaf" {
            let next = within(Duration::from_secs(3600), job("change"));
            assert_eq!(executor.execute(next).await.unwrap_err().kind, Kind::Busy, "the deaf command has the turn");
            let next = Opening { timeout: Duration::from_secs(3600), ..opening(None) };
            assert_eq!(executor.begin(next).unwrap().await.err().unwrap().kind, Kind::Busy);
        }
        let before = rolled_back.fetch_add(RELEASED, SeqCst);
        assert_eq!(before, usize::from(word == "crash"), "a command that still runs is not rolled back under its feet");
        wait_for("the rollback", || (rolled_back.load(SeqCst) == RELEASED + 1).then_some(())).await;
        assert!(committed.lock().unwrap().is_empty());
        assert!(executor.execute(job("change")).await.is_ok(), "the turn is free again");
    }
}

#[tokio::test]
async fn no_unit_is_offered_where_the_cli_has_none() {
    assert!(executor(|_, _| Ok(0)).begin(opening(None)).is_none());
}

#[tokio::test]
async fn a_unit_that_another_process_keeps_from_beginning_is_busy() {
    let refused = |error: fn() -> Box<dyn std::error::Error + Send + Sync>| async move {
        let executor = executor(|_, _| Ok(0)).with_unit(move |_| Err::<Box<dyn UnitOfWork>, _>(error()));
        executor.begin(opening(None)).unwrap().await.err().unwrap()
    };
    let busy = refused(|| Box::new(InUse("another process is writing".to_owned()))).await;
    assert_eq!((busy.kind, busy.kind.is_retryable()), (Kind::Busy, true));
    assert!(busy.message.contains("another process is writing"), "{busy}");
    assert_eq!(refused(|| "no such library".into()).await.kind, Kind::NotStarted);
}
