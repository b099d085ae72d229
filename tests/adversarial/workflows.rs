//! Workflows: placeholders that would be more than values, steps that would be more than commands.

use super::run::{Server, Told};
use clap_facade::surface::Choice;
use serde_json::{Value, json};

/// A submission that must be refused as a whole: its name, itself, the param named, a part of what is said.
type Row = (&'static str, Value, &'static str, &'static str);

pub(super) fn names() -> Vec<&'static str> {
    rows().iter().chain(&late()).map(|row| row.0).collect()
}

fn steps(steps: Value) -> Value {
    json!({ "steps": steps, "yes": true })
}

fn step(step: Value) -> Value {
    steps(json!([step]))
}

/// A step behind one that reads, with a placeholder for its key.
fn placeholder(text: &str) -> Value {
    let first = json!({ "command": "get", "name": "first", "args": ["k"] });
    steps(json!([first, { "command": "get", "name": "1", "flags": { "key": text } }]))
}

fn rows() -> Vec<Row> {
    let read = json!({ "command": "get", "args": ["k"] });
    let many: Vec<Value> = vec![read.clone(); 101];
    let mut rows = vec![
        ("no steps", steps(json!([])), "steps", "0 steps"),
        ("steps that are none", json!({ "yes": true }), "steps", "missing"),
        ("a hundred and one steps", steps(many.into()), "steps", "101 steps"),
        ("steps that are text", steps(json!(["get k"])), "steps", ""),
        ("steps that are an object", steps(json!({ "command": "get" })), "steps", "array"),
        ("a workflow with a flag of its own", json!({ "steps": [read], "config": "/x" }), "config", "unknown param"),
        ("a workflow that says yes in a word", json!({ "steps": [read], "yes": "please" }), "yes", "boolean"),
        ("a workflow with a cap below nothing", json!({ "steps": [read], "max_changes": -1 }), "max_changes", ""),
        ("a step without a command", step(json!({ "args": ["k"] })), "command", "missing"),
        ("a step of two commands", step(json!({ "command": ["get", "remove"] })), "command", ""),
        ("a step with argv", step(json!({ "command": "get", "argv": ["--yes"] })), "argv", "unknown param"),
        ("a step with stdin as text", step(json!({ "command": "get", "stdin": "x" })), "stdin", "unknown param"),
        ("a step in the step", step(json!({ "command": "workflow_submit", "flags": { "steps": [] } })), "command", ""),
        ("a step that is a tool", step(json!({ "command": "command_run", "flags": { "name": "get" } })), "command", ""),
        (
            "a step that runs a file of commands",
            step(json!({ "command": "workflow run", "args": ["x"] })),
            "command",
            "",
        ),
        ("a step with a name of dots", step(json!({ "command": "get", "args": ["k"], "name": "a.b" })), "name", ""),
        ("a step with a name of braces", step(json!({ "command": "get", "args": ["k"], "name": "a}" })), "name", ""),
        (
            "a step with an endless name",
            step(json!({ "command": "get", "args": ["k"], "name": "a".repeat(65) })),
            "name",
            "",
        ),
        ("a placeholder for a command", step(json!({ "command": "${vars.x}" })), "command", ""),
        (
            "a placeholder for a param's name",
            step(json!({ "command": "get", "flags": { "${vars.x}": "k" } })),
            "${vars.x}",
            "unknown",
        ),
        (
            "a condition that is code",
            step(json!({ "command": "get", "args": ["k"], "when": "system('id')" })),
            "when",
            "",
        ),
        ("a condition of two", step(json!({ "command": "get", "args": ["k"], "when": "a == b == c" })), "when", ""),
        (
            "a condition on a step to come",
            step(json!({ "command": "get", "args": ["k"], "when": "${steps.9.ok}" })),
            "when",
            "",
        ),
        (
            "stdin from a file",
            step(json!({ "command": "get", "args": ["k"], "stdin_from": "/etc/passwd" })),
            "stdin_from",
            "",
        ),
        (
            "stdin from a step to come",
            step(json!({ "command": "get", "args": ["k"], "stdin_from": "9" })),
            "stdin_from",
            "",
        ),
    ];
    for (name, text) in [
        ("a placeholder of a step to come", "${steps.later.output/x}"),
        ("a placeholder of the step itself", "${steps.1.output/x}"),
        ("a placeholder of no step", "${steps.none.output/x}"),
        ("a placeholder of no var", "${vars.none}"),
        ("a placeholder of the environment", "${env.HOME}"),
        ("a placeholder of a file", "${file:/etc/passwd}"),
        ("a placeholder of a command", "${$(id)}"),
        ("a placeholder in a placeholder", "${vars.${vars.x}}"),
        ("a placeholder without an end", "${vars.x"),
        ("a placeholder of nothing", "${}"),
        ("a placeholder with spaces", "${ vars.x }"),
        ("a placeholder of another field", "${steps.first.argv}"),
        ("a placeholder of a prototype", "${vars.__proto__}"),
    ] {
        rows.push((name, placeholder(text), "key", ""));
    }
    rows
}

/// What can only be told in its turn, from what an earlier step printed: the last step is refused.
fn late() -> Vec<Row> {
    let first = json!({ "command": "get", "name": "first", "args": ["k"] });
    let then = |flags: Value| steps(json!([first, { "command": "add", "name": "1", "flags": flags }]));
    let list = json!({ "command": "list", "name": "1", "flags": { "output": "${steps.first.output/none}" } });
    vec![
        (
            "an output that is no number",
            then(json!({ "title": "t", "count": "${steps.first.output/text}" })),
            "count",
            "",
        ),
        (
            "an output that is no switch",
            then(json!({ "title": "t", "force": "${steps.first.output/text}" })),
            "force",
            "",
        ),
        (
            "an output that is no choice",
            then(json!({ "title": "t", "kind": "${steps.first.output/text}" })),
            "kind",
            "",
        ),
        (
            "an output that is a list of flags",
            then(json!({ "title": "${steps.first.output/keys}" })),
            "title",
            "a list",
        ),
        ("an output that is an object", then(json!({ "title": "${steps.first.output}" })), "title", "an object"),
        ("an output that is a gate", then(json!({ "title": "t", "yes": "${steps.first.output/text}" })), "yes", ""),
        ("an output that is not there", steps(json!([first, list])), "output", "has no `none`"),
    ]
}

#[tokio::test]
async fn no_workflow_that_means_more_than_its_steps_is_run() {
    let mut faults = Vec::new();
    for surface in Choice::ALL {
        let server = Server::new(*surface);
        for (name, submission, about, says) in rows() {
            for yes in [true, false] {
                let mut submission = submission.clone();
                if submission["yes"] == true {
                    submission["yes"] = yes.into();
                }
                let answer = server.call("workflow_submit", submission).await;
                let is_right =
                    Told::of(&answer).is_some_and(|told| told.code == "INVALID_PARAMS" && told.names(about, says));
                if !is_right || !server.recorder.take().is_empty() {
                    faults.push(format!("{name}: {answer:?}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn no_output_of_a_step_is_more_than_a_value_of_a_later_one() {
    let server = Server::new(Choice::Facade);
    for (name, submission, about, says) in late() {
        let answer = server.call("workflow_submit", submission).await;
        let jobs = server.recorder.take();
        let ran: Vec<_> = jobs.iter().map(|job| job.proved.invocation().operation().name.as_str()).collect();
        assert_eq!(ran, ["get"], "the earlier step alone runs: {name}: {answer:?}");
        let told = Told::of(&answer).unwrap_or_else(|| panic!("not refused: {name}: {answer:?}"));
        assert!(told.code == "INVALID_PARAMS" && told.names(about, says), "{name}: {answer:?}");
    }
}
