//! The file as it is written.

use super::plain::plain;
use super::{BudgetRule, Pattern, PolicyError, PrincipalRule, ReadOnly, SecretSource};
use crate::annotate::LONGEST;
use crate::catalog::{Applying, Approval, Effect};
use crate::folders;
use crate::run::audit::Flush;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What an operator says of a CLI.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "NAME.mcp.toml")]
#[non_exhaustive]
pub struct Policy {
    /// Whether the policy that comes with clap-facade for this program stands below this one; it does unless this is
    /// `false`. What is said here wins, and `expose` without `*` offers again what that one denies.
    pub ready: Option<bool>,
    /// Stands before the tool name of every command on the `mirror` surface: `uv_`.
    pub tool_prefix: Option<String>,
    /// Whether a command that nothing here names is offered.
    pub default: Standing,
    /// Commands that are offered, each with everything below it, and tools that are no commands. One that takes another command line as its
    /// arguments has to be named without `*`.
    pub expose: Vec<Pattern>,
    /// Commands that are not offered, each with everything below it, and tools that are no commands. It wins over
    /// `expose`.
    pub deny: Vec<Pattern>,
    /// The write gates: long names of inherited args that commands which change something offer.
    pub gates: Option<Vec<String>>,
    /// Args that only the host sets: `NAME` on any command, `PATTERN NAME` on some.
    pub host_owned: Vec<String>,
    /// Args that hold secrets: `NAME` on any command, `PATTERN NAME` on some. Never shown, never set by a caller.
    pub secret: Vec<String>,
    /// Options that are no secrets, whatever they are called: `NAME` on any command, `PATTERN NAME` on some. One is taken
    /// for a secret whose name, or that of its environment variable, ends in `password`, `token`, `api-key` and the like.
    pub not_secret: Vec<String>,
    /// Secrets that the host fills in, by the arg that takes them: `NAME` on any command, `PATTERN NAME` on some. An arg
    /// with an environment variable gets it there, any other on the command line, which other users may see.
    pub secrets: BTreeMap<String, SecretSource>,
    /// Flags that the host puts first on every command line, as typed.
    pub inject: Option<Vec<String>>,
    /// How long a command may run: `90s`, `5min`.
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// How long a command may print nothing before it is stopped: `30s`. Without it one that asks something is stopped.
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub silence: Option<Duration>,
    /// The most bytes of one output that reach the caller.
    pub output_bytes: Option<usize>,
    /// What changes have to be preceded by.
    pub apply: Option<Apply>,
    /// JSON pointers to what differs from one preview to the next of its own accord, such as `/run_id`, and is left out
    /// when a preview is compared with its plan; `*` stands for every member and every element.
    pub plan_ignores: Vec<String>,
    /// What the operator has to allow first.
    pub approval: ApprovalRule,
    /// The most bytes that are kept of a session's outputs that did not fit, to be read on; 0 keeps none.
    pub kept_bytes: Option<u64>,
    /// The folder that commands start in: `~/src`. It has to be there.
    pub cwd: Option<PathBuf>,
    /// The folders that path params may lead to, links followed: `~/src`, or from where commands start. Without it those
    /// that the client has open; `[]` confines nothing.
    pub roots: Option<Vec<PathBuf>>,
    /// The environment of commands.
    pub environment: Environment,
    /// What read-only calls may do beside reading.
    pub read_only: ReadOnly,
    /// How the audit is written.
    pub audit: Auditing,
    /// What exit codes mean, by code.
    pub exit_codes: BTreeMap<String, ExitCode>,
    /// Who may call, by name, and what they may do. Whoever starts a server chooses one by `<CLI>_MCP_PRINCIPAL` or
    /// `--principal`; without that it is `local`.
    #[serde(rename = "principal")]
    pub principals: BTreeMap<String, PrincipalRule>,
    /// What each principal may use up that says nothing else.
    pub budget: BudgetRule,
    /// What is said of commands. A later entry wins over an earlier one, key by key.
    #[serde(rename = "command")]
    pub commands: Vec<CommandRule>,
    /// The file that it was read from.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) file: Option<PathBuf>,
    /// The words before the tree's root: of a program that is served with fixed arguments.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) base: String,
    /// Whether a name that the tree does not bear is an error.
    #[serde(skip, default = "always")]
    #[schemars(skip)]
    pub(crate) names_must_exist: bool,
}

/// Whether what nothing names is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is.
    #[default]
    Allow,
    /// It is not: only what `expose` names is.
    Deny,
}

/// What a change has to be preceded by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Apply {
    /// Nothing.
    Direct,
    /// Its preview, whose plan it names; a command without `dry-run` can't change anything then.
    Plan,
}

impl From<Apply> for Applying {
    fn from(apply: Apply) -> Self {
        match apply {
            Apply::Direct => Self::Directly,
            Apply::Plan => Self::ByPlan,
        }
    }
}

/// What the operator has to allow first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ApprovalRule {
    /// Of commands and tools for which nothing else is said.
    pub mode: Option<Mode>,
    /// How long a call waits for it, and how long it is good for once it was given: `15min`.
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub lasts: Option<Duration>,
}

/// What may run without the operator's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Everything.
    Auto,
    /// Whatever is not destructive.
    AskDestructive,
    /// Reads and previews.
    Ask,
    /// Reads alone; nothing else can be allowed.
    Deny,
}

impl From<Mode> for Approval {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Auto => Self::Auto,
            Mode::AskDestructive => Self::AskDestructive,
            Mode::Ask => Self::Ask,
            Mode::Deny => Self::Deny,
        }
    }
}

/// The environment of commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Environment {
    /// Names of variables that reach commands from the server, beside `PATH`; without it all do. `*` stands for
    /// any characters.
    pub pass: Option<Vec<String>>,
    /// Variables that are set for commands.
    pub set: BTreeMap<String, String>,
}

/// How the audit is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Auditing {
    /// Which lines have to reach the disk before anything goes on; else those of calls that may change something.
    pub flush: Option<Flushing>,
    /// Whether calls that only read are answered though they can't be written down; else they are refused, too.
    pub unrecorded_reads: Option<bool>,
}

/// Which lines of the audit have to reach the disk before anything goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flushing {
    /// None: a power failure may take the last seconds.
    Never,
    /// Those of calls that may change something.
    Changes,
    /// All.
    Always,
}

impl From<Flushing> for Flush {
    fn from(flushing: Flushing) -> Self {
        match flushing {
            Flushing::Never => Self::Never,
            Flushing::Changes => Self::Changes,
            Flushing::Always => Self::Always,
        }
    }
}

/// What is said of the commands that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct CommandRule {
    /// The commands.
    #[serde(rename = "match")]
    pub patterns: Vec<Pattern>,
    /// What a call of them may do.
    pub effect: Option<Declared>,
    /// Params whose presence makes a read-only call mutating, by long name or id.
    pub mutating_when: Vec<String>,
    /// The help that agents see instead of the CLI's own.
    pub description: Option<String>,
    /// Calls worth showing.
    pub examples: Vec<Example>,
    /// What of them may run without the operator's word.
    pub approval: Option<Mode>,
    /// What their changes have to be preceded by.
    pub apply: Option<Apply>,
    /// How long they may run: `90s`, `5min`.
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// How long they may print nothing before they are stopped: `30s`.
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "Option<String>")]
    pub silence: Option<Duration>,
    /// The most bytes of one output that reach the caller.
    pub output_bytes: Option<usize>,
    /// What their read-only calls may do beside reading, over what is said of all.
    pub read_only: ReadOnly,
    /// What their exit codes mean, by code.
    pub exit_codes: BTreeMap<String, ExitCode>,
    /// Whether their output holds text that comes from data, such as other people's.
    pub untrusted_output: Option<bool>,
}

/// What a call may do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Declared {
    /// Changes nothing.
    ReadOnly,
    /// Changes something.
    Mutating,
    /// Changes something in a way that can't simply be undone.
    Destructive,
}

impl From<Declared> for Effect {
    fn from(declared: Declared) -> Self {
        match declared {
            Declared::ReadOnly => Self::ReadOnly,
            Declared::Mutating => Self::Mutating,
            Declared::Destructive => Self::Destructive,
        }
    }
}

/// A call worth showing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Example {
    /// What it achieves, one line.
    pub title: String,
    /// The command line after the program's name.
    pub line: String,
}

/// What an exit code means.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ExitCode {
    /// A word or two: `not found`.
    pub kind: String,
    /// Whether the same call may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// What to do about it.
    #[serde(default)]
    pub hint: Option<String>,
}

impl Policy {
    /// Reads a policy from its text.
    ///
    /// # Errors
    /// [`PolicyError::Invalid`], with the line and, for an unknown key, the nearest known one.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let policy: Self = toml_edit::de::from_str(text).map_err(|error| invalid(text, &error))?;
        let rules = policy.commands.iter();
        let codes = policy.exit_codes.keys().chain(rules.flat_map(|rule| rule.exit_codes.keys()));
        for code in codes {
            if !code.parse::<u8>().is_ok_and(|code| code > 0) {
                return Err(wrong(format!("`{code}` is no exit code of a failure: they go from 1 to 255")));
            }
        }
        if let Some(rule) = policy.commands.iter().position(|rule| rule.patterns.is_empty()) {
            return Err(wrong(format!("the `[[command]]` number {} has no `match`", rule + 1)));
        }
        policy.budget.check("budget").map_err(wrong)?;
        for (name, rule) in &policy.principals {
            if !is_name(name) {
                return Err(wrong(format!(
                    "`[principal.{name}]`: a principal's name has letters, digits, `-`, `_`, `.` and `@`, at most {NAME_MAX}"
                )));
            }
            rule.budget.check(&format!("principal.{name}.budget")).map_err(wrong)?;
        }
        if let Some(pointer) = policy.plan_ignores.iter().find(|pointer| !pointer.starts_with('/')) {
            return Err(wrong(format!("`plan-ignores` has `{pointer}`: a JSON pointer starts with `/`")));
        }
        if let Some((name, _)) = policy.secrets.iter().find(|(_, source)| source.env.is_some() == source.file.is_some())
        {
            return Err(wrong(format!("the secret `{name}` has to come from one place: `env` or `file`")));
        }
        if let Some(prefix) = &policy.tool_prefix
            && !(prefix.starts_with(|c: char| c.is_ascii_lowercase())
                && prefix.len() <= PREFIX_MAX
                && prefix.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))
        {
            return Err(wrong(format!(
                "`tool-prefix` is `{prefix}`: it has to be `[a-z][a-z0-9_]*` and at most {PREFIX_MAX} characters"
            )));
        }
        Ok(policy)
    }

    /// Reads a policy file.
    ///
    /// # Errors
    /// [`PolicyError::Unreadable`], and as [`Policy::parse`] with the file's name.
    pub fn read(path: &Path) -> Result<Self, PolicyError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| PolicyError::Unreadable { path: path.to_owned(), source })?;
        match Self::parse(&text) {
            Ok(policy) => Ok(Self { file: Some(path.to_owned()), ..policy }),
            Err(PolicyError::Invalid { line, column, problem, .. }) => {
                Err(PolicyError::Invalid { path: Some(path.to_owned()), line, column, problem })
            }
            Err(other) => Err(other),
        }
    }

    /// Returns where the policy of a CLI stands: `NAME.mcp.toml` in its folder of the user's configuration,
    /// `$XDG_CONFIG_HOME/NAME` or `~/.config/NAME`.
    pub fn path(name: &str) -> Option<PathBuf> {
        Some(Self::below(&folders::CONFIG.folder().filter(|folder| folder.is_absolute())?, name))
    }

    /// Returns where it stands below a folder of configurations.
    pub(crate) fn below(config: &Path, name: &str) -> PathBuf {
        config.join(name).join(format!("{name}.mcp.toml"))
    }

    /// Reads the policy that stands at [`Policy::path`]; `None` where there is no such file.
    ///
    /// # Errors
    /// As [`Policy::read`].
    pub fn of_user(name: &str) -> Result<Option<Self>, PolicyError> {
        match Self::path(name).map(|path| Self::read(&path)) {
            None => Ok(None),
            Some(Err(PolicyError::Unreadable { source, .. })) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(None)
            }
            Some(read) => read.map(Some),
        }
    }

    /// Returns the JSON Schema of the file, with which editors complete it.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }
}

/// The most characters of a prefix: half of what a tool name may have.
const PREFIX_MAX: usize = 24;

/// The most characters of a principal's name.
const NAME_MAX: usize = 64;

fn is_name(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@'))
}

fn always() -> bool {
    true
}

fn wrong(problem: String) -> PolicyError {
    PolicyError::Invalid { path: None, line: 0, column: 0, problem }
}

fn invalid(text: &str, error: &toml_edit::de::Error) -> PolicyError {
    let at = error.span().unwrap_or(0..0);
    let before = &text[..text.floor_char_boundary(at.start.min(text.len()))];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let problem = plain(error.message().trim_end(), text.get(at).unwrap_or_default().trim());
    PolicyError::Invalid { path: None, line, column, problem }
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match humantime::parse_duration(&text) {
        Ok(time) if !time.is_zero() && time <= LONGEST => Ok(Some(time)),
        Ok(time) if time > LONGEST => Err(serde::de::Error::custom("a time has to be at most 30 days")),
        Ok(_) => Err(serde::de::Error::custom("a time has to be longer than nothing")),
        Err(error) => Err(serde::de::Error::custom(format!("`{text}` is not a time like `90s` or `5min`: {error}"))),
    }
}
