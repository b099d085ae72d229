use clap::Command;
use clap_facade::Facade;
use clap_facade::catalog::Effect;
use clap_facade::exec::{CancellationToken, InProcess, Subprocess};
use clap_facade::policy::{Policy, PolicyError};
use clap_facade::run::{Caller, Principal};
use serde_json::{Map, json};

/// Runs the root of a tree by the shell, under a policy, and returns what it printed with the notes.
async fn run(policy: &str, script: &str) -> String {
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
    };
    match pipeline.call("command_run", arguments, &caller).await {
        Ok(outcome) => format!("{}{}", outcome.text, outcome.notes.join("\n")),
        Err(refusal) => refusal.to_string(),
    }
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
    assert!(facade().policy(&Policy::parse("deny = ['self']").unwrap()).is_ok());
}
