//! What principals may use up, through the whole pipeline.

use super::{audited, caller, facade, within};
use clap_facade::Facade;
use clap_facade::catalog::{Approval, Effect};
use clap_facade::exec::{BoxFuture, Captured, Executor, Exit, Finished, Job};
use clap_facade::refusal::{Kind, Refusal, Retry};
use clap_facade::run::budget::{Allowance, Measure};
use clap_facade::run::{Caller, Outcome, Pipeline, Principal};
use clap_facade::surface::Choice;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

const HOUR: Duration = Duration::from_secs(3600);

/// Notes each job, and ends it when the test lets it.
#[derive(Clone)]
struct Gate {
    jobs: Arc<Mutex<Vec<(String, Duration)>>>,
    open: Arc<Semaphore>,
    prints: usize,
}

impl Gate {
    fn open() -> Self {
        Self { jobs: Arc::default(), open: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)), prints: 0 }
    }

    fn closed() -> Self {
        Self { open: Arc::new(Semaphore::new(0)), ..Self::open() }
    }

    fn ran(&self) -> Vec<String> {
        self.jobs.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }
}

impl Executor for Gate {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async move {
            let name = job.proved.invocation().operation().name.clone();
            self.jobs.lock().unwrap().push((name, job.limits.timeout));
            drop(self.open.acquire().await);
            let stdout = Captured { bytes: vec![b'x'; self.prints], total: self.prints as u64 };
            Ok(Finished { exit: Exit::Code(0), stdout, stderr: Captured::default(), elapsed: Duration::ZERO })
        })
    }
}

fn spender(budget: Allowance) -> Caller {
    Caller { principal: Principal::new("ci", Effect::Destructive).budget(budget).into(), ..caller() }
}

async fn call(pipeline: &Pipeline, caller: &Caller, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    within(pipeline.call(tool, arguments, caller)).await
}

/// A server, and how a command is called on its surface.
fn server(executor: &Gate, audit: &Path, surface: Choice) -> Pipeline {
    facade(executor.clone(), audit).surface(surface).build().unwrap()
}

async fn command(pipeline: &Pipeline, caller: &Caller, name: &str, flags: Value) -> Result<Outcome, Refusal> {
    match pipeline.surface().name() {
        "mirror" => call(pipeline, caller, name, flags).await,
        _ => call(pipeline, caller, "command_run", json!({ "name": name, "flags": flags })).await,
    }
}

fn kind(result: Result<Outcome, Refusal>) -> Option<Kind> {
    result.err().map(|refusal| refusal.kind)
}

#[tokio::test]
async fn calls_are_counted_valid_or_not_on_every_surface_and_in_every_process() {
    for surface in [Choice::Facade, Choice::Mirror] {
        let folder = tempfile::tempdir().unwrap();
        let (audit, gate) = (folder.path().join("audit"), Gate::open());
        let caller = spender(Allowance::new().within(HOUR, Measure::Calls, 3));
        let server = || server(&gate, &audit, surface);
        assert_eq!(kind(command(&server(), &caller, "show", json!({})).await), None);
        assert_eq!(kind(command(&server(), &caller, "show", json!({ "wrods": 1 })).await), Some(Kind::InvalidParams));
        assert_eq!(kind(command(&server(), &caller, "change", json!({})).await), None);
        for flags in [json!({}), json!({ "wrods": 1 })] {
            let refusal = command(&server(), &caller, "show", flags).await.unwrap_err();
            assert_eq!(refusal.kind, Kind::BudgetExhausted);
            assert!(refusal.message.contains("3 calls within 1h: 0 calls left"), "{refusal}");
            let Retry::After(wait) = refusal.retry else { panic!("{refusal}") };
            let error = &refusal.to_json()["error"];
            assert_eq!((&error["retryable"], error["retry_after"].as_u64()), (&json!(true), Some(wait.as_secs())));
            let last = audited(&audit).pop().unwrap();
            assert_eq!((&last["step"], &last["code"]), (&json!("budget"), &json!("BUDGET_EXHAUSTED")));
        }
        assert_eq!(gate.ran(), ["show", "change"]);
        // Who says nothing else is not limited, and neither is another principal.
        assert_eq!(kind(command(&server(), &super::caller(), "show", json!({})).await), None);
        if surface == Choice::Facade {
            for arguments in [json!({ "query": "show" }), json!({ "name": "show" }), json!({})] {
                assert_eq!(kind(call(&server(), &caller, "command_search", arguments).await), None);
            }
            let wrong = call(&server(), &caller, "command_search", json!({ "limit": -1 })).await;
            assert_eq!(kind(wrong), Some(Kind::InvalidParams), "a search is never refused because of runs");
        }
    }
}

#[tokio::test]
async fn a_write_that_a_later_step_refuses_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, gate) = (folder.path().join("audit"), Gate::open());
    let caller = spender(Allowance::new().within(HOUR, Measure::Writes, 1).within(HOUR, Measure::Calls, 6));
    let denying = facade(gate.clone(), &audit).approve(Approval::Deny).build().unwrap();
    for _ in 0..3 {
        assert_eq!(
            kind(command(&denying, &caller, "change", json!({ "yes": true })).await),
            Some(Kind::ApprovalDenied)
        );
    }
    let server = server(&gate, &audit, Choice::Facade);
    assert_eq!(kind(command(&server, &caller, "change", json!({ "yes": true })).await), None);
    let refusal = command(&server, &caller, "change", json!({ "yes": true })).await.unwrap_err();
    assert!(refusal.message.contains("1 writes within 1h: 0 writes left"), "{refusal}");
    assert_eq!(kind(command(&server, &caller, "show", json!({})).await), None, "a read is no write");
    assert_eq!(kind(command(&server, &caller, "show", json!({})).await), None, "the refused one is charged to nothing");
    let refusal = command(&server, &caller, "show", json!({})).await.unwrap_err();
    assert!(refusal.message.contains("6 calls"), "three refused, three run: {refusal}");
}

#[tokio::test]
async fn a_preview_is_no_write_on_any_surface() {
    for surface in Choice::ALL {
        let folder = tempfile::tempdir().unwrap();
        let caller = spender(Allowance::new().within(HOUR, Measure::Writes, 1));
        let server = server(&Gate::open(), &folder.path().join("audit"), *surface);
        for _ in 0..3 {
            assert_eq!(kind(command(&server, &caller, "change", json!({ "dry-run": true })).await), None);
        }
        let change = json!({ "yes": true });
        assert_eq!(kind(command(&server, &caller, "change", change.clone()).await), None);
        assert_eq!(kind(command(&server, &caller, "change", change).await), Some(Kind::BudgetExhausted));
        // What says neither is made to preview, as where changes have to be allowed.
        assert_eq!(kind(command(&server, &caller, "change", json!({})).await), None);
    }
}

#[tokio::test]
async fn a_workflow_has_room_for_all_its_steps_or_runs_none() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, gate) = (folder.path().join("audit"), Gate::open());
    let server = server(&gate, &audit, Choice::Facade);
    let budget = Allowance::new().within(HOUR, Measure::Writes, 3).within(HOUR, Measure::Calls, 12);
    let caller = spender(budget);
    let workflow = async |steps: &[&str], yes: bool| {
        let steps: Vec<Value> = steps
            .iter()
            .map(|step| match step.split_once(" if ") {
                Some((command, when)) => json!({ "command": command, "when": when }),
                None => json!({ "command": step }),
            })
            .collect();
        call(&server, &caller, "workflow_submit", json!({ "steps": steps, "yes": yes })).await
    };
    let refusal = workflow(&["change"; 4], true).await.unwrap_err();
    assert_eq!((refusal.kind, refusal.retry), (Kind::BudgetExhausted, Retry::Never));
    assert!(refusal.message.ends_with("3 writes left, and this call needs 4 writes"), "{refusal}");
    assert_eq!(gate.ran(), [""; 0]);
    // A preview changes nothing; what is skipped is given back.
    assert_eq!(kind(workflow(&["change", "change"], false).await), None);
    assert_eq!(kind(workflow(&["show", "change", "change if a == b"], true).await), None);
    assert_eq!(kind(workflow(&["change", "change"], true).await), None);
    assert_eq!(gate.ran().iter().filter(|name| *name == "change").count(), 5);
    let refusal = workflow(&["show", "change"], true).await.unwrap_err();
    assert!(refusal.message.ends_with("0 writes left"), "{refusal}");
    // 2 and 2 and 2 of 12 are gone.
    for _ in 0..6 {
        assert_eq!(kind(command(&server, &caller, "show", json!({})).await), None);
    }
    assert_eq!(kind(command(&server, &caller, "show", json!({})).await), Some(Kind::BudgetExhausted));
}

#[tokio::test]
async fn time_that_is_left_bounds_the_call_and_what_was_printed_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let gate = Gate { prints: 600, ..Gate::open() };
    let server = server(&gate, &audit, Choice::Facade);
    let ten = spender(Allowance::new().within(HOUR, Measure::WallTime, 10_000));
    command(&server, &ten, "show", json!({})).await.unwrap();
    assert_eq!(gate.jobs.lock().unwrap()[0].1, Duration::from_secs(10));
    let one = Caller { session: "another".into(), ..spender(Allowance::new().in_a_session(Measure::WallTime, 1)) };
    command(&server, &one, "show", json!({})).await.unwrap();
    let refusal = command(&server, &one, "show", json!({})).await.unwrap_err();
    assert!(refusal.message.contains("1ms of running in all: 0s of running left"), "{refusal}");
    let bytes = spender(Allowance::new().within(HOUR, Measure::OutputBytes, 1000));
    for _ in 0..2 {
        command(&server, &bytes, "show", json!({})).await.unwrap();
    }
    let refusal = command(&server, &bytes, "show", json!({})).await.unwrap_err();
    assert!(refusal.message.contains("1000 bytes of output within 1h: 0 bytes"), "{refusal}");
    let request = spender(Allowance::new().within(HOUR, Measure::RequestBytes, 100));
    let long = json!({ "words": ["x".repeat(60)] });
    command(&server, &request, "show", long.clone()).await.unwrap();
    let refusal = command(&server, &request, "show", long).await.unwrap_err();
    assert!(refusal.message.contains("100 bytes of requests within 1h"), "{refusal}");
    command(&server, &request, "show", json!({})).await.unwrap_err();
}

#[tokio::test]
async fn a_search_never_waits_for_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::closed();
    let server = Arc::new(server(&gate, &folder.path().join("audit"), Choice::Facade));
    let run = |caller: Caller| {
        let server = server.clone();
        tokio::spawn(async move { command(&server, &caller, "show", json!({})).await })
    };
    let running = async |count: usize| {
        while gate.ran().len() < count {
            tokio::task::yield_now().await;
        }
    };
    let one = spender(Allowance::new().at_once(1));
    let mut runs = vec![run(one.clone())];
    within(running(1)).await;
    let refusal = command(&server, &one, "show", json!({})).await.unwrap_err();
    assert_eq!((refusal.kind, refusal.retry), (Kind::BudgetExhausted, Retry::Later), "{refusal}");
    assert_eq!(kind(call(&server, &one, "command_search", json!({ "query": "show" })).await), None);
    runs.extend((1..256).map(|_| run(caller())));
    within(running(256)).await;
    assert_eq!(kind(command(&server, &caller(), "show", json!({})).await), Some(Kind::BudgetExhausted));
    for caller in [&one, &caller()] {
        assert_eq!(kind(call(&server, caller, "command_search", json!({ "query": "show" })).await), None);
    }
    gate.open.add_permits(256);
    for run in runs {
        within(run).await.unwrap().unwrap();
    }
    command(&server, &one, "show", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_call_that_is_given_up_is_charged_and_leaves_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::closed();
    let server = server(&gate, &folder.path().join("audit"), Choice::Facade);
    let caller = spender(Allowance::new().within(HOUR, Measure::Writes, 2).at_once(1));
    for ran in 1..=2 {
        let given_up = async {
            while gate.ran().len() < ran {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = command(&server, &caller, "change", json!({ "yes": true })) => panic!("it waits"),
            () = within(given_up) => {}
        }
    }
    let refusal = command(&server, &caller, "change", json!({ "yes": true })).await.unwrap_err();
    assert!(refusal.message.contains("2 writes within 1h: 0"), "{refusal}");
}

#[tokio::test]
async fn what_a_principal_says_of_its_budget_stands_over_that_of_all() {
    let principal = |name: &str| {
        let all = Allowance::new().within(HOUR, Measure::Calls, 5).within(HOUR, Measure::Writes, 1).at_once(2);
        let own = Allowance::new().within(HOUR, Measure::Calls, 9);
        let facade = Facade::new(super::tree()).budget(all);
        let facade = facade.principal(Principal::new("ci", Effect::Mutating).budget(own));
        facade.serves(name).served().unwrap()
    };
    let amounts = |principal: &Principal, measure| principal.budget.shared.limits[&measure][0].amount;
    let [ci, local] = ["ci", "local"].map(principal);
    assert_eq!((amounts(&ci, Measure::Calls), amounts(&ci, Measure::Writes)), (9, 1));
    assert_eq!((amounts(&local, Measure::Calls), amounts(&local, Measure::Writes)), (5, 1));
    assert_eq!((ci.budget.shared.concurrency, ci.scope), (Some(2), Effect::Mutating));
}
