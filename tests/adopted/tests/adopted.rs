//! Three published CLIs, adopted in at most five lines each, listed and called over stdio.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a server in a folder, sends it requests one by one, and returns their results.
fn session(program: &str, args: &[&str], folder: &Path, requests: &[(&str, Value)]) -> Vec<Value> {
    let mut server = Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "suite", "version": "0" } });
    let mut results = Vec::new();
    for (id, (method, params)) in [("initialize", initialize)].iter().chain(requests).enumerate() {
        writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert!(answer["result"].is_object(), "{method}: {answer}");
        results.push(answer["result"].clone());
        if id == 0 {
            writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        }
    }
    drop(stdin);
    server.wait().unwrap();
    results.split_off(1)
}

fn call(tool: &str, name: &str, flags: Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": tool, "arguments": { "name": name, "flags": flags } }))
}

fn list() -> (&'static str, Value) {
    ("tools/list", json!({}))
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn text(result: &Value) -> String {
    assert_ne!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

const FACADE: [&str; 3] = ["command_search", "command_read", "command_run"];

#[test]
fn sort_by_a_second_binary() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("words"), "b\n-a\nc\n").unwrap();
    let calls = [list(), call("command_read", "sort", json!({ "reverse": true, "files": ["words"] }))];
    let results = session(env!("CARGO_BIN_EXE_sort-mcp"), &[], folder.path(), &calls);
    assert_eq!(names(&results[0]), FACADE);
    assert_eq!(text(&results[1]), "c\nb\n-a\n");
}

#[test]
fn garden_by_a_second_binary() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("garden.yaml"), "trees:\n  one: https://example.org/one.git\n").unwrap();
    let calls = [
        list(),
        call("command_run", "ls", json!({})),
        call("command_run", "eval", json!({ "expr": "${GARDEN_ROOT}" })),
    ];
    let results = session(env!("CARGO_BIN_EXE_garden-mcp"), &[], folder.path(), &calls);
    assert_eq!(names(&results[0]), FACADE);
    assert!(text(&results[1]).contains("one"), "{}", results[1]);
    assert!(text(&results[2]).starts_with('/'), "{}", results[2]);
}

#[test]
fn sqlx_mounted_in_the_cli_itself() {
    let folder = tempfile::tempdir().unwrap();
    let flags = json!({ "database-url": "sqlite://made.db" });
    let calls = [
        list(),
        call("command_run", "database create", flags),
        ("tools/call", json!({ "name": "command_search", "arguments": { "name": "mcp" } })),
    ];
    let results = session(env!("CARGO_BIN_EXE_sqlx"), &["mcp"], folder.path(), &calls);
    assert_eq!(names(&results[0]), FACADE);
    text(&results[1]);
    assert!(folder.path().join("made.db").is_file(), "{}", results[1]);
    assert!(!results[2].to_string().contains("\"exact\""), "the server itself is not offered: {}", results[2]);
}
