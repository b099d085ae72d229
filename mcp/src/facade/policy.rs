//! What an operator says over what the adopter said.

use super::Facade;
use super::start::own_executable;
use crate::catalog::{Effect, Hidden, names_a_secret};
use crate::exec::{Executor, Surroundings};
use crate::policy::{By, Fill, Policy, PolicyError, fill};
use crate::run::{Principal, workflow};
use std::path::Path;
use std::sync::Arc;

/// Whether the policy in the user's configuration counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsersPolicy {
    /// As for every start.
    Heed,
    /// As if there were none.
    Ignore,
}

impl Facade {
    /// Puts the server under an operator's policy: what it says stands over what was said before.
    ///
    /// The verbs do so by themselves with `--policy FILE`, or else the file at [`Policy::path`].
    ///
    /// # Errors
    /// [`PolicyError`] where the policy names what this CLI, or this machine, does not have.
    pub fn policy(mut self, policy: &Policy) -> Result<Self, PolicyError> {
        let workflows = self.workflows.then(|| workflow::NAME.to_owned());
        let own: Vec<String> = self.tools.iter().map(|tool| tool.name().to_owned()).chain(workflows).collect();
        policy.check_cwd()?;
        self.command = policy.apply(self.command, &own, &mut self.settings)?;
        for (name, rule) in &policy.principals {
            let known = self.principals.remove(name).unwrap_or_else(|| Principal::new(name, Effect::Destructive));
            self.principals.insert(name.clone(), rule.over(known, &policy.base));
        }
        self.budget = policy.budget.allowance().over(&self.budget);
        let variables = self.fill(policy);
        self.keeping.flush = policy.audit.flush.map_or(self.keeping.flush, Into::into);
        self.keeping.unrecorded_reads = policy.audit.unrecorded_reads.unwrap_or(self.keeping.unrecorded_reads);
        self.tools.retain(|tool| policy.offers(tool.name()));
        self.workflows &= policy.offers(workflow::NAME);
        self.limits.timeout = policy.timeout.unwrap_or(self.limits.timeout);
        self.limits.silence = policy.silence.or(self.limits.silence);
        self.confine.roots = policy.roots.clone().or(self.confine.roots);
        self.bound.limit = policy.output_bytes.unwrap_or(self.bound.limit);
        self.approval = policy.approval.mode.map_or(self.approval, Into::into);
        self.approval_lasts = policy.approval.lasts.or(self.approval_lasts);
        self.plan_ignores.extend(policy.plan_ignores.iter().cloned());
        self.retention.session_bytes = policy.kept_bytes.unwrap_or(self.retention.session_bytes);
        let surroundings = Surroundings { secrets: variables, ..policy.surroundings() };
        if surroundings != Surroundings::default() || policy.fences() {
            let executor = self.executor.unwrap_or_else(|| own_executable(self.command.get_name()));
            self.executor = Some(executor.in_surroundings(&surroundings).ok_or(PolicyError::InProcess)?);
        }
        Ok(self)
    }

    /// Fills in the secrets of a policy; returns the variables to set for commands.
    fn fill(&mut self, policy: &Policy) -> Vec<(String, Hidden)> {
        let fills: Vec<Fill> =
            policy.secrets.iter().map(|(name, source)| Fill::new(name, source, policy.file.as_deref())).collect();
        let is_apart = |executor: &Arc<dyn Executor>| executor.in_surroundings(&Surroundings::default()).is_some();
        let by = if self.executor.as_ref().is_none_or(is_apart) { By::Environment } else { By::CommandLine };
        let (command, variables) = fill(std::mem::take(&mut self.command), &policy.base, &fills, by);
        self.command = command;
        let set = policy.environment.set.iter().filter(|(name, _)| names_a_secret(name));
        self.settings.hidden.extend(set.map(|(_, value)| Hidden::new(value.as_str())));
        self.settings.hidden.extend(fills.iter().filter_map(|fill| fill.value.clone().ok()));
        self.fills.extend(fills);
        variables
    }

    /// Puts the server under the policy of a file or else of the user, over the one that comes with clap-facade
    /// for a program that was read from its help.
    pub(crate) fn under_policy(self, file: Option<&Path>, users: UsersPolicy) -> Result<Self, PolicyError> {
        let subject = self.subject.clone().unwrap_or_else(|| Subject::named(self.command.get_name()));
        let of_user = |name: &str| match users {
            UsersPolicy::Heed => Policy::of_user(name),
            UsersPolicy::Ignore => Ok(None),
        };
        let mut layers = Vec::new();
        for name in &subject.names {
            let own = match file {
                Some(file) => Some(Policy::read(file)?),
                None => of_user(name)?,
            };
            let takes_ready = own.as_ref().is_none_or(|own| own.ready != Some(false));
            let ready = if takes_ready && self.report.is_some() { Policy::ready(name)? } else { None };
            layers.extend(ready.into_iter().chain(own));
            if !layers.is_empty() {
                break;
            }
        }
        if let (false, Some(word)) = (layers.is_empty(), &subject.obscure) {
            return Err(PolicyError::Obscured(word.clone()));
        }
        layers
            .into_iter()
            .try_fold(self, |facade, policy| facade.policy(&Policy { base: subject.base.clone(), ..policy }))
    }
}

/// Whom a policy is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// The names that a policy may have been written under, the first that has one counts.
    pub(crate) names: Vec<String>,
    /// The command words before the root of the tree.
    pub(crate) base: String,
    /// A fixed argument that is no command word: behind it nobody knows where in the program's tree the root is.
    pub(crate) obscure: Option<String>,
}

impl Subject {
    fn named(name: &str) -> Self {
        Self { names: vec![name.to_owned()], ..Self::default() }
    }
}
