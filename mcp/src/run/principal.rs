//! Who calls: what the operator takes the caller for, and the widest that it may do.

use super::budget::Allowance;
use crate::catalog::{Approval, Effect, Operation};
use crate::policy::Pattern;

/// Somebody who calls, as the operator knows them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Principal {
    /// The name, for the policy, the audit and refusals.
    pub name: String,
    /// The widest effect that its calls may have.
    pub scope: Effect,
    /// The commands that it may run, each with everything below it, and the tools that are no commands; `None` for all.
    pub allow: Option<Vec<Pattern>>,
    /// The commands and tools that it may not run; they win over `allow`.
    pub deny: Vec<Pattern>,
    /// What of its calls may run without the operator's word at most, whatever is said of a command.
    pub approval: Approval,
    /// What it may use up.
    pub budget: Allowance,
    /// The command words before the root of the tree, from which patterns start.
    pub(crate) base: String,
}

impl Principal {
    /// The name of whoever starts a server and says nothing else.
    pub const LOCAL: &str = "local";

    /// Makes a principal that may do everything up to an effect.
    pub fn new(name: impl Into<String>, scope: Effect) -> Self {
        let (allow, deny, budget, base) = (None, Vec::new(), Allowance::new(), String::new());
        Self { name: name.into(), scope, allow, deny, approval: Approval::Auto, budget, base }
    }

    /// Returns the environment variable that chooses the principal of a CLI's server: `MYCLI_MCP_PRINCIPAL`.
    pub fn variable(cli: &str) -> String {
        crate::surface::variable(cli, "PRINCIPAL")
    }

    /// Allows these commands and tools alone.
    #[must_use]
    pub fn allow<I: IntoIterator<Item: Into<String>>>(mut self, patterns: I) -> Self {
        self.allow = Some(patterns.into_iter().map(Pattern::new).collect());
        self
    }

    /// Allows none of these commands and tools.
    #[must_use]
    pub fn deny<I: IntoIterator<Item: Into<String>>>(mut self, patterns: I) -> Self {
        self.deny = patterns.into_iter().map(Pattern::new).collect();
        self
    }

    /// Asks the operator before its calls, at least so far.
    #[must_use]
    pub fn approve_at_least(mut self, approval: Approval) -> Self {
        self.approval = self.approval.max(approval);
        self
    }

    /// Limits what it may use up.
    #[must_use]
    pub fn budget(mut self, budget: Allowance) -> Self {
        self.budget = budget;
        self
    }

    /// Returns the same with no wider scope than this one.
    #[must_use]
    pub fn at_most(mut self, scope: Effect) -> Self {
        self.scope = self.scope.min(scope);
        self
    }

    /// Tells whether some call of an operation could pass the guard.
    pub fn can_run(&self, operation: &Operation) -> bool {
        operation.effect([]) <= self.scope && self.may_run(operation)
    }

    /// Tells whether there may be an operation that it can't run.
    pub(crate) fn is_narrow(&self) -> bool {
        self.scope < Effect::Destructive || self.allow.is_some() || !self.deny.is_empty()
    }

    /// Tells whether an operation is among those that it may run, whatever the effect.
    pub(super) fn may_run(&self, operation: &Operation) -> bool {
        if self.allow.is_none() && self.deny.is_empty() {
            return true;
        }
        let words = [self.base.as_str()].into_iter().chain(operation.path.iter().map(String::as_str));
        self.may(&words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
    }

    /// Tells whether a tool that is no command is among those that it may call.
    pub(super) fn may_call(&self, tool: &str) -> bool {
        self.may(tool)
    }

    /// Says what it may run.
    pub(super) fn say_allowed(&self) -> String {
        let list = |patterns: &[Pattern]| {
            let quoted: Vec<String> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
            quoted.join(", ")
        };
        let allowed = match self.allow.as_deref() {
            None => "everything".to_owned(),
            Some([]) => "nothing".to_owned(),
            Some(patterns) => list(patterns),
        };
        match self.deny.as_slice() {
            [] => allowed,
            denied => format!("{allowed} except {}", list(denied)),
        }
    }

    fn may(&self, path: &str) -> bool {
        let named = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.covers(path));
        !named(&self.deny) && self.allow.as_deref().is_none_or(named)
    }
}

impl Default for Principal {
    /// [`Principal::LOCAL`], which may do everything.
    fn default() -> Self {
        Self::new(Self::LOCAL, Effect::Destructive)
    }
}
