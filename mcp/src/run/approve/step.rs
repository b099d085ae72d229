//! The step: whether a call has to be allowed first, and whether it was.

use super::question::question;
use super::seal::Key;
use super::store::{Approval as Kept, Approvals, Request, Standing};
use crate::catalog::{Approval, Catalog, Effect};
use crate::exec::Mask;
use crate::refusal::{Kind, Question, Refusal};
use crate::run::audit::hash;
use crate::run::plan::{Checked, Stage};
use crate::run::{Call, Caller, Principal, Target, canonical};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// What has to be allowed first, and by what it is.
pub struct Approve {
    mode: Approval,
    /// What no command's own rule goes below.
    least: Approval,
    pub(super) approvals: Approvals,
    pub(super) key: Option<Key>,
    mask: Arc<Mask>,
}

/// The operator's word that let a call pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Approved {
    /// The approval that is used up by it.
    pub(crate) id: String,
    /// Whose word it is.
    pub(crate) by: String,
}

impl Approve {
    /// Makes the step: `mode` is for commands of which nothing else is said, `least` for all.
    pub fn new(mode: Approval, least: Approval, approvals: Approvals) -> Self {
        Self { mode, least, approvals, key: Key::new(), mask: Arc::default() }
    }

    /// Keeps values out of every question.
    pub(crate) fn masking(self, mask: Arc<Mask>) -> Self {
        Self { mask, ..self }
    }

    /// Tells whether any call of a catalog by a principal could have to be asked about.
    pub(crate) fn may_ask(&self, catalog: &Catalog, principal: &Principal) -> bool {
        let asks = |mode| matches!(mode, Approval::Ask | Approval::AskDestructive);
        [self.mode, self.least, principal.approval].into_iter().any(asks)
            || catalog.operations().iter().any(|operation| operation.approval.is_some_and(asks))
    }

    /// Returns what is to be heeded for a call that does not preview.
    pub(crate) fn demands(&self, target: &Target, principal: &Principal) -> Demand {
        let least = self.least.max(principal.approval);
        let demand = |own: Option<Approval>, effect| match own.unwrap_or(self.mode).max(least) {
            _ if effect == Effect::ReadOnly => Demand::Nothing,
            Approval::Auto => Demand::Nothing,
            Approval::AskDestructive if effect < Effect::Destructive => Demand::Nothing,
            Approval::AskDestructive | Approval::Ask => Demand::Word,
            Approval::Deny => Demand::Refusal,
        };
        match target {
            Target::Operation(proved) => demand(proved.invocation().operation().approval, proved.invocation().effect()),
            Target::Tool(tool, _) => demand(None, tool.effect()),
            Target::Workflow(workflow) => {
                let steps = workflow.steps().map(|step| demand(step.approval, step.effect));
                steps.max().unwrap_or(Demand::Nothing)
            }
        }
    }

    /// Refuses a call that would need somebody's word.
    ///
    /// # Errors
    /// [`Kind::ApprovalRequired`], [`Kind::ApprovalDenied`].
    pub(crate) fn foresee(&self, call: &Call, principal: &Principal) -> Result<(), Refusal> {
        let previews = matches!(Stage::of(&call.target), Stage::Previews | Stage::Silent);
        match self.demands(&call.target, principal) {
            Demand::Word if previews => Ok(()),
            Demand::Nothing => Ok(()),
            Demand::Word => Err(Refusal::new(Kind::ApprovalRequired)),
            Demand::Refusal => Err(Refusal::new(Kind::ApprovalDenied)),
        }
    }

    /// Lets the call pass where it needs no word, or has it: which is then used up.
    ///
    /// # Errors
    /// [`Kind::ApprovalRequired`] with the question, [`Kind::ApprovalDenied`].
    pub(crate) async fn check(
        &self,
        call: &Call,
        plan: Option<&Checked>,
        caller: &Caller,
        catalog: &Catalog,
    ) -> Result<Option<Approved>, Refusal> {
        match self.demands(&call.target, &caller.principal) {
            Demand::Nothing => return Ok(None),
            Demand::Refusal => return Err(Refusal::new(Kind::ApprovalDenied)),
            Demand::Word if Stage::of(&call.target) == Stage::Previews => return Ok(None),
            Demand::Word => {}
        }
        let asked = Asked::new(call, plan, caller, catalog, &self.mask);
        let approvals = self.approvals.clone();
        let standing = tokio::task::spawn_blocking(move || approvals.ask(&asked.request())).await;
        match standing {
            Ok(Ok(standing)) => judge(standing).map(Some),
            Ok(Err(error)) => Err(Refusal::new(Kind::ApprovalRequired)
                .because(format!("the operator has to allow this call first, and it can't be kept for him: {error}"))),
            Err(error) => Err(Refusal::new(Kind::Internal).because(error.to_string())),
        }
    }
}

impl fmt::Debug for Approve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approve").field("mode", &self.mode).field("approvals", &self.approvals).finish_non_exhaustive()
    }
}

/// What a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Demand {
    Nothing,
    Word,
    /// It can't run whatever anybody says.
    Refusal,
}

/// A call to ask about, on its way to the store.
struct Asked {
    target: String,
    effect: Effect,
    principal: String,
    question: String,
    call: String,
}

impl Asked {
    fn new(call: &Call, plan: Option<&Checked>, caller: &Caller, catalog: &Catalog, mask: &Mask) -> Self {
        let (target, effect) = (call.target.name().to_owned(), call.target.effect());
        let exactly = json!({
            "target": target,
            "effect": effect.to_string(),
            "what": what(&call.target),
            "plan": plan.map(|plan| plan.digest.as_str()),
            "principal": caller.principal.name,
        });
        let call_digest = hash(canonical(&exactly).as_bytes());
        let mut question = question(call, plan.map(|plan| plan.preview.as_str()), caller, catalog);
        mask.string(&mut question);
        Self { target, effect, principal: caller.principal.name.clone(), question, call: call_digest }
    }

    fn request(&self) -> Request<'_> {
        Request {
            target: &self.target,
            effect: self.effect.to_string(),
            principal: &self.principal,
            question: self.question.clone(),
            call: self.call.clone(),
        }
    }
}

/// Renders all that decides what a call does.
fn what(target: &Target) -> Value {
    match target {
        Target::Operation(proved) => {
            let words = proved.arg0().into_iter().chain(proved.argv().iter().map(AsRef::as_ref));
            let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
            json!({ "argv": words, "params": proved.invocation().to_json() })
        }
        Target::Tool(_, arguments) => json!({ "tool": arguments }),
        Target::Workflow(workflow) => json!({ "workflow": workflow.to_json() }),
    }
}

fn judge(standing: Standing) -> Result<Approved, Refusal> {
    match standing {
        Standing::Granted(Kept { id, decided, .. }) => {
            Ok(Approved { id, by: decided.map(|decided| decided.by).unwrap_or_default() })
        }
        Standing::Denied(Kept { id, decided, .. }) => {
            let (by, reason) = decided.map(|decided| (decided.by, decided.reason)).unwrap_or_default();
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            Err(Refusal::new(Kind::ApprovalDenied).because(format!("this call ({id}) was denied by {by}{reason}")))
        }
        Standing::Waits(kept) => Err(waits(kept)),
        Standing::Full => Err(Refusal::new(Kind::ApprovalRequired)
            .because("the operator has to allow this call first, and too many others wait for him already")
            .hint("tell your user; call again once some are decided")),
    }
}

fn waits(kept: Kept) -> Refusal {
    let Kept { id, question: text, expires, nonce, .. } = kept;
    let hint = format!(
        "it waits as {id}: tell your user; once it is granted (`approvals grant {id}`, by the operator alone), \
         make this very call again"
    );
    let question = Question { id, text, expires, nonce };
    Refusal { question: Some(Box::new(question)), ..Refusal::new(Kind::ApprovalRequired).hint(hint) }
}
