//! Tools that are not commands: their argument types come from Rust types through schemars.

use super::Tool;
use super::twice::key_given_twice;
use crate::catalog::Effect;
use crate::exec::chain;
use crate::invocation::{UNKNOWN, nearest};
use crate::refusal::{Kind, Problem, Refusal};
use crate::run::bound::{Delivered, Delivery, FIELDS, Printed};
use crate::run::execute::deliver;
use crate::run::workflow::APPLY;
use crate::run::{Outcome, Principal};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

type Handler = dyn Fn(Value, &Principal) -> Result<Answer, Refusal> + Send + Sync;

/// A tool that is not a command of the tree.
pub struct FixedTool {
    tool: Tool,
    effect: Effect,
    built_in: bool,
    handler: Arc<Handler>,
}

/// What a fixed tool answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// JSON, rendered compactly.
    Json(Value),
    /// Text.
    Text(String),
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

impl FixedTool {
    /// Makes a tool from a function; the schema is that of `T`, cleaned for every host.
    ///
    /// The function may block: it runs on a thread of its own.
    ///
    /// # Panics
    /// Where the schema of `T` is not an object: a mistake of the tool's author.
    pub fn new<T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        effect: Effect,
        run: impl Fn(T) -> Result<Answer, E> + Send + Sync + 'static,
    ) -> Self
    where
        T: JsonSchema + DeserializeOwned,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self::refusing(name, description, effect, move |arguments, _| {
            run(arguments).map_err(|error| Refusal::new(Kind::ToolFailed).because(chain(&*error.into())))
        })
    }

    /// Makes a tool whose function refuses by itself.
    pub(crate) fn refusing<T: JsonSchema + DeserializeOwned>(
        name: impl Into<String>,
        description: impl Into<String>,
        effect: Effect,
        run: impl Fn(T, &Principal) -> Result<Answer, Refusal> + Send + Sync + 'static,
    ) -> Self {
        let tool = Tool {
            name: name.into(),
            description: description.into(),
            input_schema: schema::<T>(),
            effect: Some(effect),
        };
        let handler = move |arguments: Value, principal: &Principal| {
            let Value::Object(arguments) = arguments else { return Err(Refusal::new(Kind::InvalidParams)) };
            run(typed(arguments)?, principal)
        };
        Self { tool, effect, built_in: false, handler: Arc::new(handler) }
    }

    /// Makes it a part of the server itself, which every principal may call and no budget counts: it looks something up
    /// and runs nothing.
    pub(crate) fn built_in(self) -> Self {
        Self { built_in: true, ..self }
    }

    /// Tells whether it is a part of the server itself.
    pub(crate) fn is_built_in(&self) -> bool {
        self.built_in
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.tool.name
    }

    /// Returns the effect that its author declared.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Tells whether it has a param of its own for what else selects parts of its result.
    pub(crate) fn has_fields(&self) -> bool {
        self.tool.input_schema.get("properties").is_some_and(|properties| properties.get(FIELDS).is_some())
    }

    /// Returns the names of its arguments.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        argument_names(&self.tool.input_schema)
    }

    /// Returns it as it is listed.
    pub fn listing(&self) -> Tool {
        self.tool.clone()
    }

    /// Fits arguments to the schema: what has one reading is taken, all the rest is named at once.
    pub(crate) fn fit(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        let arguments = match self.only_text() {
            // What a tool that changes nothing takes is the one text that it is given, under whatever name.
            Some(only) if self.effect == Effect::ReadOnly => renamed(only, arguments),
            _ => arguments,
        };
        fit(&self.tool.input_schema, arguments)
    }

    /// Returns the name of the only param there is, where that is a text that can't be left out.
    fn only_text(&self) -> Option<&str> {
        let mut properties = self.tool.input_schema.get("properties")?.as_object()?.iter();
        let (Some((name, kind)), None) = (properties.next(), properties.next()) else { return None };
        let required = self.tool.input_schema.get("required")?.as_array()?;
        (kind["type"] == "string" && required.iter().any(|required| required == name)).then_some(name)
    }

    /// Runs the function right here, for somebody who may do everything.
    pub(crate) fn answer(&self, arguments: Map<String, Value>) -> Result<String, Refusal> {
        answer(&*self.handler, arguments, &Principal::default())
    }

    /// Runs the function, on a thread of its own, with arguments that fit.
    pub(crate) async fn run(
        &self,
        arguments: Map<String, Value>,
        principal: Arc<Principal>,
        delivery: Delivery,
        cancel: CancellationToken,
    ) -> Result<Outcome, Refusal> {
        let handler = self.handler.clone();
        let task = tokio::task::spawn_blocking(move || answer(&*handler, arguments, &principal));
        let text = tokio::select! {
            text = task => text.map_err(|_| Refusal::new(Kind::Panicked))??,
            () = cancel.cancelled() => return Err(Refusal::new(Kind::Cancelled)),
        };
        let printed = Printed::text(delivery.mask.text(&text).into_owned());
        let bytes = printed.total;
        let Delivered { text, notes, truncated, media, .. } = deliver(delivery, printed).await?;
        Ok(Outcome { text, notes, bytes, media, truncated: truncated.map(Box::new), ..Outcome::default() })
    }
}

/// Gives the one text among arguments a name, if it is all there is.
fn renamed(name: &str, arguments: Map<String, Value>) -> Map<String, Value> {
    let mut given = arguments.iter().filter(|(key, value)| !value.is_null() || *key != name);
    match (given.next(), given.next()) {
        (Some((_, text @ Value::String(_))), None) => Map::from_iter([(name.to_owned(), text.clone())]),
        _ => arguments,
    }
}

fn answer(handler: &Handler, arguments: Map<String, Value>, principal: &Principal) -> Result<String, Refusal> {
    Ok(match handler(Value::Object(arguments), principal)? {
        Answer::Json(value) => value.to_string(),
        Answer::Text(text) => text,
    })
}

impl fmt::Debug for FixedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedTool").field("tool", &self.tool).finish_non_exhaustive()
    }
}

/// Returns the schema of a type in the safe profile: no `$ref`, no `null` branches, one `type`.
pub(crate) fn schema<T: JsonSchema>() -> Map<String, Value> {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    clean(&mut schema);
    match schema {
        Value::Object(mut schema) if schema.get("type").is_some_and(|kind| kind == "object") => {
            schema.remove("description");
            schema.entry("properties").or_insert_with(|| Map::new().into());
            schema
        }
        other => panic!("the arguments of a tool are an object, and this schema is not one: {other}"),
    }
}

/// Rewrites what schemars emits and hosts dislike; see the safe profile in `catalog::schema`.
fn clean(schema: &mut Value) {
    let Value::Object(members) = schema else {
        *schema = serde_json::json!({ "type": "object" });
        return;
    };
    for noise in ["title", "format", "default", "$schema", "minimum"] {
        if noise != "minimum" || members.get(noise).is_some_and(|least| least == 0 || least == 0.0) {
            members.remove(noise);
        }
    }
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
        if branches.len() == 1
            && let Some(Value::Object(only)) = branches.pop()
        {
            members.remove("anyOf");
            members.extend(only);
            return clean(schema);
        }
    }
    let any = |value: &Value| *value == Value::Bool(true) || value.as_object().is_some_and(Map::is_empty);
    if members.get("additionalProperties").is_some_and(any) {
        members.remove("additionalProperties");
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner @ Value::Object(_)) = members.get_mut(key) {
            clean(inner);
        }
    }
    for key in ["properties", "anyOf"] {
        match members.get_mut(key) {
            Some(Value::Object(inner)) => inner.values_mut().for_each(clean),
            Some(Value::Array(inner)) => inner.iter_mut().for_each(clean),
            _ => {}
        }
    }
}

/// Returns the names of the arguments that a schema describes.
pub(super) fn argument_names(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str)
}

/// Fits arguments to a flat object schema.
///
/// `null` of a known name is absent, `_` and `-` are one in names, and text is read as the type where it has one
/// reading; unknown, missing and unreadable arguments are all named at once.
pub(crate) fn fit(schema: &Map<String, Value>, arguments: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let no_properties = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
    let plain = |name: &str| name.replace('-', "_");
    let mut fitted = Map::new();
    let mut problems = Vec::new();
    for (name, value) in arguments {
        let Some((known, kind)) = properties.iter().find(|(known, _)| plain(known) == plain(&name)) else {
            // The list is the same for each of them: once is enough.
            let listed = problems.iter().any(|problem: &Problem| problem.problem == UNKNOWN);
            problems.push(Problem {
                problem: UNKNOWN.into(),
                // To offer the gate would be to suggest what the caller did not ask for.
                nearest: nearest(&name, properties.keys().map(String::as_str).filter(|known| *known != APPLY))
                    .map(str::to_owned),
                allowed: if listed { Vec::new() } else { properties.keys().cloned().collect() },
                param: name,
                ..Problem::default()
            });
            continue;
        };
        if value.is_null() {
            continue;
        }
        let kind = kind.get("type").and_then(Value::as_str).unwrap_or_default();
        match read(kind, value) {
            Ok(value) if fitted.contains_key(known) => problems.push(Problem {
                param: name,
                problem: "given twice".into(),
                given: Some(value.to_string()),
                ..Problem::default()
            }),
            Ok(value) => drop(fitted.insert(known.clone(), value)),
            Err(value) => problems.push(Problem {
                param: name,
                problem: value
                    .as_str()
                    .and_then(|text| key_given_twice(text.as_bytes()))
                    .unwrap_or_else(|| format!("not of type {kind}")),
                given: Some(value.to_string().chars().take(80).collect()),
                expected: Some(kind.to_owned()),
                ..Problem::default()
            }),
        }
    }
    for required in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !fitted.contains_key(required) && !problems.iter().any(|problem| problem.param == required) {
            let kind = properties.get(required).and_then(|kind| kind.get("type")).and_then(Value::as_str);
            problems.push(Problem {
                param: required.to_owned(),
                problem: "missing".into(),
                expected: kind.map(str::to_owned),
                ..Problem::default()
            });
        }
    }
    if problems.is_empty() { Ok(fitted) } else { Err(Refusal::invalid(problems)) }
}

/// Makes arguments that fit their schema the type that it was made from; what the type does not take is named.
pub(crate) fn typed<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Refusal> {
    let read = |arguments: &Map<String, Value>| {
        serde_json::from_value::<T>(Value::Object(arguments.clone())).map_err(|error| error.to_string())
    };
    let mut error = match read(&arguments) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut problems = Vec::new();
    let mut left = arguments;
    // Deserializers don't tell where they stopped: it is the argument without which they stop elsewhere, if at all.
    while let Some((name, value, next)) = left.iter().find_map(|(name, value)| {
        let mut without = left.clone();
        without.remove(name);
        let next = read(&without).err();
        (next.as_ref() != Some(&error)).then(|| (name.clone(), value.to_string(), next))
    }) {
        let (problem, expected) = error.split_once(", expected ").unwrap_or((&error, ""));
        let expected = match expected {
            "u32" => "an integer from 0 to 4294967295",
            "u64" | "usize" => "an integer of at least 0",
            "a map" => "an object",
            other => other,
        };
        left.remove(&name);
        problems.push(Problem {
            problem: problem.to_owned(),
            given: Some(value.chars().take(80).collect()),
            expected: Some(expected.to_owned()).filter(|expected| !expected.is_empty()),
            param: name.clone(),
            ..Problem::default()
        });
        match next {
            Some(next) if !next.starts_with(&format!("missing field `{name}`")) => error = next,
            _ => return Err(Refusal::invalid(problems)),
        }
    }
    match problems.is_empty() {
        true => Err(Refusal::new(Kind::InvalidParams).because(error)),
        false => Err(Refusal::invalid(problems)),
    }
}

/// Reads a value as a JSON type where it has one reading.
fn read(kind: &str, value: Value) -> Result<Value, Value> {
    // Of a key that stands twice readers take the first or the last.
    let is_plain = |text: &&str| key_given_twice(text.as_bytes()).is_none();
    let parsed =
        |text: &str| Some(text.trim()).filter(is_plain).and_then(|text| serde_json::from_str::<Value>(text).ok());
    match (kind, value) {
        ("string", value @ Value::String(_))
        | ("boolean", value @ Value::Bool(_))
        | ("array", value @ Value::Array(_))
        | ("object", value @ Value::Object(_))
        | ("number", value @ Value::Number(_))
        | ("", value) => Ok(value),
        ("string", Value::Number(number)) => Ok(number.to_string().into()),
        ("integer", Value::Number(number)) => match number.as_f64() {
            _ if number.is_i64() || number.is_u64() => Ok(Value::Number(number)),
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Ok((float as i64).into()),
            _ => Err(Value::Number(number)),
        },
        ("integer" | "number" | "boolean" | "array" | "object", Value::String(text)) => match parsed(&text) {
            Some(value) if !value.is_string() => read(kind, value).map_err(|_| Value::String(text)),
            _ if kind == "array" && !text.trim_start().starts_with('[') => Ok(vec![Value::String(text)].into()),
            _ => Err(Value::String(text)),
        },
        (_, value) => Err(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Arguments {
        /// Words.
        query: String,
        limit: Option<u32>,
        deep: Option<bool>,
        args: Option<Vec<String>>,
        flags: Option<Map<String, Value>>,
    }

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn schemas_are_in_the_safe_profile() {
        assert_eq!(
            Value::Object(schema::<Arguments>()),
            json!({"type": "object", "properties": {
                "query": {"type": "string", "description": "Words."},
                "limit": {"type": "integer"},
                "deep": {"type": "boolean"},
                "args": {"type": "array", "items": {"type": "string"}},
                "flags": {"type": "object"},
            }, "required": ["query"]})
        );
    }

    #[test]
    fn what_has_one_reading_is_taken() {
        for (given, fitted) in [
            (json!({"query": "x", "limit": "5"}), json!({"query": "x", "limit": 5})),
            (json!({"query": "x", "limit": 5.0}), json!({"query": "x", "limit": 5})),
            (json!({"query": 7, "limit": null}), json!({"query": "7"})),
            (json!({"query": "x", "deep": "true"}), json!({"query": "x", "deep": true})),
            (json!({"query": "x", "args": "[\"a\"]"}), json!({"query": "x", "args": ["a"]})),
            (json!({"query": "x", "args": "a b"}), json!({"query": "x", "args": ["a b"]})),
            (json!({"query": "x", "flags": "{\"a\":1}"}), json!({"query": "x", "flags": {"a": 1}})),
        ] {
            assert_eq!(fit(&schema::<Arguments>(), object(given)).map(Value::Object), Ok(fitted));
        }
    }

    #[test]
    fn every_problem_is_named_at_once() {
        let twice = r#"{"a": 1, "b": [{"a": 1, "a": 2}]}"#;
        let given = json!({"limt": null, "limit": "many", "deep": 1, "args": {"a": 1}, "flags": twice});
        let refusal = fit(&schema::<Arguments>(), object(given)).unwrap_err();
        let problems: Vec<_> = refusal.problems.iter().map(|p| (p.param.as_str(), p.problem.as_str())).collect();
        assert_eq!(
            problems,
            [
                ("limt", "unknown param"),
                ("limit", "not of type integer"),
                ("deep", "not of type boolean"),
                ("args", "not of type array"),
                ("flags", "`a` is given twice in one object at line 1 column 27"),
                ("query", "missing"),
            ]
        );
        assert_eq!(refusal.problems[0].nearest.as_deref(), Some("limit"));
    }

    #[test]
    fn what_the_schema_lets_through_and_the_type_does_not_is_named_too() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only how it is read is looked at")]
        struct Typed {
            steps: Vec<Map<String, Value>>,
            limit: Option<u32>,
            most: Option<usize>,
        }
        for (given, problems) in [
            (
                json!({"steps": [], "limit": -1}),
                vec!["limit: invalid value: integer `-1`; an integer from 0 to 4294967295"],
            ),
            (
                json!({"most": -2, "steps": ["x"], "limit": 5_000_000_000_u64}),
                vec![
                    "most: invalid value: integer `-2`; an integer of at least 0",
                    "limit: invalid value: integer `5000000000`; an integer from 0 to 4294967295",
                    "steps: invalid type: string \"x\"; an object",
                ],
            ),
            (json!({"steps": ["items list"]}), vec!["steps: invalid type: string \"items list\"; an object"]),
        ] {
            let fitted = fit(&schema::<Typed>(), object(given.clone())).unwrap();
            let refusal = typed::<Typed>(fitted).unwrap_err();
            let found = |p: &Problem| format!("{}: {}; {}", p.param, p.problem, p.expected.clone().unwrap_or_default());
            assert_eq!(refusal.problems.iter().map(found).collect::<Vec<_>>(), problems, "{given}");
        }
        assert!(typed::<Typed>(object(json!({"steps": [], "limit": 1}))).is_ok());
    }

    #[test]
    fn the_gate_that_applies_is_never_what_a_caller_is_taken_to_mean() {
        let schema = object(json!({"properties": {"yes": {"type": "boolean"}, "steps": {"type": "array"}}}));
        for (name, nearest) in [("year", None), ("yess", None), ("step", Some("steps"))] {
            let refusal = fit(&schema, object(json!({ name: 1 }))).unwrap_err();
            assert_eq!(refusal.problems[0].nearest.as_deref(), nearest, "{name}");
        }
    }
}
