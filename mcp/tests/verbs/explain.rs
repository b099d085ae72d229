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

/// The tree of the notes, with paths, and a command that takes a command line.
fn with_paths() -> Command {
    let from = Arg::new("from").long("from").value_parser(clap::value_parser!(std::path::PathBuf));
    let key = Arg::new("api-key").long("api-key").required(true);
    notes()
        .subcommand(Command::new("import").arg(from))
        .subcommand(Command::new("run").allow_external_subcommands(true))
        .subcommand(Command::new("login").arg(key))
        .subcommand(Command::new("tags").subcommand_required(true).subcommand(Command::new("rename")))
}

#[test]
fn a_path_that_the_run_would_refuse_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let explain = |path: &std::path::Path| {
        let flags = json!({ "from": path }).to_string();
        let facade = facade(with_paths()).roots([folder.path()]);
        run(facade, &["explain", "import", "--flags", &flags])
    };
    let (ended, out) = explain(&folder.path().join("notes.txt"));
    assert_eq!(ended.unwrap(), ExitCode::SUCCESS, "{out}");
    let (ended, out) = explain(std::path::Path::new("/etc/passwd"));
    assert_ne!(ended.unwrap(), ExitCode::SUCCESS, "{out}");
    assert!(out.contains("refused    PATH_OUTSIDE") && !out.contains("runs       "), "{out}");
}

#[test]
fn a_call_that_is_made_to_preview_is_shown_as_it_runs() {
    let yes = Arg::new("yes").long("yes").global(true).action(clap::ArgAction::SetTrue);
    let asked = facade(notes().arg(yes)).approve(clap_facade::catalog::Approval::Ask);
    let out = print(asked, &["explain", "add", "--args", "x"]);
    assert!(out.contains("runs as    notes add --dry-run -- x"), "{out}");
}

#[test]
fn tools_explain_and_the_refusal_say_the_same_of_what_is_kept_from_agents() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("notes.mcp.toml");
    std::fs::write(&policy, "deny = ['purge']").unwrap();
    let under = ["--policy", policy.to_str().unwrap()];
    let shown = print(facade(with_paths()), &["tools", under[0], under[1]]);
    for (name, path, reason, remedy) in [
        ("run", "run", "takes another command line as its arguments", "`expose`"),
        ("notes run", "run", "takes another command line as its arguments", "`expose`"),
        ("login", "login", "requires an arg that no caller may set", "`[secrets]`"),
        ("purge", "purge", "is denied by the policy", "`deny`"),
        ("debug", "debug", "is hidden", ""),
        ("tags", "tags", "only leads to its subcommands", ""),
    ] {
        let line =
            shown.lines().find(|line| line.trim_start().starts_with(&format!("{path} ")) && line.contains(reason));
        assert!(name == "tags" || line.is_some_and(|line| line.contains(remedy)), "{name}: {shown}");
        let (_, out) = run(facade(with_paths()), &["explain", "--json", name, under[0], under[1]]);
        let refusal = serde_json::from_str::<Value>(&out).unwrap()["refusal"].clone();
        assert_eq!(refusal["message"], format!("`{path}` can't be called here: it {reason}"));
        let hint = refusal["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(remedy) && (remedy.is_empty() || hint.starts_with("the operator ")), "{name}: {hint}");
        assert!(out.len() < 300, "{out}");
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
