use super::{facade, notes, print, run, trees};
use clap::{Arg, ArgAction, Command, value_parser};
use clap_facade::annotate::{self, read_only};
use serde_json::Value;
use std::process::ExitCode;

/// Locks one tree, checks another against it, and returns the verdict and the lines.
fn drift(before: Command, now: Command) -> (Option<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lock.json");
    let file = file.to_str().unwrap();
    print(facade(before), &["lock", "--file", file]);
    let (ended, out) = run(facade(now), &["lock", "--check", "--json", "--file", file]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    let changes = answer["changes"].as_array().unwrap();
    assert_eq!(ended.unwrap() == ExitCode::SUCCESS, changes.is_empty(), "{answer}");
    let text = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
    let line =
        |change: &Value| format!("{} {}: {}", text(change, "level"), text(change, "where"), text(change, "what"));
    (answer["verdict"].as_str().map(str::to_owned), changes.iter().map(line).collect())
}

fn tree(change: impl FnOnce(Command) -> Command) -> Command {
    let list = Command::new("list")
        .about("List")
        .add(read_only())
        .arg(Arg::new("limit").long("limit").value_parser(value_parser!(i64).range(1..=100)));
    let kind = Arg::new("kind").long("kind").value_parser(["idea", "task"]);
    change(
        Command::new("notes")
            .subcommand_required(true)
            .subcommand(list)
            .subcommand(Command::new("add").arg(kind).arg(Arg::new("title").required(true).help("Its title"))),
    )
}

fn arg(change: impl Fn(Arg) -> Arg, of: &'static str, name: &'static str) -> Command {
    tree(|root| root.mut_subcommand(of, |command| command.mut_arg(name, &change)))
}

#[test]
fn each_change_has_its_verdict() {
    let same = || tree(|root| root);
    let optional = || Arg::new("color").long("color");
    for (before, now, verdict, line) in [
        (same(), same(), None, None),
        (
            same(),
            tree(|root| root.subcommand(Command::new("show"))),
            Some("minor"),
            Some("minor show: operation added"),
        ),
        (
            tree(|root| root.subcommand(Command::new("show"))),
            same(),
            Some("major"),
            Some("major show: operation removed"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("list", |list| list.hide(true))),
            Some("major"),
            Some("major list: operation removed"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("list", |list| list.arg(optional()))),
            Some("minor"),
            Some("minor list, color: param added"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("list", |list| list.arg(optional().required(true)))),
            Some("major"),
            Some("major list, color: required param added"),
        ),
        (
            same(),
            arg(|arg| arg.required(true), "list", "limit"),
            Some("major"),
            Some("major list, limit: now required"),
        ),
        (
            same(),
            arg(|arg| arg.required(false), "add", "title"),
            Some("minor"),
            Some("minor add, title: no longer required"),
        ),
        (same(), arg(|arg| arg.hide(true), "list", "limit"), Some("major"), Some("major list, limit: param removed")),
        (
            same(),
            arg(|arg| arg.long("max").visible_alias("limit"), "list", "limit"),
            Some("minor"),
            Some("minor list, limit: renamed to `max`, and settable by this name"),
        ),
        (same(), arg(|arg| arg.long("max"), "list", "limit"), Some("major"), Some("major list, limit: param removed")),
        (
            same(),
            arg(|arg| arg.value_parser(["idea"]), "add", "kind"),
            Some("major"),
            Some("major add, kind: value `task` removed"),
        ),
        (
            same(),
            arg(|arg| arg.value_parser(["idea", "task", "plan"]), "add", "kind"),
            Some("minor"),
            Some("minor add, kind: value `plan` added"),
        ),
        (
            same(),
            arg(|arg| arg.value_parser(value_parser!(String)), "add", "kind"),
            Some("minor"),
            Some("minor add, kind: now takes any value"),
        ),
        (
            same(),
            arg(|arg| arg.value_parser(value_parser!(i64).range(1..=50)), "list", "limit"),
            Some("major"),
            Some("major list, limit: greatest value 100 is now 50"),
        ),
        (
            same(),
            arg(|arg| arg.value_parser(value_parser!(i64).range(0..=100)), "list", "limit"),
            Some("minor"),
            Some("minor list, limit: least value 1 is now 0"),
        ),
        (
            same(),
            arg(|arg| arg.default_value("5"), "list", "limit"),
            Some("minor"),
            Some("minor list, limit: default [] is now [5]"),
        ),
        (
            same(),
            arg(|arg| arg.action(ArgAction::Append), "add", "kind"),
            Some("minor"),
            Some("minor add, kind: took a value, now takes a list"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("list", |list| list.add(annotate::mutating()))),
            Some("major"),
            Some("major list: effect read-only is now mutating"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("add", |add| add.add(read_only()))),
            Some("minor"),
            Some("minor add: effect undeclared is now read-only"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("list", |list| list.add(read_only().mutating_when("limit")))),
            Some("major"),
            Some("major list: now changes something with `limit`"),
        ),
        (
            same(),
            arg(|arg| arg.help("The title"), "add", "title"),
            Some("patch"),
            Some("patch add, title: help changed"),
        ),
        (
            same(),
            tree(|root| root.mut_subcommand("list", |list| list.about("Lists"))),
            Some("patch"),
            Some("patch list: help changed"),
        ),
    ] {
        let (found, lines) = drift(before, now);
        assert_eq!(found.as_deref(), verdict, "{lines:#?}");
        assert!(line.is_none_or(|line| lines.iter().any(|found| found == line)), "{line:?} is not among {lines:#?}");
    }
}

#[test]
fn a_renamed_operation_is_a_minor_change_with_its_old_name_kept() {
    let renamed = |note| {
        let list = Command::new("ls")
            .about("List")
            .add(note)
            .arg(Arg::new("limit").long("limit").value_parser(value_parser!(i64).range(1..=100)));
        let kind = Arg::new("kind").long("kind").value_parser(["idea", "task"]);
        let title = Arg::new("title").required(true).help("Its title");
        Command::new("notes")
            .subcommand_required(true)
            .subcommand(list)
            .subcommand(Command::new("add").arg(kind).arg(title))
    };
    let (verdict, lines) = drift(tree(|root| root), renamed(read_only().renamed_from("list")));
    assert_eq!(verdict.as_deref(), Some("minor"), "{lines:#?}");
    assert_eq!(lines[0], "minor list: renamed to `ls`, and callable by this name");
    let (verdict, _) = drift(tree(|root| root), renamed(read_only()));
    assert_eq!(verdict.as_deref(), Some("major"));
}

#[test]
fn every_tree_reads_back_as_it_was_written() {
    for (name, command) in trees::all() {
        assert_eq!(drift(command.clone(), command), (None, Vec::new()), "{name}");
    }
}

#[test]
fn the_file_has_a_line_for_each_operation_and_param() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lock.json");
    print(facade(notes()), &["lock", "--file", file.to_str().unwrap()]);
    insta::assert_snapshot!(std::fs::read_to_string(file).unwrap());
}

#[test]
fn what_is_no_lock_file_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lock.json");
    let path = file.to_str().unwrap();
    let (ended, _) = run(facade(notes()), &["lock", "--check", "--file", path]);
    assert!(ended.unwrap_err().to_string().contains("run `lock` and commit it"));
    for text in ["", "{}", "[1]", "{\"lock\": 99}", "{\"lock\": 1, \"cli\": \"notes\"}", "<<<<<<< ours"] {
        std::fs::write(&file, text).unwrap();
        for words in [&["lock", "--file", path][..], &["lock", "--check", "--file", path]] {
            let (ended, _) = run(facade(notes()), words);
            let error = ended.unwrap_err().to_string();
            assert!(error.contains("lock file"), "{text:?}: {error}");
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}
