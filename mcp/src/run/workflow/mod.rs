//! `workflow_submit`: several operations in order, each made by the same constructor as any call.

mod template;

use super::execute::Via;
use super::pipeline::{Pipeline, StepCall};
use super::{Caller, Outcome};
use crate::argv::Proved;
use crate::catalog::{BaseType, Catalog, Effect, Operation, Param, ParamKind};
use crate::exec::{Limits, Opening, Unit};
use crate::invocation::Invocation;
use crate::refusal::{Kind, Problem, Refusal};
use crate::surface::fixed::{fit, schema};
use crate::surface::{Tool, find};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use template::Scope;
use tokio_util::sync::CancellationToken;

/// The tool's name.
pub(crate) const NAME: &str = "workflow_submit";

/// The most steps of one workflow.
const STEPS: usize = 100;

/// The gate that applies a change instead of previewing it, and the one that previews it.
const APPLY: &str = "yes";
const PREVIEW: &str = "dry-run";

/// Several operations in order, resolved as far as they can be before they run.
#[derive(Debug)]
pub struct Workflow {
    steps: Vec<Step>,
    vars: Map<String, Value>,
    yes: bool,
    continue_on_error: bool,
    max_changes: Option<u64>,
}

/// One step: an operation, and what to set once the placeholders are known.
#[derive(Debug)]
struct Step {
    name: String,
    operation: Arc<Operation>,
    /// What it is allowed to do: as it was resolved, whatever the placeholders bring.
    effect: Effect,
    flags: Map<String, Value>,
    args: Vec<Value>,
    stdin_from: Option<String>,
    when: Option<String>,
}

/// What the tool takes.
#[derive(Deserialize, JsonSchema)]
struct Submitted {
    #[schemars(with = "Vec<SubmittedStep>")]
    steps: Vec<Map<String, Value>>,
    vars: Option<Map<String, Value>>,
    /// apply, in one transaction where possible; else preview
    yes: Option<bool>,
    continue_on_error: Option<bool>,
    /// for the whole
    max_changes: Option<u64>,
}

/// What a step takes.
#[derive(Deserialize, JsonSchema)]
struct SubmittedStep {
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

/// Returns the tool as it is listed.
pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME.to_owned(),
        description: "Run commands in order. Values may hold ${vars.x} and, with a JSON pointer, ${steps.NAME.output/rows/0/key}."
            .to_owned(),
        input_schema: schema::<Submitted>(),
        effect: Some(Effect::Destructive),
    }
}

impl Workflow {
    /// Resolves a submission: every step's names, shapes and placeholders are checked at once.
    ///
    /// # Errors
    /// [`Kind::InvalidParams`] with every problem of every step.
    pub(crate) fn new(catalog: &Catalog, arguments: Map<String, Value>) -> Result<Self, Refusal> {
        let fitted = fit(&schema::<Submitted>(), arguments)?;
        let submitted: Submitted = serde_json::from_value(Value::Object(fitted))
            .map_err(|error| Refusal::new(Kind::InvalidParams).because(format!("steps: {error}")))?;
        if submitted.steps.is_empty() || submitted.steps.len() > STEPS {
            let problem = format!("{} steps", submitted.steps.len());
            return Err(Refusal::invalid(vec![Problem {
                param: "steps".into(),
                problem,
                expected: Some(format!("1 to {STEPS}")),
                ..Problem::default()
            }]));
        }
        let yes = submitted.yes.unwrap_or_default();
        let vars = submitted.vars.unwrap_or_default();
        let mut problems = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        for (index, step) in submitted.steps.into_iter().enumerate() {
            let name = step.get("name").and_then(Value::as_str).map(str::to_owned);
            let name = name.unwrap_or_else(|| (index + 1).to_string());
            match resolve(catalog, step, name.clone(), &steps, &vars, yes) {
                Ok(step) => steps.push(step),
                Err(refusal) => problems.extend(placed(&name, refusal)),
            }
        }
        if !problems.is_empty() {
            return Err(Refusal::invalid(problems));
        }
        let (continue_on_error, max_changes) = (submitted.continue_on_error.unwrap_or_default(), submitted.max_changes);
        Ok(Self { steps, vars, yes, continue_on_error, max_changes })
    }

    /// Returns the widest effect that any of its steps can have.
    pub fn effect(&self) -> Effect {
        self.steps.iter().map(|step| step.effect).max().unwrap_or(Effect::ReadOnly)
    }

    /// Returns the operations' names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.steps.iter().map(|step| step.operation.name.as_str()).collect()
    }

    /// Runs the steps; an apply is one transaction where the executor has them.
    pub(crate) async fn run(
        &self,
        pipeline: &Pipeline,
        caller: &Caller,
        cancel: CancellationToken,
    ) -> Result<Outcome, Refusal> {
        let mut unit = match self.yes && self.effect() > Effect::ReadOnly {
            true => {
                let timeout = pipeline.limits.timeout;
                let opening = Opening { max_changes: self.max_changes, timeout, cancel: cancel.clone() };
                match pipeline.executor.begin(opening) {
                    Some(unit) => Some(unit.await?),
                    None => None,
                }
            }
            false => None,
        };
        let end = tokio::time::Instant::now() + pipeline.limits.timeout;
        let mut done = Done { scope: Scope::new(&self.vars), reports: Vec::new(), failed: false };
        for step in &self.steps {
            if done.failed && !self.continue_on_error {
                done.report(step, json!({ "skipped": "an earlier step failed" }));
                continue;
            }
            let limits =
                Limits { timeout: end.saturating_duration_since(tokio::time::Instant::now()), ..pipeline.limits };
            if limits.timeout.is_zero() {
                done.end(step, Err(Refusal::new(Kind::TimedOut).because("the workflow as a whole ran out of time")));
                continue;
            }
            self.step(Turn { pipeline, caller, limits, cancel: &cancel }, step, &mut unit, &mut done).await;
        }
        let mode = if self.yes { "apply" } else { "preview" };
        let mut report = json!({ "ok": !done.failed, "mode": mode, "steps": done.reports });
        match unit {
            Some(unit) if done.failed && !self.continue_on_error => {
                unit.rollback().await;
                report["committed"] = false.into();
            }
            Some(unit) => match unit.commit().await {
                Ok(summary) => {
                    report["committed"] = summary.is_some().into();
                    report["summary"] = summary.unwrap_or_default();
                }
                Err(error) => {
                    done.failed = true;
                    report["ok"] = false.into();
                    report["committed"] = false.into();
                    report["error"] = error.into();
                }
            },
            None => {}
        }
        let text = report.to_string();
        let bytes = text.len() as u64;
        let bounded = pipeline.bound.apply(text.into_bytes(), bytes);
        Ok(Outcome { text: bounded.text, notes: bounded.notes, exit: None, failed: done.failed, bytes })
    }

    async fn step(&self, turn: Turn<'_>, step: &Step, unit: &mut Option<Box<dyn Unit>>, done: &mut Done) {
        let Turn { pipeline, caller, limits, cancel } = turn;
        let prepared = done.scope.holds(step.when.as_deref()).and_then(|holds| match holds {
            false => Ok(None),
            true => self.prepare(pipeline, step, &done.scope).map(Some),
        });
        let call = match prepared {
            Ok(Some(prepared)) => prepared,
            Ok(None) => {
                done.scope.skip(&step.name);
                return done.report(step, json!({ "skipped": "its condition does not hold" }));
            }
            Err(refusal) => return done.end(step, Err(refusal)),
        };
        let via = unit.as_mut().map(|unit| Via::Unit(&mut **unit));
        let result = pipeline.step(call, via, caller, limits, cancel.clone()).await;
        done.end(step, result);
    }

    fn prepare(&self, pipeline: &Pipeline, step: &Step, scope: &Scope) -> Result<StepCall, Refusal> {
        let flags = scope.fill_map(&step.flags)?;
        let args = step.args.iter().map(|value| scope.fill(value)).collect::<Result<Vec<_>, _>>()?;
        let invocation = gated(Invocation::new(&step.operation, &flags, &args)?, self.yes)?;
        if invocation.effect() > step.effect {
            let name = &step.operation.name;
            return Err(Refusal::new(Kind::EffectDenied)
                .because(format!("the placeholders would make `{name}` {}", invocation.effect())));
        }
        let proved = Proved::new(&pipeline.catalog, invocation)?;
        let stdin = step.stdin_from.as_deref().map(|from| scope.printed(from)).transpose()?;
        Ok(StepCall { proved: Arc::new(proved), stdin: stdin.map(String::into_bytes) })
    }
}

/// What one step runs with.
struct Turn<'a> {
    pipeline: &'a Pipeline,
    caller: &'a Caller,
    limits: Limits,
    cancel: &'a CancellationToken,
}

/// What the steps so far came to.
struct Done {
    scope: Scope,
    reports: Vec<Value>,
    failed: bool,
}

impl Done {
    fn end(&mut self, step: &Step, result: Result<Outcome, Refusal>) {
        match result {
            Ok(outcome) => {
                self.failed |= outcome.failed;
                let output: Value =
                    serde_json::from_str(&outcome.text).unwrap_or_else(|_| outcome.text.as_str().into());
                self.scope.record(&step.name, &outcome, output.clone());
                let mut report = json!({ "ok": !outcome.failed, "exit": outcome.exit, "output": output });
                if !outcome.notes.is_empty() {
                    report["notes"] = outcome.notes.into();
                }
                self.report(step, report);
            }
            Err(refusal) => {
                self.failed = true;
                let mut report = refusal.to_json();
                report["ok"] = false.into();
                self.report(step, report);
            }
        }
    }

    fn report(&mut self, step: &Step, details: Value) {
        let mut report = json!({ "name": step.name, "command": step.operation.name });
        if let (Some(report), Value::Object(details)) = (report.as_object_mut(), details) {
            report.extend(details);
        }
        self.reports.push(report);
    }
}

/// Checks one step against those before it, and makes it an invocation once with sample values.
fn resolve(
    catalog: &Catalog,
    submitted: Map<String, Value>,
    name: String,
    before: &[Step],
    vars: &Map<String, Value>,
    yes: bool,
) -> Result<Step, Refusal> {
    let submitted: SubmittedStep = serde_json::from_value(Value::Object(fit(&schema::<SubmittedStep>(), submitted)?))
        .map_err(|error| Refusal::new(Kind::InvalidParams).because(error.to_string()))?;
    if name.is_empty() || name.len() > 64 || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        return Err(problem("name", "not of letters, digits, `_` and `-`, at most 64".to_owned(), None));
    }
    let known: Vec<&str> = before.iter().map(|step| step.name.as_str()).collect();
    if known.contains(&name.as_str()) {
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
        operation,
    };
    if let Some(from) = &step.stdin_from {
        template::check([template::selection(from).into()].iter(), None, vars, &known).map_err(|mut refusal| {
            for problem in &mut refusal.problems {
                problem.param = "stdin_from".to_owned();
                problem.given = Some(from.clone());
                problem.expected = Some("an earlier step's name, or NAME.output/json/pointer".to_owned());
            }
            refusal
        })?;
    }
    let texts = step.flags.values().chain(&step.args);
    template::check(texts, step.when.as_deref(), vars, &known)?;
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
    let args: Vec<Value> = step
        .args
        .iter()
        .enumerate()
        .map(|(index, value)| sampled(positionals.get(index).copied().or(last), sample_item, value))
        .collect();
    let sampled = Invocation::new(&step.operation, &flags, &args)?;
    step.effect = sampled.effect();
    gated(sampled, yes)?;
    Ok(step)
}

/// Sets the gates that apply or preview a step; the workflow's own `yes` alone decides which.
///
/// It looks at the validated call, so that no spelling of a flag gets past it.
fn gated(invocation: Invocation, yes: bool) -> Result<Invocation, Refusal> {
    if invocation.effect() == Effect::ReadOnly {
        return Ok(invocation);
    }
    let operation = invocation.operation();
    let has = |gate: &str| operation.params.iter().any(|param| param.gate && param.name == gate);
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
fn placed(place: &str, refusal: Refusal) -> Vec<Problem> {
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
