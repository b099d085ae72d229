//! Step 3: what this caller may do through this tool.

use super::{Call, Caller, Principal, Target};
use crate::catalog::{Effect, Operation};
use crate::refusal::{Kind, Refusal};

/// Compares the target, and its effect for this very call, with the tool's ceiling and with what the principal may do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guard;

impl Guard {
    /// Lets the call pass where neither the tool nor the principal is narrower.
    ///
    /// A workflow is compared step by step, before any of them runs.
    ///
    /// # Errors
    /// [`Kind::EffectDenied`] and [`Kind::OperationDenied`], saying what would be allowed.
    pub fn check(&self, call: &Call, caller: &Caller) -> Result<(), Refusal> {
        let (effect, name) = (call.target.effect(), call.target.name());
        let principal = &caller.principal;
        match &call.target {
            Target::Operation(proved) => allowed(principal, proved.invocation().operation())?,
            Target::Tool(tool, _) if tool.is_built_in() => {}
            Target::Tool(tool, _) if !principal.may_call(tool.name()) => return Err(denied(principal, name)),
            Target::Workflow(_) if !principal.may_call(&call.tool) => return Err(denied(principal, &call.tool)),
            Target::Workflow(workflow) => {
                workflow.operations().try_for_each(|operation| allowed(principal, operation))?;
            }
            Target::Tool(..) => {}
        }
        if effect > call.ceiling {
            let refusal = Refusal::new(Kind::EffectDenied).because(format!(
                "`{name}` is {effect} in this call, and {} runs {} commands only",
                call.tool, call.ceiling
            ));
            return Err(match call.wider {
                Some(wider) if effect <= principal.scope => refusal.hint(format!("call it through {wider}")),
                _ => refusal,
            });
        }
        within(principal, name, effect)
    }
}

/// Tells whether some call of an operation could pass.
///
/// # Errors
/// Why none could.
pub(crate) fn could_run(principal: &Principal, operation: &Operation) -> Result<(), Refusal> {
    allowed(principal, operation)?;
    within(principal, &operation.name, operation.effect([]))
}

fn allowed(principal: &Principal, operation: &Operation) -> Result<(), Refusal> {
    if principal.may_run(operation) { Ok(()) } else { Err(denied(principal, &operation.name)) }
}

fn within(principal: &Principal, name: &str, effect: Effect) -> Result<(), Refusal> {
    if effect <= principal.scope {
        return Ok(());
    }
    let scope = match principal.scope {
        Effect::Mutating => "read-only and mutating".to_owned(),
        narrow => narrow.to_string(),
    };
    let who = &principal.name;
    Err(Refusal::new(Kind::EffectDenied)
        .because(format!("`{name}` is {effect} in this call, and `{who}` may run {scope} commands only")))
}

fn denied(principal: &Principal, name: &str) -> Refusal {
    Refusal::new(Kind::OperationDenied).because(format!(
        "`{}` may not run `{name}`, but {}",
        principal.name,
        principal.say_allowed()
    ))
}
