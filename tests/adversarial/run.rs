//! Servers of the tree whose executor only remembers, and what they answer.

use super::tree::tree;
use clap_facade::Facade;
use clap_facade::exec::{BoxFuture, Captured, Executor, Exit, Finished, Job};
use clap_facade::refusal::Refusal;
use clap_facade::run::{Caller, Outcome, Pipeline, Principal};
use clap_facade::surface::Choice;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// Remembers the jobs that it should have run.
#[derive(Clone, Default)]
pub(super) struct Recorder(Arc<Mutex<Vec<Job>>>);

impl Recorder {
    /// Takes what has been remembered.
    pub(super) fn take(&self) -> Vec<Job> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Executor for Recorder {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        self.0.lock().unwrap().push(job);
        let stdout = Captured { bytes: br#"{"keys":["-k","--yes"],"text":"${vars.x}"}"#.to_vec(), total: 42 };
        let finished =
            Finished { exit: Exit::Code(0), stdout, stderr: Captured::default(), elapsed: Duration::from_millis(1) };
        Box::pin(std::future::ready(Ok(finished)))
    }
}

/// A server on one surface.
pub(super) struct Server {
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) recorder: Recorder,
    pub(super) folder: TempDir,
}

impl Server {
    pub(super) fn new(surface: Choice) -> Self {
        Self::with(|facade| facade.surface(surface))
    }

    /// Starts a server of the facade that its operator or owner set up otherwise.
    pub(super) fn with(set_up: impl FnOnce(Facade) -> Facade) -> Self {
        let (folder, recorder) = (tempfile::tempdir().unwrap(), Recorder::default());
        let facade = Facade::new(tree()).executor(recorder.clone()).workflows().surface(Choice::Facade);
        let facade = set_up(facade.audit(folder.path().join("audit.jsonl")));
        Self { pipeline: Arc::new(facade.build().unwrap()), recorder, folder }
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
        self.call_as(Principal::default(), tool, arguments).await
    }

    pub(super) async fn call_as(&self, principal: Principal, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.pipeline.call(tool, arguments, &Caller::new(principal, "test")).await
    }

    /// Returns the lines of the audit.
    pub(super) fn audited(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The ways by which one command can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Run,
    Read,
    Step,
    Mirror,
}

impl Way {
    pub(super) const ALL: [Self; 4] = [Self::Run, Self::Read, Self::Step, Self::Mirror];

    pub(super) fn surface(self) -> Choice {
        match self {
            Self::Run | Self::Read | Self::Step => Choice::Facade,
            Self::Mirror => Choice::Mirror,
        }
    }

    /// Spells a call of a command as this way's tool and arguments.
    pub(super) fn spell(
        self,
        pipeline: &Pipeline,
        command: &str,
        flags: &Value,
        args: Option<&Value>,
    ) -> (String, Value) {
        let name = if self == Self::Step { "command" } else { "name" };
        let mut call = Map::from_iter([(name.to_owned(), command.into()), ("flags".to_owned(), flags.clone())]);
        if let Some(args) = args {
            call.insert("args".to_owned(), args.clone());
        }
        match self {
            Self::Run => ("command_run".to_owned(), call.into()),
            Self::Read => ("command_read".to_owned(), call.into()),
            Self::Step => ("workflow_submit".to_owned(), json!({ "steps": [call], "yes": true })),
            Self::Mirror => {
                let mut operations = pipeline.catalog().operations().iter();
                let operation = operations.find(|operation| operation.name == command);
                let tool = operation.map_or_else(|| command.to_owned(), |operation| operation.tool.clone());
                let mut arguments = flags.as_object().cloned().unwrap_or_default();
                if let Some(args) = args {
                    arguments.insert("args".to_owned(), args.clone());
                }
                (tool, arguments.into())
            }
        }
    }
}

/// What a caller is told: the code, every problem with its param, and the text as a whole.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) code: String,
    /// Each as its param and all that is said of it.
    pub(super) problems: Vec<(String, String)>,
    pub(super) text: String,
}

impl Told {
    /// Reads an answer; `None` where it is none of a refusal.
    pub(super) fn of(answer: &Result<Outcome, Refusal>) -> Option<Self> {
        match answer {
            Err(refusal) => Self::from_error(&refusal.to_json()["error"]),
            // What can only be told in its turn is told in the report of the step.
            Ok(outcome) if outcome.failed => {
                let report: Value = serde_json::from_str(&outcome.text).ok()?;
                Self::from_error(&report["steps"].as_array()?.last()?["error"])
            }
            Ok(_) => None,
        }
    }

    /// Reads the `error` object of a refusal.
    pub(super) fn from_error(error: &Value) -> Option<Self> {
        let problem = |problem: &Value| (problem["param"].as_str().unwrap_or_default().to_owned(), problem.to_string());
        let problems = error["problems"].as_array().map(|problems| problems.iter().map(problem).collect());
        Some(Self {
            code: error["code"].as_str()?.to_owned(),
            problems: problems.unwrap_or_default(),
            text: error.to_string(),
        })
    }

    /// Tells whether a param is named, on its own or as one of a step, with a part of what is said of it; without a
    /// name it may be any.
    pub(super) fn names(&self, about: &str, says: &str) -> bool {
        let is_of_step = |param: &str| param.starts_with("steps.") && param.ends_with(&format!(".{about}"));
        self.problems
            .iter()
            .any(|(param, problem)| (about.is_empty() || param == about || is_of_step(param)) && problem.contains(says))
    }
}
