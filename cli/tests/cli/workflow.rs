//! `mycli workflow`.

use crate::support::Lab;
use serde_json::json;

const GOOD: &str = r#"[
  {"command": "collections create", "args": ["Club"], "name": "shelf"},
  {"command": "collections add", "flags": {"collection": "Club", "items": ["darwin1859", "darwin1871"]}},
  {"command": "items list", "flags": {"collection": "Club"}}
]"#;
const LAST_FAILS: &str = r#"{"command": "collections create", "args": ["Club"]}
{"command": "tags rename", "args": ["nonsense", "x"]}
{"command": "tags rename", "args": ["evolution", "descent"]}
"#;

#[test]
fn a_workflow_is_one_run_of_the_journal() {
    let lab = Lab::seeded();
    let file = lab.file("steps.json", GOOD);
    let before = (lab.dump(), lab.bytes());
    let preview = lab.json(&["workflow", "run", &file]);
    assert_eq!((&preview["ok"], &preview["mode"]), (&json!(true), &json!("preview")), "{preview}");
    assert_eq!(preview["plan"]["operations"].as_array().unwrap().len(), 3, "{preview}");
    assert!((lab.dump(), lab.bytes()) == before, "a preview changed something");
    let applied = lab.json(&["workflow", "run", &file, "--yes"]);
    assert_eq!(applied["plan"]["digest"], preview["plan"]["digest"]);
    assert_eq!(applied["result"]["steps"][2]["output"]["total"], 2, "a step sees what the ones before it did");
    let run = applied["journal"]["run_id"].to_string();
    lab.ok(&["journal", "undo", &run, "--yes"]);
    assert_eq!(lab.dump(), before.0);
}

#[test]
fn a_failing_step_leaves_nothing() {
    let lab = Lab::seeded();
    let file = lab.file("steps", LAST_FAILS);
    let before = lab.dump();
    let answer = lab.run(&["workflow", "run", &file, "--yes", "--json"]);
    assert_eq!(answer.code, 3, "{answer:?}");
    let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["result"]["not_attempted"], 1, "{document}");
    assert_eq!(document["error"]["at"]["line"], 2, "{document}");
    assert_eq!(lab.dump(), before);
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let lab = Lab::seeded();
    let file = lab.file("steps", LAST_FAILS);
    let answer = lab.run(&["workflow", "run", &file, "--checkpoint", "--yes"]);
    assert_eq!(answer.code, 13, "{answer:?}");
    let status = &lab.json(&["workflow", "status"])["rows"][0];
    assert_eq!((&status["state"], &status["done"], &status["total"]), (&json!("failed"), &json!(1), &json!(3)));
    assert_eq!(status["next"], "tags rename");
    assert_eq!(lab.run(&["workflow", "run", &file, "--checkpoint", "--yes"]).code, 9, "it would do step 1 twice");
    lab.ok(&["items", "add", "More", "--tag=nonsense", "--yes"]);
    lab.ok(&["workflow", "run", &file, "--checkpoint", "--resume", "--yes"]);
    assert_eq!(lab.column(&["tags", "list"], "name"), ["Classic", "classic", "descent", "x"]);
    assert_eq!(lab.column(&["workflow", "status"], "state"), ["done"]);
    assert_eq!(lab.run(&["workflow", "run", &file, "--checkpoint", "--resume", "--yes"]).code, 3);
    lab.ok(&["workflow", "archive", "--yes"]);
    assert_eq!(lab.json(&["workflow", "status"])["total"], 0);
    assert_eq!(lab.json(&["workflow", "status", "--all"])["total"], 1);
    assert_eq!(lab.json(&["workflow", "status", "1"])["total"], 1);
}

#[test]
fn the_gates_hold_for_the_whole() {
    let lab = Lab::seeded();
    lab.ok(&["collections", "create", "Old", "--yes"]);
    let steps = lab.file("steps", "{\"command\": \"tags delete\", \"args\": [\"classic\"]}\n{\"command\": \"tags delete\", \"args\": [\"Classic\"]}\n");
    let before = lab.dump();
    assert_eq!(lab.run(&["workflow", "run", &steps, "--yes", "--max-changes=1"]).code, 9);
    assert_eq!(lab.dump(), before);
    let preview = lab.json(&["workflow", "run", &steps, "--max-changes=1"]);
    assert!(preview["warnings"][0].as_str().unwrap().contains("--max-changes 2"), "{preview}");

    let destroys = lab.file("destroys", r#"[{"command": "collections delete", "args": ["Old"]}]"#);
    let preview = lab.json(&["workflow", "run", &destroys]);
    assert!(preview["warnings"][0].as_str().unwrap().contains("--allow-destructive"), "{preview}");
    assert_eq!(lab.run(&["workflow", "run", &destroys, "--yes"]).code, 9);
    assert_eq!(lab.dump(), before);
    lab.ok(&["workflow", "run", &destroys, "--yes", "--allow-destructive"]);
    assert_ne!(lab.dump(), before);
}

#[test]
fn steps_are_proved_before_any_runs() {
    let lab = Lab::seeded();
    let before = lab.dump();
    for (step, says) in [
        (r#"{"command": "tags delte", "args": ["x"]}"#, "tags delete"),
        (r#"{"command": "tags delete", "flags": {"tag": ["x"]}}"#, "tag"),
        (r#"{"command": "tags delete", "args": ["x"], "flags": {"yes": true}}"#, "--yes"),
        (r#"{"command": "tags delete", "args": ["x"], "flags": {"config": "/x"}}"#, "config"),
        (r#"{"command": "workflow run", "args": ["steps"]}"#, "workflow run"),
        (r#"{"command": "config set", "args": ["a", "b"]}"#, "config set"),
        (r#"{"command": "tags delete --yes x"}"#, "tags delete"),
        (r#"{"command": "tags delete"}"#, "tags"),
    ] {
        let file = lab.file("steps", format!("{{\"command\": \"tags delete\", \"args\": [\"classic\"]}}\n{step}\n"));
        let answer = lab.run(&["workflow", "run", &file, "--yes"]);
        assert_eq!(answer.code, 2, "{step}: {answer:?}");
        assert!(answer.stderr.contains(":2") && answer.stderr.contains(says), "{step}: {answer:?}");
        assert_eq!(lab.dump(), before, "{step}");
    }
}

#[test]
fn hostile_values_stay_values() {
    let lab = Lab::seeded();
    for (number, name) in ["--yes", "-r", "a,b", "x=y", "--", "naïve \"quoted\"", "--config=x"].into_iter().enumerate()
    {
        let step = json!([{"command": "collections create", "args": [name]}]);
        let file = lab.file("steps", step.to_string());
        lab.ok(&["workflow", "run", &file, "--yes"]);
        assert!(lab.column(&["collections", "list"], "name").contains(&name.to_owned()), "{number} {name}");
    }
}

#[test]
fn steps_come_from_standard_input_too() {
    let lab = Lab::seeded();
    let answer = lab.run_with_input(&["workflow", "run", "-", "--yes"], GOOD);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(lab.run(&["workflow", "run", "nowhere"]).code, 3);
    assert_eq!(Lab::new().run_with_input(&["workflow", "run", "-"], GOOD).code, 9);
    assert_eq!(lab.run(&["workflow", "status", "7"]).code, 3);
    assert_eq!(lab.run(&["workflow", "archive", "7", "--yes"]).code, 3);
}
