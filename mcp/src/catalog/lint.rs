//! What a tree's author may want to change, so that agents fare better with it.
//!
//! A clap tree does not know where in the source it was written, so a lint names the command and the param, never a
//! line of a file.

use super::{Catalog, Effect, Excuse, Excused, Operation, Param, ParamKind, name, schema};
use std::collections::HashSet;
use std::sync::Arc;

/// Something about the tree that its author may want to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// What kind of thing it is.
    pub code: LintCode,
    /// The command's path, joined by spaces.
    pub path: String,
    /// The param it is about, by its property name; `None` for the command itself.
    pub param: Option<String>,
    /// What is the matter, and what would be better.
    pub message: String,
}

macro_rules! codes {
    ($($(#[$doc:meta])+ $code:ident = $name:literal;)+) => {
        /// A kind of lint.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum LintCode { $($(#[$doc])+ $code,)+ }

        impl LintCode {
            /// Every code, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$code),+];

            /// Returns the name that `--deny` takes.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$code => $name),+ }
            }
        }
    };
}

codes! {
    /// Nobody declared what a command may do, so that it counts as mutating.
    UndeclaredEffect = "undeclared-effect";
    /// A read-only command has a param that names a file to write.
    ReadOnlyWrites = "read-only-writes";
    /// A command or param has no help.
    MissingHelp = "missing-help";
    /// A help text is longer than an agent should pay for.
    LongHelp = "long-help";
    /// A text names a flag that agents can't set on this command.
    UnknownFlag = "unknown-flag";
    /// A tool's name had to be cut.
    LongName = "long-name";
    /// A param is published under another name: its own is taken or no valid key.
    PropertyName = "property-name";
    /// A command takes another command line as its arguments, and is kept from agents.
    TakesCommands = "takes-commands";
    /// A command requires something that no caller may set, and is kept from agents.
    NotCallable = "not-callable";
    /// A param looks like a secret and is offered to agents.
    Secret = "secret";
    /// A gate is declared, and a preview changes something all the same.
    GateNotRead = "gate-not-read";
    /// A tool of the mirror surface is dear.
    DearTool = "dear-tool";
}

/// The longest one-line help of a command or param, in bytes: a screen's width or two.
const HELP_BYTES: usize = 200;

/// The most bytes of one tool of the mirror surface.
const TOOL_BYTES: usize = 6_000;

/// Words of arg names that hold secrets.
const SECRETS: &[&str] =
    &["password", "passwd", "passphrase", "secret", "token", "apikey", "credential", "credentials", "pin", "otp"];

/// Names of params that say where a command writes.
const OUTPUTS: &[&str] =
    &["output", "out", "out-file", "output-file", "out-dir", "output-dir", "save", "write", "write-to"];

/// First words of command names by what they mostly do.
const READS: &[&str] = &[
    "audit", "cat", "check", "context", "count", "counts", "describe", "diff", "doctor", "explain", "find", "get",
    "grep", "health", "help", "history", "info", "inspect", "list", "log", "logs", "ls", "metadata", "outdated",
    "path", "ping", "print", "query", "recent", "report", "search", "show", "stat", "stats", "status", "top", "tree",
    "verify", "version", "versions", "view", "whoami", "which",
];
const DESTROYS: &[&str] = &[
    "clean",
    "clear",
    "delete",
    "destroy",
    "drop",
    "erase",
    "expire",
    "gc",
    "kill",
    "nuke",
    "prune",
    "purge",
    "reset",
    "rm",
    "uninstall",
    "wipe",
    "yank",
];

/// What the reader of a lint can change the matter with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// The tree is theirs.
    Annotations,
    /// It was read from the help of a program that is not.
    #[cfg_attr(not(feature = "stdio"), expect(dead_code, reason = "only what runs a call has policies"))]
    Policy,
}

impl Means {
    fn choose<'a>(self, annotation: &'a str, key: &'a str) -> &'a str {
        match self {
            Self::Annotations => annotation,
            Self::Policy => key,
        }
    }
}

impl Catalog {
    /// Looks the whole tree over: [`Catalog::lints`], and whatever else agents would fare better without.
    pub fn review(&self) -> Vec<Lint> {
        self.review_for(Means::Annotations)
    }

    /// Looks the whole tree over for somebody who has these means.
    pub(crate) fn review_for(&self, means: Means) -> Vec<Lint> {
        let mut lints = self.lints().to_vec();
        for lint in lints.iter_mut().filter(|lint| lint.code == LintCode::Secret) {
            lint.message = taken_for_secret(means);
        }
        for operation in self.operations() {
            Review { operation, means, lints: &mut lints }.all();
        }
        lints.extend(self.excused().iter().filter_map(|excused| kept(excused, means)));
        lints
    }
}

/// Suggests an effect from a command's name; what it is called proves nothing.
pub(crate) fn suggest(operation: &Operation) -> Effect {
    let words: Vec<&str> = operation.name.rsplit([' ', '-', '_']).collect();
    let is_one_of = |list: &[&str]| words.iter().take(2).any(|word| list.contains(word));
    if is_one_of(DESTROYS) {
        Effect::Destructive
    } else if is_one_of(READS) {
        Effect::ReadOnly
    } else {
        Effect::Mutating
    }
}

/// What is said of an option that is kept from agents for its name.
pub(super) fn taken_for_secret(means: Means) -> String {
    let remedy = means.choose(
        "add `annotate::secret()`, or `annotate::plain()` if it is none",
        "the policy's `secret` says so, its `not-secret` that it is none",
    );
    format!("is taken for a secret by its name, and kept from agents: {remedy}")
}

fn kept(excused: &Excused, means: Means) -> Option<Lint> {
    let (code, message) = match excused.reason {
        Excuse::TakesCommands => (
            LintCode::TakesCommands,
            means.choose(
                "takes any command line, so agents do not get it; hide it, or expose it if that is meant",
                "takes any command line, so agents do not get it; the policy's `deny` says so, its `expose` that they are to",
            ),
        ),
        Excuse::NotCallable => (
            LintCode::NotCallable,
            means.choose(
                "requires an arg that is hidden, secret or the host's; give that a default or an environment variable",
                "requires an arg that is secret or the host's; the policy's `[secrets]` can fill in a secret",
            ),
        ),
        Excuse::Hidden | Excuse::Framework | Excuse::Group | Excuse::Denied => return None,
    };
    Some(Lint { code, path: excused.path.clone(), param: None, message: message.to_owned() })
}

struct Review<'a> {
    operation: &'a Operation,
    means: Means,
    lints: &'a mut Vec<Lint>,
}

impl Review<'_> {
    fn all(mut self) {
        self.effect();
        self.texts();
        self.flags();
        self.names();
        for param in &self.operation.params {
            if is_secret(param) {
                let remedy = self.means.choose(
                    "add `annotate::secret()`, or `host_owned()` if it is none",
                    "name it in the policy's `secret`, or in `host-owned` if it is none",
                );
                let message = format!("looks like a secret, and agents may set it: {remedy}");
                self.note(LintCode::Secret, Some(param), message);
            }
        }
        let bytes = serde_json::to_string(&schema::compact(self.operation)).map_or(0, |text| text.len());
        if bytes > TOOL_BYTES {
            let message = format!(
                "its schema takes {bytes} bytes of every agent's context on the surface `mirror`, more than {TOOL_BYTES}"
            );
            self.note(LintCode::DearTool, None, message);
        }
    }

    fn note(&mut self, code: LintCode, param: Option<&Param>, message: impl Into<String>) {
        let param = param.map(|param| param.name.clone());
        self.lints.push(Lint { code, path: self.operation.name.clone(), param, message: message.into() });
    }

    fn effect(&mut self) {
        if self.operation.declared.is_none() {
            let effect = suggest(self.operation);
            let (function, because) = match effect {
                Effect::ReadOnly => ("read_only", "by its name it may only read"),
                Effect::Destructive => ("destructive", "by its name it may destroy something"),
                Effect::Mutating => ("mutating", "its name does not say that it only reads"),
            };
            let proposal = match self.means {
                Means::Annotations => format!("annotate::{function}()"),
                Means::Policy => format!("effect = \"{effect}\""),
            };
            let message = format!("no effect is declared, so it counts as mutating; {because}: `{proposal}`?");
            self.note(LintCode::UndeclaredEffect, None, message);
        }
        if self.operation.declared == Some(Effect::ReadOnly) {
            let writes = |param: &&Arc<Param>| {
                OUTPUTS.iter().any(|name| name::is_same(&param.name, name))
                    && matches!(param.kind, ParamKind::One(_) | ParamKind::Optional { .. } | ParamKind::Many { .. })
                    && !self.operation.mutating_when.contains(&param.name)
            };
            for param in self.operation.params.iter().filter(writes) {
                let proposal = match self.means {
                    Means::Annotations => format!(
                        "`.mutating_when(\"{}\")`? (an `add` on an enum's variant replaces that of its Args struct)",
                        param.name
                    ),
                    Means::Policy => format!("`mutating-when = [\"{}\"]`?", param.name),
                };
                let message = format!("may name a file to write, and the command is declared read-only: {proposal}");
                self.note(LintCode::ReadOnlyWrites, Some(param), message);
            }
        }
    }

    fn texts(&mut self) {
        let about = (None, self.operation.about.as_str());
        let own = self.operation.params.iter().filter(|param| !param.gate).map(Arc::as_ref);
        for (param, text) in std::iter::once(about).chain(own.map(|param| (Some(param), param.help.as_str()))) {
            match text.len() {
                0 => self.note(LintCode::MissingHelp, param, "has no help: its name alone must tell what it is for"),
                length if length > HELP_BYTES => {
                    let message = format!(
                        "its first paragraph of help has {length} bytes, more than {HELP_BYTES}; the rest may follow an empty line"
                    );
                    self.note(LintCode::LongHelp, param, message);
                }
                _ => {}
            }
        }
    }

    /// Agents read these texts, and try what they name.
    fn flags(&mut self) {
        let operation = self.operation;
        let own = [Some(&operation.about), operation.long_about.as_ref()].into_iter().flatten();
        let own = own.chain(operation.examples.iter().map(|example| &example.line)).map(|text| (None, text));
        let of_params = operation.params.iter().filter(|param| !param.gate).map(Arc::as_ref);
        let of_params = of_params.flat_map(|param| {
            [Some(&param.help), param.long_help.as_ref()].into_iter().flatten().map(move |text| (Some(param), text))
        });
        let mut told = HashSet::new();
        for (param, text) in own.chain(of_params) {
            for flag in flags_in(text) {
                let known = operation.params.iter().any(|param| {
                    std::iter::once(&param.name).chain(&param.aliases).any(|name| name::is_same(name, flag))
                });
                if !known && told.insert((param.map(|param| &param.name), flag)) {
                    let message = format!("its help names `--{flag}`, which agents can't set here");
                    self.note(LintCode::UnknownFlag, param, message);
                }
            }
        }
    }

    fn names(&mut self) {
        let words = self.operation.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        if words.len() > name::TOOL_MAX {
            let message = format!(
                "its tool is called `{}`: the name has {} characters, and hosts take {} of it",
                self.operation.tool,
                words.len(),
                name::TOOL_MAX
            );
            self.note(LintCode::LongName, None, message);
        }
    }
}

fn is_secret(param: &Param) -> bool {
    if matches!(param.kind, ParamKind::Switch | ParamKind::Count) {
        return false;
    }
    let name = param.name.to_ascii_lowercase();
    let words: Vec<&str> = name.split(['-', '_', '.']).collect();
    let pair = |a: &str, b: &str| words.windows(2).any(|pair| pair == [a, b]);
    words.iter().any(|word| SECRETS.contains(word))
        || pair("api", "key")
        || pair("private", "key")
        || pair("access", "key")
}

/// Finds the long flags that a text names.
fn flags_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(start, _)| {
        let before = text[..start].chars().next_back();
        let rest = &text[start + 2..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
        let flag = rest[..end].trim_end_matches('-');
        let opens = !before.is_some_and(|c| c.is_alphanumeric() || c == '-');
        (opens && flag.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(flag)
    })
}
