//! The safe profile: what no known host refuses, since one bad schema can lose a host all tools.
//!
//! Written apart from the library's own check, which it checks.

use serde_json::Value;
use std::collections::HashSet;

/// The longest list that every client carries.
const LIST_BYTES: usize = 1 << 20;
/// The longest description that every host shows whole.
const DESCRIPTION_BYTES: usize = 2_048;
/// What a schema is made of here; anything else is left out by some host or another.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "description",
    "default",
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
];

/// Checks a whole list, and panics with every problem.
pub(super) fn check(tools: &[Value]) {
    let mut problems = Vec::new();
    let mut names = HashSet::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let mut told = faults(tool);
        if !names.insert(name) {
            told.push("listed twice".to_owned());
        }
        problems.extend(told.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    let bytes = Value::from(tools.to_vec()).to_string().len();
    assert!(bytes < LIST_BYTES, "{bytes} bytes");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn faults(tool: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let name = tool["name"].as_str().unwrap();
    let named = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !named || name.len() > 52 {
        problems.push("a name that hosts refuse".to_owned());
    }
    match tool["description"].as_str() {
        Some(text) if !text.is_empty() && text.len() <= DESCRIPTION_BYTES => {}
        text => problems.push(format!("a description of {} bytes", text.map_or(0, str::len))),
    }
    if !tool["annotations"]["readOnlyHint"].is_boolean() {
        problems.push("no readOnlyHint".to_owned());
    }
    let schema = &tool["inputSchema"];
    if schema["type"] != "object" {
        problems.push("the root is no object".to_owned());
    }
    for word in ["oneOf", "anyOf", "allOf", "not", "if", "enum", "$ref"] {
        if schema.get(word).is_some() {
            problems.push(format!("`{word}` at the root"));
        }
    }
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        problems.push(error.to_string());
    }
    walk("", schema, &mut problems);
    problems
}

/// Checks a schema and those inside it.
fn walk(at: &str, schema: &Value, problems: &mut Vec<String>) {
    let Some(members) = schema.as_object() else {
        return problems.push(format!("{at}: no object: {schema}"));
    };
    if members.is_empty() {
        return problems.push(format!("{at}: empty"));
    }
    problems.extend(
        members.keys().filter(|key| !KEYWORDS.contains(&key.as_str())).map(|key| format!("{at}: uses `{key}`")),
    );
    let typed = members.get("type").is_some_and(Value::is_string);
    if typed == members.contains_key("anyOf") {
        problems.push(format!("{at}: must have one type, or an anyOf and no type"));
    }
    for (key, inner) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
        if key.is_empty() || key.len() > 64 || !plain {
            problems.push(format!("{at}.{key}: a key that hosts refuse"));
        }
        if inner["type"] == "boolean" && inner.get("default") == Some(&Value::Bool(false)) {
            problems.push(format!("{at}.{key}: `default: false`"));
        }
        walk(&format!("{at}.{key}"), inner, problems);
    }
    for required in members.get("required").and_then(Value::as_array).into_iter().flatten() {
        if schema["properties"].get(required.as_str().unwrap()).is_none() {
            problems.push(format!("{at}: requires {required}, which it does not have"));
        }
    }
    if let Some(items) = members.get("items") {
        walk(&format!("{at}[]"), items, problems);
    }
    for (index, inner) in members.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        walk(&format!("{at}|{index}"), inner, problems);
    }
    if schema["type"] == "array" && !members.contains_key("items") {
        problems.push(format!("{at}: an array without items"));
    }
}

#[test]
fn each_fault_is_seen() {
    use serde_json::json;
    let tool = |name: &str, schema: Value| json!({ "name": name, "description": "x", "inputSchema": schema, "annotations": { "readOnlyHint": true } });
    let with = |property: Value| tool("a", json!({ "type": "object", "properties": { "p": property } }));
    assert_eq!(faults(&with(json!({ "type": "string" }))), Vec::<String>::new());
    for bad in [
        tool("A", json!({ "type": "object" })),
        tool("a.b", json!({ "type": "object" })),
        tool(&"a".repeat(53), json!({ "type": "object" })),
        tool("a", json!({})),
        tool("a", json!({ "type": "object", "anyOf": [{ "type": "object" }] })),
        tool("a", json!({ "type": "object", "properties": { "p q": { "type": "string" } } })),
        tool("a", json!({ "type": "object", "properties": {}, "required": ["p"] })),
        with(json!(true)),
        with(json!({})),
        with(json!({ "type": ["string", "null"] })),
        with(json!({ "$ref": "#" })),
        with(json!({ "type": "array" })),
        with(json!({ "type": "array", "items": { "const": 1 } })),
        with(json!({ "type": "boolean", "default": false })),
    ] {
        assert!(!faults(&bad).is_empty(), "{bad}");
    }
}
