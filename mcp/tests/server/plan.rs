//! That a change is the one that was previewed.

use super::{audited, within};
use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::annotate::{destructive, read_only};
use clap_facade::catalog::{Applying, Approval, Effect};
use clap_facade::exec::{CancellationToken, InProcess, Io};
use clap_facade::policy::Policy;
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::approve::{Answer, Approvals};
use clap_facade::run::budget::{Allowance, Measure};
use clap_facade::run::{Caller, Outcome, Pipeline, Principal};
use clap_facade::surface::Choice;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// `set` and `drop` preview, `own` is read-only without `yes`, `touch` has no preview.
fn tree() -> Command {
    let gate = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let gates = || [gate("yes"), gate("dry-run"), gate("allow-destructive")];
    let key = || Arg::new("key").required(true);
    Command::new("tiny")
        .subcommand_required(true)
        .subcommand(Command::new("show").add(read_only()))
        .subcommand(Command::new("set").args(gates()).arg(key()).arg(Arg::new("to").long("to")))
        .subcommand(Command::new("drop").add(destructive()).args(gates()).arg(key()))
        .subcommand(Command::new("own").add(read_only().mutating_when("yes")).arg(gate("yes")).arg(key()))
        .subcommand(Command::new("touch").arg(key()))
}

/// A store that commands preview against, and how often one was applied.
#[derive(Clone, Default)]
struct World {
    value: Arc<Mutex<String>>,
    runs: Arc<AtomicU64>,
    applied: Arc<AtomicU64>,
}

impl World {
    fn set(&self, value: &str) {
        value.clone_into(&mut self.value.lock().unwrap());
    }

    fn applied(&self) -> u64 {
        self.applied.load(SeqCst)
    }

    fn facade(&self, audit: &Path) -> Facade {
        let world = self.clone();
        let run = move |matches: &clap::ArgMatches, io: &mut Io<'_>| {
            let (name, below) = matches.subcommand().unwrap();
            let flag = |name: &str| below.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default();
            let applies = name != "show" && flag("yes") && !flag("dry-run");
            world.applied.fetch_add(u64::from(applies), SeqCst);
            let value = world.value.lock().unwrap().clone();
            if value == "broken" {
                write!(io.stderr, "can't plan")?;
                return Ok(1);
            }
            let run = world.runs.fetch_add(1, SeqCst);
            let plan = json!({ "from": value, "mode": if applies { "apply" } else { "preview" }, "at": run });
            write!(io.stdout, "{plan}")?;
            Ok(0)
        };
        Facade::new(tree()).executor(InProcess::new(run)).workflows().audit(audit)
    }

    /// A server whose policy demands plans, and knows what differs from run to run.
    fn demanding(&self, audit: &Path) -> Facade {
        self.facade(audit).policy(&Policy::parse("apply = \"plan\"\nplan-ignores = [\"/at\"]").unwrap()).unwrap()
    }
}

async fn call(pipeline: &Pipeline, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
    call_as(pipeline, Principal::new("agent", Effect::Destructive), tool, arguments).await
}

async fn call_as(pipeline: &Pipeline, principal: Principal, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let caller = Caller {
        principal: principal.into(),
        session: "test".to_owned(),
        door: "test",
        cancel: CancellationToken::new(),
        ..Caller::default()
    };
    within(pipeline.call(tool, arguments, &caller)).await
}

/// Returns the plan that a preview names.
fn plan(outcome: &Outcome) -> String {
    let note =
        outcome.notes.iter().find_map(|note| note.strip_prefix("plan: ")).unwrap_or_else(|| panic!("{outcome:?}"));
    note.split(' ').next().unwrap().to_owned()
}

fn kind(result: Result<Outcome, Refusal>) -> Kind {
    result.unwrap_err().kind
}

#[tokio::test]
async fn a_change_is_made_by_the_plan_of_its_preview_and_once() {
    for surface in Choice::ALL {
        let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
        let audit = folder.path().join("audit");
        let pipeline = world.demanding(&audit).surface(*surface).build().unwrap();
        let run = async |flags: Value, plan: Option<&str>| {
            let (tool, mut arguments) = match surface {
                Choice::Mirror => ("set", flags),
                _ => ("command_run", json!({ "name": "set", "flags": flags })),
            };
            if let Some(plan) = plan {
                arguments["plan"] = plan.into();
            }
            call(&pipeline, tool, arguments).await
        };
        let refusal = run(json!({ "key": "a", "yes": true }), None).await.unwrap_err();
        assert_eq!((refusal.kind, world.applied()), (Kind::PlanRequired, 0));
        let hint = refusal.hint.unwrap();
        assert!(hint.contains("with `dry-run`: true instead of `yes`") && hint.contains("`plan`"), "{hint}");

        for preview in [json!({ "key": "a", "dry-run": true }), json!({ "key": "a" })] {
            let token = plan(&run(preview, None).await.unwrap());
            let before = world.applied();
            let outcome = run(json!({ "key": "a", "yes": true }), Some(&token)).await.unwrap();
            assert!(outcome.text.contains("apply") && outcome.notes.is_empty(), "{outcome:?}");
            assert_eq!(world.applied(), before + 1);
            let last = audited(&audit).pop().unwrap();
            assert_eq!((&last["plan"], &last["decision"]), (&json!(token), &json!("ran")));
            let again = run(json!({ "key": "a", "yes": true }), Some(&token)).await.unwrap_err();
            assert!(again.kind == Kind::PlanRequired && again.message.contains(&token), "{again}");
            assert_eq!(world.applied(), before + 1);
        }
        let made_again =
            audited(&audit).into_iter().filter(|line| line["plan"] == "again" && line["decision"] == "ran");
        assert_eq!(made_again.count(), 2, "what the server itself runs is written down, too");
        let last = audited(&audit).pop().unwrap();
        assert_eq!((&last["step"], &last["code"]), (&json!("plan"), &json!("PLAN_REQUIRED")));
    }
}

#[tokio::test]
async fn a_plan_that_no_longer_holds_is_refused_with_what_changed() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let pipeline = world.demanding(&folder.path().join("audit")).build().unwrap();
    let run = async |flags: Value, plan: &str| {
        call(&pipeline, "command_run", json!({ "name": "set", "flags": flags, "plan": plan })).await
    };
    let previewed = json!({ "name": "set", "flags": { "key": "a", "dry-run": true } });
    world.set("one");
    let preview = async || plan(&call(&pipeline, "command_run", previewed.clone()).await.unwrap());
    let apply = json!({ "key": "a", "yes": true });

    let token = preview().await;
    world.set("two");
    let refusal = run(apply.clone(), &token).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::PlanChanged);
    assert!(
        refusal.message.contains("\n-   \"from\": \"one\"") && refusal.message.contains("\n+   \"from\": \"two\""),
        "{refusal}"
    );
    assert!(!refusal.message.contains("\"at\""), "what differs of its own accord is no change: {refusal}");
    assert_eq!(kind(run(apply.clone(), &token).await), Kind::PlanRequired, "it is gone");

    let token = preview().await;
    world.set("broken");
    let refusal = run(apply.clone(), &token).await.unwrap_err();
    assert!(refusal.kind == Kind::PlanChanged && refusal.message.contains("can't plan"), "{refusal}");

    world.set("one");
    let token = preview().await;
    for (flags, says) in [
        (json!({ "key": "b", "yes": true }), "key: \"a\" in the plan, \"b\" now"),
        (json!({ "key": "a", "to": "x", "yes": true }), "to: not set in the plan, \"x\" now"),
        (
            json!({ "key": "a", "allow-destructive": true, "yes": true }),
            "allow-destructive: not set in the plan, true now",
        ),
    ] {
        let refusal = run(flags, &token).await.unwrap_err();
        assert!(refusal.kind == Kind::PlanChanged && refusal.message.ends_with(says), "{refusal}");
    }
    let other = json!({ "name": "drop", "flags": { "key": "a", "yes": true }, "plan": token });
    assert_eq!(kind(call(&pipeline, "command_run", other).await), Kind::PlanChanged);
    let stolen = json!({ "name": "set", "flags": apply, "plan": token });
    assert_eq!(
        kind(call_as(&pipeline, Principal::new("other", Effect::Destructive), "command_run", stolen.clone()).await),
        Kind::PlanRequired
    );
    assert_eq!(world.applied(), 0);
    call(&pipeline, "command_run", stolen).await.unwrap();
}

#[tokio::test]
async fn a_plan_holds_without_being_demanded_where_a_call_names_it() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let policy = Policy::parse("plan-ignores = [\"/at\"]").unwrap();
    let pipeline = world.facade(&folder.path().join("audit")).policy(&policy).unwrap().build().unwrap();
    let run = async |mut flags: Value, plan: Option<&str>| {
        if let Some(plan) = plan {
            flags["plan"] = plan.into();
        }
        call(&pipeline, "command_run", json!({ "name": "set", "flags": flags })).await
    };
    world.set("one");
    run(json!({ "key": "a", "yes": true }), None).await.unwrap();
    let token = plan(&run(json!({ "key": "a" }), None).await.unwrap());
    world.set("two");
    assert_eq!(kind(run(json!({ "key": "a", "yes": true }), Some(&token)).await), Kind::PlanChanged);
    assert_eq!(kind(run(json!({ "key": "a", "yes": true }), Some("no plan")).await), Kind::InvalidParams);
}

#[tokio::test]
async fn what_can_not_be_previewed_can_not_be_planned() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let audit = folder.path().join("audit");
    let touch = json!({ "name": "touch", "flags": { "key": "a" } });
    let pipeline = world.demanding(&audit).build().unwrap();
    let refusal = call(&pipeline, "command_run", touch.clone()).await.unwrap_err();
    assert!(refusal.kind == Kind::PlanRequired && refusal.hint.unwrap().contains("apply = \"direct\""));
    let exempt = Policy::parse("apply = \"plan\"\n[[command]]\nmatch = [\"touch\"]\napply = \"direct\"").unwrap();
    let pipeline = world.facade(&audit).policy(&exempt).unwrap().build().unwrap();
    call(&pipeline, "command_run", touch).await.unwrap();
    let set = json!({ "name": "set", "flags": { "key": "a", "yes": true } });
    assert_eq!(kind(call(&pipeline, "command_run", set.clone()).await), Kind::PlanRequired);
    let one = Policy::parse("[[command]]\nmatch = [\"drop\"]\napply = \"plan\"").unwrap();
    let pipeline = world.facade(&audit).policy(&one).unwrap().build().unwrap();
    call(&pipeline, "command_run", set).await.unwrap();
    let drop = json!({ "name": "drop", "flags": { "key": "a", "yes": true } });
    assert_eq!(kind(call(&pipeline, "command_run", drop).await), Kind::PlanRequired);
}

#[tokio::test]
async fn a_preview_says_what_would_be_in_the_way_of_its_apply() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let pipeline = world.demanding(&folder.path().join("audit")).approve(Approval::Ask).build().unwrap();
    let run = async |name: &str, flags: Value, scope: Effect| {
        let arguments = json!({ "name": name, "flags": flags });
        call_as(&pipeline, Principal::new("agent", scope), "command_run", arguments).await.unwrap().notes
    };
    let notes = run("drop", json!({ "key": "a" }), Effect::Destructive).await;
    assert_eq!(notes[0], "the apply would be refused: `allow-destructive` is not set");
    assert_eq!(notes[1], "the apply, by the same call with `yes`: true, has to be allowed by the operator first");
    assert!(notes[2].starts_with("plan: pl_") && notes[2].contains("with `yes`: true"), "{notes:?}");
    let notes = run("drop", json!({ "key": "a", "allow-destructive": true }), Effect::Destructive).await;
    assert_eq!(notes.len(), 2, "{notes:?}");
    // Without `yes` it only reads, so that who may only read can see what it would do.
    let notes = run("own", json!({ "key": "a" }), Effect::ReadOnly).await;
    assert_eq!(notes, ["the apply would be refused: it is mutating, and this session runs read-only commands"]);
    let notes = run("own", json!({ "key": "a" }), Effect::Destructive).await;
    assert!(notes.last().unwrap().starts_with("plan: pl_"), "{notes:?}");
    assert_eq!(run("show", json!({}), Effect::Destructive).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_workflow_is_planned_as_a_whole() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let audit = folder.path().join("audit");
    let pipeline = world.demanding(&audit).build().unwrap();
    let submit = async |word: &str, yes: bool, plan: Option<&str>| {
        let steps = json!([{ "command": "set", "args": [word] }, { "command": "show" }]);
        let mut arguments = json!({ "steps": steps, "yes": yes });
        if let Some(plan) = plan {
            arguments["plan"] = plan.into();
        }
        call(&pipeline, "workflow_submit", arguments).await
    };
    world.set("one");
    let refusal = submit("a", true, None).await.unwrap_err();
    assert!(refusal.kind == Kind::PlanRequired && refusal.hint.unwrap().contains("without `yes`"));
    let token = plan(&submit("a", false, None).await.unwrap());
    assert_eq!(kind(submit("b", true, Some(&token)).await), Kind::PlanChanged);
    assert_eq!(world.applied(), 0);
    assert!(!submit("a", true, Some(&token)).await.unwrap().failed);
    assert_eq!(world.applied(), 1);
    assert_eq!(kind(submit("a", true, Some(&token)).await), Kind::PlanRequired);
    let token = plan(&submit("a", false, None).await.unwrap());
    world.set("two");
    let refusal = submit("a", true, Some(&token)).await.unwrap_err();
    assert!(refusal.kind == Kind::PlanChanged && refusal.message.contains("two"), "{refusal}");
}

#[tokio::test]
async fn an_approval_is_of_the_call_with_its_plan() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let audit = folder.path().join("audit");
    let pipeline = world.demanding(&audit).approve(Approval::Ask).build().unwrap();
    let one_write = Allowance::new().within(Duration::from_secs(3600), Measure::Writes, 1);
    let operator = Approvals::beside(Some(&audit));
    let run = async |mut arguments: Value, plan: Option<&str>| {
        if let Some(plan) = plan {
            arguments["plan"] = plan.into();
        }
        let agent = Principal::new("agent", Effect::Destructive).budget(one_write.clone());
        call_as(&pipeline, agent, "command_run", arguments).await
    };
    let preview = json!({ "name": "set", "flags": { "key": "a", "dry-run": true } });
    let apply = json!({ "name": "set", "flags": { "key": "a", "yes": true } });
    world.set("one");
    let token = plan(&run(preview.clone(), None).await.unwrap());
    for _ in 0..2 {
        assert_eq!(kind(run(apply.clone(), Some(&token)).await), Kind::ApprovalRequired, "the plan is not used up");
    }
    let [waits] = &operator.list().unwrap()[..] else { panic!("one waits") };
    assert!(
        waits.question.contains("its preview:\n  | {") && waits.question.contains("\"from\": \"one\""),
        "{waits:?}"
    );
    operator.decide(&waits.id, Answer::Grant, "operator me", None).unwrap();
    // What was allowed is what was shown: not another preview of the same call.
    world.set("two");
    let other = plan(&run(preview.clone(), None).await.unwrap());
    assert_eq!(kind(run(apply.clone(), Some(&other)).await), Kind::ApprovalRequired);
    world.set("one");
    // Neither previews nor what waited for the operator was charged as the one write there is.
    run(apply.clone(), Some(&token)).await.unwrap();
    let last = audited(&audit).pop().unwrap();
    assert_eq!((&last["plan"], &last["approval"]["id"]), (&json!(token), &json!(waits.id)));
    assert_eq!(world.applied(), 1);
    assert_eq!(kind(run(apply, Some(&token)).await), Kind::BudgetExhausted);
}

#[tokio::test]
async fn the_param_is_listed_where_plans_are_demanded_and_nowhere_else() {
    let (world, folder) = (World::default(), tempfile::tempdir().unwrap());
    let audit = folder.path().join("audit");
    let has_plan = |schema: &Map<String, Value>| schema["properties"].get("plan").is_some();
    let listed = |facade: Facade| {
        let pipeline = facade.build().unwrap();
        let tools = pipeline.surface().tools(pipeline.catalog());
        tools.into_iter().filter(|tool| has_plan(&tool.input_schema)).map(|tool| tool.name).collect::<Vec<_>>()
    };
    for (surface, all) in [
        (Choice::Facade, vec!["command_run", "workflow_submit"]),
        (Choice::Mirror, vec!["set", "drop", "own", "touch", "workflow_submit"]),
    ] {
        assert_eq!(listed(world.facade(&audit).surface(surface)), Vec::<String>::new());
        assert_eq!(listed(world.facade(&audit).surface(surface).applying(Applying::ByPlan)), all);
    }
    let one = Policy::parse("[[command]]\nmatch = [\"drop\"]\napply = \"plan\"").unwrap();
    let mirror = world.facade(&audit).surface(Choice::Mirror).policy(&one).unwrap();
    assert_eq!(listed(mirror), ["drop", "workflow_submit"]);
}
