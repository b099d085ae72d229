//! The steps of a call, in order, on one screen.

use super::execute::{Via, cancellable, execute};
use super::{Call, Caller, Outcome, Target};
use super::{approve::Approve, audit::Audit, bound::Bound, budget::Budget, guard::Guard, kill::Kill};
use crate::catalog::Catalog;
use crate::exec::{Executor, Limits};
use crate::refusal::Refusal;
use crate::surface::Surface;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Everything a call needs; made once, shared by every door.
pub struct Pipeline {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) surface: Box<dyn Surface>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) limits: Limits,
    pub(crate) kill: Kill,
    pub(crate) budget: Budget,
    pub(crate) guard: Guard,
    pub(crate) approve: Approve,
    pub(crate) bound: Bound,
    pub(crate) audit: Audit,
}

impl Pipeline {
    /// Runs one tool call: the only way that anything runs.
    ///
    /// # Errors
    /// [`Refusal`] where it was not run to its end; a command that ran and failed is an [`Outcome`].
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>, caller: &Caller) -> Result<Outcome, Refusal> {
        let mut entry = self.audit.begin(tool, self.surface.name(), caller);
        let result = async {
            let call = self.surface.resolve(&self.catalog, tool, arguments)?;
            entry.resolved(&call);
            self.run(call, caller).await
        }
        .await;
        self.audit.end(entry, &result);
        result
    }

    /// Returns the operator's switch.
    pub fn kill(&self) -> &Kill {
        &self.kill
    }

    /// Returns what the surface lists.
    pub fn surface(&self) -> &dyn Surface {
        &*self.surface
    }

    /// Returns the catalog that the surface lists.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    async fn run(&self, call: Call, caller: &Caller) -> Result<Outcome, Refusal> {
        self.kill.check(caller)?;
        let _permit = self.budget.check(caller)?;
        self.guard.check(&call, caller)?;
        self.approve.check(&call, caller)?;
        self.audit.check(&call)?;
        cancellable(caller, self.kill.token(), |cancel| async {
            match call.target {
                Target::Operation(proved) => {
                    let via = Via::Executor(&*self.executor);
                    execute(via, self.bound, self.limits, proved, None, cancel).await
                }
                Target::Tool(tool, arguments) => tool.run(arguments, self.bound, cancel).await,
                Target::Workflow(workflow) => workflow.run(self, caller, cancel).await,
            }
        })
        .await
    }

    /// Runs one step of a workflow: checked and written down like a call of its own.
    pub(crate) async fn step(
        &self,
        call: Call,
        stdin: Option<Vec<u8>>,
        via: Option<Via<'_>>,
        caller: &Caller,
        cancel: tokio_util::sync::CancellationToken,
    ) -> Result<Outcome, Refusal> {
        let mut entry = self.audit.begin(&call.tool, self.surface.name(), caller);
        entry.resolved(&call);
        let result = async {
            self.kill.check(caller)?;
            self.guard.check(&call, caller)?;
            self.approve.check(&call, caller)?;
            self.audit.check(&call)?;
            let Target::Operation(proved) = call.target else { unreachable!("workflow steps are operations") };
            let via = via.unwrap_or(Via::Executor(&*self.executor));
            execute(via, self.bound, self.limits, proved, stdin, cancel).await
        }
        .await;
        self.audit.end(entry, &result);
        result
    }
}
