//! Secrets: which args hold one, and values that nothing shows.

use super::{BaseType, ParamKind, value};
use crate::annotate::{ArgNote, GivenBy};
use clap::Arg;
use clap::builder::ArgExt;
use std::fmt;
use std::sync::Arc;

/// A value that nothing prints: a secret that the host fills in.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(Arc<str>);

impl Hidden {
    /// Hides a value.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// Returns the value, for the command alone.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// What stands where a secret is not shown.
pub(crate) const REDACTED: &str = "[secret]";

/// Marks an arg that the host fills in on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Filled(pub(crate) Hidden);

impl ArgExt for Filled {}

/// Tells whether an arg holds a secret: by its author's or the operator's word, else by its name.
pub(super) fn is_secret(arg: &Arg) -> bool {
    match arg.get::<ArgNote>() {
        Some(ArgNote::Secret) => true,
        Some(ArgNote::Plain) => false,
        Some(ArgNote::Gate | ArgNote::HostOwned) | None => is_recognised(arg),
    }
}

/// Tells whether an arg is taken for a secret because of what it or its environment variable is called.
///
/// Only options that take any text are: a positional is what its command is about, and a number, a choice or a path is no
/// secret.
pub(super) fn is_recognised(arg: &Arg) -> bool {
    let names = [arg.get_long(), arg.get_env().and_then(|variable| variable.to_str()), Some(arg.get_id().as_str())];
    let told = arg.get::<GivenBy>().is_some_and(|given| given.0.iter().any(|variable| names_a_secret(variable)));
    !arg.is_positional() && (told || names.into_iter().flatten().any(names_a_secret)) && takes_any_text(arg)
}

fn takes_any_text(arg: &Arg) -> bool {
    let value = match value::kind(arg) {
        ParamKind::Switch | ParamKind::Count => return false,
        ParamKind::One(value) | ParamKind::Optional { value, .. } | ParamKind::Many { item: value, .. } => value,
    };
    value.base == BaseType::String && value.choices.is_empty() && !value.path
}

/// Words that name a secret where a name ends in them.
const WORDS: &[&str] =
    &["password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "credential", "credentials", "otp"];
/// Words that name a secret before `key`.
const KEYS: &[&str] = &["api", "access", "secret", "private", "signing", "encryption", "auth"];
/// Words before `token` that make it a mark in a list or a stream.
const MARKS: &[&str] = &[
    "page",
    "pagination",
    "next",
    "previous",
    "prev",
    "continuation",
    "continue",
    "sync",
    "start",
    "starting",
    "resume",
    "cursor",
    "plan",
];

/// Tells whether a name ends in the word for a secret: `github-token`, not `token-file`.
pub(crate) fn names_a_secret(name: &str) -> bool {
    let mut words = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_in = |known: &[&str], word: &str| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    let Some(last) = words.next() else { return false };
    match words.next() {
        Some(before) if last.eq_ignore_ascii_case("token") => !is_in(MARKS, before),
        Some(before) if last.eq_ignore_ascii_case("key") => is_in(KEYS, before),
        _ => is_in(WORDS, last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ArgAction;
    use clap::builder::PossibleValuesParser;

    #[test]
    fn secrets_are_known_by_what_their_names_end_in() {
        for name in [
            "password",
            "db-password",
            "GITHUB_TOKEN",
            "token",
            "api-key",
            "apikey",
            "aws_secret_access_key",
            "client.secret",
        ] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in
            ["token-file", "page-token", "max-tokens", "key", "secret-name", "password-stdin", "monkey", "sort-key", ""]
        {
            assert!(!names_a_secret(name), "{name}");
        }
    }

    #[test]
    fn only_options_of_any_text_are_taken_for_secrets() {
        let token = || Arg::new("token").long("token").action(ArgAction::Set);
        for (arg, secret) in [
            (token(), true),
            (token().action(ArgAction::Append), true),
            (Arg::new("t").short('t').env("APP_PASSWORD").action(ArgAction::Set), true),
            (token().add(ArgNote::Plain), false),
            (Arg::new("x").long("x").action(ArgAction::Set).add(ArgNote::Secret), true),
            (token().action(ArgAction::SetTrue), false),
            (token().value_parser(clap::value_parser!(u32)), false),
            (token().value_parser(clap::value_parser!(std::path::PathBuf)), false),
            (token().value_parser(PossibleValuesParser::new(["a", "b"])), false),
            (Arg::new("token"), false),
        ] {
            let mut command = clap::Command::new("x").arg(arg.clone());
            command.build();
            let built = command.get_arguments().next().unwrap();
            assert_eq!(is_secret(built), secret, "{arg:?}");
        }
        assert_eq!(format!("{:?}", Filled(Hidden::new("hunter2"))), "Filled([secret])");
    }
}
