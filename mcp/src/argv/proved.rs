use super::{complaint, line, proof};
use crate::catalog::{Catalog, REDACTED, said};
use crate::invocation::Invocation;
use crate::refusal::{Kind, Refusal};
use clap::{ArgMatches, Command};
use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

/// An invocation whose argv was parsed back by the CLI's own clap tree.
#[derive(Clone)]
pub struct Proved {
    invocation: Invocation,
    arg0: Option<OsString>,
    argv: Vec<OsString>,
    /// The same without the values of secrets, where there are any.
    shown: Option<Vec<OsString>>,
    matches: ArgMatches,
}

impl fmt::Debug for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { invocation, arg0, .. } = self;
        let mut shown = f.debug_struct("Proved");
        shown.field("invocation", invocation).field("arg0", arg0).field("argv", &self.argv()).finish_non_exhaustive()
    }
}

impl Proved {
    /// Renders the argv and proves it.
    ///
    /// # Errors
    /// clap's own complaints (conflict, missing, bad value) and values that no command line can carry as
    /// [`InvalidParams`](crate::refusal::Kind::InvalidParams); an argv that would set anything else as
    /// [`ProofFailed`](crate::refusal::Kind::ProofFailed); a value parser that panics as
    /// [`Panicked`](crate::refusal::Kind::Panicked).
    pub fn new(catalog: &Catalog, invocation: Invocation) -> Result<Self, Refusal> {
        let catalog = catalog.home(invocation.operation());
        let start = start(&catalog.prototype);
        let full = invocation.filled(|value| value.reveal().to_owned());
        let tokens = |invocation: &Invocation| -> Result<Vec<OsString>, Refusal> {
            let tokens = line::tokens(&catalog.inject, invocation).map_err(Refusal::invalid)?;
            Ok(tokens.into_iter().map(OsString::from).collect())
        };
        let mut argv = tokens(&full)?;
        let mut parser = Pooled::take(catalog);
        let program = (start == Start::Program).then(|| OsString::from(&catalog.root));
        let line = program.iter().chain(&argv);
        // A parser that panicked is in no known state: it is dropped, not given back.
        let parsed = catch_unwind(AssertUnwindSafe(|| parser.command.try_get_matches_from_mut(line)))
            .map_err(|panic| panicked(panic.as_ref()))?;
        let proved = match &parsed {
            Ok(matches) => proof::prove(&parser.command, matches, &full, &catalog.inject),
            Err(error) => Err(complaint::refusal(&parser.command, error, &invocation)),
        };
        parser.give_back();
        proved?;
        let matches = parsed.map_err(|_| Refusal::new(Kind::Internal))?;
        let mut shown = match invocation.operation().filled.is_empty() {
            true => None,
            false => Some(tokens(&invocation.filled(|_| REDACTED.to_owned()))?),
        };
        let arg0 = (start == Start::Applet && !argv.is_empty()).then(|| argv.remove(0));
        if let (Some(_), Some(shown)) = (&arg0, &mut shown) {
            shown.remove(0);
        }
        drop(full);
        Ok(Self { invocation, arg0, argv, shown, matches })
    }

    /// Returns the call that was proved.
    pub fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// Returns the argv without the program's name, to be looked at: secrets are not in it.
    pub fn argv(&self) -> &[OsString] {
        self.shown.as_deref().unwrap_or(&self.argv)
    }

    /// Returns the argv without the program's name, to be run: what the host fills in is in it.
    pub fn secret_argv(&self) -> &[OsString] {
        &self.argv
    }

    /// Returns the name that the program must be started under, for a multicall tree.
    pub fn arg0(&self) -> Option<&OsStr> {
        self.arg0.as_deref()
    }

    /// Returns the root matches that the proof parsed: what the in-process executor runs from.
    pub fn matches(&self) -> &ArgMatches {
        &self.matches
    }
}

/// A parser taken out of the catalog's pool.
struct Pooled<'a> {
    catalog: &'a Catalog,
    command: Command,
}

impl<'a> Pooled<'a> {
    /// More idle parsers than this are not worth their memory: a parse takes a tenth of a millisecond.
    const IDLE_MAX: usize = 4;

    fn take(catalog: &'a Catalog) -> Self {
        let idle = catalog.parsers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { catalog, command: idle.unwrap_or_else(|| catalog.prototype.clone()) }
    }

    fn give_back(self) {
        let mut idle = self.catalog.parsers.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < Self::IDLE_MAX {
            idle.push(self.command);
        }
    }
}

/// How the tree takes the start of its argv.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// The program's name, then the tokens.
    Program,
    /// The tokens alone.
    Tokens,
    /// The program's name is the first word of the command.
    Applet,
}

fn start(prototype: &Command) -> Start {
    if prototype.is_multicall_set() {
        Start::Applet
    } else if prototype.is_no_binary_name_set() {
        Start::Tokens
    } else {
        Start::Program
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Refusal {
    Refusal::new(Kind::Panicked).because(format!(
        "the CLI's own argument parser crashed on these arguments: {}",
        said(panic).map_or_else(|| "it did not say why".into(), crate::invocation::cut)
    ))
}
