//! How a call stands to its preview.

use crate::argv::Proved;
use crate::catalog::{Catalog, Effect, Operation, ParamKind};
use crate::invocation::{Given, Invocation};
use crate::refusal::Refusal;
use crate::run::Target;
use crate::run::workflow::{APPLY, PREVIEW};
use serde_json::Value;
use std::sync::Arc;

/// How a call stands to its preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It changes nothing, and there is nothing that it would change.
    Reads,
    /// It shows what it would change: it says so itself.
    Previews,
    /// It says neither that it applies nor that it previews. Where commands preview by themselves it does; elsewhere it
    /// may be a change that only would have asked a person first.
    Silent,
    /// It changes something.
    Applies,
}

impl Stage {
    pub(crate) fn of(target: &Target) -> Self {
        match target {
            Target::Operation(proved) => Self::of_invocation(proved.invocation()),
            Target::Tool(tool, _) if tool.effect() == Effect::ReadOnly => Self::Reads,
            Target::Tool(..) => Self::Applies,
            Target::Workflow(workflow) if workflow.effect() == Effect::ReadOnly => Self::Reads,
            Target::Workflow(workflow) if workflow.applies() => Self::Applies,
            Target::Workflow(_) => Self::Previews,
        }
    }

    pub(crate) fn of_invocation(invocation: &Invocation) -> Self {
        let operation = invocation.operation();
        let applies = invocation.value(APPLY).is_some();
        match (applies, invocation.effect()) {
            (false, Effect::ReadOnly) if applies_by_yes(operation) => Self::Previews,
            (_, Effect::ReadOnly) => Self::Reads,
            (false, _) if has_preview(operation) && invocation.value(PREVIEW) == Some(&Given::Present) => {
                Self::Previews
            }
            (false, _) if has_preview(operation) && has_gate(operation, APPLY) => Self::Silent,
            _ => Self::Applies,
        }
    }
}

/// Returns the effect of the same call once it applies.
pub(super) fn applied_effect(target: &Target) -> Effect {
    match target {
        Target::Operation(proved) => {
            let invocation = proved.invocation();
            let set = invocation.values().map(|(param, _)| param.name.as_str());
            invocation.operation().effect(set.chain([APPLY]))
        }
        other => other.effect(),
    }
}

/// Returns the preview of what a call would do; `None` where nothing tells how to make one.
pub(super) fn preview(target: &Target, catalog: &Catalog) -> Result<Option<Target>, Refusal> {
    Ok(match target {
        Target::Operation(proved) => {
            let invocation = proved.invocation();
            let operation = invocation.operation();
            let silent = match has_gate(operation, APPLY) {
                true => invocation.with(APPLY, Value::Null)?,
                false => invocation.clone(),
            };
            let previews = if has_preview(operation) {
                silent.with(PREVIEW, true.into())?
            } else if applies_by_yes(operation) {
                silent
            } else {
                return Ok(None);
            };
            Some(Target::Operation(Arc::new(Proved::new(catalog, previews)?)))
        }
        Target::Tool(..) => None,
        Target::Workflow(workflow) => workflow.preview().map(|preview| Target::Workflow(Arc::new(preview))),
    })
}

/// Tells whether an operation has a gate of that name.
pub(super) fn has_gate(operation: &Operation, name: &str) -> bool {
    operation.param(name).is_some_and(|param| param.gate)
}

/// A preview is only what a plain switch asks for: `--dry-run=none` would ask for none.
fn has_preview(operation: &Operation) -> bool {
    operation.param(PREVIEW).is_some_and(|param| param.gate && param.kind == ParamKind::Switch)
}

/// Tells whether the author declared that without `yes` nothing is changed.
fn applies_by_yes(operation: &Operation) -> bool {
    has_gate(operation, APPLY) && operation.mutating_when.iter().any(|when| when == APPLY)
}
