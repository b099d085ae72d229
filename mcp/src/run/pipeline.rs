//! The steps of a call, in order, on one screen.

use super::caught::caught;
use super::execute::{Via, cancellable, enforcement, execute};
use super::kept::{Ask, Keeper, Owner, Store};
use super::{Call, Caller, Outcome, Target, unasked, workflow};
use super::{
    approve::{Approve, Demand},
    audit::{Audit, Entry},
    bound::{Bound, Delivery},
    budget::{Budget, Cost, Load, Permit},
    confine::{Confine, takes_paths},
    guard::Guard,
    kill::Kill,
    plan::{self, Plans},
};
use crate::argv::Proved;
use crate::catalog::{Catalog, Effect, Operation};
use crate::exec::{Enforcement, Executor, Intent, Limits, Mask};
use crate::refusal::{Kind, Refusal};
use crate::surface::Surface;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The most bytes of what an agent is told at connect.
pub(crate) const INSTRUCTIONS_BYTES: usize = 400;

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
        let resolved = self.surface.resolve(&self.catalog, tool, arguments).and_then(|call| self.stated(call, caller));
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
        let result = caught(async {
            let permit = permit.as_ref().map_err(Refusal::clone)?;
            self.run(resolved?, plan, caller, &mut entry, permit).await
        })
        .await
        .map(|mut outcome| {
            outcome.notes.extend(renamed);
            outcome.marked()
        })
        .map_err(|refusal| self.mask.refusal(refusal));
        self.audit.end(entry, result)
    }

    /// Returns what is asked of the operator, and of the client's user.
    pub(crate) fn approve(&self) -> &Approve {
        &self.approve
    }

    /// Tells whether any call of a caller could have to be allowed by somebody first.
    pub(crate) fn may_ask(&self, caller: &Caller) -> bool {
        self.approve.may_ask(&self.catalog, &caller.principal)
    }

    /// Returns the operator's switch.
    pub fn kill(&self) -> &Kill {
        &self.kill
    }

    /// Tells whether it matters which folders a client has open.
    pub(crate) fn confines(&self) -> bool {
        self.confine.roots.is_none() && self.catalog.operations().iter().any(|operation| takes_paths(operation))
    }

    /// Returns what the surface lists.
    pub fn surface(&self) -> &dyn Surface {
        &*self.surface
    }

    /// Returns the catalog that the surface lists.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns what an agent is told at connect: how to work here, in at most 400 bytes.
    pub fn instructions(&self) -> String {
        let (root, about) = (self.catalog.root(), self.catalog.about().trim_end_matches('.'));
        let how = self.surface.instructions(&self.catalog);
        let notes = self.notes.as_deref().unwrap_or_default();
        let room = INSTRUCTIONS_BYTES.saturating_sub(root.len() + how.len() + notes.len() + 6);
        let about = &about[..about.floor_char_boundary(room)];
        format!("{root}: {about}. {how} {notes}").trim_end().to_owned()
    }

    /// Cancels what runs and waits for it to end, at most so long.
    pub async fn stop(&self, grace: Duration) {
        self.kill.throw();
        let _ = tokio::time::timeout(grace, self.budget.idle()).await;
        self.kept.close();
    }

    /// Returns what to tell a caller who named a command as it was called before.
    fn renamed(&self, tool: &str, arguments: &Map<String, Value>) -> Option<String> {
        let named = ["name", "operation"].iter().filter_map(|key| arguments.get(*key)?.as_str());
        named.chain([tool]).find_map(|said| {
            let now = &self.catalog.find_former(said)?.name;
            Some(format!("`{said}` is now called `{now}`; its old name may go"))
        })
    }

    /// Tells how the system holds a call to reading, where it has a part in it.
    fn enforcement(&self, call: &Call) -> Option<Enforcement> {
        let Target::Operation(proved) = &call.target else { return None };
        enforcement(&*self.executor, proved.invocation().operation(), call.target.effect())
    }

    /// Makes a call say that it previews, where a change would have to be planned or allowed and it says neither.
    fn stated(&self, call: Call, caller: &Caller) -> Result<Call, Refusal> {
        match self.approve.demands(&call.target, &caller.principal) != Demand::Nothing || Plans::demands(&call.target) {
            true => self.plans.state(call, &self.catalog),
            false => Ok(call),
        }
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
        self.guard.check(&call, caller)?;
        self.confine.check(&call, caller, self.executor.cwd())?;
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

    /// Makes a preview again, written down like a call of its own.
    async fn preview(&self, call: Call, caller: &Caller, permit: &Permit) -> Result<Outcome, Refusal> {
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

    async fn carry_out(&self, call: &Call, caller: &Caller, permit: &Permit) -> Result<Outcome, Refusal> {
        permit.begin();
        let delivery = self.delivery(call, caller);
        let result = cancellable(caller, &self.kill, |cancel| async {
            match &call.target {
                Target::Operation(proved) if self.catalog.is_builtin(proved.invocation().operation()) => {
                    self.read_on(proved, delivery, caller).await
                }
                Target::Operation(proved) => {
                    permit.spend(&Cost::of(proved.invocation().effect()));
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

    /// Writes a call down that a door refuses by itself, and gives the refusal back.
    pub(crate) fn refuse(&self, tool: &str, caller: &Caller, refusal: Refusal) -> Refusal {
        let entry = self.audit.begin(tool, self.surface.name(), caller);
        let _ = self.audit.end(entry, Err(refusal.clone()));
        refusal
    }

    /// How long an operation may run: its own word, else the server's.
    fn allowed(&self, operation: &Operation) -> Limits {
        let timeout = operation.timeout.unwrap_or(self.limits.timeout);
        Limits { timeout, silence: operation.silence.or(self.limits.silence), ..self.limits }
    }

    /// How a call's output reaches its caller: bounded by the operation's own word, else the server's.
    fn delivery(&self, call: &Call, caller: &Caller) -> Delivery {
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

    /// Reads on in an output that is kept.
    async fn read_on(&self, proved: &Proved, delivery: Delivery, caller: &Caller) -> Result<Outcome, Refusal> {
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
            self.guard.check(&call, caller)?;
            self.confine.check(&call, caller, self.executor.cwd())?;
            // What had to be planned and allowed was so for the workflow as a whole.
            self.audit.check(&call, &entry)?;
            permit.spend(&Cost::of(step.proved.invocation().effect()));
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
