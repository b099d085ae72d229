//! Calls within a call: a preview made again, a step of a workflow, more of an output that is kept.

use super::bound::{Bound, Delivery};
use super::budget::{Cost, Permit};
use super::execute::{Via, execute};
use super::kept::{Ask, Owner};
use super::{Call, Caller, Outcome, Pipeline, Target, unasked, workflow};
use crate::argv::Proved;
use crate::catalog::Effect;
use crate::exec::{Intent, Limits};
use crate::refusal::{Kind, Refusal};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Pipeline {
    /// Makes a preview again, written down like a call of its own.
    pub(super) async fn preview(&self, call: Call, caller: &Caller, permit: &Permit) -> Result<Outcome, Refusal> {
        let mut entry = self.audit.begin(&call.tool, self.surface.name(), caller);
        entry.resolved(&call, self.enforcement(&call));
        entry.previews_again();
        let result = async {
            self.guard.check(&call, caller)?;
            self.audit.check(&call, &entry)?;
            self.carry_out(&call, caller, permit).await
        }
        .await;
        self.audit.end(entry, result)
    }

    /// Reads on in an output that is kept.
    pub(super) async fn read_on(
        &self,
        proved: &Proved,
        delivery: Delivery,
        caller: &Caller,
    ) -> Result<Outcome, Refusal> {
        let (ask, owner) = (Ask::new(proved.invocation()), Owner::of(caller));
        let (store, way) = (self.kept.clone(), self.surface.way(proved.invocation().operation()));
        let read = move || ask.answer(&store, &owner, &way, delivery.fields);
        tokio::task::spawn_blocking(read).await.map_err(|_| Refusal::new(Kind::Internal))?
    }

    /// Runs one step of a workflow: checked and written down like a call of its own, under the
    /// workflow's permit; its output is bounded with the whole.
    pub(crate) async fn step<'a>(
        &'a self,
        step: StepCall,
        via: Option<Via<'a>>,
        caller: &Caller,
        permit: &Permit,
        limits: Limits,
        cancel: CancellationToken,
    ) -> Result<Outcome, Refusal> {
        let call = Call {
            tool: workflow::NAME.to_owned(),
            target: Target::Operation(step.proved.clone()),
            ceiling: Effect::Destructive,
            wider: None,
            fields: None,
        };
        let mut entry = self.audit.begin(&call.tool, self.surface.name(), caller);
        entry.resolved(&call, if via.is_none() { self.enforcement(&call) } else { None });
        entry.step_of(step.intent);
        let result = async {
            self.kill.check(caller)?;
            self.permit(&call, caller)?;
            // What had to be planned and allowed was so for the workflow as a whole.
            self.audit.check(&call, &entry)?;
            permit.spend(&Cost::of_call(step.proved.invocation()));
            let whole = Delivery {
                bound: Bound { limit: self.limits.stdout_bytes },
                fields: None,
                keeper: None,
                mask: self.mask.clone(),
            };
            if self.catalog.is_builtin(step.proved.invocation().operation()) {
                return self.read_on(&step.proved, whole, caller).await;
            }
            let via = via.unwrap_or(Via::Executor(&*self.executor));
            // The workflow's deadline stands whatever the command itself may take.
            let own = self.allowed(step.proved.invocation().operation());
            let limits = Limits { timeout: limits.timeout.min(own.timeout), silence: own.silence, ..limits };
            execute(via, whole, limits, step.proved.clone(), step.stdin, cancel, caller.progress.clone())
                .await
                .map_err(|refusal| unasked::explain(refusal, step.proved.invocation(), &self.catalog))
        }
        .await;
        self.audit.end(entry, result)
    }
}

/// A step of a workflow whose turn has come.
pub(crate) struct StepCall {
    pub(crate) proved: Arc<Proved>,
    pub(crate) stdin: Option<Vec<u8>>,
    /// What becomes of the workflow.
    pub(crate) intent: Intent,
}
