use super::{facade, notes, print, run, trees};
use clap::{Arg, ArgAction, ArgMatches, Command};
use clap_facade::annotate::{self, read_only};
use clap_facade::catalog::{Catalog, Lint, LintCode, Settings};
use clap_facade::exec::{InProcess, Io};
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

fn review(command: Command) -> Vec<Lint> {
    Catalog::new(command, &Settings::default()).unwrap().review()
}

fn of(leaf: Command) -> Vec<Lint> {
    review(Command::new("app").subcommand_required(true).subcommand(leaf))
}

/// A leaf with nothing to complain of.
fn clean(name: &'static str) -> Command {
    Command::new(name).about("Does it").add(read_only())
}

fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name).help("What it is")
}

#[test]
fn each_kind_is_found_where_it_is_and_nowhere_else() {
    let long = "very-long-words-of-a-name".repeat(3);
    let many = |command: Command| {
        (0..120).fold(command, |command, n| {
            let name = format!("option-{n}");
            command.arg(Arg::new(name.clone()).long(name).help("Some words of help that take their room"))
        })
    };
    for (faulty, sound, code, param) in [
        (Command::new("go").about("Goes"), clean("go"), LintCode::UndeclaredEffect, None),
        (
            clean("go").arg(option("output")),
            clean("go").add(read_only().mutating_when("output")).arg(option("output")),
            LintCode::ReadOnlyWrites,
            Some("output"),
        ),
        (clean("go").about(""), clean("go"), LintCode::MissingHelp, None),
        (clean("go").arg(Arg::new("x").long("x")), clean("go").arg(option("x")), LintCode::MissingHelp, Some("x")),
        (
            clean("go").about("word ".repeat(60)),
            clean("go").about(format!("Goes\n\n{}", "word ".repeat(60))),
            LintCode::LongHelp,
            None,
        ),
        (
            clean("go").about("Goes, see --config"),
            clean("go").arg(option("config")).about("Goes, see --config"),
            LintCode::UnknownFlag,
            None,
        ),
        (
            clean("go").arg(option("x").help("Unless --force")),
            clean("go").arg(option("x").help("Not a --, nor a---b, nor --x")),
            LintCode::UnknownFlag,
            Some("x"),
        ),
        (
            clean("go").add(read_only().example("Goes", "go --fast")),
            clean("go").arg(option("fast")).add(read_only().example("Goes", "go --fast=1")),
            LintCode::UnknownFlag,
            None,
        ),
        (clean("go").name(long), clean("go"), LintCode::LongName, None),
        (clean("go").arg(option("a.b/c")), clean("go").arg(option("a.b-c")), LintCode::PropertyName, Some("a.b_c")),
        (clean("go").allow_external_subcommands(true), clean("go"), LintCode::TakesCommands, None),
        (
            clean("go").arg(option("x").required(true).hide(true)),
            clean("go").arg(option("x").hide(true)),
            LintCode::NotCallable,
            None,
        ),
        (
            clean("go").arg(option("api-key")),
            clean("go").arg(option("api-key").add(annotate::secret())),
            LintCode::Secret,
            Some("api-key"),
        ),
        (clean("go").arg(option("token")), clean("go").arg(option("tokens-shown")), LintCode::Secret, Some("token")),
        (
            clean("go").arg(option("password")),
            clean("go").arg(option("password").action(ArgAction::SetTrue)),
            LintCode::Secret,
            Some("password"),
        ),
        (many(clean("go")), clean("go"), LintCode::DearTool, None),
    ] {
        let found = of(faulty);
        let hits: Vec<_> = found.iter().filter(|lint| lint.code == code).collect();
        assert!(hits.len() == 1 && hits[0].param.as_deref() == param, "{code:?}: {found:#?}");
        assert_eq!(of(sound), [], "{code:?}");
    }
}

#[test]
fn an_effect_is_suggested_by_the_name() {
    for (name, function) in [
        ("list", "read_only"),
        ("show-all", "read_only"),
        ("delete", "destructive"),
        ("tags-purge", "destructive"),
        ("add", "mutating"),
    ] {
        let found = of(Command::new(name).about("Does it"));
        assert!(found[0].message.ends_with(&format!("`annotate::{function}()`?")), "{name}: {found:?}");
    }
}

#[derive(clap::Parser)]
#[command(name = "notes")]
enum Derived {
    /// Exports
    #[command(add = annotate::read_only())]
    Export(Export),
}

#[derive(clap::Args)]
#[command(add = annotate::read_only().mutating_when("output"))]
struct Export {
    /// A file
    #[arg(long)]
    output: Option<String>,
}

#[test]
fn an_annotation_that_clap_replaced_is_asked_for_again_with_the_likely_cause() {
    let command = <Derived as clap::CommandFactory>::command();
    let catalog = Catalog::new(command.clone(), &Settings::default()).unwrap();
    assert_eq!(catalog.find("export").unwrap().mutating_when, [""; 0], "the guide says that the variant's wins");
    let [lint] = &review(command)[..] else { panic!() };
    assert_eq!(lint.code, LintCode::ReadOnlyWrites);
    assert!(lint.message.contains("variant replaces that of its Args struct"), "{lint:?}");
}

#[test]
fn every_lint_of_every_tree_names_a_place_that_is_there() {
    for (name, command) in trees::all() {
        let catalog = Catalog::new(command, &Settings::default()).unwrap();
        for lint in catalog.review() {
            let operation = catalog.operations().iter().find(|operation| operation.name == lint.path);
            let kept = catalog.excused().iter().any(|excused| excused.path == lint.path);
            assert!(operation.is_some() || kept, "{name}: {lint:?}");
            let is_there = |param: &String| operation.is_some_and(|operation| operation.param(param).is_some());
            // What is taken for a secret is kept from agents, and so no param of theirs.
            let is_secret = lint.code == LintCode::Secret;
            assert!(is_secret || lint.param.as_ref().is_none_or(is_there), "{name}: {lint:?}");
        }
    }
}

#[test]
fn denied_lints_fail_and_others_do_not() {
    for (deny, failed) in [
        (&[][..], false),
        (&["--deny", "missing-help"], true),
        (&["--deny", "secret"], false),
        (&["--deny", "secret", "--deny", "all"], true),
    ] {
        let line: Vec<&str> = ["lint", "--json"].iter().chain(deny).copied().collect();
        let (ended, out) = run(facade(notes()), &line);
        let answer: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(ended.unwrap() == ExitCode::FAILURE, failed, "{deny:?}: {answer}");
        assert_eq!(answer["denied"].as_u64().unwrap() > 0, failed);
    }
    assert!(facade(notes()).parse(["notes-mcp", "lint", "--deny", "nonsense"]).is_err());
}

#[test]
fn lint_is_read_by_people_too() {
    insta::assert_snapshot!(print(facade(notes()), &["lint"]));
}

/// A CLI on one file, of which one command does not read its gate.
fn gated() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help("A gate");
    let writes = |name: &'static str| Command::new(name).about("Writes").add(annotate::mutating());
    Command::new("app")
        .subcommand_required(true)
        .arg(flag("dry-run").global(true))
        .subcommand(writes("careful"))
        .subcommand(writes("careless"))
        .subcommand(writes("needs").arg(Arg::new("id").required(true).help("Which")))
        .subcommand(
            writes("shown")
                .add(annotate::mutating().example("One", "shown 7 --dry-run"))
                .arg(Arg::new("id").required(true).help("Which")),
        )
        .subcommand(writes("fails"))
        .subcommand(clean("list"))
}

fn on(folder: &Path) -> std::io::Result<InProcess> {
    let file = folder.join("notes");
    std::fs::write(&file, "one\n")?;
    Ok(InProcess::new(move |matches: &ArgMatches, _io: &mut Io<'_>| {
        let (name, below) = matches.subcommand().unwrap();
        match name {
            "fails" => return Ok(3),
            "careful" if below.get_flag("dry-run") => {}
            _ => std::fs::write(&file, "two\n")?,
        }
        Ok(0)
    }))
}

#[test]
fn a_gate_that_is_not_read_is_found_on_a_scratch_copy() {
    let out = print(facade(gated()).scratch(on), &["lint", "--json"]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    let found = answer["lints"].as_array().unwrap().iter().filter(|lint| lint["code"] == "gate-not-read");
    let found: Vec<&str> = found.map(|lint| lint["command"].as_str().unwrap()).collect();
    assert_eq!(found, ["careless", "shown"], "{answer}");
    let unchecked = answer["gates_not_checked"].to_string();
    assert!(unchecked.contains("`needs`") && unchecked.contains("example"), "{unchecked}");
    assert!(unchecked.contains("`fails`") && unchecked.contains("exit code 3"), "{unchecked}");
}

#[test]
fn without_a_scratch_copy_it_is_said_that_gates_were_not_checked() {
    let out = print(facade(gated()), &["lint"]);
    assert!(out.contains("not checked: whether gates are read"), "{out}");
    let nothing_gated = Command::new("app").subcommand_required(true).subcommand(clean("list"));
    assert!(!print(facade(nothing_gated), &["lint"]).contains("not checked"));
}
