//! stdio as hosts start it: a real process.

#[path = "suite.rs"]
mod suite;

use super::{Connection, Opening, nap, nap_word, state};
use crate::server::{Server, Setup, processes, until, within};
use crate::session::{Era, Session};
use clap_facade::surface::Choice;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

async fn open(opening: Opening) -> Connection {
    let setup = Setup::peers().env("PEERCLI_MCP_SURFACE", opening.surface.name());
    state(&setup.folder, opening.audit);
    let server = setup.start(opening.era).await;
    let audit = server.audit("peercli");
    Connection { session: server.session, audit, _server: Box::new(server.child), _folder: server.folder }
}

/// Starts a call that does not end by itself.
async fn occupy(session: &Session) -> String {
    let ms = nap();
    session.send("command_run", json!({ "name": "lab nap", "flags": { "ms": ms } })).await;
    until(|| !processes(&nap_word(ms)).is_empty()).await;
    nap_word(ms)
}

#[tokio::test]
async fn a_closed_stdin_ends_the_server_and_the_call_in_flight() {
    for era in Era::ALL {
        let Server { session, mut child, .. } = Setup::peers().start(era).await;
        let running = occupy(&session).await;
        session.close().await;
        assert!(within(child.wait()).await.unwrap().success());
        until(|| processes(&running).is_empty()).await;
    }
}

#[tokio::test]
async fn a_signal_ends_the_server_and_the_call_in_flight_which_is_written_down() {
    for (era, signal) in [
        (Era::Legacy, Signal::SIGTERM),
        (Era::Modern, Signal::SIGTERM),
        (Era::Modern, Signal::SIGINT),
        (Era::Modern, Signal::SIGHUP),
    ] {
        let mut server = Setup::peers().start(era).await;
        let running = occupy(&server.session).await;
        kill(Pid::from_raw(server.child.id().unwrap() as i32), signal).unwrap();
        within(server.child.wait()).await.unwrap();
        let audit = std::fs::read_to_string(server.audit("peercli")).unwrap();
        let last: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
        assert_eq!((&last["target"], &last["code"]), (&json!("lab nap"), &json!("CANCELLED")), "{signal}: {last}");
        until(|| processes(&running).is_empty()).await;
    }
}

#[tokio::test]
async fn without_a_place_for_the_audit_everything_is_refused() {
    let server = Setup::peers().without("XDG_STATE_HOME").without("HOME").start(Era::Modern).await;
    let run = |name: &str| server.session.call("command_run", json!({ "name": name, "flags": { "ms": 1 } }));
    let refused = within(run("lab nap")).await;
    assert_eq!(refused.refusal(), "AUDIT_UNAVAILABLE");
    assert!(refused.text().contains("HOME"), "{}", refused.text());
    let found = within(server.session.call("command_search", json!({ "query": "projects" }))).await;
    assert_eq!(found.refusal(), "AUDIT_UNAVAILABLE");
}

#[tokio::test]
async fn a_signal_ends_a_server_that_nobody_spoke_to() {
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_peercli-mcp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id().unwrap();
    // The handler is in place once the process has taken its streams over.
    until(|| std::fs::read_link(format!("/proc/{pid}/fd/0")).is_ok_and(|link| link.ends_with("dev/null"))).await;
    kill(Pid::from_raw(pid as i32), Signal::SIGTERM).unwrap();
    within(child.wait()).await.unwrap();
}

#[tokio::test]
async fn an_unknown_surface_is_an_error_that_names_the_valid_ones() {
    for name in ["mirorr", "FACADE", " facade"] {
        let (status, stderr) = Setup::peers().env("PEERCLI_MCP_SURFACE", name).fail().await;
        assert!(!status.success(), "{name}");
        for word in ["PEERCLI_MCP_SURFACE", name].into_iter().chain(Choice::ALL.iter().map(|choice| choice.name())) {
            assert!(stderr.contains(word), "{name}: {stderr}");
        }
    }
}

#[tokio::test]
async fn nothing_that_a_command_prints_past_its_streams_reaches_the_protocol() {
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_peercli-mcp"))
        .arg("--in-process")
        .env("XDG_STATE_HOME", tempfile::tempdir().unwrap().path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let call = |id: u32, name: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "command_run", "arguments": { "name": name } } })
    };
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25",
            "capabilities": {}, "clientInfo": { "name": "raw", "version": "0" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        call(1, "lab direct"),
        call(2, "lab readin"),
        call(3, "lab boom"),
    ] {
        stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answers = vec![Value::Null; 4];
    for _ in 0..4 {
        let line = within(lines.next_line()).await.unwrap().expect("an answer");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let id = message["id"].as_u64().unwrap_or_else(|| panic!("{line}"));
        answers[id as usize] = message["result"].clone();
    }
    let text = |id: usize| answers[id]["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(text(1), "in its place\n");
    assert_eq!(text(2), "stdin: Ok(0), the process's: Ok(0)\n");
    assert!(text(3).contains("PANICKED"), "{}", text(3));
    drop(stdin);
    assert_eq!(within(lines.next_line()).await.unwrap(), None, "nothing follows the last answer");
    within(child.wait()).await.unwrap();
}

#[tokio::test]
async fn in_process_a_crash_or_a_stopped_call_leaves_nothing_locked() {
    for era in Era::ALL {
        let server = Setup::peers().arg("--in-process").start(era).await;
        let session = &server.session;
        let run = |name: &str| session.call("command_run", json!({ "name": name }));
        assert_eq!(within(run("lab boom")).await.refusal(), "PANICKED");
        assert_eq!(within(run("lab ping")).await.text(), "pong\n");
        let hanging = session.send("command_run", json!({ "name": "lab hang" })).await;
        let waiting = session.send("command_run", json!({ "name": "lab ping" })).await;
        let found = within(session.call("command_search", json!({ "query": "projects" }))).await;
        assert!(!found.failed, "a search waits for no run");
        waiting.cancel(None).await.unwrap();
        hanging.cancel(None).await.unwrap();
        assert_eq!(within(run("lab ping")).await.text(), "pong\n");
        session.send("command_run", json!({ "name": "lab hang" })).await;
        let Server { session, mut child, .. } = server;
        session.close().await;
        assert!(within(child.wait()).await.unwrap().success(), "a command that hangs does not keep the server");
    }
}
