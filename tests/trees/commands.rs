//! Commands of every shape: how they are called, and what may stand between their words.

use super::table::Table;
use clap::{Arg, ArgAction, Command};
use clap_facade::catalog::Settings;
use serde_json::json;

fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

#[test]
fn the_host_comes_first_and_gates_stand_at_their_level() {
    let tree = Command::new("app")
        .subcommand_required(true)
        .args([switch("agent").global(true), switch("yes").global(true), Arg::new("max-changes").long("max-changes")])
        .subcommand(
            Command::new("items")
                .subcommand_required(true)
                .arg(switch("dry-run").global(true))
                .subcommand(Command::new("add").arg(Arg::new("title").required(true)).arg(switch("quick"))),
        );
    Table::new(tree)
        .ok("items add", json!({"title": "--yes"}), "--agent items add -- --yes")
        .ok(
            "items add",
            json!({"title": "t", "yes": true, "dry_run": true, "quick": true, "max-changes": 3}),
            "--agent --max-changes=3 items add --quick --dry-run --yes -- t",
        )
        .no("items add", json!({"title": "t", "agent": true}), "agent: unknown param");
}

#[test]
fn aliases_flag_subcommands_and_inference_end_in_the_command() {
    let tree = Command::new("app")
        .subcommand_required(true)
        .infer_subcommands(true)
        .infer_long_args(true)
        .subcommand(Command::new("test").arg(switch("force")).arg(switch("force-all")))
        .subcommand(Command::new("testing").visible_alias("tes"))
        .subcommand(Command::new("sync").short_flag('S').long_flag("sync").arg(Arg::new("name").short('n')));
    Table::new(tree)
        .ok("test", json!({"force": true}), "test --force")
        .ok("testing", json!({}), "testing")
        .ok("tes", json!({}), "testing")
        .ok("sync", json!({"n": "-S"}), "sync -n=-S");
}

#[test]
fn a_group_that_runs_by_itself_never_descends() {
    let tree = Command::new("app")
        .subcommand(
            Command::new("capabilities")
                .arg(Arg::new("about"))
                .arg(Arg::new("depth").long("depth").num_args(0..=1))
                .subcommand(Command::new("drift").arg(switch("fix"))),
        )
        .subcommand(
            Command::new("stash")
                .args_conflicts_with_subcommands(true)
                .subcommand_negates_reqs(true)
                .arg(Arg::new("message").required(true))
                .subcommand(Command::new("pop")),
        );
    Table::new(tree)
        .ok("capabilities", json!({"about": "drift"}), "capabilities -- drift")
        .ok("capabilities", json!({"about": "help"}), "capabilities -- help")
        .ok("capabilities", json!({"depth": true, "about": "drift"}), "capabilities --depth -- drift")
        .ok("capabilities drift", json!({"fix": true}), "capabilities drift --fix")
        .ok("stash", json!({"message": "pop"}), "stash -- pop")
        .ok("stash pop", json!({}), "stash pop");
}

#[test]
fn external_commands_are_only_what_they_are_called() {
    let tree = Command::new("app").subcommand(
        Command::new("plugin")
            .allow_external_subcommands(true)
            .arg(switch("list"))
            .subcommand(Command::new("install").arg(Arg::new("name"))),
    );
    let settings = Settings { expose: vec!["plugin".into()], ..Settings::default() };
    Table::with(tree, &settings)
        .ok("plugin", json!({"external": ["hello", "--list", "-x"]}), "plugin hello --list -x")
        .ok("plugin", json!({"list": true, "external": ["hello"]}), "plugin --list hello")
        .ok_args("plugin", json!({}), &[json!("hello"), json!("--")], "plugin hello --")
        .no("plugin", json!({"external": ["--list"]}), "external: the name of an external command can't start with `-`")
        .no("plugin", json!({"external": ["install", "x"]}), "`install` would be called");
}

#[test]
fn multicall_trees_are_called_by_the_applet() {
    let tree =
        Command::new("box").multicall(true).subcommand_required(true).subcommand(Command::new("true")).subcommand(
            Command::new("ls").arg(Arg::new("long").short('l').action(ArgAction::SetTrue)).arg(Arg::new("path")),
        );
    let table = Table::new(tree);
    table.ok("ls", json!({"l": true, "path": "-l"}), "ls -l -- -l");
    let proved = table.call("ls", &json!({"l": true}), &[]).unwrap();
    assert_eq!(proved.arg0().unwrap(), "ls");
    assert_eq!(proved.argv(), ["-l"]);
}

#[test]
fn a_tree_without_a_program_name() {
    let tree = Command::new("repl").no_binary_name(true).subcommand(Command::new("ping").arg(switch("repl")));
    Table::new(tree).ok("ping", json!({"repl": true}), "ping --repl");
}

#[test]
fn a_root_that_runs_by_itself() {
    let tree = Command::new("app").arg(switch("agent")).arg(Arg::new("file").required(true));
    Table::new(tree).ok("app", json!({"file": "--agent"}), "--agent -- --agent");
}

#[test]
fn help_and_version_never_pass_for_success() {
    let tree = Command::new("app")
        .version("1.0")
        .subcommand(Command::new("show").arg_required_else_help(true).arg(Arg::new("what")));
    Table::new(tree)
        .ok("show", json!({"what": "--help"}), "show -- --help")
        .ok("show", json!({"what": "--version"}), "show -- --version")
        .no("show", json!({}), ": the command does nothing without params; expected at least one param")
        .no("show", json!({"help": true}), "help: unknown param");
}
