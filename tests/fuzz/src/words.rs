//! The one shell-quoted string that `command_run` takes for positionals.

use crate::reader::{self, Set};
use crate::{is_told, trees};
use clap::Command;
use clap_facade::Facade;
use clap_facade::exec::{BoxFuture, Captured, Executor, Exit, Finished, Job};
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::{Caller, Pipeline, Principal};
use clap_facade::surface::Choice;
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Keeps the jobs that would have run.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Job>>>);

impl Executor for Recorder {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(job);
        let ended = Finished {
            exit: Exit::Code(0),
            stdout: Captured::default(),
            stderr: Captured::default(),
            elapsed: Duration::ZERO,
        };
        Box::pin(std::future::ready(Ok(ended)))
    }
}

struct Server {
    tree: Command,
    pipeline: Pipeline,
    recorder: Recorder,
    /// The operations that take words in order.
    names: Vec<String>,
}

static SERVERS: LazyLock<Vec<Server>> = LazyLock::new(|| {
    let serve = |name: &str| {
        let (tree, recorder) = (trees::tree(name), Recorder::default());
        let facade = Facade::new(tree.clone()).executor(recorder.clone()).audit("/dev/null").surface(Choice::Facade);
        let pipeline = facade.build().expect("the tree is valid");
        let names = pipeline.catalog().operations().iter().map(|operation| operation.name.clone()).collect();
        Server { tree, pipeline, recorder, names }
    };
    ["positionals", "single command", "own help", "multicall", "args or subcommands"].map(serve).into()
});

static CALLER: LazyLock<Caller> = LazyLock::new(|| Caller::new(Principal::default(), "fuzz"));

/// Nothing panics, no flag is ever set, and what runs gets the very words that a shell would make of the string.
///
/// The first character chooses the command.
pub fn check(input: &str) {
    let mut line = input.chars();
    let choice = line.next().map_or(0, |choice| choice as usize);
    let line = line.as_str();
    let server = &SERVERS[choice % SERVERS.len()];
    let name = &server.names[choice / SERVERS.len() % server.names.len()];
    let arguments = [("name", name.as_str()), ("args", line)].map(|(key, value)| (key.to_owned(), Value::from(value)));
    let answer = block_on(server.pipeline.call("command_run", Map::from_iter(arguments), &CALLER));
    let jobs = std::mem::take(&mut *server.recorder.0.lock().unwrap_or_else(PoisonError::into_inner));
    let job = match (answer, jobs.as_slice()) {
        (Ok(_), [job]) => job,
        (Err(refusal), []) => {
            assert!(matches!(refusal.kind, Kind::InvalidParams | Kind::ProofFailed), "{refusal}");
            return is_told(&refusal);
        }
        (answer, jobs) => panic!("{} jobs for {answer:?}", jobs.len()),
    };
    let words = shell_words::split(line).expect("what runs could be split");
    assert_eq!(reader::path(&server.tree, &job.proved), job.proved.invocation().operation().path);
    let mut set = Vec::new();
    for ((_, id), value) in reader::settings(&server.tree, &job.proved) {
        match value {
            Set::To(values) => set.extend(values),
            other => panic!("{id} is {other:?}"),
        }
    }
    let (mut set, mut words) = (set, words);
    set.sort();
    words.sort();
    assert!(
        set.iter().map(|value| value.to_str()).eq(words.iter().map(|word| Some(word.as_str()))),
        "{set:?} {words:?}"
    );
}

fn block_on<F: Future>(future: F) -> F::Output {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime without threads");
    }
    RUNTIME.with(|runtime| runtime.block_on(future))
}
