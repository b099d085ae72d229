//! Clap trees, each named by the feature it shows.

mod args;
mod commands;
pub(crate) mod peers;

use clap::{Arg, ArgAction, Command};

/// Every tree by its name.
pub(crate) fn all() -> Vec<(&'static str, Command)> {
    let mut trees = commands::all();
    trees.extend(args::all());
    trees.push(("peers", peers::command()));
    trees
}

/// Finds a tree by its name.
pub(crate) fn tree(name: &str) -> Command {
    all().into_iter().find(|(known, _)| *known == name).unwrap().1
}

fn group(name: &'static str) -> Command {
    Command::new(name).subcommand_required(true).arg_required_else_help(true)
}

fn leaf(name: &'static str) -> Command {
    Command::new(name).about(format!("Does {name}"))
}

fn flag(long: &'static str) -> Arg {
    Arg::new(long).long(long).action(ArgAction::SetTrue)
}

fn option(long: &'static str) -> Arg {
    Arg::new(long).long(long)
}
