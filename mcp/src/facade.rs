//! The paved path: a clap tree in, an agent server out.

use crate::catalog::{
    Applying, Approval, Catalog, CatalogError, Effect, Hidden, Operation, Settings, names_a_secret, schema,
};
use crate::exec::{Enforcement, Executor, Limits, Mask, STACK_BYTES, Subprocess, Surroundings, apart};
use crate::policy::{By, Fill, Policy, PolicyError, fill};
use crate::refusal::Refusal;
use crate::run::approve::{Approvals, Approve};
use crate::run::audit::{Audit, Keeping};
use crate::run::bound::Bound;
use crate::run::budget::{Allowance, Budget};
use crate::run::confine::Confine;
use crate::run::guard::Guard;
use crate::run::kept::{self, Retention};
use crate::run::kill::Kill;
use crate::run::plan::Plans;
use crate::run::{INSTRUCTIONS_BYTES, Pipeline};
use crate::run::{Principal, workflow};
use crate::surface::fixed::FixedTool;
use crate::surface::{Choice, UnknownSurface};
use crate::verbs::{MakeScratch, OwnVerb};
use clap::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
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
    settings: Settings,
    pub(crate) executor: Option<Arc<dyn Executor>>,
    pub(crate) verbs: Vec<OwnVerb>,
    /// What the walk did not understand, for a program that was read from its help.
    pub(crate) report: Option<crate::wrap::Report>,
    /// Whom a policy is about, for a program with fixed arguments.
    pub(crate) subject: Option<Subject>,
    pub(crate) scratch: Option<Arc<MakeScratch>>,
    tools: Vec<Arc<FixedTool>>,
    workflows: bool,
    surface: Option<Choice>,
    /// The widest effect that any principal may have.
    scope: Effect,
    principals: BTreeMap<String, Principal>,
    /// What the principals may use up that say nothing else.
    budget: Allowance,
    /// The principal that this process serves.
    serves: Option<String>,
    approval: Approval,
    least_approval: Approval,
    approval_lasts: Option<Duration>,
    plan_ignores: Vec<String>,
    confine: Confine,
    limits: Limits,
    bound: Bound,
    retention: Retention,
    /// The secrets that a policy fills in.
    pub(crate) fills: Vec<Fill>,
    audit: Option<PathBuf>,
    keeping: Keeping,
    notes: Option<String>,
}

/// Whether the policy in the user's configuration counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsersPolicy {
    /// As for every start.
    Heed,
    /// As if there were none.
    Ignore,
}

/// Why a server could not start.
///
/// Its `Debug` is its text, since that is what a `main` that returns it prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The clap tree, an annotation or a setting is wrong.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The policy is wrong, or wrong for this CLI.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The notes leave no room for how to work here: all that is told at connect has 400 bytes.
    #[error("the notes are {0} bytes too long")]
    NotesTooLong(usize),
    /// The environment asks for a surface that does not exist.
    #[error("{variable}: {error}")]
    Surface {
        /// The environment variable.
        variable: String,
        /// What is wrong with it.
        error: UnknownSurface,
    },
    /// The principal that was asked for does not exist.
    #[error("{}no principal is called `{name}`; there are: {known}", variable.as_ref().map(|variable| format!("{variable}: ")).unwrap_or_default())]
    Principal {
        /// The environment variable that asked for it; `None` where something else did.
        variable: Option<String>,
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Two tools have one name.
    #[error("two tools are called `{0}`")]
    DuplicateTool(String),
    /// A tool's schema is outside what every host accepts.
    #[error("the schema of `{tool}` is not accepted by every host: {}", problems.join("; "))]
    Schema {
        /// The tool.
        tool: String,
        /// Every problem.
        problems: Vec<String>,
    },
    /// What runs the calls can't run any.
    #[error("no call could run: {0}")]
    Executor(Refusal),
    /// The standard streams failed.
    #[error("the server's streams failed: {0}")]
    Streams(#[from] std::io::Error),
}

impl std::fmt::Debug for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
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
    /// [`Subprocess`] of another program.
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

    /// Writes the audit to another file than [`Audit::default_path`].
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

    /// Puts the server under an operator's policy: what it says stands over what was said before.
    ///
    /// The verbs do so by themselves with `--policy FILE`, or else the file at [`Policy::path`].
    ///
    /// # Errors
    /// [`PolicyError`] where the policy names what this CLI does not have.
    pub fn policy(mut self, policy: &Policy) -> Result<Self, PolicyError> {
        let workflows = self.workflows.then(|| workflow::NAME.to_owned());
        let own: Vec<String> = self.tools.iter().map(|tool| tool.name().to_owned()).chain(workflows).collect();
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

    /// Makes everything that a call needs, and starts nothing.
    ///
    /// # Errors
    /// [`StartError`] for whatever the tree's author, the adopter or the operator got wrong.
    pub fn build(self) -> Result<Pipeline, StartError> {
        let (audit, kill, approvals) = (self.audit_path(), self.kill(), self.approvals());
        let budget = audit.as_deref().map_or_else(Budget::default, Budget::beside);
        let catalog = Arc::new(self.catalog()?);
        let choice = match self.surface {
            Some(choice) => choice,
            None => from_environment(catalog.root())?,
        };
        let surface = choice.build(&catalog, self.tools, self.workflows);
        let mut names = std::collections::HashSet::new();
        for tool in surface.tools(&catalog) {
            schema::check(&Value::Object(tool.input_schema))
                .map_err(|problems| StartError::Schema { tool: tool.name.clone(), problems })?;
            if !names.insert(tool.name.clone()) {
                return Err(StartError::DuplicateTool(tool.name));
            }
        }
        let executor = self.executor.unwrap_or_else(|| own_executable(catalog.root()));
        let mask = Arc::new(Mask::new(catalog.hidden()));
        let audit = Audit::to_file(audit, self.keeping).masking(mask.clone());
        let pipeline = Pipeline {
            catalog,
            surface,
            executor,
            limits: self.limits,
            kill,
            budget,
            guard: Guard,
            plans: Plans::new(self.plan_ignores),
            approve: Approve::new(self.approval, self.least_approval, approvals),
            confine: self.confine,
            bound: self.bound,
            kept: Arc::new(kept::Store::new(self.retention)),
            audit,
            notes: self.notes,
            mask,
        };
        match pipeline.instructions().len().checked_sub(INSTRUCTIONS_BYTES) {
            None | Some(0) => Ok(pipeline),
            Some(excess) => Err(StartError::NotesTooLong(excess)),
        }
    }

    /// Returns the principal that this process serves, with all that limits it.
    ///
    /// # Errors
    /// [`StartError::Principal`] where nobody is called so.
    pub fn served(&self) -> Result<Arc<Principal>, StartError> {
        let in_environment = || {
            // A program with fixed words has a name of its own, and its operator thinks of the program.
            let subjects = self.subject.iter().flat_map(|subject| subject.names.iter().map(String::as_str));
            let mut variables = std::iter::once(self.command.get_name()).chain(subjects).map(Principal::variable);
            variables.find_map(|variable| {
                let name = std::env::var_os(&variable).filter(|name| !name.is_empty())?;
                Some((name.to_string_lossy().into_owned(), Some(variable)))
            })
        };
        let asked = self.serves.clone().map(|name| (name, None)).or_else(in_environment);
        let (name, variable) = asked.unwrap_or_else(|| (Principal::LOCAL.to_owned(), None));
        let principal = match self.principals.get(&name) {
            Some(principal) => principal.clone(),
            None if name == Principal::LOCAL => Principal::default(),
            None => {
                let mut known: Vec<&str> = self.principals.keys().map(String::as_str).collect();
                if !known.contains(&Principal::LOCAL) {
                    known.push(Principal::LOCAL);
                }
                let known = known.join(", ");
                return Err(StartError::Principal { variable, name, known });
            }
        };
        let budget = principal.budget.clone().over(&self.budget);
        Ok(Arc::new(principal.budget(budget).at_most(self.scope)))
    }

    /// Tells whether there are tools that are not commands.
    pub(crate) fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Reads the tree alone.
    ///
    /// # Errors
    /// [`StartError::Catalog`]
    pub fn catalog(&self) -> Result<Catalog, StartError> {
        let mut settings = self.settings.clone();
        settings.reserved.extend(self.tools.iter().map(|tool| tool.name().to_owned()));
        let catalog = Catalog::new(self.command.clone(), &settings)?;
        if !self.retention.keeps() {
            return Ok(catalog);
        }
        let builtin = kept::beside(&catalog, &settings)?;
        Ok(catalog.with_builtin(builtin))
    }

    /// Returns where the audit goes; `None` where the environment names no place for it.
    pub(crate) fn audit_path(&self) -> Option<PathBuf> {
        self.audit.clone().or_else(|| Audit::default_path(self.command.get_name()))
    }

    /// Tells how read-only calls of an operation are held to it; `None` where the system has no part in it.
    pub(crate) fn enforcement(&self, operation: &Operation) -> Option<Enforcement> {
        match &self.executor {
            Some(executor) => executor.enforcement(operation),
            None => own_executable(self.command.get_name()).enforcement(operation),
        }
    }

    /// Returns the operator's switch, which stands beside the audit.
    pub(crate) fn kill(&self) -> Kill {
        self.audit_path().map_or_else(Kill::default, |audit| Kill::beside(&audit))
    }

    /// Returns the approvals, which stand beside the audit.
    pub(crate) fn approvals(&self) -> Approvals {
        let approvals = Approvals::beside(self.audit_path().as_deref());
        self.approval_lasts.map_or(approvals.clone(), |lasts| approvals.lasting(lasts))
    }

    /// Returns the audit itself, opened by the first line that is written.
    pub(crate) fn audit_log(&self) -> Audit {
        Audit::to_file(self.audit_path(), self.keeping)
    }

    /// Serves stdio until the client leaves: what the verb `start` does.
    ///
    /// # Errors
    /// [`StartError`]
    pub fn start(self) -> Result<(), StartError> {
        let principal = self.served()?;
        let has_tools = self.has_tools();
        let pipeline = Arc::new(self.build()?);
        if let Some(emptiness) = pipeline.catalog.emptiness().filter(|_| !has_tools) {
            // With stderr closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{emptiness}");
        }
        pipeline.executor.check().map_err(StartError::Executor)?;
        pipeline.audit.announce();
        if !pipeline.mask.is_empty() {
            let mask = pipeline.mask.clone();
            // What a command crashes on may be a secret, and a host keeps what a server says on stderr.
            std::panic::set_hook(Box::new(move |info| {
                let _ = writeln!(std::io::stderr(), "{}", mask.text(&info.to_string()));
            }));
        }
        apart("server", || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().thread_stack_size(STACK_BYTES).enable_all().build()?;
            let served = runtime.block_on(crate::door::stdio::serve(pipeline, principal));
            // A command that does not end must not keep the server.
            runtime.shutdown_background();
            served
        })?;
        Ok(())
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

fn from_environment(cli: &str) -> Result<Choice, StartError> {
    let variable = Choice::variable(cli);
    match std::env::var(&variable) {
        Ok(name) if !name.is_empty() => name.parse().map_err(|error| StartError::Surface { variable, error }),
        Ok(_) | Err(std::env::VarError::NotPresent) => Ok(Choice::default()),
        Err(std::env::VarError::NotUnicode(name)) => {
            let error = UnknownSurface { name: name.to_string_lossy().into_owned() };
            Err(StartError::Surface { variable, error })
        }
    }
}

fn own_executable(name: &str) -> Arc<dyn Executor> {
    Arc::new(Subprocess::new(executable(name)))
}

/// Returns the CLI's own executable: this one, or its neighbour of that name, or by the `PATH`.
fn executable(name: &str) -> PathBuf {
    std::env::current_exe().map_or_else(|_| name.into(), |own| own_program(name, &own))
}

/// Returns what `own` runs the calls of a CLI by: itself, or its neighbour of that name, or by the `PATH`.
pub(crate) fn own_program(name: &str, own: &Path) -> PathBuf {
    if own.file_stem().is_some_and(|stem| stem == name) {
        return own.to_owned();
    }
    let neighbour = own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if neighbour.is_file() { neighbour } else { name.into() }
}
