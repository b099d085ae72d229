//! The tokens of the positionals, before and behind `--`.

use super::options::{not_the_end, stands_alone};
use crate::catalog::{Escape, Param, ParamKind, Spelling, ValueType};
use crate::invocation::{Given, Invocation, cut, describe, value_type};
use crate::refusal::Problem;

/// The positionals of one call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Positionals {
    /// Where clap would read them otherwise behind `--`: before it.
    pub(super) before: Vec<String>,
    /// Behind `--`; written only if there are any.
    pub(super) behind: Vec<String>,
}

/// Writes the positionals of a call.
pub(super) fn positionals(invocation: &Invocation) -> Result<Positionals, Vec<Problem>> {
    let slots = slots(invocation);
    let Some(mut furthest) = slots.iter().rposition(|slot| slot.given.is_some()) else {
        return Ok(Positionals::default());
    };
    let escape = invocation.operation().escape;
    if furthest + 2 == slots.len() && (escape == Escape::LastFirst || shares_its_end(&slots, furthest)) {
        // Without the last positional, clap would take a value of this one for it.
        furthest += 1;
    }
    let mut problems = Vec::new();
    let mut line = Positionals::default();
    let mut place = place(&slots, escape);
    for (at, slot) in slots.iter().enumerate() {
        let result = match slot.given {
            None if at > furthest => break,
            None => gap(&slots, at, furthest, escape),
            Some(given) => slot.tokens(given),
        };
        let tokens = match result {
            Ok(tokens) => tokens,
            Err(problem) => {
                problems.push(*problem);
                continue;
            }
        };
        if slot.last {
            place = Place::Behind;
        }
        if let Some(kind) = slot.kind()
            && (place == Place::Before || shares_its_end(&slots, at))
        {
            // Behind `--` only the first token is safe there: clap looks at the one that follows.
            let exempt = usize::from(place == Place::Behind && at + 2 == slots.len());
            problems.extend(
                tokens
                    .iter()
                    .skip(exempt)
                    .find_map(|token| stands_alone(slot.param, kind, token).err())
                    .map(|problem| *problem),
            );
        }
        match place {
            Place::Before => line.before.extend(tokens),
            Place::Behind => line.behind.extend(tokens),
        }
        if at < furthest
            && let Some(terminator) = slot.terminator()
        {
            match (place, terminator) {
                // It is read as both.
                (Place::Before, "--") => place = Place::Behind,
                (Place::Before, terminator) => line.before.push(terminator.to_owned()),
                (Place::Behind, terminator) => line.behind.push(terminator.to_owned()),
            }
        }
    }
    if problems.is_empty() { Ok(line) } else { Err(problems) }
}

/// One positional of the operation, and what the call gives for it.
struct Slot<'a> {
    param: &'a Param,
    given: Option<&'a Given>,
    index: usize,
    last: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Behind,
}

impl Slot<'_> {
    /// The type of its values; none for an external command's, which may be anything.
    fn kind(&self) -> Option<&ValueType> {
        if self.param.spelling == Spelling::External { None } else { value_type(&self.param.kind) }
    }

    fn is_many(&self) -> bool {
        matches!(self.param.kind, ParamKind::Many { .. })
    }

    fn terminator(&self) -> Option<&str> {
        match &self.param.kind {
            ParamKind::Many { repeat, .. } => repeat.terminator.as_deref(),
            _ => None,
        }
    }

    /// Its values share one token.
    fn is_joined(&self) -> bool {
        match (&self.param.kind, self.given) {
            (ParamKind::Many { repeat, .. }, Some(Given::Values(values))) => {
                repeat.delimiter.is_some() && !repeat.append && values.len() > repeat.max
            }
            _ => false,
        }
    }

    fn tokens(&self, given: &Given) -> Result<Vec<String>, Box<Problem>> {
        let Given::Values(values) = given else {
            return Ok(match given {
                Given::Value(value) => vec![value.clone()],
                _ => Vec::new(),
            });
        };
        let ParamKind::Many { repeat, .. } = &self.param.kind else { return Ok(values.clone()) };
        if self.param.spelling == Spelling::External && values[0].starts_with('-') {
            return Err(Box::new(Problem {
                param: self.param.name.clone(),
                problem: "the name of an external command can't start with `-`".into(),
                given: Some(cut(&values[0])),
                expected: Some("the command's name first, its arguments behind it".into()),
                ..Problem::default()
            }));
        }
        values.iter().try_for_each(|value| not_the_end(self.param, repeat, value))?;
        match repeat.delimiter {
            Some(delimiter) if self.is_joined() => Ok(vec![values.join(&String::from(delimiter))]),
            _ => Ok(values.clone()),
        }
    }
}

fn slots(invocation: &Invocation) -> Vec<Slot<'_>> {
    let mut slots: Vec<_> = invocation
        .operation()
        .params
        .iter()
        .filter_map(|param| {
            let (index, last) = match param.spelling {
                Spelling::Positional { index, last, .. } => (index, last),
                Spelling::External => (usize::MAX, false),
                Spelling::Long(_) | Spelling::Short(_) => return None,
            };
            Some(Slot { param, given: invocation.value(&param.name), index, last })
        })
        .collect();
    slots.sort_by_key(|slot| slot.index);
    slots
}

/// Where the positionals start.
fn place(slots: &[Slot<'_>], escape: Escape) -> Place {
    let external = slots.iter().any(|slot| slot.param.spelling == Spelling::External && slot.given.is_some());
    let has_last = slots.iter().any(|slot| slot.last);
    let ends_at_escape = slots.first().is_some_and(|slot| slot.terminator() == Some("--"));
    let several = slots.iter().filter(|slot| slot.given.is_some()).count() > 1;
    let differs = match escape {
        Escape::Plain => false,
        Escape::LastFirst => several,
        Escape::Undelimited => slots.iter().any(Slot::is_joined),
    };
    if external || ends_at_escape || has_last || differs { Place::Before } else { Place::Behind }
}

/// Tells whether a list and the positional behind it are told apart by what follows each token.
fn shares_its_end(slots: &[Slot<'_>], at: usize) -> bool {
    let list = slots.len().wrapping_sub(2);
    at >= list
        && slots.len() >= 2
        && !slots[list + 1].last
        && slots[list].terminator().is_none()
        && slots[list].is_many()
        && slots[list + 1].param.spelling != Spelling::External
}

fn gap(slots: &[Slot<'_>], at: usize, furthest: usize, escape: Escape) -> Result<Vec<String>, Box<Problem>> {
    let (slot, later, end) = (&slots[at], &slots[furthest], slots.len() - 1);
    let alone = slots[..furthest].iter().all(|slot| slot.given.is_none());
    let skipped = escape == Escape::LastFirst && furthest == end && at < end && (alone || at + 1 == end);
    if later.last || slot.terminator().is_some() && at < furthest || skipped {
        return Ok(Vec::new());
    }
    let other = slots.iter().rev().find(|slot| slot.given.is_some()).map_or("", |slot| &slot.param.name);
    Err(Box::new(Problem {
        param: slot.param.name.clone(),
        problem: format!("missing, and `{other}` can't be given without it"),
        expected: Some(describe(slot.param)),
        ..Problem::default()
    }))
}
