//! What an author declares on a clap `Command` or `Arg`.
//!
//! Declarations travel inside the clap tree itself (clap's `unstable-ext`), so there is no second
//! list to keep in step:
//!
//! ```
//! use clap::{Arg, Command};
//! use clap_facade::annotate::{read_only, secret};
//!
//! let show = Command::new("show")
//!     .add(read_only().mutating_when("output"))
//!     .arg(Arg::new("output").long("output"))
//!     .arg(Arg::new("token").long("token").add(secret()));
//! # let _ = show;
//! ```

#![cfg_attr(feature = "stdio", doc = include_str!("../docs/adopt.md"))]

use crate::catalog::{Applying, Approval, Effect, Example, ExitMeaning, Fence};
use clap::builder::{ArgExt, CommandExt};
use std::time::Duration;

/// The longest time that a call may run: 30 days. Deadlines far beyond can't be told by a clock.
pub(crate) const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// Declares that a command changes nothing.
pub fn read_only() -> CommandNote {
    CommandNote { effect: Some(Effect::ReadOnly), ..CommandNote::default() }
}

/// Declares that a command changes something: the same as undeclared, but on purpose.
pub fn mutating() -> CommandNote {
    CommandNote { effect: Some(Effect::Mutating), ..CommandNote::default() }
}

/// Declares that a command changes something in a way that can't simply be undone.
pub fn destructive() -> CommandNote {
    CommandNote { effect: Some(Effect::Destructive), ..CommandNote::default() }
}

/// Hides a command and its whole subtree from agents, while people still see it.
pub fn hidden() -> CommandNote {
    CommandNote { exposure: Exposure::Hidden, ..CommandNote::default() }
}

/// Declares that a command serves the CLI itself: help, completions, the mounted server.
///
/// Agents reach neither it nor its subtree.
pub fn framework() -> CommandNote {
    CommandNote { exposure: Exposure::Framework, ..CommandNote::default() }
}

/// Declares that a command went by another path, joined by spaces.
pub fn renamed_from(path: impl Into<String>) -> CommandNote {
    CommandNote::default().renamed_from(path)
}

/// What an author declares on a `clap::Command`.
///
/// A later `add` on the same command replaces an earlier one: chain the methods instead. With clap's derive that of an
/// enum's variant comes after that of its Args struct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandNote {
    pub(crate) effect: Option<Effect>,
    pub(crate) mutating_when: Vec<String>,
    pub(crate) exposure: Exposure,
    pub(crate) examples: Vec<Example>,
    pub(crate) untrusted_output: bool,
    pub(crate) former: Vec<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) silence: Option<Duration>,
    pub(crate) output_bytes: Option<usize>,
    pub(crate) approval: Option<Approval>,
    pub(crate) applying: Option<Applying>,
    pub(crate) exit_codes: Vec<ExitMeaning>,
    pub(crate) fence: Fence,
}

/// Whether agents may reach a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Exposure {
    /// By classification.
    #[default]
    Classified,
    /// Never, with its subtree.
    Hidden,
    /// Never, with its subtree: it serves the CLI itself.
    Framework,
    /// Never, by the operator's policy, which says of each command below it as well.
    Withheld,
    /// Though it takes a command line as arguments, or looks like a group.
    Exposed,
}

impl CommandNote {
    /// Adds a param (clap id or long name) whose presence makes the call mutating.
    ///
    /// Where its environment variable is set, every call is.
    #[must_use]
    pub fn mutating_when(mut self, param: impl Into<String>) -> Self {
        self.mutating_when.push(param.into());
        self
    }

    /// Hides the command and its whole subtree from agents.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.exposure = Exposure::Hidden;
        self
    }

    /// Exposes a command that takes another command line as its arguments, or a root that looks like
    /// a mere group.
    ///
    /// The former lets a caller run whatever the command can run: that is how allow-lists are bypassed.
    #[must_use]
    pub fn exposed(mut self) -> Self {
        self.exposure = Exposure::Exposed;
        self
    }

    /// Adds an example: what it achieves, and the command line after the program's name.
    #[must_use]
    pub fn example(mut self, title: impl Into<String>, line: impl Into<String>) -> Self {
        self.examples.push(Example { title: title.into(), line: line.into() });
        self
    }

    /// Keeps a former path of the command callable, joined by spaces; with it those of its subcommands.
    ///
    /// It is not listed, and an answer to a call by it tells the new name.
    #[must_use]
    pub fn renamed_from(mut self, path: impl Into<String>) -> Self {
        self.former.push(path.into());
        self
    }

    /// Sets how long a call may run, at most 30 days, whatever the server allows other commands.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout.min(LONGEST));
        self
    }

    /// Sets how long a call may print nothing before it is stopped, whatever the server allows other commands.
    ///
    /// It holds for commands that are processes of their own.
    #[must_use]
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = Some(limit);
        self
    }

    /// Sets how many bytes of the output reach the caller, whatever the server allows other commands.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.output_bytes = Some(bytes);
        self
    }

    /// Sets what of it may run without the operator's word, whatever the server allows other commands.
    #[must_use]
    pub fn approval(mut self, approval: Approval) -> Self {
        self.approval = Some(approval);
        self
    }

    /// Sets what its changes have to be preceded by, whatever the server demands of other commands.
    #[must_use]
    pub fn applying(mut self, applying: Applying) -> Self {
        self.applying = Some(applying);
        self
    }

    /// Publishes what an exit code of the command means; on the root, of every command.
    ///
    /// ```
    /// use clap::Command;
    /// use clap_facade::annotate::CommandNote;
    /// use clap_facade::catalog::ExitMeaning;
    ///
    /// let busy = ExitMeaning::new(75, "busy").retryable().hint("call again in a minute");
    /// let root = Command::new("app").add(CommandNote::default().exit_code(busy));
    /// # let _ = root;
    /// ```
    #[must_use]
    pub fn exit_code(mut self, meaning: ExitMeaning) -> Self {
        self.exit_codes.push(meaning);
        self
    }

    /// Adds a file or folder that read-only calls may write all the same, such as a cache; on the root, for every command.
    ///
    /// `~/…` and `$NAME/…` are resolved at each call, and a folder that ends in `/` is made where it is missing; see
    /// [`Fence::writes`](crate::catalog::Fence::writes).
    #[must_use]
    pub fn writes(mut self, path: impl Into<String>) -> Self {
        self.fence.writes.push(path.into());
        self
    }

    /// Keeps read-only calls off the network, where the system can; on the root, those of every command.
    #[must_use]
    pub fn offline(mut self) -> Self {
        self.fence.network = Some(false);
        self
    }

    /// Leaves it to the command to only read: the system does not hold it to that.
    #[must_use]
    pub fn unenforced(mut self) -> Self {
        self.fence.enforce = Some(false);
        self
    }

    /// Declares that the output holds text which comes from data.
    #[must_use]
    pub fn untrusted_output(mut self) -> Self {
        self.untrusted_output = true;
        self
    }
}

impl CommandExt for CommandNote {}

/// Declares an arg to be a write gate, offered wherever it is inherited by a mutating command.
pub fn gate() -> ArgNote {
    ArgNote::Gate
}

/// Declares an arg to belong to the host: agents never see or set it.
pub fn host_owned() -> ArgNote {
    ArgNote::HostOwned
}

/// Declares an arg to hold a secret: agents never see or set it, and nothing ever prints it.
pub fn secret() -> ArgNote {
    ArgNote::Secret
}

/// Declares an arg to hold no secret, whatever it is called.
pub fn plain() -> ArgNote {
    ArgNote::Plain
}

/// What an author declares on a `clap::Arg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgNote {
    /// A write gate.
    Gate,
    /// Set by the host alone.
    HostOwned,
    /// Never shown, never set by a caller.
    Secret,
    /// No secret, whatever it is called: an option is taken for one whose name, or that of its environment variable, ends
    /// in `password`, `token`, `api-key` and the like.
    Plain,
}

impl ArgExt for ArgNote {}

/// Marks an option that takes one value, and of which nobody knows whether it may be repeated: it was read from help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MayRepeat;

impl ArgExt for MayRepeat {}

/// Names the environment variables that give an arg of a program which was read from its help.
///
/// Not `Arg::env`, by which the proof would read values that only the program itself can judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenBy(pub(crate) Vec<String>);

impl GivenBy {
    /// Tells whether this process's environment has one of them.
    pub(crate) fn is_set(&self) -> bool {
        self.0.iter().any(|variable| std::env::var_os(variable).is_some())
    }
}

impl ArgExt for GivenBy {}
