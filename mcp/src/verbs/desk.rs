//! What every verb works with.

use super::VerbError;
use crate::Facade;
use crate::catalog::Catalog;
use crate::exec::CALL;
use crate::refusal::{Kind, Refusal};
use crate::run::Pipeline;
use crate::surface::Choice;
use serde_json::Value;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// What a verb works with: the server it is about, how that is started, and where it prints.
pub(crate) struct Desk<'a> {
    pub(crate) facade: Facade,
    pub(crate) launch: Launch,
    pub(crate) out: &'a mut dyn Write,
}

/// How a server is started: what `install` registers and `doctor` tries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// The words before the verb: where the subcommand is mounted; none for a second binary.
    pub before: Vec<OsString>,
    /// Options that every start has: the policy that was asked for.
    pub options: Vec<OsString>,
    /// What stands behind the verb and its options: `--` and a wrapped program; none for an adopter.
    pub behind: Vec<OsString>,
}

impl Launch {
    /// Takes this process's own executable.
    ///
    /// # Errors
    /// Where the system does not tell which it is.
    pub fn own() -> std::io::Result<Self> {
        Ok(Self { program: std::env::current_exe()?, before: Vec::new(), options: Vec::new(), behind: Vec::new() })
    }

    /// Returns the arguments that start the server with some options.
    pub fn start(&self, options: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        let before = self.before.iter().cloned().chain(["start".into()]);
        before.chain(self.options.iter().cloned()).chain(options).chain(self.behind.iter().cloned()).collect()
    }
}

impl Desk<'_> {
    /// Builds the server with a surface, or with the one that it would start with.
    pub(crate) fn pipeline(&self, surface: Option<Choice>) -> Result<Pipeline, VerbError> {
        let facade = self.facade.clone();
        Ok(match surface {
            Some(surface) => facade.surface(surface),
            None => facade,
        }
        .build()?)
    }

    /// Says why an agent could do nothing with the server; nothing where it could.
    pub(crate) fn emptiness(&self, catalog: &Catalog) -> Option<String> {
        catalog.emptiness().filter(|_| !self.facade.has_tools())
    }

    /// Tells a person something beside the output.
    pub(crate) fn warn(&self, line: impl AsRef<str>) {
        // With stderr closed there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "{}", line.as_ref());
    }

    /// Refuses to do in an agent's call what is the operator's alone.
    ///
    /// It keeps a served program from doing so by a verb that it carries or starts. Who may run any command as the
    /// operator is the operator to this machine, and nothing here keeps them from it.
    pub(crate) fn is_operators(&self) -> Result<(), VerbError> {
        match std::env::var_os(CALL) {
            None => Ok(()),
            Some(_) => Err(Refusal::new(Kind::ApprovalDenied)
                .because("this is the operator's alone, and an agent's call runs it")
                .into()),
        }
    }

    /// Prints a line.
    pub(crate) fn say(&mut self, line: impl AsRef<str>) -> Result<(), VerbError> {
        writeln!(self.out, "{}", line.as_ref()).map_err(VerbError::Output)
    }

    /// Prints JSON, indented.
    pub(crate) fn json(&mut self, value: &Value) -> Result<(), VerbError> {
        self.say(format!("{value:#}"))
    }
}

/// Names the user who runs this process, as the environment has it, or by number.
pub(super) fn user() -> String {
    let named =
        ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    named.unwrap_or_else(|| format!("uid {}", nix::unistd::getuid()))
}
