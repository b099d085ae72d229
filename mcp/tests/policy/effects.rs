use super::{catalog, names};
use clap_facade::Facade;
use clap_facade::catalog::help::{Node, Page};
use clap_facade::catalog::{Catalog, Effect, Excuse, Operation};
use clap_facade::policy::Policy;
use clap_facade::surface::fixed::FixedTool;
use serde_json::Value;
use std::time::Duration;

fn operation<'a>(catalog: &'a Catalog, name: &str) -> &'a Operation {
    catalog.operations().iter().find(|operation| operation.name == name).unwrap()
}

fn params(catalog: &Catalog, name: &str) -> Vec<String> {
    operation(catalog, name).params.iter().map(|param| param.name.clone()).collect()
}

#[test]
fn what_is_offered_is_what_the_policy_leaves() {
    let table: &[(&str, &[&str])] = &[
        ("", &["pip list", "pip install", "self update"]),
        ("deny = ['self']", &["pip list", "pip install"]),
        ("deny = ['pip i*', '** update']", &["pip list"]),
        ("default = 'deny'", &[]),
        ("default = 'deny'\nexpose = ['pip']", &["pip list", "pip install"]),
        ("default = 'deny'\nexpose = ['**']\ndeny = ['pip install']", &["pip list", "self update"]),
        ("expose = ['pip list']\ndeny = ['pip list']", &["pip install", "self update"]),
        ("expose = ['run']", &["pip list", "pip install", "run", "self update"]),
        // What starts other programs has to be meant.
        ("expose = ['r*', '**']", &["pip list", "pip install", "self update"]),
        ("default = 'deny'\nexpose = ['run']", &["run"]),
    ];
    for (policy, expected) in table {
        assert_eq!(names(&catalog(policy)), *expected, "{policy}");
    }
}

#[test]
fn what_is_denied_has_that_for_a_reason() {
    let catalog = catalog("deny = ['self']");
    let reason =
        |path: &str| catalog.excused().iter().find(|excused| excused.path == path).map(|excused| excused.reason);
    assert_eq!(reason("self update"), Some(Excuse::Denied));
    assert_eq!(reason("self"), Some(Excuse::Group));
}

#[test]
fn effects_are_declared_and_a_later_rule_wins_key_by_key() {
    let catalog = catalog(
        "[[command]]\nmatch = ['pip *']\neffect = 'read-only'\ntimeout = '90s'\nmutating-when = ['output']\n\
         [[command]]\nmatch = ['pip install']\neffect = 'destructive'\noutput-bytes = 100\n",
    );
    let (list, install) = (operation(&catalog, "pip list"), operation(&catalog, "pip install"));
    assert_eq!((list.effect([]), list.widest_effect()), (Effect::ReadOnly, Effect::Mutating));
    assert_eq!(install.effect([]), Effect::Destructive);
    assert_eq!((install.timeout, install.output_bytes), (Some(Duration::from_secs(90)), Some(100)));
    assert_eq!((list.timeout, list.output_bytes), (Some(Duration::from_secs(90)), None));
    assert!(list.params.iter().any(|param| param.gate), "a call with `output` changes something, so it has the gates");
    assert_eq!(operation(&catalog, "self update").declared, None);
}

#[test]
fn a_variable_that_help_names_widens_a_call_as_the_flag_does() {
    let effect = |variable: &str| {
        let page =
            Page::read(&format!("Usage: app [OPTIONS]\n\nOptions:\n      --index <URL>  Where [env: {variable}=]\n"));
        let policy = "[[command]]\nmatch = ['']\neffect = 'read-only'\nmutating-when = ['index']";
        let facade = Facade::new(Node::new("app", page).command()).policy(&Policy::parse(policy).unwrap()).unwrap();
        facade.catalog().unwrap().operations()[0].effect([])
    };
    assert_eq!(effect("NO_SUCH_VARIABLE"), Effect::ReadOnly);
    assert_eq!(effect("PATH"), Effect::Mutating);
    assert_eq!(effect("NO_SUCH_VARIABLE or PATH"), Effect::Mutating);
}

#[test]
fn args_are_withheld_by_name_and_by_pattern() {
    assert_eq!(params(&catalog(""), "pip list"), ["output", "dry-run"], "a token is a secret by its name");
    let all = catalog("not-secret = ['token']");
    assert_eq!(params(&all, "pip list"), ["output", "token", "dry-run"]);
    let anywhere = catalog("secret = ['token']\nhost-owned = ['config']");
    assert_eq!(params(&anywhere, "pip list"), ["output", "dry-run"]);
    assert_eq!(params(&anywhere, "pip install"), ["dry-run"]);
    let somewhere = catalog("secret = ['pip l* token']\nnot-secret = ['token']\nhost-owned = ['--dry-run']");
    assert_eq!(params(&somewhere, "pip list"), ["output"]);
    assert_eq!(params(&somewhere, "pip install"), ["token", "config"]);
}

#[test]
fn texts_gates_and_names_are_the_operators() {
    let catalog = catalog(
        "tool-prefix = 'app_'\ngates = []\n[[command]]\nmatch = ['pip list']\ndescription = 'Lists what is installed'\n\
         examples = [{ title = 'All', line = 'pip list' }]\nuntrusted-output = true\n",
    );
    let list = operation(&catalog, "pip list");
    assert_eq!((list.about.as_str(), list.tool.as_str()), ("Lists what is installed", "app_pip_list"));
    assert_eq!(list.examples[0].title, "All");
    assert!(list.untrusted_output);
    assert!(list.params.iter().all(|param| !param.gate));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Nothing {}

#[test]
fn tools_that_are_no_commands_are_denied_too() {
    let tools = |policy: &str| {
        let answer = |_: Nothing| Ok::<_, std::io::Error>(Value::Null.into());
        let facade = Facade::new(super::tree()).tool(FixedTool::new("sql", "Query", Effect::ReadOnly, answer));
        let facade = facade.workflows().policy(&Policy::parse(policy).unwrap()).unwrap();
        let pipeline = facade.audit("/dev/null").build().unwrap();
        let tools = pipeline.surface().tools(pipeline.catalog());
        tools.into_iter().map(|tool| tool.name).skip(3).collect::<Vec<_>>()
    };
    assert_eq!(tools(""), ["sql", "workflow_submit"]);
    assert_eq!(tools("deny = ['sql']"), ["workflow_submit"]);
    assert_eq!(tools("default = 'deny'\nexpose = ['pip', 'workflow_submit']"), ["workflow_submit"]);
    assert_eq!(tools("default = 'deny'\nexpose = ['pip']"), Vec::<String>::new());
}

#[test]
fn a_policy_over_another_wins_and_exposes_by_name_what_that_one_denied() {
    let under = |over: &str| {
        let facade =
            super::facade("deny = ['pip', 'run']\n[[command]]\nmatch = ['self update']\neffect = 'destructive'");
        facade.policy(&Policy::parse(over).unwrap()).unwrap().catalog().unwrap()
    };
    assert_eq!(names(&under("")), ["self update"]);
    assert_eq!(names(&under("expose = ['pip list']")), ["pip list", "self update"]);
    assert_eq!(names(&under("expose = ['**', '* list']")), ["self update"], "a pattern does not mean it");
    assert_eq!(operation(&under(""), "self update").effect([]), Effect::Destructive);
    let mutating = under("[[command]]\nmatch = ['**']\neffect = 'mutating'");
    assert_eq!(operation(&mutating, "self update").effect([]), Effect::Mutating);
}
