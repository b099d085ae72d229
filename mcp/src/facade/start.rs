//! From what was told to what runs.

use super::{Facade, StartError};
use crate::catalog::{Catalog, Operation, schema};
use crate::exec::{Enforcement, Executor, Mask, STACK_BYTES, Subprocess, apart};
use crate::run::approve::{Approvals, Approve};
use crate::run::audit::Audit;
use crate::run::budget::Budget;
use crate::run::guard::Guard;
use crate::run::kept;
use crate::run::kill::Kill;
use crate::run::plan::Plans;
use crate::run::{INSTRUCTIONS_BYTES, Pipeline, Principal};
use crate::surface::{Choice, UnknownSurface};
use clap::Command;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Facade {
    /// Makes everything that a call needs, and starts nothing.
    ///
    /// # Errors
    /// [`StartError`] for whatever the tree's author, the adopter or the operator got wrong.
    pub fn build(mut self) -> Result<Pipeline, StartError> {
        let (audit, kill, approvals) = (self.audit_path(), self.kill(), self.approvals());
        let budget = audit.as_deref().map_or_else(Budget::default, Budget::beside);
        // Taken, not copied: a tree may be large.
        let command = std::mem::take(&mut self.command);
        let catalog = Arc::new(self.catalog_of(command)?);
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
            approve: Approve::new(self.approval, self.least_approval, approvals).masking(mask.clone()),
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
        self.catalog_of(self.command.clone())
    }

    fn catalog_of(&self, command: Command) -> Result<Catalog, StartError> {
        let mut settings = self.settings.clone();
        settings.reserved.extend(self.tools.iter().map(|tool| tool.name().to_owned()));
        let catalog = Catalog::new(command, &settings)?;
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
        #[cfg(feature = "otel")]
        let _exporting = crate::otel::install(self.command.get_name());
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

pub(super) fn own_executable(name: &str) -> Arc<dyn Executor> {
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
