//! `&Invocation` → argv, and the parse-back proof.

use crate::catalog::Catalog;
use crate::invocation::Invocation;
use crate::refusal::Refusal;
use clap::ArgMatches;
use std::ffi::OsString;

/// An invocation whose argv was parsed back by the CLI's own clap tree.
#[derive(Clone, Debug)]
pub struct Proved {
    invocation: Invocation,
    argv: Vec<OsString>,
    matches: ArgMatches,
}

impl Proved {
    /// Renders the argv and proves it.
    ///
    /// # Errors
    /// clap's own complaints (conflict, missing, bad value) as
    /// [`InvalidParams`](crate::refusal::Kind::InvalidParams); an argv that would set anything else
    /// as [`ProofFailed`](crate::refusal::Kind::ProofFailed).
    pub fn new(catalog: &Catalog, invocation: Invocation) -> Result<Self, Refusal> {
        let _ = (catalog, invocation);
        unimplemented!()
    }

    /// Returns the call that was proved.
    pub fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// Returns the argv without the program's name.
    pub fn argv(&self) -> &[OsString] {
        &self.argv
    }

    /// Returns the root matches that the proof parsed: what the in-process executor runs from.
    pub fn matches(&self) -> &ArgMatches {
        &self.matches
    }
}
