//! What a command is, as plain data: no clap and no JSON types.

use super::Fence;
use super::Hidden;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a call may do to the world.
///
/// Ordered: a wider effect compares greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Changes nothing.
    ReadOnly,
    /// Changes something; also what an undeclared command is taken for.
    Mutating,
    /// Changes something in a way that can't simply be undone.
    Destructive,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadOnly => "read-only",
            Self::Mutating => "mutating",
            Self::Destructive => "destructive",
        })
    }
}

/// What may run without the operator's word.
///
/// Ordered: a stricter one compares greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Approval {
    /// Everything.
    #[default]
    Auto,
    /// Whatever is not destructive; what is waits for the operator's word.
    AskDestructive,
    /// Reads and previews; whatever changes something waits for the operator's word.
    Ask,
    /// Reads alone; whatever could change something is refused.
    Deny,
}

impl Approval {
    /// Every one, from the laxest on.
    pub const ALL: &[Self] = &[Self::Auto, Self::AskDestructive, Self::Ask, Self::Deny];

    /// Returns its name, as policies and the command line spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::AskDestructive => "ask-destructive",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What a call that changes something has to be preceded by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applying {
    /// Nothing.
    #[default]
    Directly,
    /// Its preview, whose plan it names.
    ByPlan,
}

/// One runnable command of the tree.
///
/// Made by [`Catalog::new`](super::Catalog::new) alone; nothing else reads the clap tree for facts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Operation {
    /// Canonical command names below the root, as clap has them: `["items", "enrich"]`.
    /// Empty for a root that runs by itself.
    pub path: Vec<String>,
    /// The path joined by spaces (the root's own name for an empty path): what an agent calls it by.
    pub name: String,
    /// The tool name of the mirror surface, in the safe profile `^[a-z][a-z0-9_]{0,51}$`; unique.
    pub tool: String,
    /// Visible aliases of the last word of the path, as further paths an agent may say.
    pub aliases: Vec<String>,
    /// Paths it went by before, still callable and listed nowhere.
    pub former: Vec<String>,
    /// One line of help, or empty.
    pub about: String,
    /// The long help where it says more than `about`.
    pub long_about: Option<String>,
    /// The effect its author declared; `None` counts as [`Effect::Mutating`].
    pub declared: Option<Effect>,
    /// Property names of the params whose presence makes a read-only operation mutating.
    pub mutating_when: Vec<String>,
    /// What a caller may set, positionals included, in the enumerator's order.
    pub params: Vec<Arc<Param>>,
    /// What the host fills in on the command line, which no caller sees or sets.
    pub(crate) filled: Vec<FilledParam>,
    /// Names of args that hold secrets and are not offered.
    pub(crate) secrets: Vec<String>,
    /// What clap enforces between params, one sentence each.
    pub constraints: Vec<String>,
    /// Examples that the author declared.
    pub examples: Vec<Example>,
    /// How clap reads positionals behind `--`.
    pub escape: Escape,
    /// Output holds text that comes from data, not from the CLI itself.
    pub untrusted_output: bool,
    /// How long a call may run; `None` for as long as the server allows.
    pub timeout: Option<Duration>,
    /// How long it may print nothing; `None` for as long as the server allows.
    pub silence: Option<Duration>,
    /// How many bytes of its output reach a caller; `None` for as many as the server allows.
    pub output_bytes: Option<usize>,
    /// What of it may run without the operator's word; `None` for as the server has it.
    pub approval: Option<Approval>,
    /// What its changes have to be preceded by.
    pub applying: Applying,
    /// What its exit codes mean: its own before those of the whole CLI.
    pub exit_codes: Vec<ExitMeaning>,
    /// What its read-only calls may do beside reading.
    pub fence: Fence,
}

impl Operation {
    /// Returns the effect of a call that sets the params named by `set`.
    pub fn effect<'a>(&self, set: impl IntoIterator<Item = &'a str>) -> Effect {
        let base = self.declared.unwrap_or(Effect::Mutating);
        let widened = set.into_iter().any(|name| self.mutating_when.iter().any(|when| when == name));
        if widened { base.max(Effect::Mutating) } else { base }
    }

    /// Returns the widest effect that any call of it can have.
    pub fn widest_effect(&self) -> Effect {
        self.effect(self.mutating_when.iter().map(String::as_str))
    }

    /// Returns the widest effect that its calls are declared to have; `None` where nobody declared.
    pub fn declared_effect(&self) -> Option<Effect> {
        self.declared.map(|_| self.widest_effect())
    }

    /// Tells whether no call of it changes anything.
    pub fn is_read_only(&self) -> bool {
        self.widest_effect() == Effect::ReadOnly
    }

    /// Tells whether some call of it has to name a plan.
    pub fn demands_plan(&self) -> bool {
        self.applying == Applying::ByPlan && !self.is_read_only()
    }

    /// Returns the positionals, in their order on the command line.
    pub fn positionals(&self) -> impl Iterator<Item = &Param> {
        self.params
            .iter()
            .map(Arc::as_ref)
            .filter(|param| matches!(param.spelling, Spelling::Positional { .. } | Spelling::External))
    }

    /// Finds a param by its property name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().map(Arc::as_ref).find(|param| param.name == name)
    }
}

/// A param with the value that the host fills in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FilledParam {
    pub(crate) param: Arc<Param>,
    pub(crate) value: Hidden,
}

/// How clap reads positionals behind `--`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escape {
    /// As before it, only that nothing is a flag or a subcommand.
    #[default]
    Plain,
    /// From the last one on (`allow_missing_positional`).
    LastFirst,
    /// Without splitting at delimiters (`dont_delimit_trailing_values`).
    Undelimited,
}

/// What an exit code means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitMeaning {
    /// The code, not 0.
    pub code: i32,
    /// A word or two: `not found`.
    pub kind: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ExitMeaning {
    /// Names what a code stands for; the same call would fail again.
    pub fn new(code: i32, kind: impl Into<String>) -> Self {
        Self { code, kind: kind.into(), retryable: false, hint: None }
    }

    /// Says that the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for ExitMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.retryable {
            f.write_str("; the same call may succeed later")?;
        }
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

/// A call worth showing, as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What the call achieves, one line.
    pub title: String,
    /// The command line after the program's name: `items enrich --from works.json --yes`.
    pub line: String,
}

/// One thing a caller may set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Param {
    /// Property name: the long name, else the short, else the positional's name.
    pub name: String,
    /// Other property names that mean the same param (visible aliases).
    pub aliases: Vec<String>,
    /// The clap id, for looking it up in `ArgMatches`.
    pub id: String,
    /// How many commands down from the root it is written: `path.len()` for the command's own and
    /// for global args, fewer for an ancestor's own option.
    pub depth: usize,
    /// How it is spelled on the command line.
    pub spelling: Spelling,
    /// What it takes.
    pub kind: ParamKind,
    /// It is a write gate (`--yes`, `--dry-run`, …), inherited or the command's own.
    pub gate: bool,
    /// clap refuses a call without it.
    pub required: bool,
    /// It may also come from an environment variable: what is given for it is not written to the audit.
    pub env_backed: bool,
    /// Help, first paragraph, or empty.
    pub help: String,
    /// The long help where it says more than `help`.
    pub long_help: Option<String>,
    /// The default that may be published: none for switches, counts, secrets and env-backed args.
    pub default: Vec<String>,
}

/// How a param is spelled on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `--name`, value joined by `=`.
    Long(String),
    /// `-n`, value joined by `=`.
    Short(char),
    /// A positional, by clap's 1-based index.
    Positional {
        /// clap's index, from 1.
        index: usize,
        /// Accepted only after `--`.
        last: bool,
        /// Swallows the rest of the line.
        trailing: bool,
    },
    /// The name and arguments of an external subcommand.
    External,
}

impl fmt::Display for Spelling {
    /// Writes the flag as a user types it; nothing for positionals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(long) => write!(f, "--{long}"),
            Self::Short(short) => write!(f, "-{short}"),
            Self::Positional { .. } | Self::External => Ok(()),
        }
    }
}

/// What a param takes.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// `true` passes the flag, whatever it means to the command (SetTrue and SetFalse alike).
    Switch,
    /// Passed as often as the integer says, at most [`COUNT_MAX`] times.
    Count,
    /// Exactly one value.
    One(ValueType),
    /// A value, or `true` for the bare flag (`num_args(0..=1)`).
    Optional {
        /// The value's type.
        value: ValueType,
        /// A value must be joined by `=`.
        require_equals: bool,
    },
    /// Several values.
    Many {
        /// The type of each.
        item: ValueType,
        /// How they are repeated.
        repeat: Repeat,
    },
}

/// The most often a counted flag is passed: clap counts in a `u8`.
pub const COUNT_MAX: u64 = 255;

/// How a param with several values is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The option itself may be repeated (`ArgAction::Append`).
    pub append: bool,
    /// The fewest values one occurrence takes.
    pub min: usize,
    /// The most values one occurrence takes; `usize::MAX` for no limit.
    pub max: usize,
    /// The character that separates values inside one token.
    pub delimiter: Option<char>,
    /// The token that ends the values.
    pub terminator: Option<String>,
    /// A value must be joined by `=`.
    pub require_equals: bool,
    /// One value alone may stand for the list: the CLI's help does not tell whether the option may be repeated.
    pub one_or_more: bool,
}

/// The type of one value, by clap's value parser.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueType {
    /// The base type.
    pub base: BaseType,
    /// The values allowed, hidden ones left out; empty where any is.
    pub choices: Vec<Choice>,
    /// Case of a choice does not matter.
    pub ignore_case: bool,
    /// A value that starts with `-` may stand as a token of its own.
    pub allow_hyphen: bool,
    /// A negative number may stand as a token of its own.
    pub allow_negative: bool,
    /// A file or folder, by the value hint or parser.
    pub path: bool,
}

/// The base type of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BaseType {
    /// Any text.
    String,
    /// A whole number in a range.
    Integer {
        /// The least value.
        min: i128,
        /// The greatest value.
        max: i128,
    },
    /// A number.
    Number,
    /// `true` or `false`, written out.
    Boolean,
}

/// One allowed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value as published.
    pub name: String,
    /// Other spellings that clap accepts.
    pub aliases: Vec<String>,
    /// Its help, or empty.
    pub help: String,
}

/// A command that is not exposed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excused {
    /// The path joined by spaces.
    pub path: String,
    /// Why agents can't run it.
    pub reason: Excuse,
}

/// Why a command is not exposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excuse {
    /// Hidden by clap's `hide`, or annotated; inherited by the subtree.
    Hidden,
    /// Help, completions, or the mounted server itself.
    Framework,
    /// Only dispatches to its subcommands.
    Group,
    /// Takes another command line as its arguments, and its owner did not expose it.
    TakesCommands,
    /// Its required arg is hidden, host-owned or secret, so that no call could succeed.
    NotCallable,
    /// Denied by a policy.
    Denied,
}

impl Excuse {
    /// Says what the operator can do about it; nothing where the CLI's author alone can.
    pub const fn remedy(self) -> Option<&'static str> {
        match self {
            Self::Hidden | Self::Framework | Self::Group => None,
            Self::TakesCommands => Some("the operator can offer it with the policy's `expose`"),
            Self::NotCallable => Some("the operator can fill in a secret with the policy's `[secrets]`"),
            Self::Denied => Some("the operator decides with the policy's `expose` and `deny`"),
        }
    }
}

impl fmt::Display for Excuse {
    /// Writes the reason as a sentence without its subject, the command.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hidden => "is hidden",
            Self::Framework => "serves the CLI itself",
            Self::Group => "only leads to its subcommands",
            Self::TakesCommands => "takes another command line as its arguments",
            Self::NotCallable => "requires an arg that no caller may set",
            Self::Denied => "is denied by the policy",
        })
    }
}
