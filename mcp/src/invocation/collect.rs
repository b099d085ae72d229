//! Which param each piece of a call means: names, wrappers and positionals in order.

use super::names::{Meaning, meaning, nearest_param};
use super::reading::{describe, show};
use crate::catalog::{Operation, ParamKind, Spelling, is_same};
use crate::refusal::Problem;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A call's JSON by param, before it is read.
pub(super) struct Collected<'a> {
    /// What is given for each param of the operation, in its order.
    pub(super) given: Vec<Option<Raw<'a>>>,
    pub(super) problems: Vec<Problem>,
}

/// What a call gives for one param, unread.
#[derive(Clone)]
pub(super) struct Raw<'a> {
    /// The name as the caller wrote it.
    pub(super) name: Cow<'a, str>,
    pub(super) value: Cow<'a, Value>,
}

/// Keys that models wrap arguments in once too often.
const WRAPPERS: &[&str] = &["flags", "args", "arguments", "params", "parameters", "options", "input", "kwargs"];
/// Keys that models put positionals under.
const POSITIONALS: &[&str] = &["args", "arguments", "positionals", "positional"];
const DEEPEST_WRAPPER: usize = 3;

impl<'a> Collected<'a> {
    pub(super) fn new(operation: &Operation, params: &'a Map<String, Value>, args: &'a [Value]) -> Self {
        let mut collected = Self { given: vec![None; operation.params.len()], problems: Vec::new() };
        let mut args = args;
        collected.named(operation, params, &mut args, 0);
        collected.positionals(operation, args);
        collected
    }

    fn named(&mut self, operation: &Operation, params: &'a Map<String, Value>, args: &mut &'a [Value], wrapped: usize) {
        for (name, value) in params {
            match (meaning(operation, name), value) {
                (Meaning::Param(index), value) => self.set(operation, index, name.into(), Cow::Borrowed(value)),
                (Meaning::Several(names), value) => self.problems.push(Problem {
                    param: name.clone(),
                    problem: "could mean more than one param".into(),
                    given: Some(show(value)),
                    expected: Some("the exact name of one".into()),
                    allowed: names,
                    nearest: None,
                }),
                (Meaning::Nothing, Value::Object(inner))
                    if wrapped < DEEPEST_WRAPPER && WRAPPERS.contains(&name.as_str()) =>
                {
                    self.named(operation, inner, args, wrapped + 1);
                }
                (Meaning::Nothing, Value::Array(inner)) if POSITIONALS.contains(&name.as_str()) && args.is_empty() => {
                    *args = inner;
                }
                (Meaning::Nothing, value) => self.unknown(operation, name, value),
            }
        }
    }

    fn set(&mut self, operation: &Operation, index: usize, name: Cow<'a, str>, value: Cow<'a, Value>) {
        if value.is_null() {
            return;
        }
        match &self.given[index] {
            None => self.given[index] = Some(Raw { name, value }),
            Some(first) => self.problems.push(Problem {
                param: name.to_string(),
                problem: if first.name == name {
                    "given twice".into()
                } else {
                    format!("given twice, also as `{}`", first.name)
                },
                given: Some(show(&value)),
                expected: Some(format!("`{}` once", operation.params[index].name)),
                ..Problem::default()
            }),
        }
    }

    fn unknown(&mut self, operation: &Operation, name: &str, value: &Value) {
        if operation.secrets.iter().any(|secret| is_same(secret, name)) {
            return self.problems.push(Problem {
                param: name.to_owned(),
                problem: "a secret, which only the host sets".into(),
                expected: Some("the call without it".into()),
                ..Problem::default()
            });
        }
        let valid: Vec<String> = operation.params.iter().map(|param| param.name.clone()).collect();
        // The list is the same for each unknown name of a call: once is enough.
        let listed = self.problems.iter().any(|problem| problem.problem == UNKNOWN);
        let expected = match value {
            Value::Object(inner) if !inner.is_empty() && inner.keys().all(|key| known(operation, key)) => {
                "its params one level up, beside the others".to_owned()
            }
            _ if valid.is_empty() => format!("no params: `{}` takes none", operation.name),
            _ => format!("a param of `{}`", operation.name),
        };
        self.problems.push(Problem {
            param: name.to_owned(),
            problem: UNKNOWN.into(),
            given: Some(show(value)),
            expected: Some(expected),
            allowed: if listed { Vec::new() } else { valid },
            nearest: nearest_param(operation, name),
        });
    }

    /// Deals the positionals given in order out to their params.
    fn positionals(&mut self, operation: &Operation, args: &'a [Value]) {
        if args.is_empty() {
            return;
        }
        let slots = slots(operation);
        let many: Vec<usize> = (0..slots.len()).filter(|slot| slots[*slot].1 == Takes::Many).collect();
        let shares = match many.as_slice() {
            _ if slots.is_empty() => None,
            [] if args.len() > slots.len() => None,
            [] => Some(singles(operation, &slots, args)),
            [many] => Some(around(&slots, *many, args)),
            // With two lists only the first can be told apart, and only while nothing reaches it.
            [first, ..] if args.len() <= *first => Some(singles(operation, &slots, args)),
            [..] => {
                self.problems.push(Problem {
                    param: "args".into(),
                    problem: "two params take lists, so the order does not tell where one ends".into(),
                    given: Some(show(&Value::from(args))),
                    expected: Some("the positionals by name".into()),
                    allowed: slots.iter().map(|(index, _)| operation.params[*index].name.clone()).collect(),
                    nearest: None,
                });
                return;
            }
        };
        let Some(shares) = shares else {
            self.problems.push(Problem {
                param: "args".into(),
                problem: "too many positionals".into(),
                given: Some(show(&Value::from(args))),
                expected: Some(match slots.len() {
                    0 => format!("none: `{}` takes no positionals", operation.name),
                    most => format!("at most {most}"),
                }),
                allowed: slots.iter().map(|(index, _)| operation.params[*index].name.clone()).collect(),
                nearest: None,
            });
            return;
        };
        for (index, value) in shares {
            let param = &operation.params[index];
            if let Some(named) = &self.given[index] {
                self.problems.push(Problem {
                    param: named.name.to_string(),
                    problem: "given both by name and in `args`".into(),
                    given: Some(show(&named.value)),
                    expected: Some(format!("{}, in one place", describe(param))),
                    ..Problem::default()
                });
            } else if value.is_null() {
                self.problems.push(Problem {
                    param: param.name.clone(),
                    problem: "null among the positionals".into(),
                    given: Some("null".into()),
                    expected: Some(format!("{}; or the others by name", describe(param))),
                    ..Problem::default()
                });
            } else {
                self.given[index] = Some(Raw { name: param.name.clone().into(), value });
            }
        }
    }
}

/// What is said of a name that no param has.
pub(crate) const UNKNOWN: &str = "unknown param";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    One,
    Many,
}

/// The positionals in the order of the command line.
fn slots(operation: &Operation) -> Vec<(usize, Takes)> {
    let mut slots: Vec<_> = operation
        .params
        .iter()
        .enumerate()
        .filter_map(|(index, param)| {
            let order = match param.spelling {
                Spelling::Positional { index, .. } => index,
                Spelling::External => usize::MAX,
                Spelling::Long(_) | Spelling::Short(_) => return None,
            };
            let takes = if matches!(param.kind, ParamKind::Many { .. }) { Takes::Many } else { Takes::One };
            Some((order, index, takes))
        })
        .collect();
    slots.sort_by_key(|(order, ..)| *order);
    slots.into_iter().map(|(_, index, takes)| (index, takes)).collect()
}

/// Deals out to single-valued slots: in order, but the required ones first where just enough are given.
fn singles<'a>(operation: &Operation, slots: &[(usize, Takes)], args: &'a [Value]) -> Vec<(usize, Cow<'a, Value>)> {
    let required: Vec<_> = slots.iter().filter(|(index, _)| operation.params[*index].required).collect();
    let chosen: Vec<_> = if required.len() == args.len() { required } else { slots.iter().collect() };
    chosen.into_iter().map(|(index, _)| *index).zip(args.iter().map(Cow::Borrowed)).collect()
}

/// Deals out where one slot takes many: the slots before it and after it take one each.
fn around<'a>(slots: &[(usize, Takes)], many: usize, args: &'a [Value]) -> Vec<(usize, Cow<'a, Value>)> {
    let (before, rest) = args.split_at(many.min(args.len()));
    let after = (slots.len() - many - 1).min(rest.len());
    let (middle, after) = rest.split_at(rest.len() - after);
    let mut shares: Vec<_> = slots.iter().map(|(index, _)| *index).zip(before.iter().map(Cow::Borrowed)).collect();
    if !middle.is_empty() {
        shares.push((slots[many].0, Cow::Owned(Value::from(middle))));
    }
    shares.extend(slots[many + 1..].iter().map(|(index, _)| *index).zip(after.iter().map(Cow::Borrowed)));
    shares
}

fn known(operation: &Operation, name: &str) -> bool {
    matches!(meaning(operation, name), Meaning::Param(_))
}
