//! Whole catalogs: what is exposed, under which names, with which schemas.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod facts;
mod goldens;
mod invariants;
mod names;
#[path = "../trees/mod.rs"]
mod trees;

use clap::Command;
use clap_facade::catalog::{Catalog, Operation, Param, Settings, schema};
use serde_json::Value;

fn catalog(tree: Command) -> Catalog {
    Catalog::new(tree, &Settings::default()).unwrap()
}

fn named(tree: &str) -> Catalog {
    catalog(trees::tree(tree))
}

fn operation<'a>(catalog: &'a Catalog, name: &str) -> &'a Operation {
    catalog.operations().iter().find(|operation| operation.name == name).unwrap()
}

fn param_names(operation: &Operation) -> Vec<&str> {
    operation.params.iter().map(|param| param.name.as_str()).collect()
}

fn param<'a>(operation: &'a Operation, name: &str) -> &'a Param {
    operation.param(name).unwrap()
}

fn compact(operation: &Operation) -> Value {
    schema::compact(operation).into()
}

fn full(operation: &Operation) -> Value {
    schema::full(operation).into()
}
