//! The second binary and the mounted subcommand.

use super::{facade, notes, print};
use clap::{Arg, Command, CommandFactory, Parser};
use clap_facade::Facade;
use clap_facade::catalog::Excuse;
use clap_facade::verbs::{MountError, Verbs};
use std::io::Write;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "greet")]
enum Greet {
    Hello,
    /// Some name that says nothing of servers
    Agents(Verbs),
}

#[test]
fn what_is_mounted_is_never_exposed_whatever_it_is_called() {
    let by_name = |path: &str| Facade::new(notes()).mount(path).unwrap().command();
    for (command, place) in
        [(by_name("mcp"), "mcp"), (by_name("list serve"), "list serve"), (Greet::command(), "agents")]
    {
        let catalog = facade(command).catalog().unwrap();
        let below = format!("{place} ");
        let inside = |path: &str| path == place || path.starts_with(&below);
        assert_eq!(catalog.operations().iter().find(|operation| inside(&operation.name)), None);
        let excused: Vec<_> = catalog.excused().iter().filter(|excused| inside(&excused.path)).collect();
        assert!(matches!(excused[..], [one] if one.reason == Excuse::Framework), "{excused:?}");
    }
}

#[test]
fn a_clash_and_a_missing_place_are_errors() {
    let aliased = || Command::new("app").subcommand(Command::new("model").alias("mcp"));
    let clash = |place: &str, name: &str| MountError::Clash { place: place.into(), name: name.into() };
    for (command, path, expected) in [
        (notes(), "list", clash("notes", "list")),
        (notes(), "debug", clash("notes", "debug")),
        (aliased(), "mcp", clash("app", "mcp")),
        (notes(), "lists mcp", MountError::NoSuchCommand { place: "notes".into(), name: "lists".into() }),
        (notes(), " ", MountError::NoName),
    ] {
        assert_eq!(Facade::new(command).mount(path).err(), Some(expected), "{path}");
    }
}

#[test]
fn a_mounted_server_leaves_the_clis_own_commands_alone() {
    let app = Facade::new(notes()).mount("list mcp").unwrap();
    for line in [&["notes", "list"][..], &["notes", "add", "mcp"]] {
        let matches = app.command().try_get_matches_from(line).unwrap();
        assert_eq!(app.run(&matches), None, "{line:?}");
    }
    let matches = app.command().try_get_matches_from(["notes", "list", "mcp", "tools"]).unwrap();
    assert_eq!(matches.subcommand_matches("list").unwrap().subcommand_name(), Some("mcp"));
}

#[test]
fn an_adopters_verb_stands_beside_the_others_or_takes_their_place() {
    for name in ["demo", "stats"] {
        let own = facade(notes()).verb(Command::new(name).about("Own"), |_, out: &mut dyn Write| {
            writeln!(out, "mine").map(|()| ExitCode::SUCCESS)
        });
        assert_eq!(print(own.clone(), &[name]), "mine\n");
        assert!(print(own, &["tools"]).contains("command_search"));
    }
}

#[test]
fn help_and_version_are_the_clis() {
    let help = facade(notes()).parse(["notes-mcp", "--help"]).unwrap_err().to_string();
    assert!(help.contains("Serves notes to agents") && help.contains("  tools "), "{help}");
    let version = facade(notes()).parse(["notes-mcp", "--version"]).unwrap_err().to_string();
    assert_eq!(version, "notes-mcp 1.2.3\n");
}

#[test]
fn the_verbs_that_do_not_read_the_users_policy_say_so() {
    let help = |verb: &str| facade(notes()).parse(["notes-mcp", verb, "--help"]).unwrap_err().to_string();
    for verb in ["lock", "lint", "export"] {
        let help = help(verb);
        assert!(help.contains("the user's own is not read") && !help.contains("[default: NAME/"), "{verb}: {help}");
    }
    for verb in ["start", "tools", "doctor", "install"] {
        assert!(help(verb).contains("[default: NAME/NAME.mcp.toml"), "{verb}");
    }
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("notes.mcp.toml");
    std::fs::write(&policy, "deny = ['list']").unwrap();
    let counted = print(facade(notes()), &["lint", "--json", "--policy", policy.to_str().unwrap()]);
    assert!(counted.contains("purge") && !counted.contains("\"list\""), "{counted}");
}

#[test]
fn globals_of_the_cli_do_not_clash_with_options_of_the_verbs() {
    let global = |name: &'static str, short: char| Arg::new(name).long(name).short(short).global(true);
    let own = ["json", "surface", "dry-run", "name", "file", "read-only", "flags", "check"];
    let tree =
        own.iter().zip('m'..).fold(Command::new("app").version("1").propagate_version(true), |tree, (name, short)| {
            tree.arg(global(name, short))
        });
    let app = Facade::new(tree.subcommand(Command::new("show"))).mount("mcp").unwrap();
    app.command().debug_assert();
    for line in
        [&["app", "mcp", "tools", "--json", "--surface=mirror"][..], &["app", "--json", "x", "mcp", "lock", "-h"]]
    {
        assert!(app.command().try_get_matches_from(line).is_ok(), "{line:?}");
    }
}
