//! `workflow_submit` around executors that tell what they were given.

use super::{audited, caller, facade};
use clap::ArgMatches;
use clap_facade::exec::{
    BoxFuture, Captured, CommandResult, Executor, Exit, Finished, InProcess, Io, Job, Limits, UnitOfWork,
};
use clap_facade::refusal::Refusal;
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Takes a while for each job, whatever it may take, and notes what it may take.
#[derive(Clone)]
struct Slow {
    takes: Duration,
    allowed: Arc<Mutex<Vec<Duration>>>,
}

impl Executor for Slow {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async move {
            self.allowed.lock().unwrap().push(job.limits.timeout);
            tokio::time::sleep(self.takes).await;
            let nothing = Captured::default();
            Ok(Finished { exit: Exit::Code(0), stdout: nothing.clone(), stderr: nothing, elapsed: self.takes })
        })
    }
}

#[tokio::test]
async fn one_deadline_holds_for_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let steps = json!({ "steps": [{ "command": "show" }, { "command": "show" }, { "command": "show" }] });
    let Value::Object(steps) = steps else { unreachable!() };
    let takes = Duration::from_millis(300);
    for (timeout, ran) in [(Duration::from_secs(3600), 3), (takes, 1)] {
        let slow = Slow { takes, allowed: Arc::default() };
        let limits = Limits { timeout, ..Limits::default() };
        let pipeline = facade(slow.clone(), &folder.path().join("audit")).limits(limits).build().unwrap();
        let outcome = pipeline.call("workflow_submit", steps.clone(), &caller()).await.unwrap();
        let report: Value = serde_json::from_str(&outcome.text).unwrap();
        let allowed = slow.allowed.lock().unwrap().clone();
        assert_eq!(allowed.len(), ran, "{report}");
        assert!(allowed[0] <= timeout);
        for pair in allowed.windows(2) {
            assert!(pair[1] + takes <= pair[0], "what one step took is gone for the next: {allowed:?}");
        }
        if ran == 1 {
            assert_eq!(report["steps"][1]["error"]["code"], "TIMED_OUT");
            assert_eq!(report["steps"][2]["skipped"], "an earlier step failed");
        }
    }
}

/// Words that are there, and a transaction over them.
#[derive(Clone, Default)]
struct Store {
    words: Arc<Mutex<Vec<String>>>,
    rolled_back: Arc<AtomicUsize>,
}

struct Changes {
    store: Store,
    words: Vec<String>,
}

/// `change WORD` needs the word's first letter's elder: `b` needs `a`. Without `--yes`, or with `--dry-run`, it prints
/// its plan; `full` can be planned and not applied. `show` prints what is there.
fn change(words: &mut Vec<String>, matches: &ArgMatches, io: &mut Io<'_>) -> CommandResult {
    let (name, matches) = matches.subcommand().unwrap();
    if name == "show" {
        write!(io.stdout, "{}", json!({ "words": words }))?;
        return Ok(0);
    }
    let word = matches.get_one::<String>("words").unwrap();
    if word == "b" && !words.contains(&"a".to_owned()) {
        return Err("b needs a".into());
    }
    if matches.get_flag("dry-run") || !matches.get_flag("yes") {
        write!(io.stdout, "{}", json!({ "mode": "preview", "plan": word }))?;
        return Ok(0);
    }
    if word == "full" {
        return Err("there is no room".into());
    }
    words.push(word.clone());
    write!(io.stdout, "{}", json!({ "mode": "apply", "count": words.len() }))?;
    Ok(0)
}

impl UnitOfWork for Changes {
    fn run(&mut self, matches: &ArgMatches, io: &mut Io<'_>) -> CommandResult {
        change(&mut self.words, matches, io)
    }

    fn commit(self: Box<Self>) -> Result<Option<Value>, Box<dyn Error + Send + Sync>> {
        *self.store.words.lock().unwrap() = self.words;
        Ok(Some(json!({})))
    }

    fn rollback(self: Box<Self>) {
        self.store.rolled_back.fetch_add(1, SeqCst);
    }
}

impl Store {
    fn executor(&self, transactions: bool) -> InProcess {
        let (alone, store) = (self.clone(), self.clone());
        let executor = InProcess::new(move |matches, io| change(&mut alone.words.lock().unwrap(), matches, io));
        match transactions {
            false => executor,
            true => executor.with_unit(move |_| {
                let words = store.words.lock().unwrap().clone();
                Ok(Box::new(Changes { store: store.clone(), words }))
            }),
        }
    }
}

async fn submit(executor: InProcess, audit: &Path, workflow: Value) -> Value {
    let Value::Object(workflow) = workflow else { panic!("a workflow is an object") };
    let pipeline = facade(executor, audit).build().unwrap();
    let outcome = pipeline.call("workflow_submit", workflow, &caller()).await.unwrap();
    serde_json::from_str(&outcome.text).unwrap()
}

fn steps(words: &[&str]) -> Value {
    let change = words.iter().map(|word| json!({ "command": "change", "args": [word] }));
    change.chain([json!({ "command": "show", "name": "end" })]).collect()
}

#[tokio::test]
async fn a_preview_shows_each_step_after_the_ones_before_it_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let store = Store::default();
    let report = submit(store.executor(true), &audit, json!({ "steps": steps(&["a", "b"]) })).await;
    assert_eq!((&report["ok"], &report["mode"]), (&json!(true), &json!("preview")), "{report}");
    assert_eq!(report["steps"][0]["output"], json!({ "mode": "preview", "plan": "a" }));
    assert_eq!(report["steps"][1]["output"], json!({ "mode": "preview", "plan": "b" }));
    assert_eq!(report["steps"][2]["output"], json!({ "words": ["a", "b"] }), "reads see it too");
    assert_eq!(*store.words.lock().unwrap(), [""; 0]);
    assert_eq!(store.rolled_back.load(SeqCst), 1);
    let lines = audited(&audit);
    let steps_of = lines.iter().filter(|line| line["target"] != "workflow");
    assert!(steps_of.clone().count() > 3 && steps_of.clone().all(|line| line["workflow"] == "preview"), "{lines:?}");

    let counted = json!({ "steps": [
        { "command": "change", "args": ["a"], "name": "first" },
        { "command": "change", "args": ["${steps.first.output/count}"], "when": "${steps.first.output/mode} == apply" },
    ] });
    let report = submit(store.executor(true), &audit, counted).await;
    assert_eq!(report["steps"][1]["output"]["plan"], "1", "placeholders are filled as they will be: {report}");
}

#[tokio::test]
async fn a_step_that_could_be_planned_and_not_applied_fails_its_preview() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::default();
    let report = submit(store.executor(true), &folder.path().join("audit"), json!({ "steps": steps(&["full"]) })).await;
    assert_eq!((&report["ok"], &report["steps"][0]["ok"]), (&json!(false), &json!(false)), "{report}");
    assert!(report["steps"][0]["notes"].to_string().contains("there is no room"), "{report}");
    assert_eq!(report["steps"][1]["skipped"], "an earlier step failed");
}

#[tokio::test]
async fn without_transactions_a_step_that_fails_after_a_previewed_one_says_that_it_may_depend_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::default();
    let report =
        submit(store.executor(false), &folder.path().join("audit"), json!({ "steps": steps(&["a", "b"]) })).await;
    assert_eq!((&report["steps"][0]["ok"], &report["steps"][1]["ok"]), (&json!(true), &json!(false)), "{report}");
    assert!(report["steps"][1]["notes"].to_string().contains("step `1` was only previewed"), "{report}");
    let report = submit(store.executor(false), &folder.path().join("audit"), json!({ "steps": steps(&["b"]) })).await;
    assert!(!report.to_string().contains("only previewed"), "{report}");
    assert_eq!(*store.words.lock().unwrap(), [""; 0]);
}

#[tokio::test]
async fn problems_of_steps_have_their_place_and_do_not_spread() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = facade(Store::default().executor(true), &folder.path().join("audit")).build().unwrap();
    for (workflow, problems) in [
        (
            json!({ "steps": [
                { "command": "chnge", "name": "a" },
                { "command": "change", "args": ["${steps.a.text}"], "when": "${steps.a.ok}" },
                { "command": "show", "stdin_from": "a" },
            ] }),
            vec!["steps.a.command"],
        ),
        (
            json!({ "steps": [{ "command": "show" }, { "command": "change", "name": "c", "when": "${steps.a.ok}" }] }),
            vec!["steps.c.when"],
        ),
        (
            json!({ "steps": [{ "command": "change", "name": "c", "flags": { "words": ["${vars.x}"] } }] }),
            vec!["steps.c.words"],
        ),
        (json!({ "steps": [{ "command": "change", "args": "--yes" }] }), vec!["steps.1.args"]),
        (json!({ "steps": [{ "command": "change", "args": { "words": "x" } }] }), vec!["steps.1.args"]),
        (json!({ "steps": ["show"] }), vec!["steps"]),
        (json!({ "steps": [{ "command": "show" }], "max_changes": -1 }), vec!["max_changes"]),
        (json!({ "steps": [{ "command": "show", "year": 5 }] }), vec!["steps.1.year"]),
    ] {
        let Value::Object(arguments) = workflow.clone() else { unreachable!() };
        let refusal = pipeline.call("workflow_submit", arguments, &caller()).await.unwrap_err();
        let params: Vec<_> = refusal.problems.iter().map(|problem| problem.param.as_str()).collect();
        assert_eq!(params, problems, "{workflow}: {refusal}");
        assert!(refusal.problems.iter().all(|problem| problem.nearest.as_deref() != Some("yes")));
    }
}

#[tokio::test]
async fn a_step_takes_its_args_as_a_call_does() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = facade(Store::default().executor(true), &folder.path().join("audit")).build().unwrap();
    for args in [json!("a 'b c'"), json!(["a", "b c"]), json!("a b\\ c"), json!(null), json!(5)] {
        let alone = json!({ "name": "change", "args": args, "flags": { "dry_run": true } });
        let params = |tool: &str, arguments: Value| {
            let Value::Object(arguments) = arguments else { unreachable!() };
            let call = pipeline.surface().resolve(pipeline.catalog(), tool, arguments).unwrap();
            format!("{:?}", call.target)
        };
        let steps = json!({ "steps": [{ "command": "change", "args": args }] });
        let (alone, step) = (params("command_run", alone), params("workflow_submit", steps));
        for word in ["\"a\"", "\"b c\"", "5"] {
            assert_eq!(alone.contains(word), step.contains(word), "{args}: {word}: {alone} {step}");
        }
    }
}
