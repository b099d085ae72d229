//! The naive mirror, only to be measured: one tool a command, every global flag repeated.
//!
//! It is what a bridge lists that reads a clap tree without an enumerator: each command that is not
//! hidden, with every arg that is not hidden, inherited ones included, and their long help.

use super::{Param, ParamKind, Spelling, name, params, schema, text, value};
use clap::{Arg, Command};
use serde_json::{Map, Value, json};

/// Returns the naive tools of a tree.
pub(crate) fn tools(command: Command) -> Vec<Value> {
    let mut built = command.disable_help_subcommand(true);
    built.build();
    let mut tools = Vec::new();
    visit(&built, built.get_name().to_owned(), &mut tools);
    tools
}

fn visit(command: &Command, path: String, tools: &mut Vec<Value>) {
    if command.is_hide_set() {
        return;
    }
    if !command.has_subcommands() {
        tools.push(tool(command, &path));
    }
    for child in command.get_subcommands() {
        visit(child, format!("{path}_{}", child.get_name()), tools);
    }
}

fn tool(command: &Command, path: &str) -> Value {
    let (about, long) = text::short_and_long(command.get_about(), command.get_long_about());
    let args = || command.get_arguments().filter(|arg| !arg.is_hide_set() && !params::is_action_only(arg));
    let properties: Map<String, Value> = args().map(|arg| (key(arg), schema::naive_property(&param(arg)))).collect();
    let required: Vec<String> = args().filter(|arg| arg.is_required_set()).map(key).collect();
    json!({
        "name": path,
        "description": long.unwrap_or(about),
        "inputSchema": { "type": "object", "properties": properties, "required": required },
    })
}

fn key(arg: &Arg) -> String {
    name::property(arg.get_long().unwrap_or(arg.get_id().as_str()))
}

fn param(arg: &Arg) -> Param {
    let (help, long_help) = text::short_and_long(arg.get_help(), arg.get_long_help());
    let kind = value::kind(arg);
    let plain = matches!(kind, ParamKind::Switch | ParamKind::Count);
    let default = if plain { &[] } else { arg.get_default_values() };
    Param {
        name: key(arg),
        aliases: Vec::new(),
        id: arg.get_id().to_string(),
        depth: 0,
        spelling: Spelling::Long(key(arg)),
        kind,
        gate: false,
        required: arg.is_required_set(),
        env_backed: arg.get_env().is_some(),
        help,
        long_help,
        default: default.iter().filter_map(|value| value.to_str().map(str::to_owned)).collect(),
    }
}
