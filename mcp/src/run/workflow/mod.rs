//! `workflow_submit`: several operations in order, each made by the same constructor as any call.

mod step;
mod template;

use super::Pipeline;
use super::bound::{Delivered, Delivery, Printed};
use super::budget::{Cost, Permit};
use super::execute::{Via, deliver};
use super::within::StepCall;
use super::{Caller, Outcome};
use crate::argv::Proved;
use crate::catalog::{Applying, Approval, Catalog, Effect, Operation};
use crate::exec::{Intent, Limits, Opening, Unit};
use crate::invocation::{Given, Invocation};
use crate::refusal::{Kind, Problem, Refusal};
use crate::surface::Tool;
use crate::surface::fixed::{fit, schema, typed};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
pub(crate) use step::{APPLY, PREVIEW};
use step::{Step, SubmittedStep, gated, placed, resolve};
use template::Scope;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The tool's name.
pub(crate) const NAME: &str = "workflow_submit";

/// The most steps of one workflow.
const STEPS: usize = 100;

/// Several operations in order, resolved as far as they can be before they run.
#[derive(Clone, Debug)]
pub struct Workflow {
    steps: Vec<Step>,
    vars: Map<String, Value>,
    yes: bool,
    continue_on_error: bool,
    max_changes: Option<u64>,
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
        let submitted: Submitted = typed(fitted)?;
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
        let mut names: Vec<String> = Vec::new();
        for (index, step) in submitted.steps.into_iter().enumerate() {
            let name = step.get("name").and_then(Value::as_str).map(str::to_owned);
            let name = name.unwrap_or_else(|| (index + 1).to_string());
            match resolve(catalog, step, name.clone(), &names, &vars, yes) {
                Ok(step) => steps.push(step),
                Err(refusal) => problems.extend(placed(&name, refusal)),
            }
            names.push(name);
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

    /// Tells whether it changes anything, or only shows what it would change.
    pub fn applies(&self) -> bool {
        self.yes
    }

    /// Returns the operations, in order.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.steps.iter().map(|step| &*step.operation)
    }

    /// Returns the files that its steps name, each with its place, as far as they are known before any step runs.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (String, &Given)> {
        let place = |step: &Step, param: &str| format!("steps.{}.{param}", step.name);
        self.steps.iter().flat_map(move |step| step.paths.iter().map(move |(param, given)| (place(step, param), given)))
    }

    /// Returns what all its steps cost: a preview changes nothing.
    pub(crate) fn cost(&self) -> Cost {
        let step = |step: &Step| Cost::of(if self.yes { step.effect } else { Effect::ReadOnly });
        self.steps.iter().map(step).fold(Cost::default(), |sum, cost| sum.plus(&cost))
    }

    /// Returns the operations' names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.steps.iter().map(|step| step.operation.name.as_str()).collect()
    }

    /// Returns what each step is allowed to do, in order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Allowed<'_>> {
        self.steps.iter().map(|step| Allowed {
            name: &step.operation.name,
            effect: step.effect,
            approval: step.operation.approval,
            applying: step.operation.applying,
            params: step.to_json(),
        })
    }

    /// Renders all that decides what it does, but whether it applies.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let steps = self.steps.iter().map(|step| {
            let mut json = step.to_json();
            json.insert("name".into(), step.name.as_str().into());
            json.insert("command".into(), step.operation.name.as_str().into());
            Value::Object(json)
        });
        let steps = steps.collect::<Vec<_>>().into();
        std::iter::once(("steps".to_owned(), steps)).chain(self.settings()).collect()
    }

    /// Renders what it sets for the whole, but whether it applies.
    pub(crate) fn settings(&self) -> Map<String, Value> {
        let mut json = Map::new();
        if !self.vars.is_empty() {
            json.insert("vars".into(), self.vars.clone().into());
        }
        if self.continue_on_error {
            json.insert("continue_on_error".into(), true.into());
        }
        if let Some(most) = self.max_changes {
            json.insert("max_changes".into(), most.into());
        }
        json
    }

    /// Returns the same as a preview; `None` where a step can't be previewed.
    pub(crate) fn preview(&self) -> Option<Self> {
        let all = self.steps.iter().all(|step| step.effect == Effect::ReadOnly || step::has_preview(&step.operation));
        all.then(|| Self { yes: false, ..self.clone() })
    }

    /// Runs the steps, in one transaction where the executor has them.
    ///
    /// A preview is rolled back in any case. In it each step that changes something is previewed, which is what is
    /// shown, and then applied, so that the later steps see what they will see; one that could not be applied fails.
    /// Without transactions a preview runs each step by itself, on what is there now.
    pub(crate) async fn run(
        &self,
        pipeline: &Pipeline,
        caller: &Caller,
        permit: &Permit,
        delivery: Delivery,
        cancel: CancellationToken,
    ) -> Result<Outcome, Refusal> {
        let mut unit = self.open(pipeline, &cancel).await?;
        let end = Instant::now() + permit.time(pipeline.limits.timeout);
        let turn = Turn { pipeline, caller, permit, end, cancel: &cancel };
        let mut done = Done { scope: Scope::new(&self.vars), reports: Vec::new(), failed: false, only_previewed: None };
        for step in &self.steps {
            if done.failed && !self.continue_on_error {
                done.report(step, json!({ "skipped": "an earlier step failed" }));
                continue;
            }
            self.step(&turn, step, &mut unit, &mut done).await;
        }
        let mode = if self.yes { "apply" } else { "preview" };
        let mut report = json!({ "ok": !done.failed, "mode": mode, "steps": done.reports });
        match unit {
            Some(unit) if !self.yes => unit.rollback().await,
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
        let printed = Printed::text(report.to_string());
        let (bytes, whole) = (printed.total, (!self.yes).then(|| printed.head.clone()));
        let Delivered { text, notes, truncated, .. } = deliver(delivery, printed).await?;
        let truncated = truncated.map(Box::new);
        let failed = done.failed;
        Ok(Outcome { text, notes, failed, bytes, truncated, printed: whole, ..Outcome::default() })
    }

    fn intent(&self) -> Intent {
        if self.yes { Intent::Apply } else { Intent::Preview }
    }

    /// Makes a step a call, now that its placeholders are known.
    fn prepare(&self, turn: &Turn<'_>, step: &Step, scope: &Scope, intent: Intent) -> Result<StepCall, Refusal> {
        let flags = scope.fill_map(&step.flags)?;
        let fill = |value| scope.fill(value).map_err(template::at("args"));
        let args = step.args.iter().map(fill).collect::<Result<Vec<_>, _>>()?;
        let invocation = gated(Invocation::new(&step.operation, &flags, &args)?, intent == Intent::Apply)?;
        if invocation.effect() > step.effect {
            let name = &step.operation.name;
            return Err(Refusal::new(Kind::EffectDenied)
                .because(format!("the placeholders would make `{name}` {}", invocation.effect())));
        }
        let proved = Proved::new(&turn.pipeline.catalog, invocation)?;
        let stdin = step.stdin_from.as_deref().map(|from| scope.printed(from)).transpose()?;
        Ok(StepCall { proved: Arc::new(proved), stdin: stdin.map(String::into_bytes), intent: self.intent() })
    }

    /// Opens the transaction for all steps; `None` where there is none to be had.
    async fn open(&self, pipeline: &Pipeline, cancel: &CancellationToken) -> Result<Option<Box<dyn Unit>>, Refusal> {
        if self.effect() == Effect::ReadOnly {
            return Ok(None);
        }
        let intent = self.intent();
        let (max_changes, timeout) = (self.max_changes, pipeline.limits.timeout);
        let Some(unit) = pipeline.executor.begin(Opening { intent, max_changes, timeout, cancel: cancel.clone() })
        else {
            return Ok(None);
        };
        match unit.await {
            Ok(unit) => Ok(Some(unit)),
            // Where nothing can be written, what would be written can still be shown.
            Err(refusal) if !self.yes && refusal.kind == Kind::NotStarted => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    async fn step(&self, turn: &Turn<'_>, step: &Step, unit: &mut Option<Box<dyn Unit>>, done: &mut Done) {
        let prepared = done.scope.holds(step.when.as_deref()).and_then(|holds| match holds {
            false => Ok(None),
            true => self.prepare(turn, step, &done.scope, self.intent()).map(Some),
        });
        let call = match prepared {
            Ok(Some(prepared)) => prepared,
            Ok(None) => {
                done.scope.skip(&step.name);
                return done.report(step, json!({ "skipped": "its condition does not hold" }));
            }
            Err(refusal) => return done.end(step, Err(refusal), None),
        };
        let previews = !self.yes && call.proved.invocation().effect() > Effect::ReadOnly;
        let rehearses = previews && unit.is_some();
        let result = turn.run(call, unit).await;
        if previews && !rehearses {
            done.only_previewed.get_or_insert_with(|| step.name.clone());
        }
        if !rehearses || !result.as_ref().is_ok_and(|outcome| !outcome.failed) {
            return done.end(step, result, None);
        }
        let applied = match self.prepare(turn, step, &done.scope, Intent::Apply) {
            Ok(call) => turn.run(call, unit).await,
            Err(refusal) => Err(refusal),
        };
        match applied {
            Ok(applied) if !applied.failed => done.end(step, result, Some(applied)),
            failed => done.end(step, failed, None),
        }
    }
}

/// What a step is allowed to do.
pub(crate) struct Allowed<'a> {
    pub(crate) name: &'a str,
    pub(crate) effect: Effect,
    pub(crate) approval: Option<Approval>,
    pub(crate) applying: Applying,
    /// What it sets, placeholders as they were submitted.
    pub(crate) params: Map<String, Value>,
}

/// What the steps run with.
struct Turn<'a> {
    pipeline: &'a Pipeline,
    caller: &'a Caller,
    permit: &'a Permit,
    /// When the workflow as a whole is out of time.
    end: Instant,
    cancel: &'a CancellationToken,
}

impl Turn<'_> {
    async fn run(&self, call: StepCall, unit: &mut Option<Box<dyn Unit>>) -> Result<Outcome, Refusal> {
        let limits = Limits { timeout: self.end.saturating_duration_since(Instant::now()), ..self.pipeline.limits };
        if limits.timeout.is_zero() {
            return Err(Refusal::new(Kind::TimedOut).because("the workflow as a whole ran out of time"));
        }
        let via = unit.as_mut().map(|unit| Via::Unit(&mut **unit));
        self.pipeline.step(call, via, self.caller, self.permit, limits, self.cancel.clone()).await
    }
}

/// What the steps so far came to.
struct Done {
    scope: Scope,
    reports: Vec<Value>,
    failed: bool,
    /// The first step whose change the later ones don't see.
    only_previewed: Option<String>,
}

impl Done {
    /// Takes what a step came to, and for later steps what it came to when it was applied beyond its preview.
    fn end(&mut self, step: &Step, mut result: Result<Outcome, Refusal>, applied: Option<Outcome>) {
        if let Some(earlier) = self.only_previewed.as_ref().filter(|earlier| **earlier != step.name) {
            let depends = format!("step `{earlier}` was only previewed, and this one may depend on what it changes");
            match &mut result {
                Ok(outcome) if outcome.failed => outcome.notes.push(depends),
                Ok(_) => {}
                Err(refusal) => drop(refusal.hint.get_or_insert(depends)),
            }
        }
        match result {
            Ok(outcome) => {
                self.failed |= outcome.failed;
                let output = read(&outcome);
                match &applied {
                    Some(applied) => self.scope.record(&step.name, applied, read(applied)),
                    None => self.scope.record(&step.name, &outcome, output.clone()),
                }
                let mut report = json!({ "ok": !outcome.failed, "exit": outcome.exit, "output": output });
                if let Some(untrusted) = &outcome.untrusted {
                    report["provenance"] = untrusted.provenance();
                }
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

fn read(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.text).unwrap_or_else(|_| outcome.text.as_str().into())
}
