//! Round trips through clap: what a call gives is what the command gets, and nothing else.

use super::calls::{self, Dice, Intent};
use super::random;
use super::reader::{self, Set};
use super::table::shown;
use clap_facade::argv::Proved;
use clap_facade::catalog::{BaseType, Catalog, Operation, Param, ParamKind, Settings, Spelling, ValueType, schema};
use clap_facade::invocation::Invocation;
use clap_facade::refusal::{Kind, Problem, Refusal};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) fn config() -> ProptestConfig {
    // PROPTEST_CASES overrides the number; failures print what they need to be written down as a row.
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256);
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// A random call sets exactly what its values mean, or is refused; what has no reading is refused.
    #[test]
    fn a_call_sets_what_it_gives_and_nothing_else(tree in random::tree(), seeds in vec(any::<u64>(), 6)) {
        let command = tree.command();
        let catalog = Catalog::new(command.clone(), &reader::exposing(&command)).unwrap();
        for seed in seeds.into_iter().filter(|_| !catalog.operations().is_empty()) {
            let mut dice = Dice(seed);
            let operation = &catalog.operations()[dice.below(catalog.operations().len())];
            let (params, intents) = calls::call(operation, &mut dice);
            let invocation = Invocation::new(operation, &params, &[]);
            let refused: Vec<_> = intents.iter().filter(|(_, intent)| *intent == Intent::Refused).collect();
            match invocation {
                Ok(_) if !refused.is_empty() => {
                    prop_assert!(false, "{} {params:?} was accepted though {refused:?}", operation.name);
                }
                Err(refusal) => reported(operation, &params, &refusal, &intents)?,
                Ok(invocation) => {
                    round_trip(operation, &invocation)?;
                    match Proved::new(&catalog, invocation) {
                        Ok(proved) => means(&command, &proved, &intents)?,
                        Err(refusal) => prop_assert!(
                            may_refuse(&command, operation, &refusal),
                            "{} {params:?}: {refusal}\n{operation:#?}", operation.name
                        ),
                    }
                }
            }
        }
    }

    /// Every param that is published can be set.
    #[test]
    fn every_published_param_is_accepted(tree in random::tree()) {
        let tree = tree.without_relations();
        let command = tree.command();
        let catalog = Catalog::new(command.clone(), &reader::exposing(&command)).unwrap();
        for operation in catalog.operations() {
            for param in &operation.params {
                let wanted = |other: &Param| other.required || other.name == param.name;
                let leads = |other: &Param| operation.params.iter().any(|param| wanted(param) && stands_before(other, param));
                let chosen = |other: &&Param| wanted(other) || leads(other);
                let params: Map<_, _> =
                    operation.params.iter().map(AsRef::as_ref).filter(chosen).map(|param| (param.name.clone(), calls::tame(param))).collect();
                let proved = Invocation::new(operation, &params, &[]).and_then(|call| Proved::new(&catalog, call));
                match proved {
                    Ok(proved) => {
                        let invocation = proved.invocation();
                        prop_assert!(invocation.value(&param.name).is_some());
                        prop_assert_eq!(reader::path(&command, &proved), operation.path.clone());
                    }
                    Err(refusal) => prop_assert!(false, "{} {params:?}: {refusal}\n{operation:#?}", operation.name),
                }
            }
        }
    }

    /// What is accepted fits the published schema, leniencies undone; what fits the schema is accepted, but for
    /// what no schema can say.
    #[test]
    fn the_schema_and_the_allow_list_agree(tree in random::tree(), seeds in vec(any::<u64>(), 6)) {
        let command = tree.command();
        let catalog = Catalog::new(command.clone(), &reader::exposing(&command)).unwrap();
        for seed in seeds.into_iter().filter(|_| !catalog.operations().is_empty()) {
            let mut dice = Dice(seed);
            let operation = &catalog.operations()[dice.below(catalog.operations().len())];
            let published = Value::from(schema::compact(operation));
            prop_assert_eq!(schema::check(&published), Ok(()));
            let validator = jsonschema::validator_for(&published).unwrap();
            let (params, _) = calls::call(operation, &mut dice);
            match Invocation::new(operation, &params, &[]) {
                Ok(invocation) => {
                    let plain = Value::from(plain(operation, invocation.to_json()));
                    let fault = validator.iter_errors(&plain).next().map(|error| error.to_string());
                    prop_assert!(fault.is_none(), "{plain}: {fault:?} {published}");
                }
                Err(refusal) if validator.is_valid(&Value::from(params.clone())) => {
                    let said = |problem: &Problem| BEYOND_SCHEMA.iter().any(|text| problem.problem.contains(text));
                    prop_assert!(refusal.problems.iter().all(said), "{params:?}: {refusal} {published}");
                }
                Err(_) => {}
            }
        }
    }

    /// A name that no param has is refused, whatever else the tree has by that name.
    #[test]
    fn nothing_unpublished_is_accepted(tree in random::tree(), seed in any::<u64>()) {
        let catalog = Catalog::new(tree.command(), &Settings::default()).unwrap();
        let mut dice = Dice(seed);
        for operation in catalog.operations() {
            for name in ["agent", "help", "version", "h", "names", "title", "group0", "", "-", "max_change", "SOURCE", "target"] {
                let published = operation.params.iter().any(|param| param.name == name || param.aliases.iter().any(|alias| alias == name));
                if !published {
                    let params = Map::from_iter([(name.to_owned(), Value::from(calls::hostile(&mut dice)))]);
                    let refusal = Invocation::new(operation, &params, &[]).unwrap_err();
                    prop_assert!(refusal.problems.iter().any(|problem| problem.param == name), "{refusal}");
                }
            }
        }
    }
}

/// Problems of values that fit their schema.
const BEYOND_SCHEMA: &[&str] = &[
    "holds a NUL character",
    "which the command takes for the end of the item",
    "an empty array could mean two things",
    "too large to be exact as a float",
    "out of range",
    "too few items",
    "too many items",
    "which is no multiple of",
    // A required switch given as `false`.
    "missing",
];

/// Undoes what is accepted beyond the schema: other spellings of a choice, numbers as text.
fn plain(operation: &Operation, params: Map<String, Value>) -> Map<String, Value> {
    let text = |kind: &ValueType, value: Value| match (&value, kind.base) {
        (Value::String(text), BaseType::String) => {
            let is = |name: &String| name == text || kind.ignore_case && name.eq_ignore_ascii_case(text);
            let choice = kind.choices.iter().find(|choice| is(&choice.name) || choice.aliases.iter().any(is));
            choice.map_or(value.clone(), |choice| choice.name.clone().into())
        }
        (Value::String(text), BaseType::Integer { .. }) => text.parse::<i64>().unwrap().into(),
        (Value::String(text), BaseType::Number) => text.parse::<f64>().unwrap().into(),
        _ => value,
    };
    let one = |(name, value): (String, Value)| {
        let value = match (&operation.param(&name).unwrap().kind, value) {
            (ParamKind::Many { item, .. }, Value::Array(items)) => {
                items.into_iter().map(|value| text(item, value)).collect()
            }
            (ParamKind::One(kind) | ParamKind::Optional { value: kind, .. }, value) => text(kind, value),
            // A list's flag without values has no place in a schema of one type.
            (ParamKind::Many { .. }, Value::Bool(true)) => Value::Array(Vec::new()),
            (_, value) => value,
        };
        (name, value)
    };
    params.into_iter().map(one).collect()
}

/// Every value without a reading is a problem of its own, named.
fn reported(
    operation: &Operation,
    params: &Map<String, Value>,
    refusal: &Refusal,
    intents: &[(&Param, Intent)],
) -> Result<(), TestCaseError> {
    prop_assert_eq!(refusal.kind, Kind::InvalidParams);
    let named = |param: &Param| {
        refusal.problems.iter().any(|problem| {
            let plain = problem.param.trim_start_matches('-').replace('_', "-");
            plain == param.name.replace('_', "-") || param.aliases.contains(&problem.param)
        })
    };
    for (param, intent) in intents {
        let wrong = *intent == Intent::Refused || *intent == Intent::Absent && param.required;
        prop_assert_eq!(named(param), wrong, "{} {:?} {:?}: {}", &operation.name, params, param, refusal);
    }
    Ok(())
}

/// A call's own JSON makes the same call.
fn round_trip(operation: &Arc<Operation>, invocation: &Invocation) -> Result<(), TestCaseError> {
    let json = invocation.to_json();
    let again = Invocation::new(operation, &json, &[]);
    prop_assert_eq!(again.as_ref(), Ok(invocation), "{:?}", json);
    Ok(())
}

/// A fresh parse sets exactly what the values mean, plus what the host sets.
fn means(command: &clap::Command, proved: &Proved, intents: &[(&Param, Intent)]) -> Result<(), TestCaseError> {
    let operation = proved.invocation().operation();
    prop_assert_eq!(&reader::path(command, proved), &operation.path);
    let mut set = reader::settings(command, proved);
    for (param, intent) in intents {
        let key = match param.spelling {
            Spelling::External => (operation.path.len(), "(external)".to_owned()),
            _ => (param.depth, param.id.clone()),
        };
        match (set.remove(&key), intent) {
            (None, Intent::Absent) => {}
            (Some(found), Intent::Sets(wanted)) => {
                prop_assert_eq!(&found, wanted, "{} of {}", &param.name, shown(proved));
            }
            (Some(Set::To(_)), Intent::Bare) => {}
            (found, intent) => prop_assert!(false, "{} is {found:?}, not {intent:?}: {}", param.name, shown(proved)),
        }
    }
    let host = set.remove(&(operation.path.len(), "agent".to_owned()));
    prop_assert_eq!(host.is_some(), command.get_arguments().any(|arg| arg.get_id() == "agent"));
    prop_assert!(set.is_empty(), "{set:?} is set as well: {}", shown(proved));
    Ok(())
}

/// A valid call is refused only in its own names; where a word may be a subcommand as well, the proof decides.
fn may_refuse(command: &clap::Command, operation: &Operation, refusal: &Refusal) -> bool {
    let called = operation.path.iter().try_fold(command, |command, word| command.find_subcommand(word)).unwrap();
    let knows = |name: &str| name.is_empty() || operation.param(name).is_some();
    match refusal.kind {
        Kind::InvalidParams => refusal.problems.iter().all(|problem| knows(&problem.param)),
        Kind::ProofFailed => called.has_subcommands(),
        _ => false,
    }
}

/// A positional can't be given without those before it.
fn stands_before(other: &Param, param: &Param) -> bool {
    match (&other.spelling, &param.spelling) {
        (Spelling::Positional { index, .. }, Spelling::Positional { index: own, last, .. }) => index < own && !last,
        (Spelling::Positional { .. }, Spelling::External) => true,
        _ => false,
    }
}
