//! The verbs, each through the public API: what it prints, and how it ends.
#![cfg(feature = "stdio")]
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod doctor;
mod explain;
mod export;
mod install;
mod lint;
mod lock;
mod operator;
mod readme;
mod renamed;
mod tools;
#[path = "../trees/mod.rs"]
mod trees;
mod ways_in;

use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::annotate::{destructive, read_only};
use clap_facade::verbs::{Launch, VerbError};
use std::path::PathBuf;
use std::process::ExitCode;

/// A small CLI with every effect, a gate, a hidden command and a secret.
fn notes() -> Command {
    let dry_run = Arg::new("dry-run").long("dry-run").global(true).action(ArgAction::SetTrue).help("Only show");
    Command::new("notes")
        .version("1.2.3")
        .about("Keeps notes")
        .subcommand_required(true)
        .arg(dry_run)
        .subcommand(
            Command::new("list")
                .about("List notes")
                .add(read_only().mutating_when("output"))
                .arg(
                    Arg::new("limit")
                        .long("limit")
                        .value_parser(clap::value_parser!(u16))
                        .default_value("20")
                        .help("Most notes shown"),
                )
                .arg(Arg::new("output").long("output").help("Write to a file"))
                .arg(Arg::new("tag").long("tag").action(ArgAction::Append).help("Only with the tag")),
        )
        .subcommand(
            Command::new("add")
                .about("Add a note")
                .arg(Arg::new("title").required(true).help("Its title"))
                .arg(Arg::new("kind").long("kind").value_parser(["idea", "task"]).help("What it is")),
        )
        .subcommand(
            Command::new("purge").about("Delete notes for good").add(destructive()).arg(Arg::new("id").required(true)),
        )
        .subcommand(Command::new("debug").hide(true))
}

fn facade(command: Command) -> Facade {
    // No call may land in anybody's audit.
    Facade::new(command).audit("/dev/null")
}

/// Runs a verb as the second binary does, and returns how it ended and what it printed.
fn run(facade: Facade, words: &[&str]) -> (Result<ExitCode, VerbError>, String) {
    let line = ["notes-mcp"].iter().chain(words);
    let matches = facade.parse(line).unwrap_or_else(|error| panic!("{error}"));
    let launch = Launch {
        program: PathBuf::from("/opt/bin/notes-mcp"),
        before: Vec::new(),
        options: Vec::new(),
        behind: Vec::new(),
    };
    let mut out = Vec::new();
    let ended = facade.execute(&matches, launch, &mut out);
    (ended, String::from_utf8(out).unwrap())
}

/// Runs a verb that must succeed.
fn print(facade: Facade, words: &[&str]) -> String {
    let (ended, out) = run(facade, words);
    assert_eq!(ended.unwrap(), ExitCode::SUCCESS, "{out}");
    out
}
