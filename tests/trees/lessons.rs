//! The faults seen in shipped bridges, each as calls that must not go wrong here.

use super::table::Table;
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::json;

fn tree() -> Command {
    let switch = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("app")
        .subcommand_required(true)
        .args([switch("yes").short('y').global(true), switch("quiet").short('q').global(true)])
        .args([Arg::new("config").long("config").global(true), switch("dry-run").global(true)])
        .subcommand(
            Command::new("add")
                .arg(Arg::new("title").required(true))
                .arg(Arg::new("count").long("count").value_parser(value_parser!(i64)))
                .arg(Arg::new("tag").long("tag").action(ArgAction::Append))
                .arg(Arg::new("note").long("note"))
                .arg(Arg::new("fields").long("fields").value_delimiter(','))
                .arg(Arg::new("destination").long("dest"))
                .arg(Arg::new("token").long("token").env("CLAP_FACADE_SUITE_TOKEN").hide_env_values(true))
                .arg(switch("force")),
        )
}

#[test]
fn no_value_smuggles_a_flag() {
    let table = Table::new(tree());
    table
        .ok("add", json!({"title": "--config=/x", "note": "--config=/x"}), "add --note=--config=/x -- --config=/x")
        .ok("add", json!({"title": "-yq", "note": "-yq"}), "add --note=-yq -- -yq")
        .ok("add", json!({"title": "--conf", "note": "x --config=/x"}), r#"add "--note=x --config=/x" -- --conf"#)
        .no("add", json!({"title": "t", "force": "--config=/x"}), "force: not a boolean")
        .no("add", json!({"title": "t", "count": "5 --yes"}), "count: not a whole number");
}

#[test]
fn unknown_names_are_refused_with_the_valid_ones() {
    let table = Table::new(tree());
    table
        .no("add", json!({"title": "t", "config": "/x"}), "config: unknown param; expected a param of `add`")
        .no("add", json!({"title": "t", "quiet": true}), "quiet: unknown param")
        .no(
            "add",
            json!({"title": "t", "dryrun": true}),
            "dryrun: unknown param; expected a param of `add`; did you mean `dry-run`?",
        )
        .no("add", json!({"title": "t", "destination": "x"}), "destination: unknown param")
        .no("add", json!({"title": "t", "tags": ["a"]}), "did you mean `tag`?")
        .no(
            "add",
            json!({"title": "t", "gates": {"dry_run": true}}),
            "gates: unknown param; expected its params one level up",
        );
    let refusal = table.call("add", &json!({"ttle": 1, "cuont": 2}), &[]).unwrap_err();
    let names: Vec<_> = refusal.problems.iter().map(|problem| problem.param.as_str()).collect();
    assert_eq!(names, ["ttle", "cuont", "title"]);
    assert!(refusal.problems[0].allowed.contains(&"dry-run".to_owned()));
    assert!(refusal.problems[1].allowed.is_empty(), "the list is the same");
}

#[test]
fn every_problem_is_reported_at_once() {
    let call = json!({"count": 1.5, "tag": [null], "force": "yes", "nope": 1, "note": {"a": 1}});
    let refusal = Table::new(tree()).call("add", &call, &[]).unwrap_err();
    let mut names: Vec<_> = refusal.problems.iter().map(|problem| problem.param.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["count", "force", "nope", "note", "tag", "title"]);
}

#[test]
fn what_models_send_is_taken_where_it_has_one_reading() {
    Table::new(tree())
        .ok("add", json!({"flags": {"title": "t", "dry_run": true}}), "add --dry-run -- t")
        .ok("add", json!({"arguments": {"flags": {"title": "t"}}, "force": true}), "add --force -- t")
        .ok(
            "add",
            json!({"title": "t", "count": "5", "force": "true", "tag": "[\"a\"]"}),
            "add --count=5 --tag=a --force -- t",
        )
        .ok("add", json!({"--title": "t", "dry-run": null}), "add -- t")
        .ok("add", json!({"title": 2024, "dest": "x"}), "add --dest=x -- 2024")
        .no("add", json!({"title": "t", "flags": {"title": "u"}}), "title: given twice")
        .no("add", json!({"title": "t", "dry_run": true, "dry-run": false}), "dry-run: given twice, also as `dry_run`")
        .no("add", json!({"title": "t", "flags": {"nope": 1}}), "nope: unknown param");
}

#[test]
fn values_are_neither_dropped_nor_printed_in_another_language() {
    Table::new(tree())
        .ok("add", json!({"title": "", "note": ""}), r#"add --note= -- """#)
        .ok("add", json!({"title": "None", "note": null}), "add -- None")
        .ok("add", json!({"title": "t", "count": 1_000_000}), "add --count=1000000 -- t")
        .ok("add", json!({"title": "t", "tag": ["a,b", "c"]}), "add --tag=a,b --tag=c -- t")
        .no("add", json!({"title": "t", "fields": ["a,b"]}), "fields: item 0: holds `,`")
        .no("add", json!({"title": "t", "note": {"a": 1}}), "note: an object can't be passed");
}
