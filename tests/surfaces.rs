//! What each surface lists, what it costs, and that every host takes it.

mod mycli;
mod profile;

use clap::{Arg, Command};
use clap_facade::Facade;
use clap_facade::stats::{Stats, SurfaceCost};
use clap_facade::surface::Choice;
use serde_json::Value;

/// The most bytes of the three `command_*` tools together, whatever the CLI.
const COMMANDS_BYTES: usize = 1_700;

/// Returns a surface's list, as `tools/list` carries it.
fn tools(command: Command, surface: Choice) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = Facade::new(command).surface(surface).audit(folder.path().join("audit")).build().unwrap();
    pipeline.surface().tools(pipeline.catalog()).iter().map(|tool| tool.to_json()).collect()
}

/// Compares a text with `snapshots/NAME.snap`.
fn golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Writes a list one tool a line, for goldens that are read as diffs.
fn lines(tools: &[Value]) -> String {
    tools.iter().map(|tool| format!("{tool}\n")).collect()
}

fn bytes(tools: &[Value]) -> usize {
    Value::from(tools.to_vec()).to_string().len()
}

/// Returns the bytes of the tools that every CLI's facade has.
fn command_bytes(tools: &[Value]) -> usize {
    let own = |tool: &&Value| tool["name"].as_str().unwrap().starts_with("command_");
    let own: Vec<Value> = tools.iter().filter(own).cloned().collect();
    assert_eq!(own.len(), 3);
    bytes(&own)
}

fn measure(command: fn() -> Command) -> Stats {
    let folder = tempfile::tempdir().unwrap();
    Stats::measure(&Facade::new(command()).audit(folder.path().join("audit"))).unwrap()
}

fn cost(stats: &Stats, surface: Choice) -> &SurfaceCost {
    stats.surfaces.iter().find(|cost| cost.name == surface.name()).unwrap()
}

/// A CLI of sixty groups with long names, each with a few commands.
fn sprawling() -> Command {
    let group = |number: usize| {
        let about = format!("Manage the federated resource allocation policies of tenant class {number}");
        let leaf = |name: &'static str| {
            Command::new(name).about(format!("{name} a federated policy")).arg(Arg::new("policy").required(true))
        };
        Command::new(format!("federated-resource-allocation-policies-{number:02}"))
            .about(about)
            .subcommand_required(true)
            .subcommands(["describe-effective-bindings", "reconcile", "withdraw"].map(leaf))
    };
    let about = format!("Sixty groups{}", " and more of the same, é".repeat(40));
    Command::new("sprawl").about(about).subcommand_required(true).subcommands((0..60).map(group))
}

#[test]
fn the_peers_tree_is_listed_as_it_was() {
    for surface in Choice::ALL {
        let tools = tools(crate::peers::command(), *surface);
        golden(&format!("peers_{surface}"), &lines(&tools));
    }
}

#[test]
fn instructions_are_short_whatever_a_cli_says_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    for surface in Choice::ALL {
        let facade = Facade::new(sprawling()).surface(*surface).audit(folder.path().join("audit"));
        let instructions = facade.build().unwrap().instructions();
        assert!(instructions.contains("sprawl: Sixty groups") && instructions.len() <= 400, "{instructions}");
    }
}

#[test]
fn the_facade_costs_the_same_for_any_cli() {
    for (name, command) in [("peers", crate::peers::command as fn() -> Command), ("sprawl", sprawling)] {
        let bytes = command_bytes(&tools(command(), Choice::Facade));
        assert!(bytes <= COMMANDS_BYTES, "{name}: {bytes} bytes");
    }
}

#[test]
fn the_mirror_costs_a_fraction_of_a_naive_one() {
    let stats = measure(crate::peers::command);
    let mirror = cost(&stats, Choice::Mirror);
    assert!(mirror.total.bytes <= 62_000, "{} bytes", mirror.total.bytes);
    assert!(
        stats.naive.total.bytes * 3 > 10 * mirror.total.bytes,
        "{} of {}",
        mirror.total.bytes,
        stats.naive.total.bytes
    );
    assert!(stats.search.bytes <= 1_500, "a search answers {} bytes", stats.search.bytes);
}

#[test]
fn every_host_takes_every_tool() {
    for command in [crate::peers::command as fn() -> Command, sprawling] {
        for surface in Choice::ALL {
            profile::check(&tools(command(), *surface));
        }
    }
}
