//! The steps of a call, in order, on one screen.

use super::execute::{Via, cancellable, execute};
use super::kept::Store;
use super::{Call, Caller, Outcome, Target, caught, span, unasked};
use super::{
    approve::Approve,
    audit::{Audit, Entry},
    bound::Bound,
    budget::{Budget, Cost, Load, Permit},
    confine::Confine,
    guard::Guard,
    kill::Kill,
    plan::{self, Plans},
};
use crate::catalog::{Catalog, Effect};
use crate::exec::{Executor, Limits, Mask};
use crate::refusal::Refusal;
use crate::surface::Surface;
use serde_json::{Map, Value};
use std::sync::Arc;
use tracing::Instrument;

/// Everything a call needs; made once, shared by every door.
pub struct Pipeline {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) surface: Box<dyn Surface>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) limits: Limits,
    pub(crate) kill: Kill,
    pub(crate) budget: Budget,
    pub(crate) guard: Guard,
    pub(crate) plans: Plans,
    pub(crate) confine: Confine,
    pub(crate) approve: Approve,
    pub(crate) bound: Bound,
    pub(crate) kept: Arc<Store>,
    pub(crate) audit: Audit,
    pub(crate) notes: Option<String>,
    /// The values of secrets, which never leave.
    pub(crate) mask: Arc<Mask>,
}

impl Pipeline {
    /// Runs one tool call: the only way that anything runs.
    ///
    /// # Errors
    /// [`Refusal`] where it was not run to its end; a command that ran and failed is an [`Outcome`].
    pub async fn call(
        &self,
        tool: &str,
        mut arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<Outcome, Refusal> {
        let mut entry = self.audit.begin(tool, self.surface.name(), caller);
        let plan = plan::take(&mut arguments);
        let renamed = self.renamed(tool, &arguments);
        let bytes = self.budget.weigh(caller, &arguments);
        let resolve =
            || self.surface.resolve(&self.catalog, tool, arguments).and_then(|call| self.stated(call, caller));
        let resolved = caught::resolved(resolve).map_err(plan::unread);
        let load = match &resolved {
            Ok(call) => {
                entry.resolved(call, self.enforcement(call));
                call.target.load()
            }
            Err(_) if self.surface.looks_up(tool) => Load::Lookup,
            Err(_) => Load::Run(Cost::of(Effect::ReadOnly)),
        };
        // Held until the call is written down: a server that stops waits for it.
        let permit = self.kill.check(caller).and_then(|()| self.budget.check(caller, load, bytes));
        let span = span::of_call(tool, caller, resolved.as_ref().ok());
        let result = caught::caught(async {
            let permit = permit.as_ref().map_err(Refusal::clone)?;
            self.run(resolved?, plan, caller, &mut entry, permit).await
        })
        .instrument(span.clone())
        .await
        .map(|mut outcome| {
            outcome.notes.extend(renamed);
            outcome.masked(&self.mask).marked()
        })
        .map_err(|refusal| self.mask.refusal(refusal));
        let result = self.audit.end(entry, result);
        span::end(&span, &result);
        result
    }

    /// Lets a call pass all the steps before its execution, and runs it.
    async fn run(
        &self,
        call: Call,
        plan: Option<String>,
        caller: &Caller,
        entry: &mut Entry,
        permit: &Permit,
    ) -> Result<Outcome, Refusal> {
        self.permit(&call, caller)?;
        let plan =
            self.plans.check(&call, plan, caller, &self.catalog, |call| self.preview(call, caller, permit)).await?;
        let approved = self.approve.check(&call, plan.as_ref(), caller, &self.catalog).await?;
        entry.allowed(plan.as_ref(), approved.as_ref());
        self.plans.spend(plan.as_ref())?;
        self.audit.check(&call, entry)?;
        let mut outcome = self.carry_out(&call, caller, permit).await?;
        self.plans.offer(&call, caller, self.approve.demands(&call.target, &caller.principal), &mut outcome);
        Ok(outcome)
    }

    /// Refuses what the rules refuse whatever was planned or approved.
    pub(super) fn permit(&self, call: &Call, caller: &Caller) -> Result<(), Refusal> {
        self.guard.check(call, caller)?;
        self.confine.check(call, caller, self.executor.cwd())
    }

    /// Tells why a call would not run, by the steps that look at the call itself: nobody is asked, nothing is used up.
    pub(crate) fn foresee(&self, call: &Call, caller: &Caller) -> Result<(), Refusal> {
        self.permit(call, caller)?;
        Plans::foresee(call)?;
        self.approve.foresee(call, &caller.principal)
    }

    pub(super) async fn carry_out(&self, call: &Call, caller: &Caller, permit: &Permit) -> Result<Outcome, Refusal> {
        permit.begin();
        let delivery = self.delivery(call, caller);
        let result = cancellable(caller, &self.kill, |cancel| async {
            match &call.target {
                Target::Operation(proved) if self.catalog.is_builtin(proved.invocation().operation()) => {
                    self.read_on(proved, delivery, caller).await
                }
                Target::Operation(proved) => {
                    permit.spend(&Cost::of_call(proved.invocation()));
                    let via = Via::Executor(&*self.executor);
                    let limits = self.allowed(proved.invocation().operation());
                    let limits = Limits { timeout: permit.time(limits.timeout), ..limits };
                    execute(via, delivery, limits, proved.clone(), None, cancel, caller.progress.clone())
                        .await
                        .map_err(|refusal| unasked::explain(refusal, proved.invocation(), &self.catalog))
                }
                Target::Tool(tool, arguments) => {
                    permit.spend(&Cost::of(tool.effect()));
                    tool.run(arguments.clone(), caller.principal.clone(), delivery, cancel).await
                }
                Target::Workflow(workflow) => workflow.run(self, caller, permit, delivery, cancel).await,
            }
        })
        .await;
        result.inspect(|outcome| permit.printed(outcome)).map_err(|refusal| permit.explain(self.kill.explain(refusal)))
    }
}
