//! Reads what an argv sets, by a fresh parse and clap's typed getters: independent of the proof.

use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use clap_facade::argv::Proved;
use clap_facade::catalog;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// What one arg is set to from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// A switch was passed.
    Passed,
    /// A counted flag was passed so often.
    Counted(u8),
    /// Values in order.
    To(Vec<OsString>),
}

/// What each arg is set to, by the command it was written under and its id.
pub(crate) type Settings = BTreeMap<(usize, String), Set>;

/// The settings that expose the commands of a tree which take commands.
pub(crate) fn exposing(tree: &Command) -> catalog::Settings {
    fn takers(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let path = format!("{path} {}", sub.get_name()).trim().to_owned();
            if sub.is_allow_external_subcommands_set() {
                found.push(path.clone());
            }
            takers(sub, &path, found);
        }
    }
    let mut expose = Vec::new();
    takers(tree, "", &mut expose);
    catalog::Settings { expose, ..catalog::Settings::default() }
}

/// Parses a proved argv with a fresh command.
pub(crate) fn parse(tree: &Command, proved: &Proved) -> ArgMatches {
    parse_by(&mut tree.clone(), proved)
}

/// Parses a proved argv with a command that is at hand for it.
pub(crate) fn parse_by(tree: &mut Command, proved: &Proved) -> ArgMatches {
    let mut line: Vec<OsString> = match proved.arg0() {
        Some(arg0) => vec![arg0.to_owned()],
        None if tree.is_no_binary_name_set() => vec![],
        None => vec!["program".into()],
    };
    line.extend(proved.argv().iter().cloned());
    tree.try_get_matches_from_mut(line).unwrap()
}

/// Returns the path of the command that a proved argv calls; an external one is no part of it.
pub(crate) fn path(tree: &Command, proved: &Proved) -> Vec<String> {
    path_of(tree, &parse(tree, proved))
}

/// Returns the same of what was parsed.
pub(crate) fn path_of(tree: &Command, matches: &ArgMatches) -> Vec<String> {
    let (mut path, mut matches, mut command) = (Vec::new(), matches, tree);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.get_subcommands().find(|sub| sub.get_name() == name) else { break };
        path.push(name.to_owned());
        (matches, command) = (inner, found);
    }
    path
}

/// Returns everything that a proved argv sets from the command line, globals at the deepest level alone.
pub(crate) fn settings(tree: &Command, proved: &Proved) -> Settings {
    let matches = parse(tree, proved);
    let mut tree = tree.clone();
    tree.build();
    settings_of(&tree, &matches)
}

/// Returns the same of what was parsed by a tree that is built.
pub(crate) fn settings_of(tree: &Command, matches: &ArgMatches) -> Settings {
    let mut settings = Settings::new();
    let (mut command, mut matches, mut depth) = (tree, matches, 0);
    loop {
        let next = matches
            .subcommand()
            .and_then(|(name, inner)| Some((command.get_subcommands().find(|sub| sub.get_name() == name)?, inner)));
        for arg in command.get_arguments() {
            let id = arg.get_id().as_str();
            let repeated = next.is_some_and(|(sub, _)| {
                arg.is_global_set() && sub.get_arguments().any(|other| other.get_id() == id && other.is_global_set())
            });
            if !repeated && matches.value_source(id) == Some(ValueSource::CommandLine) {
                settings.insert((depth, id.to_owned()), set(arg, matches));
            }
        }
        match (next, matches.subcommand()) {
            (Some((sub, inner)), _) => (command, matches, depth) = (sub, inner, depth + 1),
            (None, Some((name, inner))) => {
                let rest = inner.get_many::<OsString>("").unwrap_or_default().cloned();
                let words = std::iter::once(name.into()).chain(rest).collect();
                settings.insert((depth, "(external)".into()), Set::To(words));
                return settings;
            }
            (None, None) => return settings,
        }
    }
}

fn set(arg: &Arg, matches: &ArgMatches) -> Set {
    let id = arg.get_id().as_str();
    // A switch may take a value as well.
    let is_bare = arg.get_num_args().is_none_or(|values| values.max_values() == 0);
    match arg.get_action() {
        ArgAction::SetTrue if is_bare => {
            assert!(matches.get_flag(id));
            Set::Passed
        }
        ArgAction::SetFalse if is_bare => {
            assert!(!matches.get_flag(id));
            Set::Passed
        }
        ArgAction::Count => Set::Counted(matches.get_count(id)),
        _ => {
            let raw: Vec<OsString> = matches.get_raw(id).unwrap().map(Into::into).collect();
            typed(arg.get_value_parser(), matches, id, &raw);
            Set::To(raw)
        }
    }
}

/// Checks that the typed values are what the text says.
fn typed(parser: &ValueParser, matches: &ArgMatches, id: &str, raw: &[OsString]) {
    let texts = || raw.iter().map(|raw| raw.to_str().unwrap());
    let kind = parser.type_id();
    if kind == ValueParser::string().type_id() {
        assert!(matches.get_many::<String>(id).unwrap_or_default().eq(texts()));
    } else if kind == clap::value_parser!(i64).into_parser().type_id() {
        let numbers = texts().map(|text| text.parse::<i64>().unwrap());
        assert!(matches.get_many::<i64>(id).unwrap_or_default().copied().eq(numbers));
    } else if format!("{parser:?}") == format!("{:?}", ValueParser::bool()) {
        // Other parsers have words of their own for yes and no.
        let booleans = texts().map(|text| text.parse::<bool>().unwrap());
        assert!(matches.get_many::<bool>(id).unwrap_or_default().copied().eq(booleans));
    }
}

trait IntoParser {
    fn into_parser(self) -> ValueParser;
}

impl<T: Into<ValueParser>> IntoParser for T {
    fn into_parser(self) -> ValueParser {
        self.into()
    }
}
