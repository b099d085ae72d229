//! One step of a workflow: read, checked against the steps before it, and made an invocation.

use super::template::{self, Scope};
use crate::catalog::{BaseType, Catalog, Effect, Operation, Param, ParamKind};
use crate::invocation::{Given, Invocation};
use crate::refusal::{Problem, Refusal};
use crate::run::confine::is_path;
use crate::surface::fixed::{fit, schema, typed};
use crate::surface::{find, positionals};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The gate that applies a change instead of previewing it, and the one that previews it.
pub(crate) const APPLY: &str = "yes";
pub(crate) const PREVIEW: &str = "dry-run";

/// One step: an operation, and what to set once the placeholders are known.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) operation: Arc<Operation>,
    /// What it is allowed to do: as it was resolved, whatever the placeholders bring.
    pub(super) effect: Effect,
    pub(super) flags: Map<String, Value>,
    pub(super) args: Vec<Value>,
    pub(super) stdin_from: Option<String>,
    pub(super) when: Option<String>,
    /// The params that name files, as far as no placeholder stands for a step that has yet to run.
    pub(super) paths: Vec<(String, Given)>,
}

impl Step {
    /// Renders what it sets, without its name and command.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let mut json = Map::new();
        if !self.flags.is_empty() {
            json.insert("flags".into(), self.flags.clone().into());
        }
        if !self.args.is_empty() {
            json.insert("args".into(), self.args.clone().into());
        }
        for (key, text) in [("stdin_from", &self.stdin_from), ("when", &self.when)] {
            if let Some(text) = text {
                json.insert(key.into(), text.as_str().into());
            }
        }
        json
    }
}

/// What a step takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct SubmittedStep {
    command: String,
    flags: Option<Map<String, Value>>,
    #[schemars(with = "Option<Vec<String>>")]
    args: Option<Vec<Value>>,
    /// for later placeholders
    name: Option<String>,
    /// NAME, or NAME.output/json/pointer
    stdin_from: Option<String>,
    /// ${…}, !${…}, A == B or A != B
    when: Option<String>,
}

/// Checks one step against those before it, and makes it an invocation once with sample values.
///
/// `before` are the names of the steps before it, whether they could be resolved or not: one that could not is its own
/// problem, not one of every step that refers to it.
pub(super) fn resolve(
    catalog: &Catalog,
    mut submitted: Map<String, Value>,
    name: String,
    before: &[String],
    vars: &Map<String, Value>,
    yes: bool,
) -> Result<Step, Refusal> {
    let args = positionals(submitted.remove("args"))?;
    submitted.insert("args".to_owned(), args.into());
    let submitted: SubmittedStep = typed(fit(&schema::<SubmittedStep>(), submitted)?)?;
    if name.is_empty() || name.len() > 64 || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        return Err(problem("name", "not of letters, digits, `_` and `-`, at most 64".to_owned(), None));
    }
    if before.contains(&name) {
        return Err(problem("name", format!("`{name}` is taken by an earlier step"), None));
    }
    let operation = find(catalog, &submitted.command)?.clone();
    let mut step = Step {
        name: submitted.name.unwrap_or(name),
        flags: submitted.flags.unwrap_or_default(),
        args: submitted.args.unwrap_or_default(),
        stdin_from: submitted.stdin_from,
        when: submitted.when,
        effect: Effect::ReadOnly,
        paths: Vec::new(),
        operation,
    };
    if let Some(from) = &step.stdin_from {
        let selected = Value::from(template::selection(from));
        template::check([("stdin_from", &selected)].into_iter(), None, vars, before).map_err(|mut refusal| {
            for problem in &mut refusal.problems {
                problem.given = Some(from.clone());
                problem.expected = Some("an earlier step's name, or NAME.output/json/pointer".to_owned());
            }
            refusal
        })?;
    }
    let flags = step.flags.iter().map(|(key, value)| (key.as_str(), value));
    let values = flags.chain(step.args.iter().map(|value| ("args", value)));
    template::check(values, step.when.as_deref(), vars, before)?;
    let sampled = |param: Option<&Param>, sample: fn(&ParamKind) -> Value, value: &Value| match template::is_open(value)
    {
        true => param.map_or_else(|| "x".into(), |param| sample(&param.kind)),
        false => Scope::new(vars).fill(value).unwrap_or_else(|_| value.clone()),
    };
    let find = |key: &str| {
        step.operation
            .params
            .iter()
            .map(AsRef::as_ref)
            .find(|param: &&Param| param.name.replace('-', "_") == key.replace('-', "_"))
    };
    let flags = step.flags.iter().map(|(key, value)| (key.clone(), sampled(find(key), sample, value))).collect();
    let positionals: Vec<&Param> =
        step.operation.positionals().filter(|param| !step.flags.contains_key(&param.name)).collect();
    let last = positionals.last().copied();
    let args = step.args.iter().enumerate().map(|(index, value)| (positionals.get(index).copied().or(last), value));
    let open = step.flags.iter().map(|(key, value)| (find(key), value)).chain(args.clone());
    let open: Vec<&str> =
        open.filter(|(_, value)| template::is_open(value)).filter_map(|(param, _)| Some(&*param?.name)).collect();
    let args: Vec<Value> = args.map(|(param, value)| sampled(param, sample_item, value)).collect();
    let sampled = Invocation::new(&step.operation, &flags, &args)?;
    let known = sampled.values().filter(|(param, _)| is_path(param) && !open.contains(&&*param.name));
    let paths = known.map(|(param, given)| (param.name.clone(), given.clone())).collect();
    step.effect = sampled.effect();
    step.paths = paths;
    gated(sampled, yes)?;
    Ok(step)
}

/// Sets the gates that apply or preview a step; the workflow's own `yes` alone decides which.
///
/// It looks at the validated call, so that no spelling of a flag gets past it.
pub(super) fn gated(invocation: Invocation, yes: bool) -> Result<Invocation, Refusal> {
    if invocation.effect() == Effect::ReadOnly {
        return Ok(invocation);
    }
    let operation = invocation.operation();
    let has = |gate: &str| has_gate(operation, gate);
    let says = |gate: &str| has(gate) && invocation.value(gate).is_some();
    if !yes && !has(PREVIEW) {
        return Err(problem("command", format!("`{}` has no {PREVIEW} to preview it by", operation.name), None));
    }
    if !yes && says(APPLY) {
        return Err(problem(APPLY, "set on a step of a preview; set it on the workflow".to_owned(), None));
    }
    match yes {
        false => invocation.with(PREVIEW, true.into()),
        true if says(PREVIEW) && has(APPLY) => invocation.with(APPLY, Value::Null),
        true if has(APPLY) => invocation.with(APPLY, true.into()),
        true => Ok(invocation),
    }
}

/// Tells whether an operation shows what it would do where it is asked to.
pub(super) fn has_preview(operation: &Operation) -> bool {
    has_gate(operation, PREVIEW)
}

fn has_gate(operation: &Operation, gate: &str) -> bool {
    operation.params.iter().any(|param| param.gate && param.name == gate)
}

/// Returns a value of a kind, to check a step's shape before its placeholders are known.
fn sample(kind: &ParamKind) -> Value {
    match kind {
        ParamKind::Many { repeat, .. } => vec![sample_item(kind); repeat.min.max(1)].into(),
        other => sample_item(other),
    }
}

/// Returns one value of a kind: where it takes many, one of them.
fn sample_item(kind: &ParamKind) -> Value {
    let (ParamKind::One(value) | ParamKind::Optional { value, .. } | ParamKind::Many { item: value, .. }) = kind else {
        return if let ParamKind::Count = kind { 1.into() } else { true.into() };
    };
    match value.choices.first() {
        Some(choice) => choice.name.as_str().into(),
        None => match value.base {
            BaseType::String => "x".into(),
            BaseType::Integer { min, .. } => min.to_string().into(),
            BaseType::Number => 0.into(),
            BaseType::Boolean => true.into(),
        },
    }
}

fn problem(param: &str, problem: String, nearest: Option<String>) -> Refusal {
    Refusal::invalid(vec![Problem { param: param.to_owned(), problem, nearest, ..Problem::default() }])
}

/// Names the step in the problems of its refusal.
pub(super) fn placed(place: &str, refusal: Refusal) -> Vec<Problem> {
    let place =
        |param: &str| if param.is_empty() { format!("steps.{place}") } else { format!("steps.{place}.{param}") };
    if refusal.problems.is_empty() {
        let problem = match &refusal.hint {
            Some(hint) => format!("{}; {hint}", refusal.message),
            None => refusal.message,
        };
        return vec![Problem { param: place("command"), problem, ..Problem::default() }];
    }
    refusal.problems.into_iter().map(|problem| Problem { param: place(&problem.param), ..problem }).collect()
}
