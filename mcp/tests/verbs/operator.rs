//! What an operator looks at and reaches for: `audit` and `kill`.

use super::{notes, print, run};
use clap_facade::Facade;
use clap_facade::catalog::Effect;
use clap_facade::exec::{CancellationToken, InProcess};
use clap_facade::run::{Caller, Principal};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

fn facade(audit: &Path) -> Facade {
    Facade::new(notes()).executor(InProcess::new(|_, _| Ok(0))).audit(audit)
}

/// Has an agent call a command.
fn call(audit: &Path, name: &str, flags: Value) {
    let caller = Caller {
        principal: Principal::new("agent", Effect::Mutating).into(),
        session: "s1".to_owned(),
        door: "test",
        cancel: CancellationToken::new(),
        ..Caller::default()
    };
    let Value::Object(arguments) = json!({ "name": name, "flags": flags }) else { panic!("an object") };
    let pipeline = facade(audit).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for tool in ["command_read", "command_run"] {
        let _ = runtime.block_on(pipeline.call(tool, arguments.clone(), &caller));
    }
}

/// Returns what each line that a query finds decided of which command.
fn found(audit: &Path, conditions: &[&str]) -> Vec<(String, String)> {
    let words: Vec<&str> = ["audit", "query", "--json", "-n", "100"].iter().chain(conditions).copied().collect();
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let lines = print(facade(audit), &words);
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (word(&line, "target"), word(&line, "decision"))).collect()
}

#[test]
fn the_audit_is_shown_searched_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    assert_eq!(print(facade(&audit), &["audit", "tail"]), "");
    assert!(print(facade(&audit), &["audit", "verify"]).ends_with(": nothing was written yet\n"));
    call(&audit, "list", json!({}));
    call(&audit, "add", json!({ "title": "a\u{1b}]0;b" }));
    call(&audit, "purge", json!({ "id": "1" }));

    let lines = |decided: &[(&str, &str)]| -> Vec<(String, String)> {
        decided.iter().map(|(target, decision)| ((*target).to_owned(), (*decision).to_owned())).collect()
    };
    let add = [("add", "refused"), ("add", "begun"), ("add", "ran")];
    assert_eq!(found(&audit, &["--operation", "add"]), lines(&add));
    assert_eq!(found(&audit, &["--operation", "a*", "--decision", "ran"]), lines(&add[2..]));
    assert_eq!(found(&audit, &["--effect", "destructive"]), lines(&[("purge", "refused"); 2]));
    assert_eq!(found(&audit, &["--tool", "*_read", "--code", "EFFECT_DENIED"]), lines(&[add[0], ("purge", "refused")]));
    assert_eq!(found(&audit, &["--since", "1h", "--principal", "agent", "--session", "s1"]).len(), 7);
    for nothing in [["--until", "1h"], ["--since", "2999-01-01T00:00:00Z"], ["--principal", "age"]] {
        assert_eq!(found(&audit, &nothing), []);
    }
    assert!(facade(&audit).parse(["notes-mcp", "audit", "query", "--since", "yesterday"]).is_err());

    let tail = print(facade(&audit), &["audit", "tail", "-n", "3"]);
    assert_eq!(tail.lines().count(), 3);
    assert!(tail.contains("agent  refused  destructive  purge  EFFECT_DENIED"), "{tail}");
    assert!(!tail.contains('\u{1b}'));

    assert!(
        print(facade(&audit), &["audit", "verify"]).starts_with("7 lines, sound; the last is number 7 with the hash ")
    );
    let text = std::fs::read_to_string(&audit).unwrap();
    std::fs::write(&audit, text.replacen("agent", "nobody", 1)).unwrap();
    let (ended, out) = run(facade(&audit), &["audit", "verify"]);
    assert_eq!(ended.unwrap(), ExitCode::FAILURE);
    assert!(out.starts_with(&format!("{}:1: ", audit.display())) && out.ends_with("7 lines, 1 fault\n"), "{out}");
    let (ended, out) = run(facade(&audit), &["audit", "verify", "--json"]);
    assert_eq!(ended.unwrap(), ExitCode::FAILURE);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["faults"][0]["line"], 1);
}

#[test]
fn the_switch_is_turned_and_the_audit_says_by_whom() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("state/audit");
    let kill = |words: &[&str]| print(facade(&audit), &[&["kill"], words].concat());
    assert_eq!((kill(&["status"]), kill(&["off"])), ("off\n".to_owned(), "off\n".to_owned()));
    assert!(kill(&["on", "--reason", "a bad day"]).starts_with("on: "));
    for again in [&["status"][..], &["on"]] {
        let said = kill(again);
        assert!(said.starts_with("on since 2") && said.ends_with(": a bad day\n"), "{said}");
    }
    let status: Value = serde_json::from_str(&kill(&["status", "--json"])).unwrap();
    assert_eq!((&status["on"], &status["reason"]), (&json!(true), &json!("a bad day")));
    call(&audit, "list", json!({}));
    assert!(kill(&["off"]).starts_with("off: "));
    call(&audit, "list", json!({}));

    let lines = print(facade(&audit), &["audit", "tail", "--json"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions: Vec<_> = lines.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["on", "refused", "refused", "off", "ran", "ran"]);
    assert_eq!((&lines[0]["tool"], &lines[0]["reason"]), (&json!("kill"), &json!("a bad day")));
    assert_eq!(lines[0]["principal"], status["by"]);
    assert_eq!(lines[1]["code"], "KILLED");
    assert!(print(facade(&audit), &["audit", "verify"]).starts_with("6 lines, sound"));
}

#[test]
fn both_work_under_a_broken_policy() {
    let folder = tempfile::tempdir().unwrap();
    let (audit, policy) = (folder.path().join("audit"), folder.path().join("policy.toml"));
    std::fs::write(&policy, "no policy").unwrap();
    let policy = policy.to_str().unwrap();
    assert!(run(facade(&audit), &["tools", "--policy", policy]).0.is_err());
    assert_eq!(print(facade(&audit), &["kill", "status", "--policy", policy]), "off\n");
    assert_eq!(print(facade(&audit), &["audit", "tail", "--policy", policy]), "");
}
