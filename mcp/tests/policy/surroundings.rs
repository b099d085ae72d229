use clap::Command;
use clap_facade::Facade;
use clap_facade::catalog::Effect;
use clap_facade::exec::{CancellationToken, InProcess, Subprocess};
use clap_facade::policy::{Policy, PolicyError};
use clap_facade::run::{Caller, Principal};
use serde_json::{Map, Value, json};

/// Runs the root of a tree by the shell, under a policy, and returns what it printed with the notes.
async fn run(policy: &str, script: &str) -> String {
    run_and_audit(policy, script).await.0
}

/// Does so, and returns the audit's line as well.
async fn run_and_audit(policy: &str, script: &str) -> (String, Value) {
    let root = Command::new("app").arg(super::switch("x"));
    let shell = Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]).env("FIXED", "yes");
    let folder = tempfile::tempdir().unwrap();
    let facade = Facade::new(root).executor(shell).policy(&Policy::parse(policy).unwrap()).unwrap();
    let pipeline = facade.audit(folder.path().join("audit.jsonl")).build().unwrap();
    let arguments = json!({ "name": "app" });
    let arguments: Map<_, _> = arguments.as_object().unwrap().clone();
    let caller = Caller {
        principal: Principal::new("operator", Effect::Destructive).into(),
        session: "1".to_owned(),
        door: "test",
        cancel: CancellationToken::new(),
        ..Caller::default()
    };
    let said = match pipeline.call("command_run", arguments, &caller).await {
        Ok(outcome) => format!("{}{}", outcome.text, outcome.notes.join("\n")),
        Err(refusal) => refusal.to_string(),
    };
    let lines = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    (said, serde_json::from_str(lines.lines().last().unwrap()).unwrap())
}

#[tokio::test]
async fn a_read_only_call_is_held_to_it_as_the_policy_says() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("echo x > {}/new", folder.path().display());
    let rule = "[[command]]\nmatch = ['']\neffect = 'read-only'";
    let allowed = format!("[read-only]\nwrites = ['{}']\n{rule}", folder.path().display());
    let lifted = format!("[read-only]\nenforce = true\n{rule}\nread-only = {{ enforce = false }}");
    let (said, line) = run_and_audit(rule, &script).await;
    let held = line["enforced"].as_str().unwrap().to_owned();
    match held.as_str() {
        "landlock" => assert!(said.contains("exit code 2") && said.contains("read-only.writes"), "{said}"),
        "partly" | "no" => eprintln!("skipped: this system enforces reading only {held}"),
        other => panic!("{other}"),
    }
    for (policy, enforced) in [(&allowed, held.as_str()), (&lifted, "off")] {
        let (said, line) = run_and_audit(policy, &script).await;
        assert_eq!((line["enforced"].as_str(), line["ok"].as_bool()), (Some(enforced), Some(true)), "{said}");
    }
    let (_, line) = run_and_audit("", &script).await;
    assert_eq!((line.get("enforced"), line["ok"].as_bool()), (None, Some(true)), "what may write is not held");
}

#[tokio::test]
async fn commands_get_the_environment_and_the_folder_that_the_policy_says() {
    let all = run("", "env").await;
    assert!(all.contains("CARGO_MANIFEST_DIR=") && all.contains("FIXED=yes"), "{all}");
    let few = run("cwd = '/'\n[environment]\npass = ['CARGO_PKG_*']\nset = { GREETING = 'a b' }", "pwd; env").await;
    assert!(few.starts_with("/\n") && few.contains("GREETING=a b") && few.contains("CARGO_PKG_NAME="), "{few}");
    assert!(few.contains("PATH=") && few.contains("FIXED=yes") && few.contains("NO_COLOR=1"), "{few}");
    assert!(!few.contains("CARGO_MANIFEST_DIR="), "{few}");
}

#[tokio::test]
async fn an_exit_code_is_told_with_its_meaning() {
    let meaning = "[exit-codes]\n75 = { kind = 'busy', retryable = true, hint = 'wait a minute' }";
    let said = run(meaning, "exit 75").await;
    assert!(said.contains("exit code 75: busy; the same call may succeed later; wait a minute"), "{said}");
    assert!(run(meaning, "exit 74").await.ends_with("exit code 74"));
    let own = format!("{meaning}\n[[command]]\nmatch = ['']\nexit-codes = {{ 75 = {{ kind = 'gone' }} }}");
    assert!(run(&own, "exit 75").await.ends_with("exit code 75: gone"));
}

#[tokio::test]
async fn a_command_is_held_to_its_own_time_and_size() {
    let said = run("timeout = '1h'\n[[command]]\nmatch = ['']\ntimeout = '100ms'", "sleep 20").await;
    assert!(said.contains("within 100ms"), "{said}");
    let said = run("output-bytes = 1000000\n[[command]]\nmatch = ['']\noutput-bytes = 40", "seq 1000").await;
    assert!(said.contains("truncated") && said.len() < 200, "{said}");
}

#[test]
fn in_process_there_are_no_surroundings_to_set() {
    let facade = || Facade::new(super::tree()).executor(InProcess::new(|_, _| Ok(0)));
    let wrong = Policy::parse("cwd = '/'").unwrap();
    assert!(matches!(facade().policy(&wrong).err(), Some(PolicyError::InProcess)));
    let rule = "[[command]]\nmatch = ['pip list']\nread-only = { network = false }";
    for said in ["[read-only]\nenforce = false", rule] {
        let wrong = Policy::parse(said).unwrap();
        assert!(matches!(facade().policy(&wrong).err(), Some(PolicyError::InProcess)), "{said}");
    }
    assert!(facade().policy(&Policy::parse("deny = ['self']").unwrap()).is_ok());
}
