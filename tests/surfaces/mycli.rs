//! mycli as agents see it: every command, its effect, and what a caller may set.

use super::{command_bytes, cost, golden, lines, measure, profile};
use crate::server::{MYCLI_MCP, Setup};
use crate::session::Era;
use clap_facade::catalog::{Catalog, Effect, Operation, Settings};
use clap_facade::invocation::Invocation;
use clap_facade::refusal::Kind;
use clap_facade::surface::Choice;
use serde_json::{Map, Value, json};

/// Every command that agents reach, and its effect: `R` reads, `W` changes, `D` destroys, `W?x` changes with `--x`.
const COMMANDS: &str = "
items: list R, get R, add W, edit W, find R, recent R, stale R, similar R, missing-pdf R, audit R, cite R,
  bibliography R, bibcheck R, enrich W, trash W, restore W, delete D, move W, duplicates R, duplicates resolve D,
  tags add W, tags remove W, attachments list R, attachments add W, attachments check R
collections: list R, get R, tree R, stats R, gaps R, create W, rename W, move W, delete D, add W, remove W
tags: list R, inventory R, audit R, audit fix W, rename W, merge W, delete W
creators: list R, audit R, rename W
notes: list R, get R, add W, edit W, delete D
reading-list: show R, add W, start W, done W, remove W
searches: list R, save W, run R, delete W
import: file W, doi W, scan R
export: bibtex W?output, ris W?output, csl-json W?output, markdown W?output
library: stats R, health W?fix, snapshot create W, snapshot verify R, compact W
journal: list R, show R, undo W
workflow: status R, archive W
schema: item-types R, fields R, exit-codes R
: search R, capabilities R, doctor R, demo W, init W
";

const OUTPUT: [&str; 10] =
    ["agent", "json", "csv", "plain", "compact", "quiet", "select", "no-color", "human-friendly", "no-input"];
const OPERATION: [&str; 6] = ["no-cache", "data-source", "timeout", "rate-limit", "idempotent", "ignore-missing"];
const GATES: [&str; 6] = ["yes", "dry-run", "allow-destructive", "max-changes", "continue-on-error", "max-failures"];
const HOST_OWNED: [&str; 4] = ["config", "profile", "group", "deliver"];

fn catalog() -> Catalog {
    Catalog::new(mycli::command(), &Settings::default()).unwrap()
}

/// Writes an operation's effect as the table does.
fn effect(operation: &Operation) -> String {
    let letter = |effect| match effect {
        Effect::ReadOnly => "R",
        Effect::Mutating => "W",
        Effect::Destructive => "D",
    };
    match (operation.declared, operation.mutating_when.as_slice()) {
        (None, _) => "undeclared".to_owned(),
        (Some(declared), []) => letter(declared).to_owned(),
        (Some(Effect::ReadOnly), when) => format!("{}?{}", letter(operation.widest_effect()), when.join("?")),
        (Some(declared), when) => format!("{}, but ?{}", letter(declared), when.join("?")),
    }
}

#[test]
fn every_command_has_the_effect_that_it_should() {
    let table = COMMANDS.replace("\n  ", " ");
    let mut told: Vec<String> = Vec::new();
    for line in table.trim().lines() {
        let (group, commands) = line.split_once(": ").unwrap();
        told.extend(commands.split(", ").map(|command| format!("{group} {command}").trim().to_owned()));
    }
    told.sort();
    let catalog = catalog();
    let mut is: Vec<String> =
        catalog.operations().iter().map(|operation| format!("{} {}", operation.name, effect(operation))).collect();
    is.sort();
    let missing: Vec<_> = told.iter().filter(|command| !is.contains(command)).collect();
    let extra: Vec<_> = is.iter().filter(|command| !told.contains(command)).collect();
    assert!(missing.is_empty() && extra.is_empty(), "should be: {missing:#?}\nis: {extra:#?}");
}

#[test]
fn every_runnable_command_is_exposed_or_excused() {
    let catalog = catalog();
    let mut known: Vec<String> = catalog.operations().iter().map(|operation| operation.name.clone()).collect();
    known.extend(catalog.excused().iter().map(|excused| excused.path.clone()));
    let mut runnable = Vec::new();
    leaves(&mycli::command(), "", &mut runnable);
    for path in &runnable {
        let above = |name: &String| path.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(' '));
        let excused = catalog.excused().iter().any(|excused| above(&excused.path));
        assert!(known.contains(path) || excused, "`{path}` is neither exposed nor excused");
    }
    let excuses: String =
        catalog.excused().iter().map(|excused| format!("{}: {:?}\n", excused.path, excused.reason)).collect();
    golden("mycli_excuses", &excuses);
}

/// Collects every command without subcommands, by clap alone.
fn leaves(command: &clap::Command, path: &str, found: &mut Vec<String>) {
    for child in command.get_subcommands() {
        let path = format!("{path} {}", child.get_name()).trim().to_owned();
        if child.has_subcommands() {
            leaves(child, &path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_globals_are_those_of_the_contract() {
    let command = mycli::command();
    let mut globals: Vec<&str> =
        command.get_arguments().filter(|arg| arg.is_global_set()).filter_map(|arg| arg.get_long()).collect();
    globals.sort_unstable();
    let mut told = [&OUTPUT[..], &OPERATION, &GATES, &HOST_OWNED].concat();
    told.sort_unstable();
    assert_eq!(globals, told);
}

#[test]
fn a_global_is_offered_as_a_gate_of_a_change_and_else_refused_by_name() {
    for operation in catalog().operations() {
        let name = &operation.name;
        let gates: Vec<&str> =
            operation.params.iter().filter(|param| param.gate).map(|param| param.name.as_str()).collect();
        for gate in GATES {
            assert_eq!(gates.contains(&gate), !operation.is_read_only(), "{name} --{gate}");
        }
        let refused = OUTPUT.iter().chain(&OPERATION).chain(&HOST_OWNED);
        let refused = refused.chain(if operation.is_read_only() { &GATES[..] } else { &[] });
        let own = own_options(name);
        for global in refused.filter(|global| !own.contains(&(**global).to_owned())) {
            assert!(operation.param(global).is_none(), "{name} offers --{global}");
            for value in [json!(true), json!("x"), json!(false)] {
                let flags = Map::from_iter([((*global).to_owned(), value)]);
                let refusal = Invocation::new(operation, &flags, &[]).unwrap_err();
                assert_eq!(refusal.kind, Kind::InvalidParams);
                assert!(
                    refusal.problems.iter().any(|problem| problem.param == *global),
                    "{name} --{global}: {refusal}"
                );
            }
        }
    }
}

/// Returns the options that a command has by itself, by clap alone.
fn own_options(name: &str) -> Vec<String> {
    let mut command = &mycli::command();
    for word in name.split(' ') {
        command = command.find_subcommand(word).unwrap();
    }
    command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

#[tokio::test]
async fn mycli_is_listed_as_it_was_and_within_its_budget() {
    for surface in Choice::ALL {
        let setup = Setup::of(MYCLI_MCP);
        let data = setup.folder.path().join("data");
        let setup = setup.env("MYCLI_MCP_SURFACE", surface.name()).env("MYCLI_DATA_DIR", data);
        let server = setup.start(Era::Modern).await;
        let tools: Vec<Value> =
            server.session.tools().await.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect();
        profile::check(&tools);
        if let Choice::Facade = surface {
            let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
            let fixed = ["context", "search", "sql", "workflow_submit"];
            assert_eq!(names, [&["command_search", "command_read", "command_run"][..], &fixed].concat());
            assert!(super::bytes(&tools) <= 3_200, "{} bytes", super::bytes(&tools));
            assert!(command_bytes(&tools) <= super::COMMANDS_BYTES, "{} bytes", command_bytes(&tools));
        }
        golden(&format!("mycli_{surface}"), &lines(&tools));
    }
}

#[test]
fn the_mirror_costs_a_fraction_and_a_search_little() {
    let stats = measure(mycli::command);
    let mirror = cost(&stats, Choice::Mirror).total.bytes;
    assert!(stats.naive.total.bytes * 3 > 10 * mirror, "{mirror} of {}", stats.naive.total.bytes);
    assert!(stats.search.bytes <= 1_500, "a search answers {} bytes", stats.search.bytes);
}
