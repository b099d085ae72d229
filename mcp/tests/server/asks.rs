//! A command that asks: what its caller is told to do.

use super::caller;
use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::exec::{Limits, Subprocess};
use clap_facade::refusal::Kind;
use serde_json::json;
use std::time::Duration;

fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// Calls `wipe` of a tree whose root and command have these switches, and returns the hint.
async fn hint(root: &[&'static str], own: &[&'static str], set: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let wipe = Command::new("wipe").args(own.iter().map(|name| switch(name)));
    let tree =
        Command::new("tiny").subcommand_required(true).args(root.iter().map(|name| switch(name))).subcommand(wipe);
    let shell = Subprocess::new("/bin/sh").fixed_args(["-c", "printf 'Sure? [y/N] '; sleep 300", "sh"]);
    let limits = Limits { silence: Some(Duration::from_millis(200)), ..Limits::default() };
    let facade = Facade::new(tree).executor(shell).limits(limits).audit(folder.path().join("audit.jsonl"));
    let flags: serde_json::Map<_, _> = set.iter().map(|name| ((*name).to_owned(), true.into())).collect();
    let arguments = json!({ "name": "wipe", "flags": flags }).as_object().unwrap().clone();
    let refusal = facade.build().unwrap().call("command_run", arguments, &caller()).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::NeedsInput, "{refusal}");
    assert!(refusal.message.contains("`Sure? [y/N]`"), "{refusal}");
    refusal.hint.unwrap()
}

#[tokio::test]
async fn the_caller_is_told_the_flag_that_keeps_a_command_from_asking() {
    assert!(hint(&[], &["all", "yes"], &[]).await.contains("`yes: true`"));
    assert!(hint(&[], &["force", "no-input"], &[]).await.contains("`no-input: true`"), "the mildest");
    assert!(hint(&[], &["yes", "force"], &["yes"]).await.contains("`force: true`"), "what is set does not help");
    assert!(hint(&["non-interactive"], &["all"], &[]).await.contains("inject = [\"--non-interactive\"]"));
    assert!(hint(&["verbose"], &["all"], &[]).await.contains("no param"));
}
