//! Does an argument reach the command as it was meant? The 46 calls that other servers were measured on.

use crate::server::{Setup, within};
use crate::session::{Era, Session};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// A call, and what clap must have parsed.
struct Row {
    title: &'static str,
    path: &'static str,
    params: Value,
    parsed: Value,
}

/// Rows whose spelling the schema does not offer, though it has one reading.
const LENIENT: [&str; 1] = ["value_delimiter, string"];

#[tokio::test]
async fn every_argument_arrives_on_the_facade() {
    let server = Setup::peers().arg("--globals").env("PEERCLI_MCP_SURFACE", "facade").start(Era::Legacy).await;
    let mut wrong = Vec::new();
    for row in rows() {
        let arguments = json!({ "name": row.path, "flags": row.params });
        wrong.extend(fault(&server.session, "command_run", arguments, &row).await);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn every_argument_is_offered_and_arrives_on_the_mirror() {
    let server = Setup::peers().arg("--globals").env("PEERCLI_MCP_SURFACE", "mirror").start(Era::Modern).await;
    let tools = server.session.tools().await;
    let schemas: HashMap<&str, Value> =
        tools.iter().map(|tool| (&*tool.name, Value::Object((*tool.input_schema).clone()))).collect();
    let mut wrong = Vec::new();
    for row in rows() {
        let tool = row.path.replace(' ', "_");
        let validator = jsonschema::validator_for(&schemas[tool.as_str()]).unwrap();
        if !LENIENT.contains(&row.title) {
            let problems = validator.iter_errors(&row.params);
            wrong.extend(problems.map(|problem| format!("{}: not offered by the schema: {problem}", row.title)));
        }
        wrong.extend(fault(&server.session, &tool, row.params.clone(), &row).await);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Makes the call, and says what came if it is not what was meant.
async fn fault(session: &Session, tool: &str, arguments: Value, row: &Row) -> Option<String> {
    let answer = within(session.call(tool, arguments)).await;
    let Ok(mut came) = serde_json::from_str::<Value>(answer.text()) else {
        return Some(format!("{}: {}", row.title, answer.all()));
    };
    if let Some(args) = came["args"].as_object_mut() {
        args.retain(|name, _| !name.starts_with("env:"));
    }
    let mut meant = row.parsed.clone();
    meant["path"] = row.path.into();
    (answer.failed || came != meant).then(|| format!("{}: {}", row.title, answer.all()))
}

/// Returns the calls. A negating switch is passed by `true`, like every other switch.
fn rows() -> Vec<Row> {
    let rows = [
        ("string, id == long", "project list", json!({"filter": "name=web*"}), json!({"filter": ["name=web*"]})),
        ("string, id != long (dry_run)", "project list", json!({"dry-run": true}), json!({"dry_run": true})),
        (
            "local id != long",
            "project get",
            json!({"id": "p1", "include-deleted": true}),
            json!({"id": ["p1"], "include_deleted": true}),
        ),
        ("u32 as JSON number", "project list", json!({"limit": 7}), json!({"limit": ["7"]})),
        ("global enum", "project list", json!({"region": "eu-west-1"}), json!({"region": ["eu-west-1"]})),
        ("global Count = 2", "project list", json!({"verbose": 2}), json!({"verbose": 2})),
        ("global Append x2", "project list", json!({"header": ["a=1", "b=2"]}), json!({"header": ["a=1", "b=2"]})),
        (
            "Append with empty string item",
            "project list",
            json!({"header": ["", "b=2"]}),
            json!({"header": ["", "b=2"]}),
        ),
        ("empty string value", "lab paths", json!({"text": ""}), json!({"text": [""]})),
        ("SetTrue false", "project list", json!({"quiet": false}), json!({})),
        ("SetFalse: want the cache off", "lab knobs", json!({"no-cache": true}), json!({"no_cache": false})),
        ("SetFalse: want nothing", "lab knobs", json!({"no-cache": false}), json!({})),
        ("Count local", "lab verbosity", json!({"depth": 3}), json!({"depth": 3})),
        ("short-only flag", "lab verbosity", json!({"x": true}), json!({"extract": true})),
        ("short-only option", "lab verbosity", json!({"L": 4}), json!({"level": ["4"]})),
        ("optional value with =, given", "lab paint", json!({"tint": "never"}), json!({"tint": ["never"]})),
        (
            "optional value with =, global --color",
            "project list",
            json!({"color": "never"}),
            json!({"color": ["never"]}),
        ),
        ("optional value, no =, given", "lab paint", json!({"shade": 9}), json!({"shade": ["9"]})),
        ("optional value, bare", "lab paint", json!({"shade": true}), json!({"shade": ["5"]})),
        ("value_delimiter, string", "lab tagged", json!({"labels": "a,b"}), json!({"labels": ["a", "b"]})),
        ("value_delimiter, array", "lab tagged", json!({"labels": ["a", "b"]}), json!({"labels": ["a", "b"]})),
        ("num_args(2)", "lab tagged", json!({"point": [3, -4]}), json!({"point": ["3", "-4"]})),
        ("num_args(1..)", "lab tagged", json!({"files": ["x", "y", "z"]}), json!({"files": ["x", "y", "z"]})),
        ("Append array", "lab tagged", json!({"include": ["*.rs", "*.md"]}), json!({"include": ["*.rs", "*.md"]})),
        ("group member", "lab pick", json!({"by-id": 12}), json!({"by_id": ["12"]})),
        (
            "requires satisfied",
            "lab clash",
            json!({"sign": "me", "key": "k.pem"}),
            json!({"sign": ["me"], "key": ["k.pem"]}),
        ),
        (
            "two positionals in order",
            "lab copy",
            json!({"source": "A", "dest": "B"}),
            json!({"source": ["A"], "dest": ["B"]}),
        ),
        (
            "three positionals",
            "lab copy",
            json!({"force": true, "source": "A", "dest": "B", "mode": "M"}),
            json!({"source": ["A"], "dest": ["B"], "mode": ["M"], "force": true}),
        ),
        (
            "positional + many",
            "lab combine",
            json!({"target": "T", "inputs": ["i1", "i2"]}),
            json!({"target": ["T"], "inputs": ["i1", "i2"]}),
        ),
        (
            "positional after global flags",
            "secret set",
            json!({"profile": "prod", "name": "N", "value": "V"}),
            json!({"profile": ["prod"], "name": ["N"], "value": ["V"]}),
        ),
        (
            "trailing_var_arg with hyphens",
            "lab exec",
            json!({"tty": true, "argv": ["ls", "-la", "--color"]}),
            json!({"tty": true, "argv": ["ls", "-la", "--color"]}),
        ),
        (
            "last(true) after --",
            "lab passthru",
            json!({"target": "T", "rest": ["--x", "y"]}),
            json!({"target": ["T"], "rest": ["--x", "y"]}),
        ),
        ("negative integer", "lab math", json!({"value": -5}), json!({"value": ["-5"]})),
        ("float", "lab math", json!({"ratio": 1.5}), json!({"ratio": ["1.5"]})),
        ("bool option value true", "lab math", json!({"enabled": true}), json!({"enabled": ["true"]})),
        ("bool option value false", "lab math", json!({"enabled": false}), json!({"enabled": ["false"]})),
        ("hyphen value, allowed", "lab math", json!({"expr": "--x"}), json!({"expr": ["--x"]})),
        ("hyphen value, not allowed by clap", "lab paths", json!({"text": "-rf"}), json!({"text": ["-rf"]})),
        ("value that looks like a flag", "lab paths", json!({"text": "--token"}), json!({"text": ["--token"]})),
        (
            "positional that looks like a flag",
            "project get",
            json!({"id": "--include-deleted"}),
            json!({"id": ["--include-deleted"]}),
        ),
        ("PathBuf", "lab paths", json!({"dir": "/tmp/a b"}), json!({"dir": ["/tmp/a b"]})),
        ("OsString", "lab paths", json!({"raw": "x"}), json!({"raw": ["x"]})),
        ("newline and unicode", "lab paths", json!({"text": "a\nb\u{2028}é😀"}), json!({"text": ["a\nb\u{2028}é😀"]})),
        ("nested group, duplicate leaf name", "repo branch list", json!({"limit": 1}), json!({"limit": ["1"]})),
        ("second status leaf", "db migrate status", json!({"target": "main"}), json!({"target": ["main"]})),
    ];
    let parsed = |args: Value| Value::Object(Map::from_iter([("args".to_owned(), args)]));
    let mut rows: Vec<Row> =
        rows.map(|(title, path, params, args)| Row { title, path, params, parsed: parsed(args) }).into();
    rows.push(Row {
        title: "external subcommand",
        path: "lab plugin",
        params: json!({"external": ["fmt", "--check"]}),
        parsed: json!({"args": {}, "external": "fmt", "rest": ["--check"]}),
    });
    assert_eq!(rows.len(), 46);
    rows
}
