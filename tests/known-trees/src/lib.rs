//! Published crates whose library exports its clap tree: what is read back of the help that clap renders for them.

#![cfg(test)]

#[path = "../../trees/parity.rs"]
mod parity;

use clap::{Args, Command, CommandFactory};
use clap_facade::catalog::{Catalog, Settings};
use parity::{compare, read_back};

/// The least share of params, in both directions.
const LEAST: f64 = 0.99;

#[test]
fn params_are_found_and_none_is_invented() {
    let mut faults = Vec::new();
    let mut table = format!("{:<16} {:>8} {:>6} {:>8} {:>9} {:>10}\n", "crate", "commands", "params", "recall", "precision", "too strict");
    for (name, tree) in trees() {
        let settings = Settings { expose: takers(&tree), ..Settings::default() };
        let real = Catalog::new(tree.clone(), &settings).unwrap();
        let read = read_back(&tree);
        let settings = Settings { expose: takers(&read), ..Settings::default() };
        let read = Catalog::new(read, &settings).unwrap();
        let score = compare(&real, &read);
        let share = |whole: usize| score.matched as f64 / whole.max(1) as f64;
        let (recall, precision) = (share(score.real), share(score.read));
        table += &format!(
            "{name:<16} {:>8} {:>6} {:>7.2}% {:>8.2}% {:>10}\n",
            real.operations().len(),
            score.real,
            recall * 100.0,
            precision * 100.0,
            score.too_strict
        );
        table.extend(score.differences.iter().map(|difference| format!("    {difference}\n")));
        if score.real == 0 || recall < LEAST || precision < LEAST {
            faults.push(name);
        }
    }
    println!("{table}");
    assert!(faults.is_empty(), "{faults:?} below {LEAST}:\n{table}");
}

fn trees() -> Vec<(&'static str, Command)> {
    vec![
        ("cargo-options", cargo_options()),
        ("flamegraph", flamegraph::Options::augment_args(Command::new("flamegraph"))),
        ("garden-tools", garden::cli::MainOptions::command()),
        ("sea-orm-cli", sea_orm_cli::Cli::command()),
        ("sqlx-cli", sqlx_cli::Opt::command()),
        ("uu_cp", localized("cp", uu_cp::uu_app)),
        ("uu_env", localized("env", uu_env::uu_app)),
        ("uu_sort", localized("sort", uu_sort::uu_app)),
    ]
}

/// The crate's structs have no names of their own.
fn cargo_options() -> Command {
    use cargo_options::{Build, Check, Clippy, Doc, Install, Metadata, Run, Rustc, Test};
    Command::new("cargo").subcommand_required(true).subcommands([
        <Build as CommandFactory>::command().name("build"),
        <Check as CommandFactory>::command().name("check"),
        <Clippy as CommandFactory>::command().name("clippy"),
        <Doc as CommandFactory>::command().name("doc"),
        <Install as CommandFactory>::command().name("install"),
        <Metadata as CommandFactory>::command().name("metadata"),
        <Run as CommandFactory>::command().name("run"),
        <Rustc as CommandFactory>::command().name("rustc"),
        <Test as CommandFactory>::command().name("test"),
    ])
}

/// Its texts come from a localizer that each thread may set once.
fn localized(utility: &'static str, tree: fn() -> Command) -> Command {
    let made = std::thread::spawn(move || {
        uucore::locale::setup_localization(utility).unwrap();
        tree()
    });
    made.join().unwrap()
}

/// Commands that take any command line, which are compared all the same.
fn takers(tree: &Command) -> Vec<String> {
    fn add(command: &Command, path: &str, found: &mut Vec<String>) {
        if command.is_allow_external_subcommands_set() {
            found.push(if path.is_empty() { command.get_name().to_owned() } else { path.to_owned() });
        }
        for sub in command.get_subcommands() {
            add(sub, format!("{path} {}", sub.get_name()).trim(), found);
        }
    }
    let mut found = Vec::new();
    add(tree, "", &mut found);
    found
}
