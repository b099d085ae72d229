//! An operation as `command_search` shows it: one line, enough to run it, or whole.

use crate::catalog::{BaseType, Effect, Operation, Param, ParamKind, ValueType, schema};
use serde_json::{Map, Value, json};

/// The longest help of a param in a signature, in bytes: its first sentence, mostly.
const HELP_BYTES: usize = 80;

/// The most choices of a value that a signature spells out.
const CHOICES: usize = 12;

/// Renders an operation in one line: its name, what it does, its effect.
pub(crate) fn line(operation: &Operation) -> Value {
    Value::Object(head(operation))
}

/// Renders an operation with its params, enough to run it.
///
/// Each param reads `type = default: help`; `!` behind the type marks a required one. Write gates
/// are one line, since they mean the same everywhere.
pub(crate) fn signature(operation: &Operation) -> Value {
    let mut shown = head(operation);
    let (gates, own): (Vec<&Param>, Vec<&Param>) =
        operation.params.iter().map(AsRef::as_ref).partition(|param: &&Param| param.gate);
    let params: Map<String, Value> = own.iter().map(|param| (param.name.clone(), describe(param).into())).collect();
    if !params.is_empty() {
        shown.insert("params".into(), params.into());
    }
    if !gates.is_empty() {
        shown.insert("gates".into(), gates.iter().map(|gate| brief(gate)).collect::<Vec<_>>().join(", ").into());
    }
    if !operation.constraints.is_empty() {
        shown.insert("constraints".into(), operation.constraints.clone().into());
    }
    if let Some(example) = operation.examples.first() {
        shown.insert("example".into(), example.line.as_str().into());
    }
    Value::Object(shown)
}

/// Renders an operation whole: schema, constraints, effect, examples, and a hash of the schema.
pub(crate) fn whole(operation: &Operation) -> Value {
    let mut shown = head(operation);
    if let Some(long) = &operation.long_about {
        shown.insert("about".into(), long.as_str().into());
    }
    let schema = schema::full(operation);
    shown.insert("schemaHash".into(), schema::hash(&schema).into());
    shown.insert("inputSchema".into(), schema.into());
    if !operation.constraints.is_empty() {
        shown.insert("constraints".into(), operation.constraints.clone().into());
    }
    if !operation.examples.is_empty() {
        let example = |example: &crate::catalog::Example| json!({ "title": example.title, "line": example.line });
        shown.insert("examples".into(), operation.examples.iter().map(example).collect());
    }
    Value::Object(shown)
}

fn head(operation: &Operation) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("name".into(), operation.name.as_str().into());
    head.insert("about".into(), operation.about.as_str().into());
    let effect = if operation.declared == Some(Effect::ReadOnly) && !operation.mutating_when.is_empty() {
        format!("read-only, but mutating with {}", operation.mutating_when.join(" or "))
    } else {
        operation.widest_effect().to_string()
    };
    head.insert("effect".into(), effect.into());
    head
}

fn describe(param: &Param) -> String {
    let mut text = kind(&param.kind);
    if param.required {
        text.push('!');
    }
    if !param.default.is_empty() {
        text = format!("{text} = {}", param.default.join(","));
    }
    if !param.help.is_empty() {
        text = format!("{text}: {}", short(&param.help));
    }
    text
}

fn brief(gate: &Param) -> String {
    match gate.kind {
        ParamKind::Switch => gate.name.clone(),
        ref other => format!("{}={}", gate.name, kind(other)),
    }
}

fn kind(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Switch => "true".to_owned(),
        ParamKind::Count => "count".to_owned(),
        ParamKind::One(value) => value_type(value),
        ParamKind::Optional { value, .. } => format!("{}|true", value_type(value)),
        ParamKind::Many { item, repeat } if repeat.one_or_more => {
            let bare = if repeat.min == 0 { "|true" } else { "" };
            format!("{}|[]{bare}", value_type(item))
        }
        ParamKind::Many { item, .. } => match value_type(item) {
            union if union.contains('|') => format!("({union})[]"),
            plain => format!("{plain}[]"),
        },
    }
}

fn value_type(value: &ValueType) -> String {
    if !value.choices.is_empty() {
        let names: Vec<_> = value.choices.iter().take(CHOICES).map(|choice| choice.name.as_str()).collect();
        let more = if value.choices.len() > CHOICES { "|…" } else { "" };
        return format!("{}{more}", names.join("|"));
    }
    match value.base {
        BaseType::String if value.path => "path",
        BaseType::String => "string",
        BaseType::Integer { .. } => "integer",
        BaseType::Number => "number",
        BaseType::Boolean => "boolean",
    }
    .to_owned()
}

/// Returns the first sentence of a help text, cut at a word where that is still too long.
fn short(help: &str) -> String {
    let line = help.lines().next().unwrap_or_default();
    let sentence = line.find(". ").map_or(line, |end| &line[..end]).trim_end_matches('.');
    if sentence.len() <= HELP_BYTES {
        return sentence.to_owned();
    }
    let start = &sentence[..sentence.floor_char_boundary(HELP_BYTES)];
    format!("{}…", start.rfind(' ').map_or(start, |space| &start[..space]))
}
