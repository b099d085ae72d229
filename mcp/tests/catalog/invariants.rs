//! What holds for every catalog, whatever the tree.

use crate::{catalog, compact, full, trees};
use clap::{ArgAction, Command};
use clap_facade::annotate::ArgNote;
use clap_facade::argv::Proved;
use clap_facade::catalog::{BaseType, Catalog, Operation, Param, ParamKind, Spelling, ValueType, schema};
use clap_facade::invocation::Invocation;
use clap_facade::refusal::Kind;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

fn each(mut check: impl FnMut(&str, &Command, &Catalog)) {
    for (name, tree) in trees::all() {
        check(name, &tree, &catalog(tree.clone()));
    }
}

fn each_operation(mut check: impl FnMut(&str, &Arc<Operation>)) {
    each(|tree, _, catalog| {
        catalog.operations().iter().for_each(|operation| check(&format!("{tree}: {}", operation.name), operation))
    });
}

#[test]
fn every_command_is_exposed_or_excused() {
    each(|tree, command, catalog| {
        let mut paths = Vec::new();
        collect_paths(command, String::new(), &mut paths);
        for path in paths {
            let exposed = catalog.operations().iter().filter(|operation| operation.name == path).count();
            let excused = catalog.excused().iter().filter(|excused| excused.path == path).count();
            assert_eq!((exposed + excused), 1, "{tree}: `{path}` is exposed {exposed} and excused {excused} times");
        }
    });
}

fn collect_paths(command: &Command, path: String, paths: &mut Vec<String>) {
    for child in command.get_subcommands() {
        let path = if path.is_empty() { child.get_name().to_owned() } else { format!("{path} {}", child.get_name()) };
        collect_paths(child, path, paths);
    }
    paths.push(if path.is_empty() { command.get_name().to_owned() } else { path });
}

#[test]
fn every_schema_keeps_to_the_safe_profile_and_to_the_standard() {
    each_operation(|at, operation| {
        for schema in [compact(operation), full(operation)] {
            assert_eq!(schema::check(&schema), Ok(()), "{at}");
            assert!(jsonschema::meta::is_valid(&schema), "{at}: {schema}");
        }
    });
}

#[test]
fn every_published_default_fits_its_schema() {
    each_operation(|at, operation| {
        let schema = compact(operation);
        for (name, property) in schema["properties"].as_object().unwrap() {
            if let Some(default) = property.get("default") {
                assert!(jsonschema::is_valid(property, default), "{at}: {name}: {property}");
            }
        }
    });
}

#[test]
fn a_schema_lists_the_params_and_nothing_else() {
    each_operation(|at, operation| {
        let schema = compact(operation);
        let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let names: Vec<&String> = operation.params.iter().map(|param| &param.name).collect();
        assert_eq!(keys, names, "{at}");
        let required: Vec<&String> =
            operation.params.iter().filter(|param| param.required).map(|param| &param.name).collect();
        assert_eq!(schema.get("required").cloned().unwrap_or(json!([])), json!(required), "{at}");
    });
}

#[test]
fn no_two_params_answer_to_one_name() {
    each_operation(|at, operation| {
        let mut names = HashSet::new();
        for param in &operation.params {
            for name in std::iter::once(&param.name).chain(&param.aliases) {
                assert!(names.insert(name.replace('_', "-")), "{at}: {name}");
            }
        }
    });
}

#[test]
fn every_operation_is_found_by_each_of_its_names() {
    each(|tree, _, catalog| {
        for operation in catalog.operations() {
            for name in [&operation.name, &operation.tool].into_iter().chain(&operation.aliases) {
                let found = catalog.find(name).map(|found| &found.name);
                assert_eq!(found, Some(&operation.name), "{tree}: {name}");
            }
            let with_root = format!("{} {}", catalog.root(), operation.name);
            assert!(catalog.find(&with_root).is_some_and(|found| found == operation) || operation.path.is_empty());
        }
        assert!(catalog.find("no such command").is_none());
        assert!(catalog.find("").is_none());
    });
}

#[test]
fn tool_names_fit_every_host() {
    each(|tree, _, catalog| {
        let mut seen = HashSet::new();
        for Operation { tool, .. } in catalog.operations().iter().map(AsRef::as_ref) {
            assert!(seen.insert(tool.clone()), "{tree}: {tool} twice");
            assert!((1..=52).contains(&tool.len()), "{tree}: {tool}");
            assert!(tool.starts_with(|c: char| c.is_ascii_lowercase()), "{tree}: {tool}");
            assert!(tool.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{tree}: {tool}");
        }
    });
}

/// Read from the built tree, independently of the enumerator.
#[test]
fn nothing_is_offered_that_callers_may_not_set() {
    each(|tree, command, catalog| {
        let mut built = command.clone();
        built.build();
        for operation in catalog.operations() {
            for param in operation.params.iter().filter(|param| param.spelling != Spelling::External) {
                let at = format!("{tree}: {}: {}", operation.name, param.name);
                let level =
                    operation.path[..param.depth].iter().fold(&built, |at, word| at.find_subcommand(word).unwrap());
                let arg = level.get_arguments().find(|arg| arg.get_id().as_str() == param.id).unwrap();
                assert!(!arg.is_hide_set(), "{at}");
                assert!(!matches!(arg.get::<ArgNote>(), Some(ArgNote::HostOwned | ArgNote::Secret)), "{at}");
                let prints = [ArgAction::Help, ArgAction::HelpShort, ArgAction::HelpLong, ArgAction::Version];
                assert!(
                    !prints.iter().any(|action| format!("{action:?}") == format!("{:?}", arg.get_action())),
                    "{at}"
                );
                assert!(arg.get_env().is_none() || param.default.is_empty(), "{at}");
                let defined_above = param.depth > 0 && arg.is_global_set() && {
                    let above = operation.path[..param.depth - 1]
                        .iter()
                        .fold(&built, |at, word| at.find_subcommand(word).unwrap());
                    above.get_arguments().any(|other| other.get_id() == arg.get_id())
                };
                let inherited = param.depth < operation.path.len() || defined_above;
                assert!(!inherited || param.gate, "{at} is inherited and no gate");
                assert!(!inherited || !operation.is_read_only(), "{at} is a gate of a read-only operation");
            }
        }
    });
}

#[test]
fn constraints_name_only_params_of_the_operation() {
    each_operation(|at, operation| {
        for sentence in &operation.constraints {
            for name in sentence.split('`').skip(1).step_by(2) {
                assert!(operation.param(name).is_some(), "{at}: {sentence}");
            }
        }
    });
}

/// The proof is clap's own parser: it would refuse an id, a spelling or a depth read wrongly.
#[test]
fn every_param_can_be_set_as_it_is_described() {
    each(|tree, _, catalog| {
        for operation in catalog.operations() {
            for param in &operation.params {
                // What stands before a positional has to be given too.
                let place = |param: &Param| match param.spelling {
                    Spelling::Positional { index, .. } => index,
                    _ => 0,
                };
                let before = |other: &Param| (1..place(param)).contains(&place(other));
                let given = operation.params.iter().filter(|other| other.required || *other == param || before(other));
                let call: Map<String, Value> = given.map(|param| (param.name.clone(), sample(param))).collect();
                let invocation = Invocation::new(operation, &call, &[]);
                let invocation =
                    invocation.unwrap_or_else(|refusal| panic!("{tree}: {}: {call:?}: {refusal}", operation.name));
                if let Err(refusal) = Proved::new(catalog, invocation) {
                    let explained = refusal.kind == Kind::InvalidParams && !operation.constraints.is_empty();
                    // clap does not tell what an arg requires.
                    let untold = operation.name == "lab clash" && param.name == "sign";
                    assert!(explained || untold, "{tree}: {}: {call:?}: {refusal}", operation.name);
                }
            }
        }
    });
}

fn sample(param: &Param) -> Value {
    match &param.kind {
        ParamKind::Switch => json!(true),
        ParamKind::Count => json!(2),
        ParamKind::One(value) | ParamKind::Optional { value, .. } => sample_value(value),
        ParamKind::Many { item, repeat } => {
            let least = if repeat.append || repeat.delimiter.is_some() {
                repeat.min.max(1)
            } else {
                repeat.min.max(1).min(repeat.max)
            };
            Value::Array(vec![sample_value(item); least])
        }
    }
}

fn sample_value(value: &ValueType) -> Value {
    match (value.base, value.choices.first()) {
        (_, Some(choice)) => json!(choice.name),
        (BaseType::String, None) => json!("7"),
        (BaseType::Integer { min, max }, None) => {
            json!(i64::try_from(min.max(0).min(max)).unwrap().max(if max > 2 && min < 2 { 2 } else { i64::MIN }))
        }
        (BaseType::Number, None) => json!(1.5),
        (BaseType::Boolean, None) => json!(true),
    }
}
