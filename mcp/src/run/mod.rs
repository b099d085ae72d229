//! One way to run: every surface and every door ends in [`Pipeline::call`].
//!
//! Each step has its own file of the same shape: a type that holds the step's settings, and one
//! method that lets the call pass or refuses it. [`pipeline`] calls them on one screen.

pub mod approve;
pub mod audit;
pub mod bound;
pub mod budget;
mod caught;
pub mod confine;
mod doors;
pub mod execute;
pub mod guard;
pub mod kept;
pub mod kill;
pub mod pipeline;
pub mod plan;
pub mod principal;
mod span;
mod terms;
mod unasked;
mod within;
pub mod workflow;

pub(crate) use doors::INSTRUCTIONS_BYTES;
pub use pipeline::Pipeline;
pub use principal::Principal;
pub use span::SPANS;

use crate::argv::Proved;
use crate::catalog::Effect;
use crate::exec::{Mask, Progress};
use crate::surface::fixed::FixedTool;
use bound::{Media, Selection, Truncated, Untrusted};
use budget::{Cost, Load};
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Who calls, and through what.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Who the operator takes the caller for.
    pub principal: Arc<Principal>,
    /// The connection, for telling calls apart in the audit.
    pub session: String,
    /// The door it came through: `stdio`, ….
    pub door: &'static str,
    /// Set when the caller no longer wants the answer.
    pub cancel: CancellationToken,
    /// The folders that the client works in.
    pub roots: confine::Roots,
    /// Where it is told how far the call has got.
    pub progress: Option<Progress>,
}

impl Caller {
    /// Makes a caller of an embedder's own: a session named like the door, which nothing cancels yet.
    pub fn new(principal: impl Into<Arc<Principal>>, door: &'static str) -> Self {
        Self { principal: principal.into(), session: door.to_owned(), door, ..Self::default() }
    }
}

/// One call, resolved by a surface: what to run, and the widest effect the tool may have.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool as the caller named it.
    pub tool: String,
    /// What it runs.
    pub target: Target,
    /// The widest effect that calls through this tool may have.
    pub ceiling: Effect,
    /// The tool of the same surface that may do more, for the refusal's hint.
    pub wider: Option<&'static str>,
    /// The parts of a JSON result that the caller wants; all of it where it did not say.
    pub fields: Option<Selection>,
}

/// What a call runs.
#[derive(Clone, Debug)]
pub enum Target {
    /// One operation of the catalog, proved.
    Operation(Arc<Proved>),
    /// A fixed tool with its arguments.
    Tool(Arc<FixedTool>, Map<String, Value>),
    /// Several operations in order.
    Workflow(Arc<workflow::Workflow>),
}

impl Target {
    /// Returns the effect of this very call.
    pub fn effect(&self) -> Effect {
        match self {
            Self::Operation(proved) => proved.invocation().effect(),
            Self::Tool(tool, _) => tool.effect(),
            Self::Workflow(workflow) => workflow.effect(),
        }
    }

    /// Returns what it asks of the budget.
    pub(crate) fn load(&self) -> Load {
        match self {
            Self::Tool(tool, _) if tool.is_built_in() => Load::Lookup,
            Self::Workflow(workflow) => Load::Run(workflow.cost()),
            Self::Operation(proved) => Load::Run(Cost::of_call(proved.invocation())),
            Self::Tool(tool, _) => Load::Run(Cost::of(tool.effect())),
        }
    }

    /// Returns the name of what runs, for people and the audit.
    pub fn name(&self) -> &str {
        match self {
            Self::Operation(proved) => &proved.invocation().operation().name,
            Self::Tool(tool, _) => tool.name(),
            Self::Workflow(_) => "workflow",
        }
    }
}

/// What came of a call that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The command's own output, bounded; valid JSON is passed on byte for byte where it fits.
    pub text: String,
    /// What is said beside it: how much was cut, the reason of a failure.
    pub notes: Vec<String>,
    /// The exit code, where a command ran: by signal n, 128 + n as shells have it.
    pub exit: Option<i32>,
    /// It ended in failure.
    pub failed: bool,
    /// Bytes that the command printed on its output, before any cut.
    pub bytes: u64,
    /// The output where it is no text.
    pub media: Option<Media>,
    /// What was left out, and the call that reads on.
    pub truncated: Option<Box<Truncated>>,
    /// The output comes from data, and is marked as such before it reaches the caller.
    pub untrusted: Option<Untrusted>,
    /// All that a preview printed, where that was kept whole.
    pub(crate) printed: Option<Vec<u8>>,
}

impl Outcome {
    /// Masks what is said, once more: what stood between the parts of a secret, such as colours, is gone by now.
    pub(crate) fn masked(mut self, mask: &Mask) -> Self {
        [&mut self.text].into_iter().chain(&mut self.notes).for_each(|text| mask.string(text));
        self
    }

    /// Says of output that comes from data where it comes from.
    pub(crate) fn marked(mut self) -> Self {
        if let Some(untrusted) = self.untrusted.as_ref().filter(|_| !self.text.is_empty()) {
            self.text = untrusted.mark(&self.text);
        }
        self
    }
}

/// Renders JSON as the one text that all renderings of the same value come to: members by name, no spaces.
pub(crate) fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(sorted).collect(),
            Value::Object(members) => {
                let mut names: Vec<_> = members.iter().collect();
                names.sort_unstable_by_key(|(name, _)| *name);
                names.into_iter().map(|(name, member)| (name.clone(), sorted(member))).collect()
            }
            plain => plain.clone(),
        }
    }
    sorted(value).to_string()
}
