//! `&Operation` → JSON Schema 2020-12, within what every host accepts.

use super::{BaseType, COUNT_MAX, Choice, Operation, Param, ParamKind, Repeat, ValueType};
use serde_json::{Map, Value, json};

/// Renders the input schema of an operation as a tool list carries it: short help, compact.
pub fn compact(operation: &Operation) -> Map<String, Value> {
    input(operation, Form::Compact)
}

/// Renders the input schema of an operation with the long help, for a look at it alone.
pub fn full(operation: &Operation) -> Map<String, Value> {
    input(operation, Form::Full)
}

/// Returns a hash of a schema that stays the same from release to release, in hexadecimal.
pub fn hash(schema: &Map<String, Value>) -> String {
    let text = serde_json::to_string(schema).unwrap_or_default();
    format!("{:016x}", super::name::fnv(text.bytes()))
}

/// Renders a param as a bridge without an enumerator does: its long help whole.
#[cfg(feature = "stdio")]
pub(super) fn naive_property(param: &Param) -> Value {
    property(param, Form::Full)
}

/// Checks a tool's input schema against the safe profile: one bad schema can lose a host every tool.
///
/// # Errors
/// Every departure, with its JSON pointer.
pub fn check(schema: &Value) -> Result<(), Vec<String>> {
    let mut faults = Vec::new();
    check_root(schema, &mut faults);
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Compact,
    Full,
}

fn input(operation: &Operation, form: Form) -> Map<String, Value> {
    let properties: Map<String, Value> =
        operation.params.iter().map(|param| (param.name.clone(), property(param, form))).collect();
    let required: Vec<&str> =
        operation.params.iter().filter(|param| param.required).map(|param| param.name.as_str()).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn property(param: &Param, form: Form) -> Value {
    let mut schema = match &param.kind {
        ParamKind::Switch => Map::from_iter([("type".to_owned(), json!("boolean"))]),
        ParamKind::Count => Map::from_iter([
            ("type".into(), json!("integer")),
            ("minimum".into(), json!(0)),
            ("maximum".into(), json!(COUNT_MAX)),
        ]),
        ParamKind::One(value) => value_schema(value),
        // `true` is the bare flag, and `false` a value like any other.
        ParamKind::Optional { value, .. } if value.base == BaseType::Boolean => value_schema(value),
        ParamKind::Optional { value, .. } => {
            Map::from_iter([("anyOf".to_owned(), json!([value_schema(value), { "type": "boolean", "enum": [true] }]))])
        }
        ParamKind::Many { item, repeat } if repeat.one_or_more => {
            let bare = (repeat.min == 0).then(|| json!({ "type": "boolean", "enum": [true] }));
            let list = array_schema(item, repeat, param.required);
            let branches = [value_schema(item).into(), list.into()].into_iter().chain(bare);
            Map::from_iter([("anyOf".to_owned(), branches.collect())])
        }
        ParamKind::Many { item, repeat } => array_schema(item, repeat, param.required),
    };
    if let Some(default) = default(param) {
        schema.insert("default".into(), default);
    }
    let description = description(param, form);
    if !description.is_empty() {
        schema.insert("description".into(), description.into());
    }
    schema.into()
}

fn value_schema(value: &ValueType) -> Map<String, Value> {
    let mut schema = Map::new();
    let name = match value.base {
        BaseType::String => "string",
        BaseType::Integer { .. } => "integer",
        BaseType::Number => "number",
        BaseType::Boolean => "boolean",
    };
    schema.insert("type".into(), name.into());
    if let BaseType::Integer { min, max } = value.base {
        let limits = [("minimum", min), ("maximum", max)];
        schema.extend(limits.into_iter().filter_map(|(key, limit)| Some((key.to_owned(), published_limit(limit)?))));
    }
    if !value.choices.is_empty() {
        let names: Vec<&str> = value.choices.iter().map(|choice| choice.name.as_str()).collect();
        schema.insert("enum".into(), names.into());
    } else if value.path {
        schema.insert("format".into(), "path".into());
    }
    schema
}

/// A limit worth its bytes: the bounds of the wide types say nothing to a caller.
fn published_limit(limit: i128) -> Option<Value> {
    const WIDE: i128 = i32::MAX as i128;
    (-WIDE < limit && limit < WIDE).then(|| json!(limit as i64))
}

fn array_schema(item: &ValueType, repeat: &Repeat, required: bool) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), "array".into());
    schema.insert("items".into(), value_schema(item).into());
    // Repeating and delimiters make the count of one occurrence say nothing about the whole.
    let one_occurrence = !repeat.append && repeat.delimiter.is_none();
    let least = if one_occurrence { repeat.min } else { 1 };
    if least > 1 || (required && least > 0) {
        schema.insert("minItems".into(), least.into());
    }
    if one_occurrence && repeat.max != usize::MAX {
        schema.insert("maxItems".into(), repeat.max.into());
    }
    schema
}

/// The default, in the type of the schema; none where it does not fit the type.
fn default(param: &Param) -> Option<Value> {
    let typed = |value: &ValueType, text: &str| -> Option<Value> {
        match value.base {
            BaseType::String if value.choices.is_empty() => Some(text.into()),
            BaseType::String => value.choices.iter().any(|choice| choice.name == text).then(|| text.into()),
            BaseType::Integer { .. } => text.parse::<i64>().ok().map(Value::from),
            BaseType::Number => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
            BaseType::Boolean => text.parse::<bool>().ok().map(Value::from),
        }
    };
    match (&param.kind, param.default.as_slice()) {
        (ParamKind::One(value) | ParamKind::Optional { value, .. }, [text]) => typed(value, text),
        (ParamKind::Many { item, repeat }, [text]) if repeat.one_or_more => typed(item, text),
        (ParamKind::Many { item, .. }, [_, ..]) => param.default.iter().map(|text| typed(item, text)).collect(),
        _ => None,
    }
}

fn description(param: &Param, form: Form) -> String {
    if form == Form::Compact {
        return param.help.clone();
    }
    let mut text = param.long_help.as_ref().unwrap_or(&param.help).clone();
    let choices: &[Choice] = match &param.kind {
        ParamKind::One(value) | ParamKind::Optional { value, .. } | ParamKind::Many { item: value, .. } => {
            &value.choices
        }
        ParamKind::Switch | ParamKind::Count => &[],
    };
    for choice in choices.iter().filter(|choice| !choice.help.is_empty()) {
        text.push_str(&format!("\n- {}: {}", choice.name, choice.help));
    }
    text.trim().to_owned()
}

const ROOT_KEYS: &[&str] = &["type", "properties", "required", "additionalProperties", "title", "description"];
const VALUE_KEYS: &[&str] = &[
    "type",
    "enum",
    "format",
    "minimum",
    "maximum",
    "items",
    "minItems",
    "maxItems",
    "default",
    "description",
    "title",
    "pattern",
    "minLength",
    "maxLength",
    "properties",
    "required",
    "additionalProperties",
];
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object"];

fn check_root(schema: &Value, faults: &mut Vec<String>) {
    let Some(root) = schema.as_object() else {
        return faults.push("the root is not an object".to_owned());
    };
    if root.get("type") != Some(&json!("object")) {
        faults.push("the root's `type` is not `object`".to_owned());
    }
    for key in root.keys().filter(|key| !ROOT_KEYS.contains(&key.as_str())) {
        faults.push(format!("the root has `{key}`"));
    }
    check_object(root, "", faults);
}

fn check_object(schema: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
        faults.push(format!("{at}/properties is not an object"));
    }
    if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        faults.push(format!("{at}/additionalProperties is not `false`"));
    }
    for (key, property) in properties {
        let at = format!("{at}/properties/{key}");
        let fits = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        if key.is_empty() || key.len() > 64 || !fits {
            faults.push(format!("{at} is not a valid property key"));
        }
        check_property(property, &at, faults);
    }
    if let Some(required) = schema.get("required") {
        let names = required.as_array().map(Vec::as_slice).unwrap_or_default();
        if !required.is_array()
            || names.iter().any(|name| !name.as_str().is_some_and(|name| properties.contains_key(name)))
        {
            faults.push(format!("{at}/required does not list properties"));
        }
    }
}

/// A property may be a choice between schemas, one level deep.
fn check_property(schema: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(any_of) = schema.get("anyOf") else {
        return check_value(schema, at, faults);
    };
    let others = schema.as_object().into_iter().flat_map(Map::keys);
    for key in others.filter(|key| !["anyOf", "default", "description", "title"].contains(&key.as_str())) {
        faults.push(format!("{at} has `{key}` beside `anyOf`"));
    }
    let branches = any_of.as_array().map(Vec::as_slice).unwrap_or_default();
    if branches.is_empty() {
        faults.push(format!("{at}/anyOf has no schema"));
    }
    for (n, branch) in branches.iter().enumerate() {
        check_value(branch, &format!("{at}/anyOf/{n}"), faults);
    }
}

fn check_value(schema: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(map) = schema.as_object() else {
        return faults.push(format!("{at} is not an object"));
    };
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    if !TYPES.contains(&kind) {
        faults.push(format!("{at} has no single `type`"));
    }
    for key in map.keys().filter(|key| !VALUE_KEYS.contains(&key.as_str())) {
        faults.push(format!("{at} has `{key}`"));
    }
    if map.get("enum").is_some_and(|values| values.as_array().is_none_or(Vec::is_empty)) {
        faults.push(format!("{at}/enum lists nothing"));
    }
    match (kind, map.get("items")) {
        ("array", Some(items)) => check_value(items, &format!("{at}/items"), faults),
        ("array", None) => faults.push(format!("{at} is an array without `items`")),
        (_, Some(_)) => faults.push(format!("{at} has `items` and is no array")),
        ("object", None) => check_object(map, at, faults),
        _ => {}
    }
}
