//! What clap enforces between params, in the operation's own names.

use super::table::Table;
use clap::{Arg, ArgAction, ArgGroup, Command};
use clap_facade::refusal::Kind;
use serde_json::json;

fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn opt(name: &'static str) -> Arg {
    Arg::new(name).long(name)
}

#[test]
fn conflicts_and_requirements_name_both_sides() {
    let tree = Command::new("app").args([
        switch("json").conflicts_with("yaml"),
        switch("yaml"),
        opt("sign").requires("key"),
        Arg::new("key").short('k').value_name("FILE"),
        opt("url").required_unless_present("all"),
        switch("all").exclusive(true),
    ]);
    let table = Table::new(tree);
    table
        .ok("app", json!({"json": true, "url": "u"}), "--json --url=u")
        .ok("app", json!({"all": true}), "--all")
        .no("app", json!({"json": true, "yaml": true, "url": "u"}), "conflicts with `")
        .no("app", json!({"sign": "me", "url": "u"}), "k: missing; expected a string")
        .no("app", json!({"json": true}), "url: missing; expected a string")
        .no(
            "app",
            json!({"all": true, "json": true}),
            "all: can't be given together with any other param; expected it alone",
        );
    let refusal = table.call("app", &json!({"sign": "me", "url": "u"}), &[]).unwrap_err();
    assert_eq!(refusal.kind, Kind::InvalidParams);
    assert!(!refusal.to_string().contains("Usage"), "{refusal}");
}

#[test]
fn groups_name_their_members() {
    let tree = Command::new("app")
        .args([opt("by-name"), opt("by-id"), Arg::new("file"), switch("deep")])
        .group(ArgGroup::new("selector").args(["by-name", "by-id", "file"]).required(true));
    let table = Table::new(tree);
    table
        .ok("app", json!({"by-id": "7", "deep": true}), "--by-id=7 --deep")
        .no("app", json!({"by-id": "7", "by-name": "n"}), "conflicts with `by-")
        .no("app", json!({"deep": true}), "expected one of `by-name`, `by-id`, `file`");
    let refusal = table.call("app", &json!({}), &[]).unwrap_err();
    assert_eq!(refusal.problems[0].allowed, ["by-name", "by-id", "file"]);
}

#[test]
fn what_overrides_another_is_a_conflict() {
    let tree = Command::new("app").args([
        switch("color").overrides_with("no-color"),
        switch("no-color"),
        opt("tag").action(ArgAction::Append).overrides_with("tag"),
        opt("name").overrides_with("name"),
    ]);
    Table::new(tree)
        .ok("app", json!({"color": true, "tag": ["a"], "name": "n"}), "--color --tag=a --name=n")
        .no(
            "app",
            json!({"color": true, "no-color": true}),
            "color: another param of this call overrides it; expected only one of the two",
        )
        .no("app", json!({"tag": ["a", "b"]}), "tag: each item overrides the one before it; expected at most 1 items");
}

#[test]
fn what_only_the_host_can_give_is_not_named() {
    let tree = Command::new("app").args([
        switch("go").requires("token"),
        opt("token").hide(true),
        switch("stop").conflicts_with("agent"),
        switch("agent"),
    ]);
    let table = Table::new(tree);
    table.no("app", json!({"go": true}), "an argument that only the host can give is missing").no(
        "app",
        json!({"stop": true}),
        "stop: conflicts with what the host sets",
    );
    for params in [json!({"go": true}), json!({"stop": true})] {
        let text = table.call("app", &params, &[]).unwrap_err().to_json().to_string();
        assert!(!text.contains("token") && !text.contains("agent"), "{text}");
    }
}
