//! `mycli schema`, `capabilities`, `config` and `completions`.

use crate::support::Lab;
use clap_facade::catalog::{Catalog, Excuse, Settings};
use serde_json::json;

#[test]
fn exit_codes_are_published() {
    let lab = Lab::new();
    assert_eq!(
        lab.column(&["schema", "exit-codes"], "code"),
        ["0", "1", "2", "3", "4", "5", "7", "9", "9", "11", "13"]
    );
    let kinds = lab.column(&["schema", "exit-codes"], "kind");
    assert!(mycli::ErrorKind::ALL.iter().all(|kind| kinds.iter().any(|name| name == kind.name())));
}

#[test]
fn types_and_fields_fit_together() {
    let lab = Lab::new();
    let fields = lab.column(&["schema", "fields"], "field");
    let types = lab.json(&["schema", "item-types"]);
    for kind in types["rows"].as_array().unwrap() {
        for need in kind["needs"].as_array().unwrap() {
            assert!(fields.iter().any(|field| need == field), "{need} of {kind} is no field");
        }
    }
    let thesis = lab.json(&["schema", "fields", "--type=thesis"]);
    let needed: Vec<&str> = thesis["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["needed"] == true)
        .filter_map(|row| row["field"].as_str())
        .collect();
    assert_eq!(needed, ["issued", "author", "publisher", "genre"]);
    let answer = lab.run(&["schema", "fields", "--type=thesys"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("thesis"), "{answer:?}");
}

#[test]
fn capabilities_are_the_catalog() {
    let lab = Lab::new();
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    let names: Vec<&str> = catalog.operations().iter().map(|operation| operation.name.as_str()).collect();
    assert_eq!(lab.column(&["capabilities"], "command"), names);
    assert_eq!(lab.column(&["capabilities", "tags", "audit"], "command"), ["tags audit", "tags audit fix"]);
    let health = &lab.json(&["capabilities", "library", "health"])["rows"][0];
    assert_eq!((&health["effect"], &health["mutating_when"]), (&json!("read-only"), &json!(["fix"])));
    let answer = lab.run(&["capabilities", "colections"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("collections"), "{answer:?}");
}

#[test]
fn agents_never_see_what_is_hidden() {
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    let excuse = |path: &str| {
        let excused = catalog.excused().iter().find(|excused| excused.path == path);
        excused.map(|excused| excused.reason)
    };
    for (path, reason) in [
        ("workflow run", Excuse::Hidden),
        ("config get", Excuse::Hidden),
        ("config set", Excuse::Hidden),
        ("completions", Excuse::Framework),
    ] {
        assert_eq!(excuse(path), Some(reason), "{path}");
        assert!(catalog.find(path).is_none(), "{path}");
    }
}

#[test]
fn settings_are_kept_and_reset() {
    let lab = Lab::seeded();
    lab.ok(&["config", "set", "mailto", "ada@example.org", "--yes"]);
    assert_eq!(lab.json(&["config", "get", "mailto"])["value"], "ada@example.org");
    lab.ok(&["config", "set", "mailto", "bob@example.org", "--yes"]);
    assert_eq!(lab.column(&["config", "get"], "value"), ["bob@example.org"]);
    lab.ok(&["config", "set", "mailto", "", "--yes"]);
    assert_eq!(lab.run(&["config", "get", "mailto"]).code, 3);
    for name in ["", "Mail To", "a/b"] {
        assert_eq!(lab.run(&["config", "set", name, "x", "--yes"]).code, 2, "{name:?}");
    }
}

#[test]
fn completions_for_every_shell() {
    let lab = Lab::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = lab.ok(&["completions", shell]).stdout;
        assert!(script.contains("reading-list"), "{shell}");
    }
    assert_eq!(lab.run(&["completions", "tcsh"]).code, 2);
}
