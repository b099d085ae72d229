//! What looks like an attack and is a value: it runs as exactly that value, and sets nothing else.

use super::run::{Server, Way};
use super::tree::tree;
use crate::trees::reader::{self, Set};
use clap_facade::catalog::Effect;
use clap_facade::surface::Choice;
use serde_json::{Map, Value, json};

/// A call of `add`, `get` or another command, and what its argv must set: `true` for a switch, a number for a count.
type Row = (&'static str, Value, Option<Value>, Value);

/// Texts that mean something to a shell, to clap, to a terminal or to this server, and nothing to a value.
const TEXTS: &[&str] = &[
    "--yes",
    "--config=/x",
    "-yq",
    "-y",
    "--",
    "-",
    "--conf",
    "--no-errexit",
    "-c/x",
    "=x",
    "@/etc/passwd",
    "-5",
    "--help",
    "-V",
    "drift",
    "help",
    "$(id)",
    "`id`",
    "a; rm -rf /",
    "a\n--yes",
    "\u{1b}[2J\u{7}",
    "\r",
    "‐‐yes",
    "\u{202e}sey--",
    "",
    " ",
    "\"quoted\" 'twice'",
    "a\\",
    "*",
    "~",
    "../../etc/passwd",
    "null",
    "None",
    "true",
    "[\"a\"]x",
    "{\"yes\":true}",
    "a,b",
    "%s%n",
    "${HOME}",
];

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for text in TEXTS {
        let all = json!({ "title": text, "more": text, "note": text, "tag": [text, text], "x": text });
        rows.push(("add", all.clone(), None, all));
        rows.push(("add", json!({}), Some(json!([text, text])), json!({ "title": text, "more": text })));
        for (command, flags) in [
            ("set", json!({ "key": text, "value": text, "dashes": text })),
            ("remove", json!({ "keys": [text, "k", text] })),
            ("each", json!({ "words": ["w", text, text] })),
            ("capabilities", json!({ "topic": text })),
            ("list", json!({ "output": text })),
        ] {
            rows.push((command, flags.clone(), None, flags));
        }
    }
    rows.extend([
        ("add", json!({ "title": "t", "no-errexit": true }), None, json!({ "title": "t", "exit_on_error": true })),
        ("add", json!({ "title": "t", "no-errexit": false }), None, json!({ "title": "t" })),
        (
            "add",
            json!({ "title": "t", "force": "true", "verbose": "3" }),
            None,
            json!({ "title": "t", "force": true, "verbose": 3 }),
        ),
        ("add", json!({ "title": "t", "color": true }), None, json!({ "title": "t", "color": "always" })),
        (
            "add",
            json!({ "title": "t", "count": -9_007_199_254_740_993_i64 }),
            None,
            json!({ "title": "t", "count": "-9007199254740993" }),
        ),
        ("add", json!({ "title": "t", "ratio": 1e6 }), None, json!({ "title": "t", "ratio": "1000000" })),
        (
            "add",
            json!({ "title": "t", "fields": "a,,--yes" }),
            None,
            json!({ "title": "t", "fields": ["a", "", "--yes"] }),
        ),
        ("add", json!({ "title": "t", "note": null, "tag": null }), None, json!({ "title": "t" })),
        ("point", json!({ "at": [-1, "-2"] }), None, json!({ "at": ["-1", "-2"] })),
        ("get", json!({}), Some(json!("'a b; $(id) -y'")), json!({ "key": "a b; $(id) -y" })),
        ("get", json!({}), Some(json!("a\\")), json!({ "key": "a\\" })),
        ("get", json!({}), Some(json!("-5")), json!({ "key": "-5" })),
    ]);
    rows
}

fn as_json(set: Set) -> Value {
    match set {
        Set::Passed => true.into(),
        Set::Counted(times) => times.into(),
        Set::To(values) => match values.as_slice() {
            [one] => one.to_str().unwrap().into(),
            many => many.iter().map(|value| Value::from(value.to_str().unwrap())).collect(),
        },
    }
}

#[tokio::test]
async fn what_is_a_value_stays_one_on_every_surface() {
    let mut tree = tree();
    tree.build();
    let servers = Way::ALL.map(|way| (way, Server::new(way.surface())));
    for (command, flags, args, expected) in rows() {
        let mut said = None;
        for (way, server) in &servers {
            let operation = server.pipeline.catalog().find(command).unwrap().clone();
            // The mirror has no line of positionals, and in a workflow a placeholder is one.
            let is_other = match way {
                Way::Run => false,
                Way::Read => !operation.is_read_only(),
                Way::Step => format!("{flags}{args:?}").contains("${"),
                Way::Mirror => matches!(args, Some(Value::String(_))),
            };
            if is_other {
                continue;
            }
            let (tool, arguments) = way.spell(&server.pipeline, command, &flags, args.as_ref());
            let answer = server.call(&tool, arguments).await;
            let jobs = server.recorder.take();
            let [job] = jobs.as_slice() else {
                panic!("{command} {flags} by {way:?}: {} jobs: {answer:?}", jobs.len())
            };
            let mut values = job.proved.invocation().to_json();
            if *way == Way::Step && job.effect > Effect::ReadOnly {
                assert_eq!(values.shift_remove("yes"), Some(true.into()), "the workflow's gate");
            }
            // What the first way makes of it is read back by a parse of its own; the others make the same of it.
            match &said {
                Some(said) => assert_eq!(said, &values, "{command} {flags} by {way:?}"),
                None => {
                    assert_eq!(reader::path(&tree, &job.proved), operation.path, "{:?}", job.proved.argv());
                    let set = reader::settings(&tree, &job.proved).into_iter();
                    let mut set: Map<_, _> = set.map(|((_, id), value)| (id, as_json(value))).collect();
                    assert_eq!(set.remove("agent"), Some(true.into()), "the host's flag");
                    assert_eq!(
                        sorted(set),
                        sorted(expected.as_object().unwrap().clone()),
                        "{command} {flags} by {way:?}"
                    );
                    said = Some(values);
                }
            }
        }
    }
}

fn sorted(map: Map<String, Value>) -> Map<String, Value> {
    let mut entries: Vec<_> = map.into_iter().collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.into_iter().collect()
}

/// A path whose words are spelled with other separators or letters, or by an alias, is the same command with the same effect.
#[tokio::test]
async fn another_spelling_of_a_command_is_the_same_command() {
    let server = Server::new(Choice::Facade);
    for (said, meant) in [
        ("app get", "get"),
        ("GET", "get"),
        ("-- get", "get"),
        ("../get", "get"),
        ("show", "get"),
        ("tags_audit", "tags audit"),
        ("tags.audit", "tags audit"),
        ("tags/audit", "tags audit"),
        (" tags   audit ", "tags audit"),
        ("app tags audit", "tags audit"),
        ("by-cell list", "by-cell list"),
        ("by_cell list", "by_cell list"),
    ] {
        let params = if meant == "get" { json!(["k"]) } else { json!([]) };
        let answer = server.call("command_run", json!({ "name": said, "args": params })).await;
        let jobs = server.recorder.take();
        let [job] = jobs.as_slice() else { panic!("{said}: {answer:?}") };
        assert_eq!(job.proved.invocation().operation().name, meant, "{said}");
        let answer = server.call("command_read", json!({ "name": said, "args": params })).await;
        assert!(answer.is_ok(), "{said}: {answer:?}");
        server.recorder.take();
    }
}
