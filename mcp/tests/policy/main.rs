//! The policy file: what it says becomes part of the one tree, and what it gets wrong is told.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod effects;
mod files;
mod fixed;
mod principals;
mod surroundings;

use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::catalog::Catalog;
use clap_facade::policy::Policy;

fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name)
}

fn tree() -> Command {
    Command::new("app")
        .subcommand_required(true)
        .arg(switch("dry-run").global(true))
        .subcommand(
            Command::new("pip")
                .alias("package")
                .subcommand_required(true)
                .subcommand(
                    Command::new("list").visible_alias("ls").about("Lists").arg(option("output")).arg(option("token")),
                )
                .subcommand(Command::new("install").arg(option("token")).arg(option("config"))),
        )
        .subcommand(Command::new("run").allow_external_subcommands(true))
        .subcommand(Command::new("self").subcommand_required(true).subcommand(Command::new("update")))
}

fn facade(policy: &str) -> Facade {
    Facade::new(tree()).policy(&Policy::parse(policy).unwrap()).unwrap()
}

fn catalog(policy: &str) -> Catalog {
    facade(policy).catalog().unwrap()
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.operations().iter().map(|operation| operation.name.as_str()).collect()
}
