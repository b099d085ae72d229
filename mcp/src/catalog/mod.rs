//! clap in, plain data out: the only place that reads a `clap::Command` for facts.

mod operation;
pub mod search;

pub use operation::*;

use clap::Command;
use std::sync::{Arc, Mutex};

/// Every operation of one clap tree, and the tree itself for the proof.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) root: String,
    pub(crate) version: Option<String>,
    pub(crate) about: String,
    pub(crate) operations: Vec<Arc<Operation>>,
    pub(crate) excused: Vec<Excused>,
    pub(crate) inject: Vec<Injected>,
    /// The tree as its author made it, unbuilt: parsers are cloned from it, then reused.
    pub(crate) prototype: Command,
    pub(crate) parsers: Mutex<Vec<Command>>,
}

/// What the owner of the facade decides about the tree, beside its annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Long names (or ids) of inherited args that mutating commands offer.
    pub gates: Vec<String>,
    /// Long names (or ids) of args that only the host sets.
    pub host_owned: Vec<String>,
    /// Flags that the host puts first in every argv, as typed (`--agent`, `--color=never`).
    /// A bare default that the root does not define is left out.
    pub inject: Vec<String>,
    /// Paths (joined by spaces) that are exposed though they take a command line as arguments.
    pub expose: Vec<String>,
    /// Paths (joined by spaces) that are hidden with their subtree.
    pub hide: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Self {
            gates: own(&["yes", "dry-run", "allow-destructive", "max-changes", "continue-on-error", "max-failures"]),
            host_owned: own(&["config", "profile", "group", "deliver"]),
            inject: own(&["--agent"]),
            expose: Vec::new(),
            hide: Vec::new(),
        }
    }
}

/// A flag that the host puts first in every argv.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// The clap id it sets.
    pub id: String,
    /// The token as written.
    pub token: String,
    /// The raw values clap must report for it.
    pub values: Vec<String>,
}

/// Why a catalog could not be made: a mistake of the tree's or the facade's author.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogError {
    /// clap's own checks of the tree panicked.
    #[error("the clap tree is not valid: {0}")]
    Tree(String),
    /// A setting or annotation names something the tree does not have.
    #[error("{what} names `{name}`, which {place} does not have{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    NoSuchName {
        /// What names it: `inject`, `mutating_when`, `hide`, ….
        what: &'static str,
        /// The name.
        name: String,
        /// Where it was looked for: a command's path or "the root".
        place: String,
        /// The nearest valid name.
        nearest: Option<String>,
    },
}

impl Catalog {
    /// Reads a clap tree.
    ///
    /// # Errors
    /// [`CatalogError`] where the tree, an annotation or a setting is wrong.
    pub fn new(command: Command, settings: &Settings) -> Result<Self, CatalogError> {
        let _ = (command, settings);
        unimplemented!()
    }

    /// Returns every operation, in the tree's order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// Returns every command that is not exposed, with the reason.
    pub fn excused(&self) -> &[Excused] {
        &self.excused
    }

    /// Finds an operation by its name (path joined by spaces), tool name, or an alias of its path.
    pub fn find(&self, name: &str) -> Option<&Arc<Operation>> {
        let _ = name;
        unimplemented!()
    }

    /// Returns the names nearest to one that was not found, best first, at most `limit`.
    pub fn nearest(&self, name: &str, limit: usize) -> Vec<&str> {
        let _ = (name, limit);
        unimplemented!()
    }

    /// Returns the name of the root command.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns the CLI's version, where it has one.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the CLI's one-line help, or empty.
    pub fn about(&self) -> &str {
        &self.about
    }
}
