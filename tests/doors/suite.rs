// What every door promises, in both eras. Each door imports this file and has its own `open`.

use super::super::{Audit, Connection, Opening, nap, nap_word};
use super::open;
use crate::server::{processes, until, within};
use crate::session::{Answer, Era, Session};
use clap_facade::surface::Choice;
use rmcp::model::ErrorCode;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use tokio::task::JoinSet;

async fn run(session: &Session, name: &str, flags: Value) -> Answer {
    within(session.call("command_run", json!({ "name": name, "flags": flags }))).await
}

#[tokio::test]
async fn instructions_are_present_and_short() {
    for era in Era::ALL {
        for surface in Choice::ALL {
            let session = open(Opening::of(era).surface(*surface)).await;
            let instructions = session.instructions();
            assert!(instructions.contains("peercli") && instructions.len() <= 400, "{era:?} {surface}: {instructions}");
        }
    }
}

#[tokio::test]
async fn the_list_is_the_same_for_every_connection_and_says_what_each_tool_may_do() {
    for surface in Choice::ALL {
        let mut lists = Vec::new();
        for era in [Era::Legacy, Era::Modern, Era::Modern, Era::Legacy] {
            let session = open(Opening::of(era).surface(*surface)).await;
            lists.push(session.tools().await);
            lists.push(session.tools().await);
        }
        for list in &lists {
            assert_eq!(*list, lists[0], "{surface}");
        }
        for tool in &lists[0] {
            let hints = tool.annotations.as_ref().unwrap_or_else(|| panic!("{} has no annotations", tool.name));
            // A tool that may change something is destructive unless it says otherwise.
            let read_only = hints.read_only_hint.unwrap_or_else(|| panic!("{}: {hints:?}", tool.name));
            assert!(!(read_only && hints.destructive_hint == Some(true)), "{}", tool.name);
            assert!(tool.description.as_ref().is_some_and(|text| !text.is_empty()), "{}", tool.name);
        }
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    for era in Era::ALL {
        for (surface, tool) in [(Choice::Facade, "project_list"), (Choice::Mirror, "command_run")] {
            let session = open(Opening::of(era).surface(surface)).await;
            for tool in [tool, "", "no such tool"] {
                let (code, message) = within(session.protocol_error(tool, json!({}))).await;
                assert_eq!(code, ErrorCode::INVALID_PARAMS, "{tool}");
                assert!(message.contains(tool), "{message}");
            }
        }
    }
}

#[tokio::test]
async fn bad_arguments_are_a_tool_error_that_names_every_problem() {
    let bad = json!({ "limit": "many", "sort": "createdd", "fliter": "x" });
    for era in Era::ALL {
        for surface in Choice::ALL {
            let session = open(Opening::of(era).surface(*surface)).await;
            let answer = match surface {
                Choice::Facade => run(&session, "project list", bad.clone()).await,
                _ => within(session.call("project_list", bad.clone())).await,
            };
            assert_eq!(answer.refusal(), "INVALID_PARAMS");
            let problems = answer.json()["error"]["problems"].as_array().unwrap().clone();
            let of = |param: &str| problems.iter().find(|problem| problem["param"] == param).unwrap_or(&Value::Null);
            assert_eq!(problems.len(), 3, "{}", answer.text());
            assert!(of("limit")["expected"].as_str().unwrap().contains("whole number"), "{}", answer.text());
            assert_eq!(of("sort")["allowed"], json!(["name", "created", "updated"]));
            assert_eq!(of("sort")["nearest"], "created");
            assert_eq!(of("fliter")["nearest"], "filter");
        }
    }
}

#[tokio::test]
async fn what_is_misspelt_is_refused_with_the_nearest() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        let answer = run(&session, "projct list", json!({})).await;
        assert_eq!(answer.refusal(), "UNKNOWN_OPERATION");
        assert!(answer.json()["error"]["hint"].as_str().unwrap().contains("project list"), "{}", answer.text());
        for hidden in ["lab dump", "help", "lab plugin"] {
            assert_eq!(run(&session, hidden, json!({})).await.refusal(), "UNKNOWN_OPERATION", "{hidden}");
        }
    }
}

#[tokio::test]
async fn a_failing_command_tells_its_exit_code_and_its_reason() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        let answer = run(&session, "lab quit", json!({ "code": 7 })).await;
        assert!(answer.failed);
        assert_eq!(answer.text(), "partial result on stdout\n");
        assert_eq!(answer.texts[1], "exit code 7\nstderr: what went wrong on stderr");
        let answer = run(&session, "lab boom", json!({})).await;
        assert!(answer.failed && answer.all().contains("deliberate panic"), "{answer:?}");
        assert_eq!(run(&session, "lab ping", json!({})).await.text(), "pong\n");
    }
}

#[tokio::test]
async fn cancelling_ends_the_process_and_the_server_goes_on() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        let ms = nap();
        let call = session.send("command_run", json!({ "name": "lab nap", "flags": { "ms": ms } })).await;
        until(|| !processes(&nap_word(ms)).is_empty()).await;
        call.cancel(None).await.unwrap();
        until(|| processes(&nap_word(ms)).is_empty()).await;
        assert_eq!(run(&session, "lab ping", json!({})).await.text(), "pong\n");
        until(|| audit(&session).iter().any(|line| line["code"] == "CANCELLED")).await;
    }
}

#[tokio::test]
async fn a_command_can_not_read_the_protocol() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        assert_eq!(run(&session, "lab readin", json!({})).await.text(), "stdin: Ok(0)\n");
        assert_eq!(run(&session, "lab ping", json!({})).await.text(), "pong\n");
    }
}

#[tokio::test]
async fn much_output_on_both_streams_is_drained_and_bounded() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        let answer = run(&session, "lab big", json!({ "bytes": 5_000_000 })).await;
        assert!(!answer.failed);
        assert!(answer.text().len() > 40_000 && answer.text().ends_with('\n'), "{} bytes", answer.text().len());
        assert!(answer.all().len() < 56 * 1024, "{} bytes", answer.all().len());
        let notes = &answer.texts[1];
        assert!(notes.contains("truncated") && notes.contains("of 5000000 bytes"), "{notes}");
        assert!(notes.contains("stderr: "), "{notes}");
    }
}

#[tokio::test]
async fn output_that_is_not_text_is_told_so() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        let answer = run(&session, "lab badutf8", json!({})).await;
        assert!(!answer.failed && answer.text().starts_with("ok \u{fffd}"), "{answer:?}");
        assert!(answer.texts[1].contains("not UTF-8"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_long_run_keeps_nothing_else_waiting() {
    for era in Era::ALL {
        let session = open(Opening::of(era)).await;
        let ms = nap();
        let long = session.send("command_run", json!({ "name": "lab nap", "flags": { "ms": ms } })).await;
        until(|| !processes(&nap_word(ms)).is_empty()).await;
        let found = within(session.call("command_search", json!({ "query": "drain a node" }))).await;
        assert_eq!(found.json()["commands"][0]["name"], "cluster node drain");
        assert_eq!(run(&session, "lab ping", json!({})).await.text(), "pong\n");
        assert_eq!(within(session.tools()).await.len(), 3);
        assert!(!processes(&nap_word(ms)).is_empty(), "the long run still runs");
        long.cancel(None).await.unwrap();
        until(|| processes(&nap_word(ms)).is_empty()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_calls_at_once_each_gets_its_own_answer() {
    for era in Era::ALL {
        let connection = Arc::new(open(Opening::of(era)).await);
        let mut calls = JoinSet::new();
        for number in 0..64 {
            let connection = connection.clone();
            calls.spawn(async move {
                let id = format!("p{number}");
                let answer = run(&connection, "project get", json!({ "id": id })).await;
                assert_eq!(answer.json(), json!({ "path": "project get", "args": { "id": [id] } }));
            });
        }
        assert_eq!(within(calls.join_all()).await.len(), 64);
    }
}

fn audit(connection: &Connection) -> Vec<Value> {
    let text = std::fs::read_to_string(&connection.audit).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn runs_and_refusals_are_written_down() {
    for era in Era::ALL {
        let connection = open(Opening::of(era)).await;
        let session = &*connection;
        run(session, "project get", json!({ "id": "x".repeat(300) })).await;
        run(session, "lab quit", json!({ "code": 4 })).await;
        run(session, "project list", json!({ "limit": -1 })).await;
        within(session.call("command_read", json!({ "name": "lab ping" }))).await;
        within(session.protocol_error("rm", json!({}))).await;
        within(session.call("command_search", json!({ "query": "projects" }))).await;
        let (begun, ended): (Vec<Value>, Vec<Value>) =
            audit(&connection).into_iter().partition(|line| line["decision"] == "begun");
        // What may change something is written down before it runs, too.
        let targets: Vec<_> = begun.iter().map(|line| line["target"].as_str().unwrap()).collect();
        assert_eq!(targets, ["project get", "lab quit"]);
        let told = ended.into_iter().map(|mut line| {
            let line = line.as_object_mut().unwrap();
            let time = line.remove("time").unwrap();
            assert!(time.as_str().is_some_and(|time| time.ends_with('Z') && time.len() == 24), "{time}");
            assert!(line.remove("ms").unwrap().is_f64());
            assert!(line.remove("session").unwrap().as_str().unwrap().starts_with("stdio-"));
            for (key, value) in [("principal", "local"), ("door", "stdio"), ("surface", "facade")] {
                assert_eq!(line.remove(key).unwrap(), value);
            }
            assert!(line.remove("seq").unwrap().is_u64() && line.remove("prev").unwrap().is_string());
            let ran = line.get("effect").is_some() && line["target"] != "command_search";
            assert_eq!(line.remove("argv_sha256").is_some(), ran, "what has a command line has its digest");
            let reason = line.remove("reason");
            assert_eq!(
                reason.is_some_and(|reason| !reason.as_str().unwrap().is_empty()),
                line["decision"] == "refused"
            );
            Value::Object(line.clone())
        });
        let told: Vec<Value> = told.collect();
        let sha256 = "0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7";
        let long = format!("{}… (300 bytes, sha256 {sha256})", "x".repeat(200));
        let bytes = told[0]["bytes"].as_u64().unwrap();
        assert!(bytes > 300, "counted before any cut: {bytes}");
        let found = told[5]["bytes"].as_u64().unwrap();
        assert_eq!(
            told,
            [
                json!({ "tool": "command_run", "target": "project get", "effect": "mutating", "params": { "id": long },
                    "decision": "ran", "exit": 0, "ok": true, "bytes": bytes }),
                json!({ "tool": "command_run", "target": "lab quit", "effect": "mutating", "params": { "code": 4 },
                    "decision": "ran", "exit": 4, "ok": false, "bytes": 25 }),
                json!({ "tool": "command_run", "decision": "refused", "step": "resolve", "code": "INVALID_PARAMS" }),
                json!({ "tool": "command_read", "target": "lab ping", "effect": "mutating", "params": {},
                    "decision": "refused", "step": "guard", "code": "EFFECT_DENIED" }),
                json!({ "tool": "rm", "decision": "refused", "step": "resolve", "code": "UNKNOWN_TOOL" }),
                json!({ "tool": "command_search", "target": "command_search", "effect": "read-only",
                    "params": { "query": "projects" }, "decision": "ran", "ok": true, "bytes": found }),
            ]
        );
        let mode = std::fs::metadata(&connection.audit).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    }
}

#[tokio::test]
async fn without_an_audit_nothing_changes_and_nothing_is_read() {
    for era in Era::ALL {
        let session = open(Opening::of(era).audit(Audit::Unwritable)).await;
        let refused = run(&session, "lab ping", json!({})).await;
        assert_eq!(refused.refusal(), "AUDIT_UNAVAILABLE");
        assert!(refused.json()["error"]["hint"].as_str().unwrap().contains("mcp-audit.jsonl"), "{}", refused.text());
        let found = within(session.call("command_search", json!({ "query": "projects" }))).await;
        assert_eq!(found.refusal(), "AUDIT_UNAVAILABLE");
        assert!(found.json()["error"]["hint"].as_str().unwrap().contains("unrecorded-reads"), "{}", found.text());
    }
}
