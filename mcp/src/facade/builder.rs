//! What a facade is told, each step a sentence.

use super::Subject;
use crate::catalog::{Applying, Approval, Effect, Settings};
use crate::exec::{Executor, Limits};
use crate::policy::Fill;
use crate::run::Principal;
use crate::run::audit::Keeping;
use crate::run::bound::Bound;
use crate::run::budget::Allowance;
use crate::run::confine::Confine;
use crate::run::kept::Retention;
use crate::surface::Choice;
use crate::surface::fixed::FixedTool;
use crate::verbs::{MakeScratch, OwnVerb};
use clap::Command;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Builds an agent server from a clap tree.
///
/// ```no_run
/// # fn command() -> clap::Command { clap::Command::new("app") }
/// fn main() -> std::process::ExitCode {
///     clap_facade::Facade::new(command()).main()
/// }
/// ```
#[derive(Clone)]
pub struct Facade {
    pub(crate) command: Command,
    pub(super) settings: Settings,
    pub(crate) executor: Option<Arc<dyn Executor>>,
    pub(crate) verbs: Vec<OwnVerb>,
    /// What the walk did not understand, for a program that was read from its help.
    pub(crate) report: Option<crate::wrap::Report>,
    /// Whom a policy is about, for a program with fixed arguments.
    pub(crate) subject: Option<Subject>,
    pub(crate) scratch: Option<Arc<MakeScratch>>,
    pub(super) tools: Vec<Arc<FixedTool>>,
    pub(super) workflows: bool,
    pub(super) surface: Option<Choice>,
    /// The widest effect that any principal may have.
    pub(super) scope: Effect,
    pub(super) principals: BTreeMap<String, Principal>,
    /// What the principals may use up that say nothing else.
    pub(super) budget: Allowance,
    /// The principal that this process serves.
    pub(super) serves: Option<String>,
    pub(super) approval: Approval,
    pub(super) least_approval: Approval,
    pub(super) approval_lasts: Option<Duration>,
    pub(super) plan_ignores: Vec<String>,
    pub(super) confine: Confine,
    pub(super) limits: Limits,
    pub(super) bound: Bound,
    pub(super) retention: Retention,
    /// The secrets that a policy fills in.
    pub(crate) fills: Vec<Fill>,
    pub(super) audit: Option<PathBuf>,
    pub(super) keeping: Keeping,
    pub(super) notes: Option<String>,
}

impl Facade {
    /// Takes the CLI's clap tree; by default its own executable runs every call.
    pub fn new(command: Command) -> Self {
        Self {
            command,
            settings: Settings::default(),
            executor: None,
            verbs: Vec::new(),
            report: None,
            subject: None,
            scratch: None,
            tools: Vec::new(),
            workflows: false,
            surface: None,
            scope: Effect::Destructive,
            principals: BTreeMap::new(),
            budget: Allowance::new(),
            serves: None,
            approval: Approval::default(),
            least_approval: Approval::default(),
            approval_lasts: None,
            plan_ignores: Vec::new(),
            confine: Confine::default(),
            limits: Limits::default(),
            bound: Bound::default(),
            retention: Retention::default(),
            fills: Vec::new(),
            audit: None,
            keeping: Keeping::default(),
            notes: None,
        }
    }

    /// Runs calls by another executor: [`InProcess`](crate::exec::InProcess), or a
    /// [`Subprocess`](crate::exec::Subprocess) of another program.
    #[must_use]
    pub fn executor(mut self, executor: impl Executor + 'static) -> Self {
        self.executor = Some(Arc::new(executor));
        self
    }

    /// Replaces the names of the write gates that mutating commands inherit.
    #[must_use]
    pub fn gates<I: IntoIterator<Item: Into<String>>>(mut self, names: I) -> Self {
        self.settings.gates = names.into_iter().map(Into::into).collect();
        self
    }

    /// Replaces the names of the args that only the host sets.
    #[must_use]
    pub fn host_owned<I: IntoIterator<Item: Into<String>>>(mut self, names: I) -> Self {
        self.settings.host_owned = names.into_iter().map(Into::into).collect();
        self
    }

    /// Replaces the flags that the host puts first in every argv, as typed.
    #[must_use]
    pub fn inject<I: IntoIterator<Item: Into<String>>>(mut self, flags: I) -> Self {
        self.settings.inject = flags.into_iter().map(Into::into).collect();
        self
    }

    /// Exposes a command, by its path, that takes another command line as its arguments.
    #[must_use]
    pub fn expose(mut self, path: impl Into<String>) -> Self {
        self.settings.expose.push(path.into());
        self
    }

    /// Hides a command, by its path, and its subtree.
    #[must_use]
    pub fn hide(mut self, path: impl Into<String>) -> Self {
        self.settings.hide.push(path.into());
        self
    }

    /// Adds a tool that is not a command; it stands beside the commands on every surface.
    #[must_use]
    pub fn tool(mut self, tool: FixedTool) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Offers `workflow_submit` on every surface.
    #[must_use]
    pub fn workflows(mut self) -> Self {
        self.workflows = true;
        self
    }

    /// Chooses the surface; without it the environment does, and the default is the facade.
    #[must_use]
    pub fn surface(mut self, surface: Choice) -> Self {
        self.surface = Some(surface);
        self
    }

    /// Declares somebody who may call, or whoever is called `local`.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principals.insert(principal.name.clone(), principal);
        self
    }

    /// Chooses the principal that this process serves; without it the environment does, by
    /// [`Principal::variable`], and the default is [`Principal::LOCAL`].
    #[must_use]
    pub fn serves(mut self, name: impl Into<String>) -> Self {
        self.serves = Some(name.into());
        self
    }

    /// Limits what each principal may use up that says nothing else.
    #[must_use]
    pub fn budget(mut self, budget: Allowance) -> Self {
        self.budget = budget;
        self
    }

    /// Refuses every call that changes something, whoever calls.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.scope = Effect::ReadOnly;
        self
    }

    /// Sets what may run without the operator's word, where nothing else is said of a command.
    #[must_use]
    pub fn approve(mut self, approval: Approval) -> Self {
        self.approval = approval;
        self
    }

    /// Sets what nothing that is said of one command, here or in a policy, goes below.
    #[must_use]
    pub fn approve_at_least(mut self, approval: Approval) -> Self {
        self.least_approval = self.least_approval.max(approval);
        self
    }

    /// Sets what changes have to be preceded by.
    #[must_use]
    pub fn applying(mut self, applying: Applying) -> Self {
        self.settings.applying = applying;
        self
    }

    /// Confines path params to these folders, links followed; a relative one is taken from where commands start.
    ///
    /// Without it to those that the client has open, where it says; an empty list confines nothing.
    #[must_use]
    pub fn roots<I: IntoIterator<Item: Into<PathBuf>>>(mut self, folders: I) -> Self {
        self.confine.roots = Some(folders.into_iter().map(Into::into).collect());
        self
    }

    /// Sets how long a command may run and how much of its output is kept.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Limits { timeout: limits.timeout.min(crate::annotate::LONGEST), ..limits };
        self
    }

    /// Sets how many bytes of one output reach the caller.
    #[must_use]
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = bound;
        self
    }

    /// Sets how much is kept of outputs that did not fit.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Writes the audit to another file than [`Audit::default_path`](crate::run::audit::Audit::default_path).
    #[must_use]
    pub fn audit(mut self, path: impl Into<PathBuf>) -> Self {
        self.audit = Some(path.into());
        self
    }

    /// Sets how much of the audit is kept, and how safely.
    #[must_use]
    pub fn keeping(mut self, keeping: Keeping) -> Self {
        self.keeping = keeping;
        self
    }

    /// Says at connect what an agent should know of this CLI beside how to find and run commands:
    /// one sentence, such as how it previews a change.
    #[must_use]
    pub fn notes(mut self, notes: impl Into<String>) -> Self {
        self.notes = Some(notes.into());
        self
    }
}
