//! Random trees → clap's own rendered help → read back → the same params, and calls that the real tree takes.

use super::parity::{compare, is_same, read_back};
use super::{calls, random, reader};
use clap::Command;
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Operation, Param, ParamKind, Spelling};
use clap_facade::invocation::Invocation;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};

proptest! {
    #![proptest_config(super::properties::config())]

    /// What help tells is read as it is.
    #[test]
    fn a_tree_is_read_back_from_its_help(tree in random::tree(), texts in vec(0..TEXTS.len(), 8)) {
        let tree = decorated(tree.told_by_help().command(), &texts);
        let (real, read) = (catalog(&tree), catalog(&read_back(&tree)));
        let score = compare(&real, &read);
        prop_assert!(score.differences.is_empty(), "{:#?}\n{}", score.differences, pages(&tree));
        prop_assert_eq!((score.real, score.read, score.too_strict), (score.matched, score.matched, 0), "{}", pages(&tree));
        for operation in real.operations() {
            let other = read.operations().iter().find(|other| other.path == operation.path).unwrap();
            for param in operation.params.iter().filter(|param| param.spelling != Spelling::External) {
                let other = other.params.iter().find(|other| is_same(param, other)).unwrap();
                prop_assert_eq!(&param.help, &other.help, "{}", pages(&tree));
            }
        }
    }

    /// A call that the real tree takes is no call that the tree read from help refuses; and what the latter
    /// passes on is taken, and sets the same.
    #[test]
    fn a_call_by_help_is_a_call_of_the_real_tree(tree in random::tree()) {
        let tree = tree.told_by_help().command();
        let (real, read) = (catalog(&tree), catalog(&read_back(&tree)));
        for operation in real.operations() {
            let other = read.operations().iter().find(|other| other.path == operation.path);
            prop_assert!(other.is_some(), "{:?} is not read, but {:?}\n{}", operation.path, read.excused(), pages(&tree));
            let other = other.unwrap();
            for param in operation.params.iter().filter(|param| param.spelling != Spelling::External) {
                let call = call(operation, other, param);
                let taken = |catalog: &Catalog, operation| Invocation::new(operation, &call, &[]).and_then(|call| Proved::new(catalog, call));
                let proved = taken(&read, other);
                prop_assert!(proved.is_ok(), "{} {call:?}: {}\n{}", operation.name, proved.unwrap_err(), pages(&tree));
                let proved = proved.unwrap();
                prop_assert_eq!(reader::path(&tree, &proved), operation.path.clone());
                prop_assert!(reader::settings(&tree, &proved).contains_key(&(param.depth, param.id.clone())));
            }
        }
    }
}

/// A param and what must be given with it, by the names of the tree read from help.
fn call(operation: &Operation, other: &Operation, param: &Param) -> Map<String, Value> {
    let place = |param: &Param| match param.spelling {
        Spelling::Positional { index, last, .. } => Some((index, last)),
        _ => None,
    };
    let leads = |before: &Param| match (place(before), place(param)) {
        (Some((before, _)), Some((index, last))) => before < index && !last,
        _ => false,
    };
    let wanted = operation.params.iter().filter(|param| param.spelling != Spelling::External);
    let wanted = wanted.filter(|one| one.required || one.name == param.name || leads(one));
    wanted
        .filter_map(|one| {
            let named = other.params.iter().find(|other| is_same(one, other))?;
            let value = match (as_text(calls::tame(one), &one.kind), &named.kind) {
                // A delimiter does not show: its list is one text.
                (Value::Array(items), ParamKind::One(_)) => items.into_iter().next().unwrap_or_default(),
                (value, _) => value,
            };
            Some((named.name.clone(), value))
        })
        .collect()
}

/// Help does not tell a number from a text, and a fraction given as a number may lose digits as a text.
fn as_text(value: Value, kind: &ParamKind) -> Value {
    match value {
        Value::Number(number) if *kind != ParamKind::Count => number.to_string().into(),
        Value::Array(items) => items.into_iter().map(|item| as_text(item, kind)).collect(),
        value => value,
    }
}

/// Help texts that could be taken for something else.
const TEXTS: &[&str] = &[
    "",
    "Plain help",
    "Ends in [brackets]",
    "--looks like a flag",
    "Like:\n- this: a bullet\n- that: another",
    "First.\n\nSecond, with `--flag <X>`.\n\n      --indented <X>  as an option is",
    "Uses [default: 3] where nothing is given, and so on",
    "Commands:\n  build  Not one\n\nOptions:\n  -q  Not one either",
    "Usage: not this one",
    "- starts like a bullet",
    "<starts like a positional>  and goes on",
];

fn decorated(command: Command, texts: &[usize]) -> Command {
    let text = |n: usize| TEXTS[texts[n % texts.len()]];
    let mut number = command.get_name().len();
    let command = command.mut_args(|arg| {
        number += 1;
        arg.help(text(number))
    });
    command.mut_subcommands(|sub| {
        // Only the first line of these stands in a list; and what starts like a usage line at the margin is one.
        let about = text(sub.get_name().len()).lines().next().filter(|line| !line.starts_with("Usage:"));
        let about = about.unwrap_or_default();
        decorated(sub.about(about), texts)
    })
}

fn catalog(tree: &Command) -> Catalog {
    Catalog::new(tree.clone(), &reader::exposing(tree)).unwrap_or_else(|error| panic!("{error}\n{}", pages(tree)))
}

fn pages(tree: &Command) -> String {
    fn add(command: &Command, out: &mut String) {
        out.push_str(&format!("-----\n{}", command.clone().render_long_help()));
        command.get_subcommands().filter(|sub| sub.get_name() != "help").for_each(|sub| add(sub, out));
    }
    let mut built = tree.clone();
    built.build();
    let mut out = String::new();
    add(&built, &mut out);
    out
}
