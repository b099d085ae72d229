//! Flags smuggled in: by values, by positionals, by the string of positionals, by names.

use super::{Case, bad, bad_args};
use serde_json::json;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = by_values();
    cases.extend(by_positionals());
    cases.extend(by_line());
    cases.extend(by_wrapping());
    cases
}

/// A switch, a number or a choice whose text is another flag.
fn by_values() -> Vec<Case> {
    let with = |param: &str, value: serde_json::Value| json!({ "title": "t", param: value });
    vec![
        bad("a switch given a flag", "add", with("force", json!("--config=/x")), "force", "not a boolean"),
        bad("a switch given a gate", "add", with("force", json!("--yes")), "force", "not a boolean"),
        bad("a switch given a cluster", "add", with("force", json!("-yq")), "force", "not a boolean"),
        bad("a switch given a value and a flag", "add", with("force", json!("true --yes")), "force", "not a boolean"),
        bad("a switch given an equals form", "add", with("force", json!("=true --yes")), "force", "not a boolean"),
        bad("a switch given a list of flags", "add", with("force", json!(["--yes"])), "force", "not a boolean"),
        bad("a switch given an object", "add", with("force", json!({"yes": true})), "force", "not a boolean"),
        bad("a gate given a flag", "add", with("yes", json!("--allow-destructive")), "yes", "not a boolean"),
        bad("a gate given a word", "add", with("yes", json!("please")), "yes", "not a boolean"),
        bad("a gate given a number", "add", with("dry-run", json!(0)), "dry-run", "not a boolean"),
        bad("a dry run that is said with a word", "add", with("dry-run", json!("no")), "dry-run", "not a boolean"),
        bad("a number with a flag behind it", "add", with("count", json!("5 --yes")), "count", "not a whole number"),
        bad("a number that is a flag", "add", with("count", json!("--yes")), "count", "not a whole number"),
        bad("a number and a line break", "add", with("count", json!("5\n--yes")), "count", "not a whole number"),
        bad("a number with an equals sign", "add", with("count", json!("=5")), "count", "not a whole number"),
        bad("a float with a flag behind it", "add", with("ratio", json!("1.5 -y")), "ratio", "not a number"),
        bad("a boolean option given a flag", "add", with("plain", json!("--yes")), "plain", "not a boolean"),
        bad("a choice that is a flag", "add", with("kind", json!("--yes")), "kind", "not an allowed value"),
        bad("a choice with a flag behind it", "add", with("kind", json!("book --yes")), "kind", "not an allowed value"),
        bad("a choice of another case", "add", with("kind", json!("BOOK")), "kind", "not an allowed value"),
        bad("a choice with a space", "add", with("kind", json!("book ")), "kind", "not an allowed value"),
        bad("a choice by its start", "add", with("kind", json!("boo")), "kind", "not an allowed value"),
        bad("a choice in fullwidth letters", "add", with("kind", json!("ｂｏｏｋ")), "kind", "not an allowed value"),
        bad("a count given a flag", "add", with("verbose", json!("-y")), "verbose", "not a whole number"),
        bad("a count given its own letters", "add", with("verbose", json!("vvv")), "verbose", "not a whole number"),
        bad("a list as one text with a flag in it", "point", json!({"at": "1 --yes"}), "at", ""),
        bad("a pair with a flag in it", "point", json!({"at": [1, "--yes"]}), "at", "item 1: not a whole number"),
        bad("a delimited item with a delimiter", "add", with("fields", json!(["a,--yes"])), "fields", "holds `,`"),
        bad("a switch of a positional's name", "add", json!({"title": true}), "title", "a boolean"),
        bad("an object for a text", "add", with("note", json!({"--yes": true})), "note", "an object"),
        bad("a list for a text", "add", with("note", json!(["--yes"])), "note", "a list"),
        bad("an item that is an object", "add", with("tag", json!([{"yes": true}])), "tag", "item 0: an object"),
        bad("an item that is a list", "add", with("tag", json!([["a", "--yes"]])), "tag", "item 0: a list"),
        bad("an item that is null", "add", with("tag", json!([null])), "tag", "item 0: null"),
    ]
}

/// A positional that would be a flag, a child command or one too many.
fn by_positionals() -> Vec<Case> {
    vec![
        bad_args("a positional too many", "add", json!(["t", "m", "--yes"]), "args", "too many positionals"),
        bad_args("positionals for a command without", "list", json!(["--output=/x"]), "args", "too many positionals"),
        bad_args("a hidden child as a positional too many", "get", json!(["a", "drift"]), "args", "too many"),
        bad_args("a separator and a flag too many", "add", json!(["t", "m", "--", "--yes"]), "args", "too many"),
        bad_args("a positional that is null", "get", json!([null]), "key", "null"),
        bad_args("a positional that is an object", "get", json!([{"yes": true}]), "key", "an object"),
        bad_args("a positional that is a list", "get", json!([["a", "--yes"]]), "key", "a list"),
        bad_args("a positional that is true", "get", json!([true]), "key", "a boolean"),
        bad_args("a positional with a NUL", "get", json!(["a\u{0}--yes"]), "key", "NUL"),
        bad_args("no positional at all", "get", json!([]), "key", "missing"),
        bad("a positional twice", "get", json!({"key": "a", "KEY": "b"}), "KEY", "unknown param"),
        bad("a positional under its number", "get", json!({"1": "a"}), "1", "unknown param"),
        bad("a positional under its value's name", "get", json!({"<KEY>": "a"}), "<KEY>", "unknown param"),
        bad("positionals by name and in order", "get", json!({"key": "a", "args": ["b"]}), "key", "given both"),
        bad("a positional in order and a gap", "set", json!({"value": "v"}), "key", "missing"),
    ]
}

/// The one string of positionals: what a shell would make a flag of.
fn by_line() -> Vec<Case> {
    let line = |name, line: &str, says| bad_args(name, "get", json!(line), "args", says);
    vec![
        line("a line with a flag", "a --yes", "starts with a dash"),
        line("a line that is a flag", "--yes", "starts with a dash"),
        line("a line with a flag and its value", "--config=/x a", "starts with a dash"),
        line("a line with a short flag", "a -y", "starts with a dash"),
        line("a line with a cluster", "-yqc/x", "starts with a dash"),
        line("a line with a quoted flag", "'--yes'", "starts with a dash"),
        line("a line with a flag in pieces", "-'-y'es", "starts with a dash"),
        line("a line with an escaped flag", "\\-\\-yes", "starts with a dash"),
        line("a line with a separator", "a -- --yes", "starts with a dash"),
        line("a line with a separator alone", "--", "starts with a dash"),
        line("a line with a flag on its next line", "a\n--yes", "starts with a dash"),
        line("a line with a flag behind a tab", "a\t--yes", "starts with a dash"),
        line("a line with a quote that does not end", "'a", "shell-quoted"),
        line("a line with a double quote that does not end", "\"a --yes", "shell-quoted"),
        line("a line of too many words", "a b", "too many positionals"),
        line("a line with another command behind it", "a; rm b", "too many positionals"),
        line("a line with a pipe", "a | sh", "too many positionals"),
        line("a line of nothing", "", ""),
        line("a line of spaces", "  ", ""),
        line("a line with an empty word too many", "a ''", "too many positionals"),
        line("a line with a NUL", "'a\u{0}'", ""),
    ]
    .into_iter()
    .map(|case| match case.says {
        // Without a word there is a positional missing; a word may also be none that a command line can carry.
        "" => Case { about: "key", ..case },
        _ => case,
    })
    .collect()
}

/// Arguments one level too deep or too high, where a gate or a flag would get lost or slip in.
fn by_wrapping() -> Vec<Case> {
    let deep = json!({"flags": {"flags": {"flags": {"flags": {"title": "t"}}}}});
    vec![
        bad("arguments wrapped four times", "add", deep, "flags", "unknown param"),
        bad(
            "a gate in a wrapper of its own",
            "add",
            json!({"title": "t", "gates": {"yes": true}}),
            "gates",
            "one level up",
        ),
        bad("a flag in a wrapper", "add", json!({"title": "t", "flags": {"config": "/x"}}), "config", "unknown param"),
        bad(
            "a title twice over a wrapper",
            "add",
            json!({"title": "t", "flags": {"title": "u"}}),
            "title",
            "given twice",
        ),
        bad("argv as a param", "add", json!({"title": "t", "argv": ["--yes"]}), "argv", "unknown param"),
        bad(
            "extra arguments as a param",
            "add",
            json!({"title": "t", "extra_args": "--yes"}),
            "extra_args",
            "unknown param",
        ),
        bad("raw as a param", "add", json!({"title": "t", "raw": "--yes"}), "raw", "unknown param"),
        bad("stdin as a param", "add", json!({"title": "t", "stdin": "x"}), "stdin", "unknown param"),
        bad("the environment as a param", "add", json!({"title": "t", "env": {"PATH": "/x"}}), "env", "unknown param"),
        bad("the folder as a param", "add", json!({"title": "t", "cwd": "/"}), "cwd", "unknown param"),
        bad(
            "the command as a param",
            "add",
            json!({"title": "t", "subcommand": "remove"}),
            "subcommand",
            "unknown param",
        ),
    ]
}
