//! What the operator has to allow first, and how he does.

use super::{audited, within};
use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::annotate::{CommandNote, destructive, read_only, secret};
use clap_facade::catalog::{Approval, Effect};
use clap_facade::exec::{CancellationToken, InProcess};
use clap_facade::policy::Policy;
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::approve::{Answer, Approvals};
use clap_facade::run::{Caller, Outcome, Pipeline, Principal};
use clap_facade::surface::Choice;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// `show` reads, `change` writes, `purge` destroys, `touch` writes and has no preview of its own.
fn tree() -> Command {
    let words = || Arg::new("words").action(ArgAction::Append).num_args(0..);
    let gate = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let gates = || [gate("yes"), gate("dry-run"), gate("allow-destructive")];
    Command::new("tiny")
        .subcommand_required(true)
        .subcommand(Command::new("show").add(read_only()).arg(words()))
        .subcommand(
            Command::new("change").args(gates()).arg(words()).arg(Arg::new("token").long("token").add(secret())),
        )
        .subcommand(Command::new("purge").add(destructive()).args(gates()).arg(words()))
        .subcommand(Command::new("touch").arg(words()))
}

fn facade(audit: &Path) -> Facade {
    let run = |matches: &clap::ArgMatches, io: &mut clap_facade::exec::Io<'_>| {
        let (name, below) = matches.subcommand().unwrap();
        let flag = |name: &str| below.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default();
        let did = if flag("dry-run") || !flag("yes") { "previewed" } else { "applied" };
        write!(io.stdout, "{did} {name}")?;
        Ok(0)
    };
    Facade::new(tree()).executor(InProcess::new(run)).workflows().audit(audit)
}

fn caller(name: &str) -> Caller {
    Caller {
        principal: Arc::new(Principal::new(name, Effect::Destructive)),
        session: "test".to_owned(),
        door: "test",
        cancel: CancellationToken::new(),
        ..Caller::default()
    }
}

async fn call(pipeline: &Pipeline, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
    call_as(pipeline, "agent", tool, arguments).await
}

async fn call_as(pipeline: &Pipeline, name: &str, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    within(pipeline.call(tool, arguments, &caller(name))).await
}

fn id(result: Result<Outcome, Refusal>) -> String {
    let refusal = result.unwrap_err();
    assert_eq!(refusal.kind, Kind::ApprovalRequired, "{refusal}");
    let json = refusal.to_json();
    let id = json["error"]["approval"].as_str().unwrap().to_owned();
    assert!(refusal.hint.unwrap().contains(&format!("approvals grant {id}")));
    assert!(!json.to_string().contains("nonce"));
    id
}

/// What a call must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Runs,
    Waits,
    Denied,
}

#[tokio::test]
async fn each_mode_asks_for_what_it_says() {
    use Fate::{Denied, Runs, Waits};
    let run = |name: &str, flags: Value| ("command_run", json!({ "name": name, "flags": flags }));
    let workflow = |yes: bool, command: &str| {
        ("workflow_submit", json!({ "yes": yes, "steps": [{ "command": "show" }, { "command": command }] }))
    };
    // auto, ask-destructive, ask, deny
    let table = [
        (run("show", json!({})), [Runs, Runs, Runs, Runs]),
        (run("change", json!({ "yes": true })), [Runs, Runs, Waits, Denied]),
        (run("change", json!({ "dry-run": true })), [Runs, Runs, Runs, Denied]),
        (run("change", json!({ "yes": true, "dry-run": true })), [Runs, Runs, Waits, Denied]),
        (run("change", json!({})), [Runs, Runs, Runs, Denied]),
        (run("touch", json!({})), [Runs, Runs, Waits, Denied]),
        (run("purge", json!({ "yes": true })), [Runs, Waits, Waits, Denied]),
        (run("purge", json!({ "dry-run": true })), [Runs, Runs, Runs, Denied]),
        (workflow(true, "show"), [Runs, Runs, Runs, Runs]),
        (workflow(true, "change"), [Runs, Runs, Waits, Denied]),
        (workflow(false, "change"), [Runs, Runs, Runs, Denied]),
        (workflow(true, "purge"), [Runs, Waits, Waits, Denied]),
        (("command_search", json!({ "query": "show" })), [Runs, Runs, Runs, Runs]),
    ];
    for ((tool, arguments), fates) in table {
        for (mode, fate) in Approval::ALL.iter().zip(fates) {
            for build in [Facade::approve, Facade::approve_at_least] {
                let folder = tempfile::tempdir().unwrap();
                let pipeline = build(facade(&folder.path().join("audit")), *mode).build().unwrap();
                let came = match call(&pipeline, tool, arguments.clone()).await.map_err(|refusal| refusal.kind) {
                    Ok(_) => Runs,
                    Err(Kind::ApprovalRequired) => Waits,
                    Err(Kind::ApprovalDenied) => Denied,
                    Err(other) => panic!("{other:?}"),
                };
                assert_eq!(came, fate, "{mode:?} {tool} {arguments}");
            }
        }
    }
}

#[tokio::test]
async fn what_does_not_say_that_it_applies_is_made_to_preview_where_changes_are_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    for (mode, said) in [(Approval::Auto, false), (Approval::Ask, true)] {
        let pipeline = facade(&audit).approve(mode).build().unwrap();
        call(&pipeline, "command_run", json!({ "name": "change" })).await.unwrap();
        let last = audited(&audit).pop().unwrap();
        assert_eq!(last["params"].get("dry-run").is_some(), said, "{last}");
    }
}

#[tokio::test]
async fn a_grant_lets_the_very_call_pass_once() {
    let run = |words: &str| json!({ "name": "change", "flags": { "words": [words], "yes": true } });
    for surface in Choice::ALL {
        let folder = tempfile::tempdir().unwrap();
        let audit = folder.path().join("audit");
        let pipeline = facade(&audit).surface(*surface).approve(Approval::Ask).build().unwrap();
        let call = async |words: &str, who: &str| match surface {
            Choice::Mirror => call_as(&pipeline, who, "change", run(words)["flags"].clone()).await,
            _ => call_as(&pipeline, who, "command_run", run(words)).await,
        };
        let asked = id(call("a", "agent").await);
        assert_eq!(id(call("a", "agent").await), asked, "the same call waits once");
        // Another process of the operator's has nothing but the audit's path.
        let operator = Approvals::beside(Some(&audit));
        assert_eq!(operator.list().unwrap().len(), 1);
        operator.decide(&asked, Answer::Grant, "operator me", None).unwrap();
        for (words, who) in [("b", "agent"), ("a", "other")] {
            assert_ne!(id(call(words, who).await), asked, "neither another call nor another principal");
        }
        assert_eq!(call("a", "agent").await.unwrap().text, "applied change");
        let lines = audited(&audit);
        for line in &lines[lines.len() - 2..] {
            assert_eq!(line["approval"], json!({ "id": asked, "by": "operator me" }), "{line}");
        }
        assert_eq!(id(call("a", "agent").await), asked, "it is used up");
        assert_eq!(operator.list().unwrap().len(), 3);
        let (last, first) = (audited(&audit).pop().unwrap(), &operator.list().unwrap()[0]);
        assert_eq!((&last["step"], &last["code"]), (&json!("approve"), &json!("APPROVAL_REQUIRED")));
        assert_eq!((first.principal.as_str(), first.target.as_str()), ("agent", "change"));
    }
}

#[tokio::test]
async fn what_is_denied_is_not_asked_again_and_a_grant_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipeline = facade(&audit).approve(Approval::Ask).build().unwrap();
    let operator = Approvals::beside(Some(&audit));
    let arguments = json!({ "name": "touch" });
    let asked = id(call(&pipeline, "command_run", arguments.clone()).await);
    operator.decide(&asked, Answer::Grant, "operator me", None).unwrap();
    operator.decide(&asked, Answer::Deny, "operator me", Some("not today")).unwrap();
    for _ in 0..2 {
        let refusal = call(&pipeline, "command_run", arguments.clone()).await.unwrap_err();
        assert_eq!(refusal.kind, Kind::ApprovalDenied);
        assert!(refusal.message.ends_with("was denied by operator me: not today"), "{refusal}");
    }
    operator.decide(&asked, Answer::Grant, "operator me", None).unwrap();
    call(&pipeline, "command_run", arguments).await.unwrap();
    let gone = operator.decide(&asked, Answer::Grant, "operator me", None).unwrap_err();
    assert!(gone.to_string().contains(&asked), "{gone}");
}

#[tokio::test]
async fn approving_a_workflow_approves_its_steps_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipeline = facade(&audit).approve(Approval::Ask).build().unwrap();
    let operator = Approvals::beside(Some(&audit));
    let submit = |word: &str, max: u64| {
        let steps = json!([{ "command": "change", "args": [word] }, { "command": "touch", "when": "${vars.go}" }]);
        json!({ "yes": true, "steps": steps, "vars": { "go": true }, "max_changes": max })
    };
    let asked = id(call(&pipeline, "workflow_submit", submit("a", 1)).await);
    let question = &operator.list().unwrap()[0].question;
    for part in ["1. change (mutating) args='[\"a\"]'", "2. touch (mutating) when='${vars.go}'", "max_changes=1"] {
        assert!(question.contains(part), "{question}");
    }
    operator.decide(&asked, Answer::Grant, "operator me", None).unwrap();
    for other in [submit("b", 1), submit("a", 2)] {
        assert_ne!(id(call(&pipeline, "workflow_submit", other).await), asked);
    }
    // Nor does it approve a step by itself.
    id(call(&pipeline, "command_run", json!({ "name": "change", "flags": { "yes": true }, "args": ["a"] })).await);
    let outcome = call(&pipeline, "workflow_submit", submit("a", 1)).await.unwrap();
    assert!(!outcome.failed && outcome.text.contains("applied change"), "{}", outcome.text);
    assert_eq!(id(call(&pipeline, "workflow_submit", submit("a", 1)).await), asked);
}

#[tokio::test]
async fn commands_have_modes_of_their_own_above_what_the_start_asks_for() {
    let policy = Policy::parse(
        r#"
        [approval]
        mode = "ask"

        [[command]]
        match = ["change"]
        approval = "auto"

        [[command]]
        match = ["touch"]
        approval = "deny"
        "#,
    );
    let policy = policy.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let facade = || facade(&folder.path().join("audit")).policy(&policy).unwrap();
    let fate = async |facade: Facade, name: &str| {
        let pipeline = facade.build().unwrap();
        let result = call(&pipeline, "command_run", json!({ "name": name, "flags": { "yes": true } })).await;
        result.map(|_| ()).map_err(|refusal| refusal.kind)
    };
    assert_eq!(fate(facade(), "change").await, Ok(()));
    assert_eq!(fate(facade(), "purge").await, Err(Kind::ApprovalRequired));
    let pipeline = facade().build().unwrap();
    let touch = call(&pipeline, "command_run", json!({ "name": "touch" })).await.unwrap_err();
    assert_eq!(touch.kind, Kind::ApprovalDenied);
    let steps = json!([{ "command": "change" }, { "command": "touch" }]);
    let both = call(&pipeline, "workflow_submit", json!({ "yes": true, "steps": steps })).await.unwrap_err();
    assert_eq!(both.kind, Kind::ApprovalDenied, "the strictest step decides");
    assert_eq!(fate(facade().approve_at_least(Approval::Ask), "change").await, Err(Kind::ApprovalRequired));
    assert_eq!(fate(facade().approve_at_least(Approval::Deny), "change").await, Err(Kind::ApprovalDenied));

    let careful = Principal::new("careful", Effect::Destructive).approve_at_least(Approval::Ask);
    let careful = Caller { principal: Arc::new(careful), ..caller("careful") };
    let Value::Object(change) = json!({ "name": "change", "flags": { "yes": true } }) else { unreachable!() };
    let refusal = within(pipeline.call("command_run", change, &careful)).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::ApprovalRequired, "of one principal more may be asked");
}

#[tokio::test]
async fn the_question_shows_the_line_that_would_run_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let tree = tree().arg(Arg::new("key").long("key").global(true).add(secret()));
    let pipeline = Facade::new(tree)
        .executor(InProcess::new(|_, _| Ok(0)))
        .inject(["--key=hunter2"])
        .approve(Approval::Ask)
        .audit(&audit)
        .build()
        .unwrap();
    let words = json!(["two words", "a\u{1b}]0;b\nAllow nothing", "--flag-like"]);
    let refusal = call(&pipeline, "command_run", json!({ "name": "touch", "flags": { "words": words } })).await;
    let question = refusal.unwrap_err().question.unwrap();
    insta::assert_snapshot!(question.text, @r"
    Allow this mutating call once?
    tiny --key=… touch -- 'two words' $'a\U0000001b]0;b\nAllow nothing' --flag-like
    asked for by agent through test
    ");
    for file in fs::read_dir(Approvals::beside(Some(&audit)).folder().unwrap()).unwrap() {
        assert!(!fs::read_to_string(file.unwrap().path()).unwrap().contains("hunter2"));
    }
}

#[tokio::test]
async fn approvals_expire_and_only_so_many_wait() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let policy = Policy::parse("[approval]\nmode = \"ask\"\nlasts = \"1ms\"").unwrap();
    let pipeline = facade(&audit).policy(&policy).unwrap().build().unwrap();
    let operator = Approvals::beside(Some(&audit));
    let asked = id(call(&pipeline, "command_run", json!({ "name": "touch" })).await);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(operator.decide(&asked, Answer::Grant, "operator me", None).is_err());
    assert_eq!(operator.list().unwrap(), []);

    let pipeline = facade(&audit).approve(Approval::Ask).build().unwrap();
    let touch = async |word: String| call(&pipeline, "command_run", json!({ "name": "touch", "args": [word] })).await;
    for number in 0..64 {
        id(touch(number.to_string()).await);
    }
    let refusal = touch("64".to_owned()).await.unwrap_err();
    assert!(refusal.kind == Kind::ApprovalRequired && refusal.message.contains("too many"), "{refusal}");
    let first = id(touch("0".to_owned()).await);
    operator.decide(&first, Answer::Grant, "operator me", None).unwrap();
    touch("0".to_owned()).await.unwrap();
    id(touch("64".to_owned()).await);
}

#[tokio::test]
async fn the_files_are_their_owners_alone_and_others_count_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipeline = facade(&audit).approve(Approval::Ask).build().unwrap();
    let operator = Approvals::beside(Some(&audit));
    let asked = id(call(&pipeline, "command_run", json!({ "name": "touch" })).await);
    let place = operator.folder().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = place.join(format!("{asked}.json"));
    assert_eq!((mode(place), mode(&file)), (0o700, 0o600));
    operator.decide(&asked, Answer::Grant, "operator me", None).unwrap();
    assert_eq!(mode(&file), 0o600);

    // What a command of the CLI's writes there has not been made by these hands.
    let granted = fs::read(&file).unwrap();
    let spoil: [&dyn Fn(); 4] = [
        &|| fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap(),
        &|| fs::write(&file, b"no JSON").unwrap(),
        &|| {
            fs::remove_file(&file).unwrap();
            fs::write(place.join("elsewhere"), &granted).unwrap();
            fs::set_permissions(place.join("elsewhere"), PermissionsExt::from_mode(0o600)).unwrap();
            std::os::unix::fs::symlink(place.join("elsewhere"), &file).unwrap();
        },
        &|| {
            fs::remove_file(&file).unwrap();
            fs::copy(place.join("elsewhere"), place.join("ap_0.json")).unwrap();
        },
    ];
    for spoil in spoil {
        spoil();
        id(call(&pipeline, "command_run", json!({ "name": "touch" })).await);
        fs::write(&file, &granted).unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    }
    fs::set_permissions(place, PermissionsExt::from_mode(0o777)).unwrap();
    call(&pipeline, "command_run", json!({ "name": "touch" })).await.unwrap();
    assert_eq!(mode(place), 0o700);
}

#[tokio::test]
async fn without_a_place_for_approvals_nothing_that_needs_one_runs() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    fs::write(folder.path().join("audit.approvals"), "a file").unwrap();
    let pipeline = facade(&audit).approve(Approval::Ask).build().unwrap();
    let refusal = call(&pipeline, "command_run", json!({ "name": "touch" })).await.unwrap_err();
    assert!(refusal.kind == Kind::ApprovalRequired && refusal.question.is_none(), "{refusal}");
    call(&pipeline, "command_run", json!({ "name": "show" })).await.unwrap();
}

#[tokio::test]
async fn of_many_that_call_with_one_grant_one_runs() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipelines: Vec<_> = (0..4).map(|_| Arc::new(facade(&audit).approve(Approval::Ask).build().unwrap())).collect();
    let asked = id(call(&pipelines[0], "command_run", json!({ "name": "touch" })).await);
    Approvals::beside(Some(&audit)).decide(&asked, Answer::Grant, "operator me", None).unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for pipeline in pipelines.iter().cycle().take(32) {
        let pipeline = pipeline.clone();
        calls.spawn(async move { call(&pipeline, "command_run", json!({ "name": "touch" })).await });
    }
    let ran = within(calls.join_all()).await.into_iter().filter(Result::is_ok).count();
    assert_eq!(ran, 1);
}

#[tokio::test]
async fn no_call_reaches_the_verb() {
    let folder = tempfile::tempdir().unwrap();
    for choice in Choice::ALL {
        let app = Facade::new(tree().subcommand(Command::new("more").add(CommandNote::default())))
            .executor(InProcess::new(|_, _| Ok(0)))
            .audit(folder.path().join("audit"))
            .surface(*choice)
            .workflows();
        let tree = app.mount("more mcp").unwrap().command();
        let pipeline = Facade::new(tree).executor(InProcess::new(|_, _| Ok(0))).surface(*choice).workflows();
        let pipeline = pipeline.audit(folder.path().join("audit")).build().unwrap();
        assert!(pipeline.catalog().operations().iter().all(|operation| !operation.name.contains("mcp")));
        for name in ["more mcp", "more mcp approvals grant", "mcp", "approvals grant", "approvals"] {
            for (tool, arguments) in [
                ("command_run", json!({ "name": name, "args": ["approvals", "grant", "ap_0"] })),
                ("workflow_submit", json!({ "yes": true, "steps": [{ "command": name, "args": ["ap_0"] }] })),
                (&*name.replace(' ', "_"), json!({ "words": ["approvals", "grant", "ap_0"] })),
            ] {
                let refusal = call(&pipeline, tool, arguments).await.unwrap_err();
                let kinds = [Kind::UnknownOperation, Kind::UnknownTool, Kind::InvalidParams];
                assert!(kinds.contains(&refusal.kind), "{tool} {name}: {refusal}");
            }
        }
    }
}
