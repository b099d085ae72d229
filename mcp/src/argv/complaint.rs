//! What clap minded about an argv, in this operation's own names.

use crate::catalog::Param;
use crate::invocation::{Invocation, cut, describe, describe_missing};
use crate::refusal::{Kind, Problem, Refusal};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgGroup, Command, Error};
use std::error::Error as _;

/// Turns clap's error into a refusal that names only what the operation has.
pub(super) fn refusal(command: &Command, error: &Error, invocation: &Invocation) -> Refusal {
    let complaint = Complaint { levels: levels(command, invocation), error, invocation };
    match error.kind() {
        ErrorKind::MissingRequiredArgument => complaint.missing(),
        ErrorKind::ArgumentConflict if complaint.text(ContextKind::InvalidSubcommand).is_none() => complaint.conflict(),
        ErrorKind::InvalidValue => complaint.invalid_value(),
        ErrorKind::ValueValidation => complaint.about_value(match error.source() {
            Some(source) => format!("not accepted: {}", cut(&source.to_string())),
            None => "not accepted".into(),
        }),
        ErrorKind::InvalidUtf8 => complaint.about_value("not valid UTF-8".into()),
        ErrorKind::NoEquals | ErrorKind::TooManyValues | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            complaint.about_value(complaint.number_of_values())
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => complaint.nothing_given(),
        kind => Refusal::new(Kind::ProofFailed).because(format!(
            "{}: {}",
            Kind::ProofFailed.sentence(),
            match kind {
                ErrorKind::DisplayHelp => "it would show help".into(),
                ErrorKind::DisplayVersion => "it would show the version".into(),
                ErrorKind::MissingSubcommand => "it would call no command".into(),
                _ => match complaint.text(ContextKind::InvalidArg).or(complaint.text(ContextKind::InvalidSubcommand)) {
                    Some(token) => format!("the command's grammar has no place for `{}`", cut(token)),
                    None => "the command's grammar does not take it".into(),
                },
            }
        )),
    }
}

struct Complaint<'a> {
    /// The commands of the path, the root first.
    levels: Vec<&'a Command>,
    error: &'a Error,
    invocation: &'a Invocation,
}

impl Complaint<'_> {
    fn missing(&self) -> Refusal {
        let shown = match self.error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(shown)) => shown.as_slice(),
            Some(ContextValue::String(shown)) => std::slice::from_ref(shown),
            _ => &[],
        };
        let problems = shown.iter().map(|shown| match self.param(shown) {
            Some(param) => Problem {
                param: param.name.clone(),
                problem: "missing".into(),
                expected: Some(describe_missing(param)),
                ..Problem::default()
            },
            None => self.missing_group(shown),
        });
        Refusal::invalid(problems.collect())
    }

    fn missing_group(&self, shown: &str) -> Problem {
        let groups = self
            .levels
            .iter()
            .enumerate()
            .flat_map(|(depth, command)| command.get_groups().map(move |group| (depth, members(command, group))));
        let members: Vec<String> = groups
            .filter(|(_, members)| shows(members).is_some_and(|text| text == shown))
            .flat_map(|(depth, members)| members.into_iter().filter_map(move |arg| self.param_of(depth, arg)))
            .map(|param| param.name.clone())
            .collect();
        match members.as_slice() {
            [] => Problem {
                problem: "an argument that only the host can give is missing".into(),
                expected: Some("another command".into()),
                ..Problem::default()
            },
            [first, ..] => Problem {
                param: first.clone(),
                problem: "missing, or another param that does".into(),
                expected: Some(format!("one of {}", quoted(&members))),
                allowed: members,
                ..Problem::default()
            },
        }
    }

    fn conflict(&self) -> Refusal {
        let prior: Vec<&str> = match self.error.get(ContextKind::PriorArg) {
            Some(ContextValue::String(prior)) => vec![prior],
            Some(ContextValue::Strings(prior)) => prior.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        let others: Vec<String> =
            prior.iter().filter_map(|shown| self.param(shown)).map(|param| param.name.clone()).collect();
        let subject = self.text(ContextKind::InvalidArg).and_then(|shown| self.param(shown));
        let (param, others) = match (subject, others.split_first()) {
            (Some(param), _) => (param.name.clone(), others),
            // What clap names first is the host's; the caller can only change the other.
            (None, Some((first, rest))) => (first.clone(), rest.to_vec()),
            (None, None) => (String::new(), Vec::new()),
        };
        let problem = match (prior.is_empty(), others.is_empty()) {
            (true, _) => "can't be given together with any other param".into(),
            (false, true) => "conflicts with what the host sets".into(),
            (false, false) => format!("conflicts with {}", quoted(&others)),
        };
        let expected = if prior.is_empty() { "it alone, or the call without it" } else { "only one of them" };
        Refusal::invalid(vec![Problem { param, problem, expected: Some(expected.into()), ..Problem::default() }])
    }

    fn invalid_value(&self) -> Refusal {
        let Some(param) = self.text(ContextKind::InvalidArg).and_then(|shown| self.param(shown)) else {
            return self.host();
        };
        let given = self.text(ContextKind::InvalidValue).unwrap_or_default();
        let allowed = match self.error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(values)) => values.clone(),
            _ => Vec::new(),
        };
        Refusal::invalid(vec![Problem {
            param: param.name.clone(),
            problem: if given.is_empty() { "needs a value".into() } else { "not an allowed value".into() },
            given: Some(cut(given)),
            expected: Some(describe(param)),
            allowed,
            nearest: self.text(ContextKind::SuggestedValue).map(str::to_owned),
        }])
    }

    fn about_value(&self, problem: String) -> Refusal {
        let Some(param) = self.text(ContextKind::InvalidArg).and_then(|shown| self.param(shown)) else {
            return self.host();
        };
        Refusal::invalid(vec![Problem {
            param: param.name.clone(),
            problem,
            given: self.text(ContextKind::InvalidValue).map(cut),
            expected: Some(describe(param)),
            ..Problem::default()
        }])
    }

    fn number_of_values(&self) -> String {
        let number = |kind| match self.error.get(kind) {
            Some(ContextValue::Number(number)) => Some(number),
            _ => None,
        };
        let actual = number(ContextKind::ActualNumValues);
        match (actual, number(ContextKind::ExpectedNumValues), number(ContextKind::MinValues)) {
            (Some(actual), Some(expected), _) => format!("{actual} values where {expected} are needed"),
            (Some(actual), None, Some(least)) => format!("{actual} values where at least {least} are needed"),
            // Only a short name before a positional that takes dashes is written without `=`.
            _ if self.error.kind() == ErrorKind::NoEquals => "can't be told apart from the positionals here".into(),
            _ => "too many values".into(),
        }
    }

    fn nothing_given(&self) -> Refusal {
        let names: Vec<String> = self.invocation.operation().params.iter().map(|param| param.name.clone()).collect();
        Refusal::invalid(vec![Problem {
            problem: "the command does nothing without params".into(),
            expected: Some("at least one param".into()),
            allowed: names,
            ..Problem::default()
        }])
    }

    /// A complaint about something the caller can neither see nor set.
    fn host(&self) -> Refusal {
        Refusal::new(Kind::ProofFailed)
            .because(format!("{}: what the host sets is not accepted", Kind::ProofFailed.sentence()))
    }

    fn text(&self, kind: ContextKind) -> Option<&str> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Finds the param that clap shows in its messages like this.
    fn param(&self, shown: &str) -> Option<&Param> {
        self.levels.iter().enumerate().rev().find_map(|(depth, command)| {
            let arg = command.get_arguments().find(|arg| is_shown_as(arg, shown))?;
            self.param_of(depth, arg)
        })
    }

    fn param_of(&self, depth: usize, arg: &Arg) -> Option<&Param> {
        let is = |param: &&Param| arg.get_id() == param.id.as_str() && (param.depth == depth || arg.is_global_set());
        self.invocation.operation().params.iter().map(AsRef::as_ref).find(is)
    }
}

fn levels<'a>(root: &'a Command, invocation: &Invocation) -> Vec<&'a Command> {
    let mut levels = vec![root];
    let mut command = root;
    for word in &invocation.operation().path {
        let Some(inner) = command.find_subcommand(word) else { break };
        levels.push(inner);
        command = inner;
    }
    levels
}

/// Returns the args of a group, those of the groups inside it included.
fn members<'a>(command: &'a Command, group: &ArgGroup) -> Vec<&'a Arg> {
    let mut members = Vec::new();
    for id in group.get_args() {
        match command.get_groups().find(|inner| inner.get_id() == id && inner.get_id() != group.get_id()) {
            Some(inner) => members.extend(self::members(command, inner)),
            None => members.extend(command.get_arguments().find(|arg| arg.get_id() == id)),
        }
    }
    members
}

/// Writes a group as clap does; nothing where clap has not come to its command.
fn shows(members: &[&Arg]) -> Option<String> {
    let one = |arg: &&Arg| shown(arg).map(|text| if arg.is_positional() { bare(&text).to_owned() } else { text });
    Some(format!("<{}>", members.iter().map(one).collect::<Option<Vec<_>>>()?.join("|")))
}

fn is_shown_as(arg: &Arg, text: &str) -> bool {
    shown(arg).is_some_and(|own| own == text || arg.is_positional() && bare(&own) == bare(text))
}

/// Writes an arg as clap does; nothing where clap has not come to its command, for there it would panic.
fn shown(arg: &Arg) -> Option<String> {
    arg.get_num_args().map(|_| arg.to_string())
}

/// Strips what tells required from optional.
fn bare(shown: &str) -> &str {
    let shown = shown.strip_suffix("...").unwrap_or(shown);
    let inner = |open, close| shown.strip_prefix(open).and_then(|shown| shown.strip_suffix(close));
    inner('<', '>').or_else(|| inner('[', ']')).unwrap_or(shown)
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
