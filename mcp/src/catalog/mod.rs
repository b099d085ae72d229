//! clap in, plain data out: the only place that reads a `clap::Command` for facts.

mod constraint;
mod fence;
pub mod help;
mod inherited;
mod lint;
#[cfg(feature = "stdio")]
pub(crate) mod naive;
mod name;
mod operation;
mod params;
mod parts;
mod quiet;
pub mod schema;
pub mod search;
mod secret;
mod text;
mod value;
mod walk;

pub use fence::Fence;
#[cfg(feature = "stdio")]
pub(crate) use lint::Means;
pub use lint::{Lint, LintCode};
pub(crate) use name::is_same;
pub use operation::*;
pub(crate) use quiet::said;
pub use secret::Hidden;
pub(crate) use secret::REDACTED;
#[cfg(feature = "stdio")]
pub(crate) use secret::{Filled, names_a_secret};
#[cfg(feature = "stdio")]
pub(crate) use {
    name::closest,
    params::is_called,
    parts::{processors, side_by_side},
};

use clap::Command;
use std::sync::{Arc, Mutex, OnceLock};

/// Every operation of one clap tree, and the tree itself for the proof.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) root: String,
    pub(crate) version: Option<String>,
    pub(crate) about: String,
    pub(crate) operations: Vec<Arc<Operation>>,
    pub(crate) excused: Vec<Excused>,
    pub(crate) inject: Vec<Injected>,
    groups: Vec<search::GroupAbout>,
    lints: Vec<Lint>,
    /// The values of secrets, as far as they are known here.
    #[cfg_attr(not(feature = "stdio"), expect(dead_code, reason = "only what runs a call masks them"))]
    hidden: Vec<Hidden>,
    /// The other ways to say each operation's path, by visible aliases of any of its words.
    spoken: Vec<Vec<String>>,
    /// Made when a name is first looked for.
    index: OnceLock<name::Index>,
    /// The tree as its author made it, unbuilt: parsers are cloned from it, then reused.
    pub(crate) prototype: Command,
    pub(crate) parsers: Mutex<Vec<Command>>,
    /// What a server itself offers to call beside the tree's own operations, and lists nowhere.
    builtin: Option<Box<Self>>,
}

/// What the owner of the facade decides about the tree, beside its annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Long names (or ids) of inherited args that mutating commands offer.
    pub gates: Vec<String>,
    /// Args that only the host sets.
    ///
    /// A long name (or id) means global args and an ancestor's own: a command's own option of that
    /// name stays (`items move --group`). With a path before it (`items move group`) it means just
    /// that command's own option.
    pub host_owned: Vec<String>,
    /// Flags that the host puts first in every argv, as typed (`--agent`, `--color=never`).
    /// A bare default that the root does not define is left out.
    pub inject: Vec<String>,
    /// Paths (joined by spaces) that are exposed though they take a command line as arguments.
    pub expose: Vec<String>,
    /// Paths (joined by spaces) that are hidden with their subtree.
    pub hide: Vec<String>,
    /// What changes by commands that say nothing else of themselves have to be preceded by.
    pub applying: Applying,
    /// Stands before the tool name of every operation.
    pub tool_prefix: Option<String>,
    /// Tool names that a surface needs for itself: no operation's tool is called so.
    pub reserved: Vec<String>,
    /// Values that nothing shows, beside those that the tree's own secrets have.
    pub hidden: Vec<Hidden>,
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
            applying: Applying::default(),
            tool_prefix: None,
            reserved: own(&["command_search", "command_run", "command_read", "command_script", "workflow_submit"]),
            hidden: Vec::new(),
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
    /// What it sets is a secret.
    pub secret: bool,
}

/// Why a catalog could not be made: a mistake of the tree's or the facade's author.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogError {
    /// clap's own checks of the tree panicked.
    #[error("the clap tree is not valid: {0}")]
    Tree(String),
    /// A former path of a command is another one's.
    #[error("`{now}` is said to be renamed from `{name}`, which is also `{other}`")]
    FormerName {
        /// The former path.
        name: String,
        /// The command that was renamed.
        now: String,
        /// Which other command it means.
        other: String,
    },
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
    pub fn new(mut command: Command, settings: &Settings) -> Result<Self, CatalogError> {
        let parts = parts::worth(&command);
        let walked = quiet::catch(|| walk::walk(&mut command, settings, parts)).map_err(CatalogError::Tree)??;
        Ok(Self {
            root: command.get_name().to_owned(),
            version: command.get_version().map(str::to_owned),
            about: text::short_and_long(command.get_about(), command.get_long_about()).0,
            spoken: walked.spoken,
            index: OnceLock::new(),
            operations: walked.operations,
            excused: walked.excused,
            inject: walked.inject,
            groups: walked.groups,
            lints: walked.lints,
            hidden: walked.hidden.into_iter().chain(settings.hidden.iter().cloned()).collect(),
            prototype: command,
            parsers: Mutex::default(),
            builtin: None,
        })
    }

    /// Puts another tree's operations beside this one's: found by name where nothing else is, and listed nowhere.
    #[cfg(feature = "stdio")]
    pub(crate) fn with_builtin(mut self, builtin: Self) -> Self {
        self.builtin = Some(Box::new(builtin));
        self
    }

    /// Returns the operation that is the server's own.
    #[cfg(feature = "stdio")]
    pub(crate) fn builtin(&self) -> Option<&Arc<Operation>> {
        self.builtin.as_deref()?.operations.first()
    }

    /// Tells whether an operation is the server's own.
    #[cfg(feature = "stdio")]
    pub(crate) fn is_builtin(&self, operation: &Arc<Operation>) -> bool {
        self.builtin().is_some_and(|builtin| Arc::ptr_eq(builtin, operation))
    }

    /// Returns the catalog that an operation is of, whose tree parses its command line.
    pub(crate) fn home(&self, operation: &Arc<Operation>) -> &Self {
        let builtin = self.builtin.as_deref();
        builtin.filter(|builtin| builtin.operations.iter().any(|own| Arc::ptr_eq(own, operation))).unwrap_or(self)
    }

    /// Returns every operation, in the tree's order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// Returns every command that is not exposed, with the reason.
    pub fn excused(&self) -> &[Excused] {
        &self.excused
    }

    /// Says in one line that no command is offered, and why; nothing where one is.
    #[cfg(feature = "stdio")]
    pub(crate) fn emptiness(&self) -> Option<String> {
        if !self.operations.is_empty() {
            return None;
        }
        let denied = self.excused.iter().find(|excused| excused.reason == Excuse::Denied);
        let other = || self.excused.iter().find(|excused| excused.reason != Excuse::Group);
        let why = match denied.or_else(other) {
            Some(Excused { reason: Excuse::Denied, .. }) => {
                "all are denied by the policy, which offers those that its `expose` names".to_owned()
            }
            Some(Excused { path, reason }) if path == self.root() => {
                format!("its help lists none as clap does, and `{path}` itself {reason}")
            }
            Some(Excused { path, reason }) => match reason.remedy() {
                Some(remedy) => format!("`{path}` {reason}; {remedy}"),
                None => format!("`{path}` {reason}"),
            },
            None => "its help lists none as clap does".to_owned(),
        };
        Some(format!("no command of `{}` is offered: {why}", self.root()))
    }

    /// Returns every command with subcommands that is not hidden, in the tree's order.
    pub fn groups(&self) -> &[search::GroupAbout] {
        &self.groups
    }

    /// Returns the values of secrets, as far as they are known here.
    #[cfg(feature = "stdio")]
    pub(crate) fn hidden(&self) -> &[Hidden] {
        &self.hidden
    }

    /// Returns what the tree's author may want to change: names that had to be altered.
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }

    /// Finds an operation by its name (path joined by spaces), tool name, or an alias of its path.
    ///
    /// Case, the program's name in front and the separators between words are forgiven where one
    /// operation alone can be meant.
    pub fn find(&self, name: &str) -> Option<&Arc<Operation>> {
        let index = self.index.get_or_init(|| name::Index::new(&self.operations, &self.spoken));
        match self.with_and_without_root(name).find_map(|name| index.find(name)) {
            Some(n) => Some(&self.operations[n]),
            None => self.builtin.as_deref()?.find(name),
        }
    }

    fn with_and_without_root<'a>(&self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let without = name.trim_start().strip_prefix(&self.root).and_then(|rest| rest.strip_prefix(' '));
        std::iter::once(name).chain(without)
    }

    /// Tells whether anything here goes by a name, now or before, or is kept from callers under it.
    #[cfg(feature = "stdio")]
    pub(crate) fn knows(&self, name: &str) -> bool {
        let said = name::loose(name);
        let is_said = |known: &str| name::loose(known) == said;
        let operations = &mut self.operations.iter();
        operations.any(|operation| {
            is_said(&operation.name)
                || is_said(&operation.tool)
                || operation.former.iter().any(|former| is_said(former))
        }) || self.spoken.iter().flatten().any(|way| is_said(way))
            || self.excused.iter().any(|excused| is_said(&excused.path))
    }

    /// Finds a command that is not exposed by its path, as forgivingly as [`find`](Self::find).
    #[cfg(feature = "stdio")]
    pub(crate) fn find_excused(&self, name: &str) -> Option<&Excused> {
        self.with_and_without_root(name).find_map(|name| {
            let said = name::loose(name);
            self.excused.iter().find(|excused| name::loose(&excused.path) == said)
        })
    }

    /// Finds an operation by a name that it went by before, as a path or as a tool.
    pub fn find_former(&self, name: &str) -> Option<&Arc<Operation>> {
        let said = name::loose(name);
        let is_said = |former: &String| name::loose(former) == said;
        let renamed = self.operations.iter().find(|operation| operation.former.iter().any(is_said))?;
        // A name that means something today was not said for its former meaning.
        let today = self.find(name)?;
        (Arc::ptr_eq(today, renamed) && name::loose(&today.name) != said).then_some(renamed)
    }

    /// Returns the names nearest to one that was not found, best first, at most `limit`.
    pub fn nearest(&self, name: &str, limit: usize) -> Vec<&str> {
        name::closest(name, self.operations.iter().map(|operation| operation.name.as_str()), limit)
    }

    /// Returns how the program is called in a shell, where its tree tells that (`Command::bin_name`), else its name:
    /// `uv pip` where the root is called `uv-pip`.
    pub fn program(&self) -> &str {
        self.prototype.get_bin_name().unwrap_or(&self.root)
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
