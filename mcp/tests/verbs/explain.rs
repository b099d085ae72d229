use super::{facade, notes, print, run, trees};
use clap::{Arg, Command};
use serde_json::{Value, json};
use std::process::ExitCode;

fn explain(words: &[&str]) -> (ExitCode, Value) {
    let line: Vec<&str> = ["explain", "--json"].iter().chain(words).copied().collect();
    let (ended, out) = run(facade(notes()), &line);
    (ended.unwrap(), serde_json::from_str(&out).unwrap())
}

#[test]
fn a_call_is_shown_as_it_would_run() {
    let out = print(facade(notes()), &["explain", "list", "--flags", r#"{"output": "--a b", "tag": ["x"]}"#]);
    insta::assert_snapshot!(out.trim_end(), @r#"
    command    list
    runs as    notes list '--output=--a b' '--tag=x'
    effect     mutating, because it sets output
    sets       output = "--a b"
               tag = ["x"]
    defaults   limit = 20
    gates      dry-run: not passed
    runs       through command_run; command_read refuses it
    "#);
}

#[test]
fn what_would_be_refused_is_refused_with_its_exit_code() {
    for (words, code, exit) in [
        (&["lst"][..], "UNKNOWN_OPERATION", 2),
        (&["debug"], "UNKNOWN_OPERATION", 2),
        (&["add"], "INVALID_PARAMS", 2),
        (&["list", "--flags", r#"{"limit": "many"}"#], "INVALID_PARAMS", 2),
        (&["list", "--flags", r#"{"config": "/x"}"#], "INVALID_PARAMS", 2),
        (&["list", "--flags", r#"{"output": "x"}"#, "--read-only"], "EFFECT_DENIED", 13),
        (&["purge", "--args", "7", "--read-only"], "EFFECT_DENIED", 13),
    ] {
        let (ended, answer) = explain(words);
        assert_eq!(answer["refusal"]["code"], code, "{words:?}: {answer}");
        assert_eq!((answer["runs"].as_bool(), ended), (Some(false), ExitCode::from(exit)), "{words:?}");
    }
}

#[test]
fn the_effect_is_that_of_the_very_call() {
    for (words, effect, reads) in [
        (&["list"][..], "read-only", true),
        (&["list", "--flags", r#"{"output": "x"}"#], "mutating", false),
        (&["add", "--args", "-5"], "mutating", false),
        (&["purge", "--args", "7"], "destructive", false),
    ] {
        let (ended, answer) = explain(words);
        assert_eq!(ended, ExitCode::SUCCESS, "{answer}");
        assert_eq!(answer["call"]["effect"], effect, "{words:?}");
        assert_eq!(answer["command_read"], reads, "{words:?}");
    }
}

#[test]
fn flags_that_are_no_object_are_refused_by_the_command_line() {
    for flags in ["[]", "{", "limit=5"] {
        let error = facade(notes()).parse(["notes-mcp", "explain", "list", "--flags", flags]).unwrap_err().to_string();
        assert!(error.contains("JSON"), "{error}");
    }
}

#[test]
fn every_operation_of_every_tree_is_explained_or_refused() {
    for (name, command) in trees::all() {
        let facade = facade(command);
        for operation in facade.catalog().unwrap().operations() {
            let (ended, out) = run(facade.clone(), &["explain", "--json", &operation.name]);
            let answer: Value = serde_json::from_str(&out).unwrap();
            let code = &answer["refusal"]["code"];
            assert!(answer["runs"] == true || code == "INVALID_PARAMS", "{name}: {answer}");
            assert_eq!(ended.unwrap() == ExitCode::SUCCESS, answer["runs"] == true, "{name}: {answer}");
        }
    }
}

#[test]
fn defaults_of_the_environment_are_not_shown() {
    let arg = Arg::new("token").long("token").env("NOTES_TOKEN").default_value("hidden-by-env");
    let command = Command::new("notes").subcommand_required(true).subcommand(Command::new("list").arg(arg));
    let out = print(facade(command), &["explain", "list", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["call"]["defaults"], json!({}));
}
