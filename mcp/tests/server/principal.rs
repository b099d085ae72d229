//! What principals may run: the commands, and the effect of the very call.

use super::{audited, caller, facade, within};
use clap::{Arg, Command};
use clap_facade::Facade;
use clap_facade::annotate::{destructive, read_only};
use clap_facade::catalog::Effect;
use clap_facade::exec::InProcess;
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::{Caller, Outcome, Pipeline, Principal};
use clap_facade::surface::Choice;
use clap_facade::surface::fixed::{Answer, FixedTool};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

/// `notes list` reads, or writes with `--output`; `notes add` changes, `notes purge` destroys; `sql` is no command.
fn tree() -> Command {
    let list = Command::new("list").about("List notes").arg(Arg::new("output").long("output"));
    let gate = |name: &'static str| Arg::new(name).long(name).action(clap::ArgAction::SetTrue).global(true);
    Command::new("app").args([gate("yes"), gate("dry-run")]).subcommand(
        Command::new("notes")
            .subcommand_required(true)
            .subcommand(list.add(read_only().mutating_when("output")))
            .subcommand(Command::new("add").about("Add notes"))
            .subcommand(Command::new("purge").about("Remove notes").add(destructive())),
    )
}

struct Server {
    pipeline: Pipeline,
    ran: Arc<AtomicUsize>,
}

impl Server {
    fn new(surface: Choice) -> Self {
        let ran: Arc<AtomicUsize> = Arc::default();
        let runs = ran.clone();
        let executor = InProcess::new(move |_, _| {
            runs.fetch_add(1, SeqCst);
            Ok(0)
        });
        let sql = |effect| {
            let name = if effect == Effect::ReadOnly { "sql" } else { "sql_write" };
            FixedTool::new(name, "Query", effect, |_: Nothing| Ok::<_, std::io::Error>(Answer::Text("ok".into())))
        };
        let facade = Facade::new(tree()).executor(executor).workflows().audit("/dev/null").surface(surface);
        let facade = facade.tool(sql(Effect::ReadOnly)).tool(sql(Effect::Mutating));
        Self { pipeline: facade.build().unwrap(), ran }
    }

    async fn call(&self, principal: &Principal, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let caller = Caller { principal: Arc::new(principal.clone()), ..caller() };
        within(self.pipeline.call(tool, arguments, &caller)).await
    }
}

fn principals() -> [(&'static str, Principal); 7] {
    let any = |scope| Principal::new("ci", scope);
    [
        ("all", any(Effect::Destructive)),
        ("reads", any(Effect::ReadOnly)),
        ("writes", any(Effect::Mutating)),
        ("only list", any(Effect::Destructive).allow(["notes list", "workflow_submit"])),
        ("no purge", any(Effect::Destructive).deny(["** purge"])),
        ("nothing", any(Effect::Destructive).allow([""; 0])),
        ("all notes but add", any(Effect::Destructive).allow(["notes"]).deny(["notes add"])),
    ]
}

#[tokio::test]
async fn each_may_run_what_the_operator_says_on_every_surface() {
    const OPERATION: Option<Kind> = Some(Kind::OperationDenied);
    const EFFECT: Option<Kind> = Some(Kind::EffectDenied);
    // In the order of the principals.
    let calls = [
        ("notes list", json!({}), [None, None, None, None, None, OPERATION, None]),
        ("notes list", json!({ "output": "x" }), [None, EFFECT, None, None, None, OPERATION, None]),
        ("notes add", json!({}), [None, EFFECT, None, OPERATION, None, OPERATION, OPERATION]),
        ("notes purge", json!({}), [None, EFFECT, EFFECT, OPERATION, OPERATION, OPERATION, None]),
        ("sql", json!({}), [None, None, None, OPERATION, None, OPERATION, OPERATION]),
        ("sql_write", json!({}), [None, EFFECT, None, OPERATION, None, OPERATION, OPERATION]),
    ];
    for surface in [Choice::Facade, Choice::Mirror] {
        let server = Server::new(surface);
        for (name, flags, expected) in &calls {
            for ((who, principal), expected) in principals().iter().zip(expected) {
                let (tool, arguments) = match (surface, name.starts_with("sql")) {
                    (Choice::Facade, false) => ("command_run".to_owned(), json!({ "name": name, "flags": flags })),
                    _ => (name.replace(' ', "_"), flags.clone()),
                };
                let kind = server.call(principal, &tool, arguments).await.err().map(|refusal| refusal.kind);
                assert_eq!(kind, *expected, "{surface} {who}: {name} {flags}");
            }
        }
    }
}

#[tokio::test]
async fn no_wrapper_is_broader_than_its_targets() {
    let server = Server::new(Choice::Facade);
    let workflow = |steps: &[&str], yes| {
        let steps: Vec<Value> = steps.iter().map(|command| json!({ "command": command })).collect();
        json!({ "steps": steps, "yes": yes })
    };
    for (who, principal) in principals() {
        let all = who == "all";
        for yes in [true, false] {
            let before = server.ran.load(SeqCst);
            let steps = workflow(&["notes list", "notes add", "notes purge"], yes);
            let result = server.call(&principal, "workflow_submit", steps).await;
            assert_eq!(result.is_ok(), all, "{who}: {result:?}");
            assert_eq!(server.ran.load(SeqCst) > before, all, "{who}: no step runs before all may");
        }
        let read = server.call(&principal, "command_read", json!({ "name": "notes add" })).await.unwrap_err();
        assert!(matches!(read.kind, Kind::EffectDenied | Kind::OperationDenied));
        assert_eq!(read.hint.is_some(), matches!(who, "all" | "writes" | "no purge"), "{who}: {read}");
    }
    let [_, _, _, (_, only_list), ..] = principals();
    server.call(&only_list, "workflow_submit", workflow(&["notes list"], true)).await.unwrap();
}

#[tokio::test]
async fn a_refusal_says_what_would_be_allowed() {
    let server = Server::new(Choice::Facade);
    let said = async |principal: &Principal, name: &str| {
        server.call(principal, "command_run", json!({ "name": name })).await.unwrap_err().to_string()
    };
    let [_, (_, reads), (_, writes), (_, only_list), (_, no_purge), (_, nothing), (_, but)] = principals();
    for (principal, name, expected) in [
        (&reads, "notes add", "`notes add` is mutating in this call, and `ci` may run read-only commands only"),
        (&writes, "notes purge", "and `ci` may run read-only and mutating commands only"),
        (&only_list, "notes add", "`ci` may not run `notes add`, but `notes list`, `workflow_submit`"),
        (&no_purge, "notes purge", "`ci` may not run `notes purge`, but everything except `** purge`"),
        (&nothing, "notes list", "`ci` may not run `notes list`, but nothing"),
        (&but, "notes add", "but `notes` except `notes add`"),
    ] {
        let said = said(principal, name).await;
        assert!(said.contains(expected), "{said}");
    }
}

#[tokio::test]
async fn a_search_shows_what_can_be_run_and_names_the_rest() {
    let server = Server::new(Choice::Facade);
    let search = async |principal: &Principal, arguments: Value| -> Value {
        let outcome = server.call(principal, "command_search", arguments).await.unwrap();
        serde_json::from_str(&outcome.text).unwrap()
    };
    let names = |answer: &Value| -> Vec<String> {
        let commands = answer["commands"].as_array().unwrap().iter();
        commands.map(|command| command["name"].as_str().unwrap().to_owned()).collect()
    };
    let [(_, all), (_, reads), (_, writes), (_, only_list), ..] = principals();
    for arguments in [json!({ "query": "notes" }), json!({ "name": "notes" })] {
        for (principal, shown, closed) in [
            (&all, &["notes add", "notes list", "notes purge"][..], &[][..]),
            (&writes, &["notes add", "notes list"], &["notes purge"]),
            (&reads, &["notes list"], &["notes add", "notes purge"]),
            (&only_list, &["notes list"], &["notes add", "notes purge"]),
        ] {
            let answer = search(principal, arguments.clone()).await;
            let mut found = names(&answer);
            found.sort();
            assert_eq!(found, shown, "{answer}");
            let mut named: Vec<&str> =
                answer["not_allowed"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            named.sort_unstable();
            assert_eq!(named, closed, "{answer}");
        }
    }
    let answer = search(&reads, json!({ "query": "remove notes for good", "limit": 1 })).await;
    assert_eq!((names(&answer), answer["cursor"].is_null()), (vec!["notes list".to_owned()], true), "{answer}");
    let whole = search(&only_list, json!({ "name": "notes add" })).await;
    assert!(whole["inputSchema"].is_object() && whole["not_allowed"].as_str().unwrap().contains("`ci` may not run"));
    assert!(search(&only_list, json!({ "name": "notes list" })).await.get("not_allowed").is_none());
}

#[tokio::test]
async fn the_audit_names_the_principal_and_the_step() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipeline = facade(InProcess::new(|_, _| Ok(0)), &audit).build().unwrap();
    let principal = Principal::new("ci", Effect::Destructive).deny(["change"]).into();
    let Value::Object(arguments) = json!({ "name": "change" }) else { panic!("an object") };
    pipeline.call("command_run", arguments, &Caller { principal, ..caller() }).await.unwrap_err();
    let last = audited(&audit).pop().unwrap();
    assert_eq!(
        [&last["principal"], &last["step"], &last["code"]],
        [&json!("ci"), &json!("guard"), &json!("OPERATION_DENIED")]
    );
}

#[test]
fn who_is_served_is_narrowed_and_has_to_exist() {
    let facade = || Facade::new(tree()).principal(Principal::new("ci", Effect::Mutating));
    assert_eq!(facade().served().unwrap().name, "local");
    assert_eq!(facade().serves("ci").served().unwrap().scope, Effect::Mutating);
    assert_eq!(facade().serves("ci").read_only().served().unwrap().scope, Effect::ReadOnly);
    let own = facade().principal(Principal::new("local", Effect::ReadOnly));
    assert_eq!(own.served().unwrap().scope, Effect::ReadOnly);
    let said = facade().serves("cli").served().unwrap_err().to_string();
    assert_eq!(said, "no principal is called `cli`; there are: ci, local");
}
