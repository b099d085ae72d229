//! Whether the parsed argv means exactly the invocation.

use crate::catalog::{Injected, Param, ParamKind, Spelling};
use crate::invocation::{Given, Invocation, cut};
use crate::refusal::{Kind, Problem, Refusal};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::borrow::Cow;
use std::ffi::OsStr;

/// Compares matches, level by level, with what they must be.
///
/// # Errors
/// [`Kind::InvalidParams`] where clap let one param override another; [`Kind::ProofFailed`] where
/// anything else differs.
pub(super) fn prove(
    command: &Command,
    matches: &ArgMatches,
    invocation: &Invocation,
    inject: &[Injected],
) -> Result<(), Refusal> {
    let path = &invocation.operation().path;
    let mut expected = expected(invocation, inject);
    let mut overridden = Vec::new();
    let (mut command, mut matches) = (command, matches);
    for depth in 0..=path.len() {
        level(command, matches, depth, &mut expected, &mut overridden)?;
        match (path.get(depth), matches.subcommand()) {
            (Some(word), Some((name, inner))) if word == name => {
                command = command.find_subcommand(name).ok_or_else(|| differs("the command is not in the tree"))?;
                matches = inner;
            }
            (None, None) => {}
            (None, Some((name, inner))) => external(command, name, inner, &mut expected)?,
            (Some(word), found) => {
                let found = found.map_or_else(|| "nothing".into(), |(name, _)| format!("`{}`", cut(name)));
                return Err(differs(format!("where `{word}` should be called, {found} would be")));
            }
        }
    }
    for wanted in expected.iter().filter(|wanted| !wanted.seen) {
        match wanted.param {
            Some(param) => overridden.push(Problem {
                param: param.name.clone(),
                problem: "another param of this call overrides it".into(),
                expected: Some("only one of the two".into()),
                ..Problem::default()
            }),
            None => return Err(differs(format!("`{}`, which the host sets, would not be set", wanted.id))),
        }
    }
    if overridden.is_empty() { Ok(()) } else { Err(Refusal::invalid(overridden)) }
}

/// One thing that must be set from the command line.
struct Expected<'a> {
    id: &'a str,
    depth: usize,
    /// `None` for what the host sets.
    param: Option<&'a Param>,
    values: Values<'a>,
    seen: bool,
}

enum Values<'a> {
    /// What stands for the flag itself is up to the tree.
    Presence,
    /// Exactly these.
    Exactly(Vec<Cow<'a, str>>),
}

impl Values<'_> {
    fn are(&self, raw: &[&OsStr]) -> bool {
        match self {
            Self::Presence => true,
            Self::Exactly(values) => {
                values.len() == raw.len() && values.iter().zip(raw).all(|(value, raw)| OsStr::new(&**value) == *raw)
            }
        }
    }

    /// Tells whether these are the last of the values, the earlier ones overridden.
    fn end_in(&self, raw: &[&OsStr]) -> bool {
        match self {
            Self::Presence => false,
            Self::Exactly(values) => {
                let dropped = values.len().saturating_sub(raw.len());
                dropped > 0 && values[dropped..].iter().zip(raw).all(|(value, raw)| OsStr::new(&**value) == *raw)
            }
        }
    }
}

fn expected<'a>(invocation: &'a Invocation, inject: &'a [Injected]) -> Vec<Expected<'a>> {
    let injected = inject.iter().map(|injected| Expected {
        id: &injected.id,
        depth: 0,
        param: None,
        values: Values::Exactly(injected.values.iter().map(|value| Cow::Borrowed(value.as_str())).collect()),
        seen: false,
    });
    let params = invocation.values().map(|(param, given)| Expected {
        id: if param.spelling == Spelling::External { EXTERNAL } else { &param.id },
        depth: param.depth,
        param: Some(param),
        values: match given {
            Given::Present | Given::Bare => Values::Presence,
            Given::Times(times) => Values::Exactly(vec![Cow::Owned(times.to_string())]),
            Given::Value(value) => Values::Exactly(vec![Cow::Borrowed(value)]),
            Given::Values(values) => {
                Values::Exactly(values.iter().map(|value| Cow::Borrowed(value.as_str())).collect())
            }
        },
        seen: false,
    });
    injected.chain(params).collect()
}

/// Checks what one level sets from the command line.
fn level(
    command: &Command,
    matches: &ArgMatches,
    depth: usize,
    expected: &mut [Expected<'_>],
    overridden: &mut Vec<Problem>,
) -> Result<(), Refusal> {
    for id in matches.ids().map(clap::Id::as_str) {
        // Groups are listed too, and global args of other levels that this command can't read.
        let Some(arg) = command.get_arguments().find(|arg| arg.get_id() == id) else { continue };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let own = expected.iter().position(|wanted| wanted.id == id && wanted.depth == depth);
        // clap copies a global arg to every level.
        let copied = || expected.iter().position(|wanted| wanted.id == id && arg.is_global_set());
        let Some(at) = own.or_else(copied) else {
            return Err(differs(format!("`{id}` would be set as well")));
        };
        let wanted = &mut expected[at];
        wanted.seen |= own.is_some();
        let raw: Vec<&OsStr> = raw(matches, id);
        match wanted.param {
            _ if wanted.values.are(&raw) => {}
            Some(param) if matches!(param.kind, ParamKind::Many { .. }) && wanted.values.end_in(&raw) => {
                overridden.push(Problem {
                    param: param.name.clone(),
                    problem: "each item overrides the one before it".into(),
                    expected: Some(format!("at most {} items", raw.len())),
                    ..Problem::default()
                });
            }
            Some(param) => return Err(differs(format!("`{}` would not have the value given", param.name))),
            None => return Err(differs(format!("`{id}` would not have the value that the host sets"))),
        }
    }
    Ok(())
}

/// The clap id under which an external subcommand's arguments are kept.
const EXTERNAL: &str = "";

/// Checks an external subcommand: its name and its arguments are the param's values.
fn external(command: &Command, name: &str, matches: &ArgMatches, expected: &mut [Expected<'_>]) -> Result<(), Refusal> {
    let called = || differs(format!("`{}` would be called", cut(name)));
    if command.find_subcommand(name).is_some() || !matches.ids().any(|id| id.as_str() == EXTERNAL) {
        return Err(called());
    }
    let wanted = expected.iter_mut().find(|wanted| wanted.id == EXTERNAL).ok_or_else(called)?;
    let mut raw = raw(matches, EXTERNAL);
    raw.insert(0, OsStr::new(name));
    wanted.seen = wanted.values.are(&raw);
    if wanted.seen { Ok(()) } else { Err(differs("the external command would not have the arguments given")) }
}

fn raw<'a>(matches: &'a ArgMatches, id: &str) -> Vec<&'a OsStr> {
    matches.try_get_raw(id).ok().flatten().into_iter().flatten().collect()
}

fn differs(what: impl std::fmt::Display) -> Refusal {
    Refusal::new(Kind::ProofFailed).because(format!("{}: {what}", Kind::ProofFailed.sentence()))
}
