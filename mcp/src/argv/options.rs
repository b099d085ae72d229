//! The tokens of one option, and what they would do to the tokens behind them.

use crate::catalog::{Param, ParamKind, Repeat, Spelling, ValueType};
use crate::invocation::{Given, cut, describe, value_type};
use crate::refusal::Problem;

/// One occurrence of an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) tokens: Vec<String>,
    pub(super) tail: Tail,
}

/// What clap does with the token behind an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tail {
    /// A token without a dash would be taken for one more value.
    Open,
    /// Nothing more is taken.
    Closed,
    /// Any token would be taken for one more value, `--` included.
    Greedy,
}

/// How a value is attached to a short flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShortValues {
    /// `-n=value`.
    Joined,
    /// `-n value`: the command's first positional takes dashes, and clap reads `-n=value` as that.
    Apart,
}

/// Writes what a call gives for an option.
pub(super) fn pieces(param: &Param, given: &Given, short: ShortValues) -> Result<Vec<Piece>, Box<Problem>> {
    let flag = param.spelling.to_string();
    let join = |value: &str| match (&param.spelling, short, value_type(&param.kind)) {
        (Spelling::Short(_), ShortValues::Apart, Some(kind)) => {
            if needs_equals(&param.kind) {
                return Err(Box::new(Problem {
                    param: param.name.clone(),
                    problem: "can't be told apart from the positionals here".into(),
                    expected: Some("the call without it".into()),
                    ..Problem::default()
                }));
            }
            stands_alone(param, kind, value)?;
            Ok(Piece { tokens: vec![flag.clone(), value.to_owned()], tail: Tail::Closed })
        }
        _ => Ok(Piece { tokens: vec![format!("{flag}={value}")], tail: Tail::Closed }),
    };
    let closed = |tokens| Ok(vec![Piece { tokens, tail: Tail::Closed }]);
    match (given, &param.kind) {
        (Given::Present, _) => closed(vec![flag]),
        (Given::Times(times), _) => closed(vec![flag; usize::from(*times)]),
        (Given::Bare, _) => Ok(vec![Piece { tokens: vec![flag], tail: bare_tail(&param.kind) }]),
        (Given::Value(value), _) => Ok(vec![join(value)?]),
        (Given::Values(values), ParamKind::Many { repeat, .. }) if repeat.min <= 1 && repeat.delimiter.is_some() => {
            let delimiter = repeat.delimiter.map(String::from).unwrap_or_default();
            Ok(vec![join(&values.join(&delimiter))?])
        }
        (Given::Values(values), ParamKind::Many { item, repeat })
            if repeat.min > 1 || !repeat.append && values.len() > 1 =>
        {
            apart(param, item, repeat, values)
        }
        (Given::Values(values), _) => values.iter().map(|value| join(value)).collect(),
    }
}

/// Checks that a value can be a token of its own without being read as a flag.
pub(super) fn stands_alone(param: &Param, kind: &ValueType, value: &str) -> Result<(), Box<Problem>> {
    let dashed = value.starts_with('-') && value != "-";
    if !dashed || kind.allow_hyphen || kind.allow_negative && is_negative_number(value) {
        return Ok(());
    }
    Err(Box::new(Problem {
        param: param.name.clone(),
        problem: "starts with `-`, so this command would take it for a flag".into(),
        given: Some(cut(value)),
        expected: Some(format!("{}, not starting with `-`", describe(param))),
        ..Problem::default()
    }))
}

/// Checks that a value is not the token that ends the values.
pub(super) fn not_the_end(param: &Param, repeat: &Repeat, value: &str) -> Result<(), Box<Problem>> {
    match &repeat.terminator {
        Some(terminator) if terminator == value => Err(Box::new(Problem {
            param: param.name.clone(),
            problem: "is what ends the list for this command".into(),
            given: Some(cut(value)),
            expected: Some(format!("items other than `{terminator}`")),
            ..Problem::default()
        })),
        _ => Ok(()),
    }
}

/// Writes values as tokens of their own: an attached value would end the occurrence.
fn apart(param: &Param, item: &ValueType, repeat: &Repeat, values: &[String]) -> Result<Vec<Piece>, Box<Problem>> {
    if repeat.require_equals {
        return Err(Box::new(Problem {
            param: param.name.clone(),
            problem: format!("{} items, of which this command can take one", values.len()),
            expected: Some("one item".into()),
            ..Problem::default()
        }));
    }
    for value in values {
        stands_alone(param, item, value)?;
        not_the_end(param, repeat, value)?;
    }
    let size = if repeat.append && repeat.min == repeat.max { repeat.min } else { values.len() };
    Ok(values
        .chunks(size)
        .map(|values| {
            let mut tokens = vec![param.spelling.to_string()];
            tokens.extend_from_slice(values);
            let tail = match &repeat.terminator {
                _ if values.len() >= repeat.max => Tail::Closed,
                // After a value that may start with `-` it ends the values; otherwise it would start the positionals.
                Some(terminator) if terminator != "--" || item.allow_hyphen => {
                    tokens.push(terminator.clone());
                    Tail::Closed
                }
                _ if item.allow_hyphen => Tail::Greedy,
                _ => Tail::Open,
            };
            Piece { tokens, tail }
        })
        .collect())
}

fn bare_tail(kind: &ParamKind) -> Tail {
    match value_type(kind) {
        Some(value) if value.allow_hyphen && !needs_equals(kind) => Tail::Greedy,
        Some(_) if !needs_equals(kind) => Tail::Open,
        _ => Tail::Closed,
    }
}

fn needs_equals(kind: &ParamKind) -> bool {
    match kind {
        ParamKind::Optional { require_equals, .. } => *require_equals,
        ParamKind::Many { repeat, .. } => repeat.require_equals,
        ParamKind::Switch | ParamKind::Count | ParamKind::One(_) => false,
    }
}

fn is_negative_number(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or_default();
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok()
}
