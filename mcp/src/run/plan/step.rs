//! The step: whether a change is the one that was previewed.

use super::difference;
use super::kept::{FORM, Kept, Seen, is_token};
use super::stage::{Stage, applied_effect, has_gate, preview};
use crate::catalog::{Applying, Catalog, Effect};
use crate::invocation::UNKNOWN;
use crate::refusal::{Kind, Refusal};
use crate::run::approve::Demand;
use crate::run::workflow::{APPLY, PREVIEW};
use crate::run::{Call, Caller, Outcome, Target};
use serde_json::{Map, Value};
use std::fmt;

/// The argument that names a plan, on every tool.
pub(crate) const PLAN: &str = "plan";

/// The gate without which a destructive command runs nowhere that has it.
const DESTRUCTIVE: &str = "allow-destructive";

/// The plans that stand, and how they are compared.
pub struct Plans {
    /// JSON pointers to what differs from one preview to the next of its own accord.
    ignores: Vec<String>,
    kept: Kept,
}

/// A plan that still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) token: String,
    /// The digest of its preview.
    pub(crate) digest: String,
    /// The preview, for people.
    pub(crate) preview: String,
}

impl Plans {
    /// Makes the step; `ignores` are JSON pointers into previews.
    pub fn new(ignores: Vec<String>) -> Self {
        Self { ignores, kept: Kept::new() }
    }

    /// Tells whether a change by this call has to name a plan.
    pub(crate) fn demands(target: &Target) -> bool {
        match target {
            Target::Operation(proved) => proved.invocation().operation().applying == Applying::ByPlan,
            Target::Tool(..) => false,
            Target::Workflow(workflow) => {
                workflow.steps().any(|step| step.effect > Effect::ReadOnly && step.applying == Applying::ByPlan)
            }
        }
    }

    /// Refuses a call that would need a plan.
    ///
    /// # Errors
    /// [`Kind::PlanRequired`]
    pub(crate) fn foresee(call: &Call) -> Result<(), Refusal> {
        match Stage::of(&call.target) == Stage::Applies && Self::demands(&call.target) {
            true => Err(Refusal::new(Kind::PlanRequired).hint(how(call))),
            false => Ok(()),
        }
    }

    /// Makes a call that does not say whether it applies say that it previews.
    pub(crate) fn state(&self, call: Call, catalog: &Catalog) -> Result<Call, Refusal> {
        match Stage::of(&call.target) {
            Stage::Silent => Ok(match preview(&call.target, catalog)? {
                Some(target) => Call { target, ..call },
                None => call,
            }),
            Stage::Reads | Stage::Previews | Stage::Applies => Ok(call),
        }
    }

    /// Lets a call pass that needs no plan, or whose plan still holds; `again` makes the preview again.
    ///
    /// # Errors
    /// [`Kind::PlanRequired`], [`Kind::PlanChanged`] with what changed, and why the preview could not be made.
    pub(crate) async fn check<F>(
        &self,
        call: &Call,
        token: Option<String>,
        caller: &Caller,
        catalog: &Catalog,
        again: impl FnOnce(Call) -> F,
    ) -> Result<Option<Checked>, Refusal>
    where
        F: Future<Output = Result<Outcome, Refusal>>,
    {
        if Stage::of(&call.target) != Stage::Applies || (token.is_none() && !Self::demands(&call.target)) {
            return Ok(None);
        }
        let name = call.target.name();
        let Some(target) = preview(&call.target, catalog)? else {
            return match token {
                // A plan that nobody asked for, of what has none, is no reason to refuse.
                Some(_) if !Self::demands(&call.target) => Ok(None),
                _ => Err(Refusal::new(Kind::PlanRequired)
                    .because(format!(
                        "a change needs the plan of its preview, and `{name}` has no {PREVIEW} to make one by"
                    ))
                    .hint("your user's policy can exempt it: `apply = \"direct\"` in a `[[command]]`")),
            };
        };
        let how = how(call);
        let Some(token) = token else { return Err(Refusal::new(Kind::PlanRequired).hint(how)) };
        let Some(plan) = self.kept.find(&token, &caller.principal.name) else {
            let gone = format!("no plan {token} stands here: it was used, is over an hour old, or never was");
            return Err(Refusal::new(Kind::PlanRequired).because(gone).hint(how));
        };
        if plan.target != name {
            let other = format!("{token} is the plan of `{}`, not of `{name}`", plan.target);
            return Err(Refusal::new(Kind::PlanChanged).because(other).hint(how));
        }
        let params = params(&call.target);
        if plan.params != params {
            let differs = difference::params(&plan.params, &params);
            let other = format!("{token} is the plan of a call with other params: {differs}");
            return Err(Refusal::new(Kind::PlanChanged).because(other).hint(how));
        }
        let outcome = again(Call { target, ..call.clone() }).await?;
        let seen = match &outcome.printed {
            Some(printed) if !outcome.failed => self.seen(printed, &call.target),
            _ => {
                self.kept.forget(&token);
                let why = [&[outcome.text], &*outcome.notes].concat().join("\n");
                let fails = format!("the preview, made again for {token}, fails now: {why}");
                return Err(Refusal::new(Kind::PlanChanged).because(fails).hint(how));
            }
        };
        if seen.digest != plan.seen.digest {
            self.kept.forget(&token);
            let changed = difference::lines(&plan.seen.text, &seen.text);
            let changed = format!("{} The preview differs from {token}:{changed}", sentence());
            return Err(Refusal::new(Kind::PlanChanged).because(changed).hint(how));
        }
        Ok(Some(Checked { token, digest: seen.digest, preview: seen.text }))
    }

    /// Uses a plan up.
    ///
    /// # Errors
    /// [`Kind::PlanRequired`] where another call did.
    pub(crate) fn spend(&self, plan: Option<&Checked>) -> Result<(), Refusal> {
        match plan {
            Some(plan) if !self.kept.forget(&plan.token) => Err(Refusal::new(Kind::PlanRequired)
                .because(format!("the plan {} was used by another call just now", plan.token))
                .hint("preview again")),
            _ => Ok(()),
        }
    }

    /// Keeps what a call previewed, and says of it by what it can be applied and what would be in its way.
    pub(crate) fn offer(&self, call: &Call, caller: &Caller, demand: Demand, outcome: &mut Outcome) {
        let printed = outcome.printed.take();
        let Some(printed) = printed.filter(|_| !outcome.failed) else { return };
        if !matches!(Stage::of(&call.target), Stage::Previews | Stage::Silent) {
            return;
        }
        let (name, effect) = (call.target.name(), applied_effect(&call.target));
        let seen = self.seen(&printed, &call.target);
        let scope = caller.principal.scope;
        if effect > scope {
            outcome
                .notes
                .push(format!("the apply would be refused: it is {effect}, and this session runs {scope} commands"));
            return;
        }
        if let Target::Operation(proved) = &call.target {
            let invocation = proved.invocation();
            let lacks = has_gate(invocation.operation(), DESTRUCTIVE) && invocation.value(DESTRUCTIVE).is_none();
            // The command's own word on it is better.
            if effect == Effect::Destructive && lacks && !seen.text.contains(DESTRUCTIVE) {
                outcome.notes.push(format!("the apply would be refused: `{DESTRUCTIVE}` is not set"));
            }
        }
        if demand == Demand::Word {
            let with = with(call);
            outcome.notes.push(format!("the apply, by the same call {with}, has to be allowed by the operator first"));
        }
        match self.kept.keep(&caller.principal.name, name, params(&call.target), seen) {
            Ok(token) if Self::demands(&call.target) => {
                outcome
                    .notes
                    .push(format!("plan: {token} (apply by the same call with `{PLAN}`: \"{token}\", {})", with(call)));
            }
            Ok(token) => outcome.notes.push(format!("plan: {token}")),
            Err(error) => outcome.notes.push(format!("no plan can be made: {error}")),
        }
    }

    fn seen(&self, printed: &[u8], target: &Target) -> Seen {
        match target {
            Target::Workflow(_) => {
                let below = self.ignores.iter().map(|pointer| format!("/steps/*/output{pointer}"));
                Seen::new(printed, &below.collect::<Vec<_>>())
            }
            _ => Seen::new(printed, &self.ignores),
        }
    }
}

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plans").field("ignores", &self.ignores).finish_non_exhaustive()
    }
}

/// Takes the token out of a call's arguments, wherever a caller puts it. Nothing else has its form.
pub(crate) fn take(arguments: &mut Map<String, Value>) -> Option<String> {
    if arguments.get(PLAN).is_some_and(Value::is_null) {
        arguments.shift_remove(PLAN);
    }
    let is_one = |value: &Value| value.as_str().is_some_and(is_token);
    let inner = ["flags", "arguments", "params"].into_iter();
    let place = std::iter::once(None).chain(inner.map(Some)).find(|place| match place {
        None => arguments.get(PLAN).is_some_and(is_one),
        Some(key) => arguments.get(*key).and_then(|inner| inner.get(PLAN)).is_some_and(is_one),
    })?;
    let holder = match place {
        None => arguments,
        Some(key) => arguments.get_mut(key)?.as_object_mut()?,
    };
    holder.shift_remove(PLAN)?.as_str().map(str::to_owned)
}

/// Says of a `plan` that is none, and that no command has a param for, what one looks like.
pub(crate) fn unread(mut refusal: Refusal) -> Refusal {
    for problem in refusal.problems.iter_mut().filter(|problem| problem.param == PLAN && problem.problem == UNKNOWN) {
        "not a plan that a preview named".clone_into(&mut problem.problem);
        problem.expected = Some(format!("{FORM}, as a preview names its plan"));
        problem.nearest = None;
    }
    refusal
}

/// What a plan is bound to beside the operation: all that was asked for but whether it applies.
fn params(target: &Target) -> Map<String, Value> {
    let mut params = match target {
        Target::Operation(proved) => proved.invocation().to_json(),
        Target::Tool(_, arguments) => arguments.clone(),
        Target::Workflow(workflow) => return workflow.to_json(),
    };
    params.retain(|name, _| name != APPLY && name != PREVIEW);
    params
}

/// Says how to come by a plan.
fn how(call: &Call) -> String {
    let preview = match &call.target {
        Target::Operation(proved) if has_gate(proved.invocation().operation(), PREVIEW) => {
            format!("with `{PREVIEW}`: true instead of `{APPLY}`")
        }
        _ => format!("without `{APPLY}`"),
    };
    format!(
        "preview first: this call {preview}; then make this call again {} and the `{PLAN}` that the preview names",
        with(call)
    )
}

/// Says by what a call applies.
fn with(call: &Call) -> String {
    match &call.target {
        Target::Operation(proved) if !has_gate(proved.invocation().operation(), APPLY) => {
            format!("without `{PREVIEW}`")
        }
        _ => format!("with `{APPLY}`: true"),
    }
}

fn sentence() -> String {
    let mut sentence = Kind::PlanChanged.sentence().to_owned();
    sentence.push('.');
    sentence
}
