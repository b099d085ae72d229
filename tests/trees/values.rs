//! Switches, counts and single values of every type.

use super::table::Table;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::json;
use std::ffi::OsString;
use std::path::PathBuf;

fn opt(name: &'static str) -> Arg {
    Arg::new(name).long(name)
}

#[test]
fn switches_are_passed_or_not() {
    let tree = Command::new("app").args([
        opt("force").action(ArgAction::SetTrue),
        Arg::new("cache").long("no-cache").action(ArgAction::SetFalse),
        Arg::new("extract").short('x').action(ArgAction::SetTrue),
        opt("on").action(ArgAction::SetTrue).default_value("true"),
    ]);
    Table::new(tree)
        .ok("app", json!({}), "")
        .ok("app", json!({"force": true, "no-cache": true, "x": true}), "--force --no-cache -x")
        .ok("app", json!({"force": false, "no_cache": "true", "x": null}), "--no-cache")
        .ok("app", json!({"no-cache": false, "on": "false"}), "")
        .no("app", json!({"force": 1}), "force: not a boolean; expected true to pass it, or nothing")
        .no("app", json!({"force": "yes"}), "force: not a boolean")
        .no("app", json!({"force": "--config=/x"}), "force: not a boolean")
        .no("app", json!({"force": [true]}), "force: not a boolean")
        .no("app", json!({"cache": true}), "cache: unknown param");
}

#[test]
fn counts_are_repeated_and_bounded() {
    let tree = Command::new("app").args([
        Arg::new("verbose").long("verbose").short('v').action(ArgAction::Count),
        Arg::new("quiet").short('q').action(ArgAction::Count),
    ]);
    Table::new(tree)
        .ok("app", json!({"verbose": 3}), "--verbose --verbose --verbose")
        .ok("app", json!({"q": "2", "verbose": 0}), "-q -q")
        .ok("app", json!({"q": 1.0, "v": true}), "--verbose -q")
        .ok("app", json!({"q": 255}), &["-q"; 255].join(" "))
        .no("app", json!({"verbose": 256}), "verbose: out of range; expected how often to pass it, 0 to 255")
        .no("app", json!({"verbose": -1}), "verbose: out of range")
        .no("app", json!({"verbose": 1_000_000_000_000_u64}), "verbose: out of range")
        .no("app", json!({"verbose": "three"}), "verbose: not a whole number")
        .no("app", json!({"verbose": 1.5}), "verbose: not a whole number");
}

#[test]
fn numbers_keep_every_digit() {
    let tree = Command::new("app").args([
        opt("big").value_parser(value_parser!(i64)),
        opt("huge").value_parser(value_parser!(u64)),
        opt("small").value_parser(value_parser!(u8).range(1..=10)),
        opt("ratio").value_parser(value_parser!(f64)),
        Arg::new("level").short('L').value_parser(value_parser!(i8)),
    ]);
    Table::new(tree)
        .ok("app", json!({"big": 1_000_000}), "--big=1000000")
        .ok("app", json!({"big": 1e6}), "--big=1000000")
        .ok("app", json!({"big": 3.0}), "--big=3")
        .ok("app", json!({"big": "5"}), "--big=5")
        .ok("app", json!({"big": 9_007_199_254_740_993_i64}), "--big=9007199254740993")
        .ok("app", json!({"big": i64::MIN}), "--big=-9223372036854775808")
        .ok("app", json!({"huge": u64::MAX}), "--huge=18446744073709551615")
        .ok("app", json!({"small": 10, "L": -5}), "--small=10 -L=-5")
        .ok("app", json!({"ratio": 1e6}), "--ratio=1000000")
        .ok("app", json!({"ratio": 1e-7}), "--ratio=0.0000001")
        .ok("app", json!({"ratio": -2}), "--ratio=-2")
        .ok("app", json!({"ratio": "-2.50"}), "--ratio=-2.50")
        .no("app", json!({"big": 1.5}), "big: not a whole number; expected a whole number")
        .no(
            "app",
            json!({"big": 9_007_199_254_740_992.0}),
            "big: too large to be exact as a float; expected all its digits, in quotes",
        )
        .no("app", json!({"big": 1e300}), "big: too large to be exact as a float")
        .no("app", json!({"big": "three"}), "big: not a whole number")
        .no("app", json!({"big": " 5"}), "big: not a whole number")
        .no("app", json!({"big": true}), "big: a boolean where a whole number is taken")
        .no("app", json!({"big": ""}), "big: not a whole number")
        .no("app", json!({"huge": -1}), "huge: out of range")
        .no("app", json!({"small": 11}), "small: out of range; expected a whole number from 1 to 10")
        .no("app", json!({"ratio": "many"}), "ratio: not a number; expected a number");
}

#[test]
fn texts_arrive_as_they_are() {
    let tree = Command::new("app").args([
        opt("text"),
        Arg::new("short").short('s'),
        opt("dir").value_parser(value_parser!(PathBuf)),
        opt("raw").value_parser(value_parser!(OsString)),
        opt("yes").action(ArgAction::SetTrue),
    ]);
    let table = Table::new(tree);
    for text in [
        "",
        " ",
        "-",
        "--",
        "-x",
        "--yes",
        "--yes=true",
        "a=b",
        "=",
        "a,b",
        "\"'",
        "line\nbreak",
        "日本",
        "null",
        "[\"a\"]",
        "{}",
    ] {
        for (name, flag) in [("text", "--text"), ("s", "-s"), ("dir", "--dir"), ("raw", "--raw")] {
            if (name, text) == ("dir", "") {
                table.no("app", json!({"dir": ""}), "dir: needs a value; expected a path");
                continue;
            }
            let proved = table.call("app", &json!({name: text}), &[]).unwrap();
            assert_eq!(proved.argv(), [OsString::from(format!("{flag}={text}"))]);
        }
    }
    let long = "x".repeat(100_000);
    assert_eq!(table.call("app", &json!({"text": long}), &[]).unwrap().argv().len(), 1);
    table
        .ok("app", json!({"text": 5, "dir": -5}), "--text=5 --dir=-5")
        .no("app", json!({"text": "a\0b"}), "text: holds a NUL character")
        .no("app", json!({"text": 1.10}), "text: a fraction may lose digits as text; expected it in quotes")
        .no("app", json!({"text": true}), "text: a boolean where a string is taken; expected a string")
        .no(
            "app",
            json!({"text": {"a": 1}}),
            "text: an object can't be passed on a command line; expected a string; JSON only",
        )
        .no("app", json!({"text": ["a"]}), "text: a list where one value is taken")
        .no("app", json!({"text": "x".repeat(131_072)}), "text: 131072 bytes, more than the operating system passes");
}

#[test]
fn booleans_are_written_out() {
    let tree = Command::new("app").arg(opt("enabled").value_parser(value_parser!(bool)));
    Table::new(tree)
        .ok("app", json!({"enabled": true}), "--enabled=true")
        .ok("app", json!({"enabled": false}), "--enabled=false")
        .ok("app", json!({"enabled": "False"}), "--enabled=false")
        .no("app", json!({"enabled": 1}), "enabled: not a boolean; expected true or false")
        .no("app", json!({"enabled": "yes"}), "enabled: not a boolean");
}

#[test]
fn choices_are_a_closed_set() {
    let choices = [
        PossibleValue::new("fast"),
        PossibleValue::new("slow").alias("lazy"),
        PossibleValue::new("10"),
        PossibleValue::new("internal").hide(true),
    ];
    let tree = Command::new("app").args([
        opt("mode").visible_alias("kind").value_parser(choices.clone()),
        opt("loose").value_parser(choices).ignore_case(true),
    ]);
    Table::new(tree)
        .ok("app", json!({"mode": "fast"}), "--mode=fast")
        .ok("app", json!({"kind": "lazy"}), "--mode=lazy")
        .ok("app", json!({"mode": 10, "loose": "SLOW"}), "--mode=10 --loose=SLOW")
        .no(
            "app",
            json!({"mode": "fasst"}),
            "mode: not an allowed value; expected one of the allowed values; did you mean `fast`?",
        )
        .no("app", json!({"mode": "FAST"}), "mode: not an allowed value")
        .no("app", json!({"mode": ""}), "mode: not an allowed value")
        .no("app", json!({"mode": "internal"}), "mode: not an allowed value");
    let tree = Command::new("app").arg(opt("mode").value_parser(["fast", "slow"]));
    let refusal = Table::new(tree).call("app", &json!({"mode": "quick"}), &[]).unwrap_err();
    assert_eq!(refusal.problems[0].allowed, ["fast", "slow"]);
    assert_eq!(refusal.problems[0].given.as_deref(), Some("\"quick\""));
}

#[test]
fn optional_values_are_a_value_or_true() {
    let tree = Command::new("app").args([
        opt("tint")
            .value_parser(["auto", "always"])
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("always"),
        opt("shade").value_parser(value_parser!(u8)).num_args(0..=1).default_missing_value("5"),
        Arg::new("note").short('n').num_args(0..=1),
        opt("flag").value_parser(value_parser!(bool)).num_args(0..=1).default_missing_value("true"),
        Arg::new("file"),
    ]);
    Table::new(tree)
        .ok("app", json!({"tint": true}), "--tint")
        .ok("app", json!({"tint": "auto"}), "--tint=auto")
        .ok("app", json!({"shade": true, "file": "7"}), "--shade -- 7")
        .ok("app", json!({"shade": 7, "file": "-7"}), "--shade=7 -- -7")
        .ok("app", json!({"shade": "true"}), "--shade")
        .ok("app", json!({"n": true, "shade": true, "tint": true}), "--shade -n --tint")
        .ok("app", json!({"n": ""}), "-n=")
        .ok("app", json!({"n": "true"}), "-n=true")
        .ok("app", json!({"flag": true}), "--flag=true")
        .ok("app", json!({"flag": false}), "--flag=false")
        .no(
            "app",
            json!({"tint": false}),
            "tint: false could mean two things; expected nothing to leave it out, true for the bare flag",
        )
        .no("app", json!({"tint": "never"}), "tint: not an allowed value")
        .no("app", json!({"shade": 256}), "shade: out of range");
}

#[test]
fn a_parser_of_the_authors_own_has_the_last_word() {
    let even = value_parser!(i64).try_map(|number| if number % 2 == 0 { Ok(number) } else { Err("not even") });
    let tree = Command::new("app").args([
        opt("even").value_parser(even),
        opt("name").value_parser(NonEmptyStringValueParser::new()),
        opt("boom").value_parser(|text: &str| -> Result<String, String> {
            assert!(text != "boom", "the author's bug");
            Ok(text.into())
        }),
    ]);
    let table = Table::new(tree);
    table
        .ok("app", json!({"even": "4"}), "--even=4")
        .no("app", json!({"even": "5"}), "even: not accepted: not even")
        .no("app", json!({"name": ""}), "name: needs a value")
        .no(
            "app",
            json!({"boom": "boom"}),
            "the CLI's own argument parser crashed on these arguments: the author's bug",
        )
        .ok("app", json!({"boom": "fine"}), "--boom=fine");
}
