//! Tool names, the safe profile, and what a list of tools weighs.

use crate::{catalog, compact, named, trees};
use clap::Command;
use clap_facade::catalog::{Catalog, Operation, Settings, schema};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn tools(catalog: &Catalog) -> BTreeMap<&str, &str> {
    catalog.operations().iter().map(|operation| (operation.name.as_str(), operation.tool.as_str())).collect()
}

#[test]
fn tool_names_do_not_depend_on_the_order_of_the_tree() {
    let groups = ["by-cell", "by_cell", "By Cell", "a-group-whose-name-is-so-long-that-the-tool-name-is-cut-somewhere"];
    let tree = |names: &[&'static str]| {
        let group =
            |name: &&'static str| Command::new(*name).subcommand_required(true).subcommand(Command::new("list"));
        catalog(Command::new("cli").subcommand_required(true).subcommands(names.iter().map(group)))
    };
    let forward = tree(&groups);
    let mut reversed = groups;
    reversed.reverse();
    assert_eq!(tools(&forward), tools(&tree(&reversed)));
}

/// A name is a promise to hosts that remember approvals: this fails where the hash changes.
#[test]
fn hashed_names_stay_the_same_from_release_to_release() {
    assert_eq!(named("one rendered name").find("by-cell list").unwrap().tool, "by_cell_list_d7051003");
}

#[test]
fn a_name_that_looks_hashed_does_not_take_another_ones() {
    let leaf = |name: &'static str| Command::new(name);
    let tree = Command::new("cli").subcommand_required(true).subcommands([leaf("a-b"), leaf("a_b")]);
    let first = catalog(tree.clone());
    let taken: &'static str = Box::leak(first.find("a-b").unwrap().tool.clone().into_boxed_str());
    let catalog = catalog(tree.subcommand(leaf(taken)));
    assert_eq!(catalog.find(taken).unwrap().name, taken);
    assert_ne!(catalog.find("a-b").unwrap().tool, taken);
}

#[test]
fn the_checker_finds_every_departure_from_the_safe_profile() {
    let with = |property: Value| json!({ "type": "object", "properties": { "p": property } });
    let long_key = "k".repeat(65);
    let table = [
        (json!([]), "the root is not an object"),
        (json!({}), "the root's `type` is not `object`"),
        (json!({ "type": ["object"] }), "the root's `type` is not `object`"),
        (json!({ "type": "object", "oneOf": [] }), "the root has `oneOf`"),
        (json!({ "type": "object", "allOf": [] }), "the root has `allOf`"),
        (json!({ "type": "object", "not": {} }), "the root has `not`"),
        (json!({ "type": "object", "$schema": "x" }), "the root has `$schema`"),
        (json!({ "type": "object", "$defs": {} }), "the root has `$defs`"),
        (json!({ "type": "object", "properties": [] }), "/properties is not an object"),
        (json!({ "type": "object", "properties": {}, "required": ["p"] }), "/required does not list properties"),
        (json!({ "type": "object", "properties": {}, "required": true }), "/required does not list properties"),
        (json!({ "type": "object", "additionalProperties": true }), "/additionalProperties is not `false`"),
        (json!({ "type": "object", "additionalProperties": {} }), "/additionalProperties is not `false`"),
        (
            json!({ "type": "object", "properties": { "a b": { "type": "string" } } }),
            "/properties/a b is not a valid property key",
        ),
        (
            json!({ "type": "object", "properties": { "": { "type": "string" } } }),
            "/properties/ is not a valid property key",
        ),
        (
            json!({ "type": "object", "properties": { long_key.clone(): { "type": "string" } } }),
            "is not a valid property key",
        ),
        (with(json!(true)), "/properties/p is not an object"),
        (with(json!({})), "/properties/p has no single `type`"),
        (with(json!({ "type": ["integer", "null"] })), "/properties/p has no single `type`"),
        (with(json!({ "type": "null" })), "/properties/p has no single `type`"),
        (with(json!({ "$ref": "#/x" })), "/properties/p has `$ref`"),
        (with(json!({ "type": "string", "const": "a" })), "/properties/p has `const`"),
        (with(json!({ "type": "string", "enum": [] })), "/properties/p/enum lists nothing"),
        (with(json!({ "type": "array" })), "/properties/p is an array without `items`"),
        (with(json!({ "type": "array", "items": true })), "/properties/p/items is not an object"),
        (with(json!({ "type": "array", "items": {} })), "/properties/p/items has no single `type`"),
        (with(json!({ "type": "string", "items": {} })), "/properties/p has `items` and is no array"),
        (with(json!({ "anyOf": [] })), "/properties/p/anyOf has no schema"),
        (with(json!({ "anyOf": [true] })), "/properties/p/anyOf/0 is not an object"),
        (with(json!({ "type": "string", "anyOf": [{ "type": "string" }] })), "/properties/p has `type` beside `anyOf`"),
        (with(json!({ "anyOf": [{ "anyOf": [{ "type": "string" }] }] })), "/properties/p/anyOf/0 has no single `type`"),
        (
            with(json!({ "type": "object", "properties": { "q": {} } })),
            "/properties/p/properties/q has no single `type`",
        ),
    ];
    for (schema, expected) in table {
        let faults = schema::check(&schema).unwrap_err();
        assert!(faults.iter().any(|fault| fault.contains(expected)), "{schema}: {faults:?}, not {expected}");
    }
    let good = with(json!({ "type": "array", "items": { "type": "string", "enum": ["a"] }, "description": "d" }));
    assert_eq!(schema::check(&good), Ok(()));
}

#[test]
fn fault_20_no_name_or_schema_makes_a_host_drop_a_tool() {
    for tree in ["long names", "property names", "optional values", "lists", "multicall", "space in the root's name"] {
        for operation in named(tree).operations() {
            assert!(operation.tool.len() <= 52, "{}", operation.tool);
            assert_eq!(schema::check(&compact(operation)), Ok(()), "{tree}: {}", operation.name);
        }
    }
}

/// What one tool an operation weighs; others pay 202,320 and 249,358 bytes for the same tree.
#[test]
fn fault_17_the_peers_tree_stays_small() {
    let catalog = Catalog::new(trees::peers::command(), &Settings::default()).unwrap();
    assert_eq!(catalog.operations().len(), 60, "62 leaves, one hidden, one with external subcommands");
    let tool = |operation: &Operation| {
        json!({
            "name": operation.tool,
            "description": operation.about,
            "inputSchema": compact(operation),
            "annotations": { "readOnlyHint": false, "destructiveHint": true },
        })
    };
    let tools: Vec<Value> = catalog.operations().iter().map(|operation| tool(operation)).collect();
    let bytes = json!({ "tools": tools }).to_string().len();
    assert!(bytes <= 45_000, "{bytes} bytes");
}
