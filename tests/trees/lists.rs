//! Options that take several values.

use super::table::Table;
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::json;

fn opt(name: &'static str) -> Arg {
    Arg::new(name).long(name)
}

#[test]
fn repeated_options_are_joined_one_by_one() {
    let tree = Command::new("app").args([
        opt("include").action(ArgAction::Append),
        Arg::new("header").short('H').action(ArgAction::Append),
        opt("level").action(ArgAction::Append).value_parser(value_parser!(u8)),
        opt("mode").action(ArgAction::Append).value_parser(["fast", "slow"]),
    ]);
    Table::new(tree)
        .ok("app", json!({"include": ["a,b", "-x", "", "--yes"]}), "--include=a,b --include=-x --include= --include=--yes")
        .ok("app", json!({"include": "one"}), "--include=one")
        .ok("app", json!({"include": "[\"a\", \"b\"]"}), "--include=a --include=b")
        .ok("app", json!({"include": "[abc]*"}), "--include=[abc]*")
        .ok("app", json!({"include": []}), "")
        .ok("app", json!({"H": ["a=b", 5]}), "-H=a=b -H=5")
        .ok("app", json!({"level": [1, "2", 3.0]}), "--level=1 --level=2 --level=3")
        .ok("app", json!({"level": "[1, 2]"}), "--level=1 --level=2")
        .ok("app", json!({"mode": "slow"}), "--mode=slow")
        .no("app", json!({"include": "[1]"}), "include: could be an array or one text; expected a JSON array of strings")
        .no("app", json!({"include": ["a", ["b"]]}), "include: item 1: a list where one value is taken")
        .no("app", json!({"include": [{"a": 1}]}), "include: item 0: an object can't be passed")
        .no("app", json!({"include": {"a": 1}}), "include: item 0: an object can't be passed")
        .no("app", json!({"include": ["a", null]}), "include: item 1: null inside a list")
        .no("app", json!({"include": true}), "include: item 0: a boolean where a string is taken")
        .no("app", json!({"level": [1, "x"]}), "level: item 1: not a whole number")
        .no("app", json!({"mode": ["fast", "slo"]}), "mode: item 1: not an allowed value; expected an array, each item one of the allowed values; did you mean `slow`?");
}

#[test]
fn delimited_options_are_one_token() {
    let tree = Command::new("app").args([
        opt("labels").value_delimiter(','),
        opt("tags").value_delimiter(';').action(ArgAction::Append),
        Arg::new("fields").short('f').value_delimiter(',').num_args(1..),
        opt("pair").value_delimiter(',').num_args(2),
        opt("sizes").value_delimiter(',').require_equals(true).num_args(1..).value_parser(value_parser!(u8)),
    ]);
    Table::new(tree)
        .ok("app", json!({"labels": ["a", "b"]}), "--labels=a,b")
        .ok("app", json!({"labels": "a,b"}), "--labels=a,b")
        .ok("app", json!({"labels": ["-x", "", "--yes"]}), "--labels=-x,,--yes")
        .ok("app", json!({"tags": ["a,b", "c"]}), "--tags=a,b;c")
        .ok("app", json!({"f": ["a", "b"]}), "-f=a,b")
        .ok("app", json!({"pair": ["a", "b"]}), "--pair a b")
        .ok("app", json!({"sizes": "1,2"}), "--sizes=1,2")
        .no(
            "app",
            json!({"labels": ["a,b", "c"]}),
            "labels: item 0: holds `,`, which the command takes for the end of the item; expected items without `,`",
        )
        .no("app", json!({"pair": ["a,b", "c"]}), "pair: item 0: holds `,`")
        .no("app", json!({"pair": ["a"]}), "pair: too few items: 1, at least 2 needed")
        .no("app", json!({"sizes": "1,x"}), "sizes: not a whole number");
}

#[test]
fn values_that_need_tokens_of_their_own_are_never_flags() {
    let tree = Command::new("app").args([
        opt("point").num_args(2).value_parser(value_parser!(i32)).allow_negative_numbers(true),
        opt("files").num_args(1..),
        opt("few").num_args(2..=3),
        opt("pairs").num_args(2).action(ArgAction::Append),
        opt("any").num_args(0..),
        opt("yes").action(ArgAction::SetTrue),
        Arg::new("target"),
    ]);
    Table::new(tree)
        .ok("app", json!({"point": [-1, 2]}), "--point -1 2")
        .ok("app", json!({"files": ["-x"]}), "--files=-x")
        .ok("app", json!({"files": ["a", "b"], "target": "t", "yes": true}), "--files a b --yes -- t")
        .ok("app", json!({"files": ["a", "b"], "target": "t"}), "--files a b -- t")
        .ok("app", json!({"files": ["a", "-"]}), "--files a -")
        .ok("app", json!({"few": ["a", "b"], "target": "c"}), "--few a b -- c")
        .ok("app", json!({"pairs": ["a", "b", "c", "d"]}), "--pairs a b --pairs c d")
        .ok("app", json!({"any": true, "target": "t"}), "--any -- t")
        .ok("app", json!({"any": ["a"]}), "--any=a")
        .no("app", json!({"files": ["a", "--yes"]}), "files: starts with `-`, so this command would take it for a flag; expected an array, each item a string, not starting with `-`")
        .no("app", json!({"files": ["a", "-1"]}), "files: starts with `-`")
        .no("app", json!({"point": [1]}), "point: too few items: 1, at least 2 needed; expected an array of 2, each item a whole number")
        .no("app", json!({"point": [1, 2, 3]}), "point: too many items: 3, at most 2 taken")
        .no("app", json!({"few": ["a", "b", "c", "d"]}), "few: too many items: 4, at most 3 taken; expected an array of 2 to 3")
        .no("app", json!({"pairs": ["a", "b", "c"]}), "pairs: 3 items, which is no multiple of 2")
        .no("app", json!({"any": []}), "any: an empty array could mean two things");
}

#[test]
fn lists_that_take_dashes_or_end_at_a_token() {
    let tree = Command::new("app").args([
        opt("args").num_args(1..).allow_hyphen_values(true),
        opt("cmd").num_args(1..).value_terminator(";"),
        opt("raw").num_args(1..).allow_hyphen_values(true).value_terminator("--"),
        opt("yes").action(ArgAction::SetTrue),
        Arg::new("target"),
    ]);
    Table::new(tree)
        .ok("app", json!({"args": ["-a", "--yes", "--"]}), "--args -a --yes --")
        .ok("app", json!({"args": ["-a", "b"], "yes": true}), "--yes --args -a b")
        .ok("app", json!({"args": ["-a"], "target": "t"}), "--args=-a -- t")
        .ok("app", json!({"cmd": ["a", "b"], "target": "t"}), "--cmd a b ; -- t")
        .ok("app", json!({"cmd": [";"]}), "--cmd=;")
        .ok("app", json!({"raw": ["-a", "b"], "target": "t"}), "--raw -a b -- -- t")
        .no("app", json!({"args": ["-a", "b"], "target": "t"}), "args: takes whatever follows it on the command line")
        .no("app", json!({"cmd": ["a", ";", "b"]}), "cmd: is what ends the list for this command")
        .no("app", json!({"raw": ["a", "--"]}), "raw: is what ends the list for this command");
}

#[test]
fn values_that_need_an_equals_sign_come_one_at_a_time() {
    let tree = Command::new("app").arg(opt("list").num_args(1..).require_equals(true));
    Table::new(tree).ok("app", json!({"list": ["-a"]}), "--list=-a").no(
        "app",
        json!({"list": ["a", "b"]}),
        "list: 2 items, of which this command can take one",
    );
}
