//! On which terms a call runs.

use super::approve::Demand;
use super::bound::{Bound, Delivery};
use super::execute::enforcement;
use super::kept::{Keeper, Owner};
use super::plan::Plans;
use super::{Call, Caller, Pipeline, Target};
use crate::catalog::Operation;
use crate::exec::{Enforcement, Limits};
use crate::refusal::Refusal;
use serde_json::{Map, Value};

impl Pipeline {
    /// Returns what to tell a caller who named a command as it was called before.
    pub(super) fn renamed(&self, tool: &str, arguments: &Map<String, Value>) -> Option<String> {
        let named = ["name", "operation"].iter().filter_map(|key| arguments.get(*key)?.as_str());
        named.chain([tool]).find_map(|said| {
            let now = &self.catalog.find_former(said)?.name;
            Some(format!("`{said}` is now called `{now}`; its old name may go"))
        })
    }

    /// Tells how the system holds a call to reading, where it has a part in it.
    pub(super) fn enforcement(&self, call: &Call) -> Option<Enforcement> {
        let Target::Operation(proved) = &call.target else { return None };
        enforcement(&*self.executor, proved.invocation().operation(), call.target.effect())
    }

    /// Makes a call say that it previews, where a change would have to be planned or allowed, or is counted, and the call
    /// says neither.
    pub(crate) fn stated(&self, call: Call, caller: &Caller) -> Result<Call, Refusal> {
        let is_demanded =
            self.approve.demands(&call.target, &caller.principal) != Demand::Nothing || Plans::demands(&call.target);
        match is_demanded || caller.principal.budget.counts_changes() {
            true => self.plans.state(call, &self.catalog),
            false => Ok(call),
        }
    }

    /// How long an operation may run: its own word, else the server's.
    pub(super) fn allowed(&self, operation: &Operation) -> Limits {
        let timeout = operation.timeout.unwrap_or(self.limits.timeout);
        Limits { timeout, silence: operation.silence.or(self.limits.silence), ..self.limits }
    }

    /// How a call's output reaches its caller: bounded by the operation's own word, else the server's.
    pub(super) fn delivery(&self, call: &Call, caller: &Caller) -> Delivery {
        let operation = match &call.target {
            Target::Operation(proved) => Some(proved.invocation().operation()),
            Target::Tool(..) | Target::Workflow(_) => None,
        };
        let limit = operation.and_then(|operation| operation.output_bytes).unwrap_or(self.bound.limit);
        let keeper = self.catalog.builtin().map(|builtin| Keeper {
            store: self.kept.clone(),
            owner: Owner::of(caller),
            way: self.surface.way(builtin),
            source: call.target.name().to_owned(),
            untrusted: operation.is_some_and(|operation| operation.untrusted_output),
        });
        Delivery { bound: Bound { limit }, fields: call.fields.clone(), keeper, mask: self.mask.clone() }
    }
}
