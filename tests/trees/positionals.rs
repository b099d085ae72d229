//! Positionals of every layout, before and behind `--`.

use super::table::Table;
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::json;

fn pos(name: &'static str) -> Arg {
    Arg::new(name)
}

fn force() -> Arg {
    Arg::new("force").long("force").action(ArgAction::SetTrue)
}

#[test]
fn positionals_are_named_typed_and_in_order() {
    let tree = Command::new("app")
        .args([pos("source").required(true), pos("dest").required(true), pos("mode").value_parser(value_parser!(i64))])
        .arg(force());
    Table::new(tree)
        .ok("app", json!({"dest": "b", "force": true, "source": "a"}), "--force -- a b")
        .ok("app", json!({"source": "--force", "dest": "-"}), "-- --force -")
        .ok("app", json!({"source": "", "dest": "-5", "mode": -5}), r#"-- "" -5 -5"#)
        .ok_args("app", json!({}), &[json!("a"), json!("b"), json!("3")], "-- a b 3")
        .ok_args("app", json!({"force": true}), &[json!("-a"), json!(2)], "--force -- -a 2")
        .ok("app", json!({"args": ["a", "b"]}), "-- a b")
        .no("app", json!({"source": "a"}), "dest: missing; expected a string")
        .no_args(
            "app",
            json!({}),
            &[json!("a"), json!("b"), json!(3), json!("x")],
            "args: too many positionals; expected at most 3",
        )
        .no_args("app", json!({"source": "a"}), &[json!("b")], "source: given both by name and in `args`")
        .no_args("app", json!({}), &[json!("a"), json!(null)], "dest: null among the positionals");
}

#[test]
fn a_gap_is_refused() {
    let tree = Command::new("app").args([pos("a"), pos("b"), pos("c")]);
    Table::new(tree)
        .ok("app", json!({"a": "1", "b": "2"}), "-- 1 2")
        .no("app", json!({"a": "1", "c": "3"}), "b: missing, and `c` can't be given without it")
        .no("app", json!({"c": "3"}), "a: missing, and `c` can't be given without it; expected a string");
}

#[test]
fn lists_among_positionals() {
    let many_last = Command::new("app").args([pos("target").required(true), pos("inputs").num_args(1..)]);
    Table::new(many_last)
        .ok("app", json!({"target": "t", "inputs": ["-a", "b"]}), "-- t -a b")
        .ok("app", json!({"target": "t", "inputs": "a"}), "-- t a")
        .ok_args("app", json!({}), &[json!("t"), json!("a"), json!("b")], "-- t a b");
    let many_first =
        Command::new("app").args([pos("files").num_args(1..).required(true), pos("dest").required(true)]).arg(force());
    Table::new(many_first)
        .ok("app", json!({"files": ["-a", "b"], "dest": "d"}), "-- -a b d")
        .ok_args("app", json!({}), &[json!("a"), json!("b"), json!("d")], "-- a b d")
        .no("app", json!({"files": ["a", "--force"], "dest": "d"}), "files: starts with `-`")
        .no("app", json!({"files": ["a", "b"], "dest": "-d"}), "dest: starts with `-`");
    let waived = Command::new("app")
        .args([pos("files").num_args(1..).required(true), pos("dest").required(true)])
        .arg(force().exclusive(true));
    Table::new(waived).ok("app", json!({"force": true}), "--force").no(
        "app",
        json!({"files": ["a", "b"]}),
        "dest: missing, and `files` can't be given without it",
    );
    let appended = Command::new("app").arg(pos("vars").action(ArgAction::Append));
    Table::new(appended).ok("app", json!({"vars": ["a=b", "--c"]}), "-- a=b --c");
    let delimited = Command::new("app").arg(pos("list").value_delimiter(','));
    Table::new(delimited).ok("app", json!({"list": ["-a", "b"]}), "-- -a,b");
    let two = Command::new("app").arg(pos("point").num_args(2).value_parser(value_parser!(i64)));
    Table::new(two).ok("app", json!({"point": [-1, 2]}), "-- -1 2").no(
        "app",
        json!({"point": [1]}),
        "point: too few items",
    );
}

#[test]
fn values_only_behind_the_escape() {
    let tree = Command::new("app")
        .args([pos("target").required(true), pos("rest").num_args(0..).last(true)])
        .arg(Arg::new("shade").long("shade").num_args(0..=1))
        .arg(force());
    Table::new(tree)
        .ok("app", json!({"target": "t"}), "t")
        .ok("app", json!({"target": "t", "rest": ["-x", "--force", "--"], "force": true}), "--force t -- -x --force --")
        .ok("app", json!({"target": "t", "shade": true, "rest": ["a"]}), "t --shade -- a")
        .ok("app", json!({"target": "-"}), "-")
        .ok_args("app", json!({}), &[json!("t"), json!("-x")], "t -- -x")
        .no("app", json!({"target": "--force"}), "target: starts with `-`, so this command would take it for a flag");
    let optional = Command::new("app").args([pos("first"), pos("second").last(true)]);
    Table::new(optional).ok("app", json!({"second": "-x"}), "-- -x");
}

#[test]
fn trailing_values_swallow_the_rest() {
    let tree = Command::new("app")
        .arg(pos("argv").num_args(1..).required(true).trailing_var_arg(true).allow_hyphen_values(true))
        .arg(Arg::new("level").short('L'))
        .arg(Arg::new("cwd").long("cwd"))
        .arg(force());
    Table::new(tree)
        .ok("app", json!({"argv": ["--force", "-x", "--"], "cwd": "/"}), "--cwd=/ -- --force -x --")
        .ok("app", json!({"argv": ["ls"], "L": "5", "force": true}), "-L 5 --force -- ls")
        .no("app", json!({"argv": ["ls"], "L": "-5"}), "L: starts with `-`");
}

#[test]
fn lists_that_end_at_a_token() {
    let tree = Command::new("app").args([pos("cmds").num_args(1..).value_terminator(";"), pos("files").num_args(0..)]);
    Table::new(tree)
        .ok("app", json!({"cmds": ["a", "-b"], "files": ["c"]}), "-- a -b ; c")
        .ok("app", json!({"cmds": ["a"]}), "-- a")
        .ok("app", json!({"files": ["c"]}), "-- ; c")
        .no("app", json!({"cmds": ["a", ";"]}), "cmds: is what ends the list")
        .no_args("app", json!({}), &[json!("a"), json!("b")], "args: two params take lists");
    let garden = Command::new("app").args([
        pos("commands").num_args(1..).required(true).value_terminator("--"),
        pos("arguments").num_args(0..).allow_hyphen_values(true).last(true),
    ]);
    Table::new(garden)
        .ok("app", json!({"commands": ["a", "b"], "arguments": ["-x", "--"]}), "a b -- -x --")
        .ok("app", json!({"commands": ["a"]}), "a")
        .no("app", json!({"commands": ["a", "-b"]}), "commands: starts with `-`");
}

#[test]
fn an_optional_positional_before_a_required_one() {
    let tree = Command::new("app").allow_missing_positional(true).args([pos("from"), pos("to").required(true)]);
    Table::new(tree)
        .ok("app", json!({"to": "-b"}), "-- -b")
        .ok("app", json!({"from": "a", "to": "b"}), "a b")
        .ok_args("app", json!({}), &[json!("b")], "-- b")
        .no("app", json!({"from": "a", "to": "-b"}), "to: starts with `-`");
    let tree = Command::new("app")
        .allow_missing_positional(true)
        .args([pos("from"), pos("to").required(true)])
        .arg(force().exclusive(true));
    Table::new(tree).no("app", json!({"from": "a"}), "to: missing, and `from` can't be given without it");
}

#[test]
fn positionals_that_take_dashes() {
    let tree = Command::new("app").arg(pos("number").value_parser(value_parser!(f64)).allow_negative_numbers(true));
    Table::new(tree).ok("app", json!({"number": -1.5}), "-- -1.5");
    let tree = Command::new("app").arg(pos("expr").allow_hyphen_values(true)).arg(force());
    Table::new(tree).ok("app", json!({"expr": "--force"}), "-- --force");
}

#[test]
fn a_gate_of_a_command_above_stands_before_positionals_that_would_swallow_it() {
    let run = Command::new("run").arg(pos("words").num_args(1..).trailing_var_arg(true).allow_hyphen_values(true));
    let gate = Arg::new("dry_run").short('d').require_equals(true).global(true);
    let tree = Command::new("app").arg(gate).subcommand_required(true).subcommand(run);
    Table::new(tree).ok("run", json!({"d": "x", "words": ["-a", "-d=y"]}), "-d=x run -- -a -d=y").ok(
        "run",
        json!({"words": ["-a"]}),
        "run -- -a",
    );
}
