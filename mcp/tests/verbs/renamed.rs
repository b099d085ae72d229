//! Former names: callable everywhere, listed nowhere, and the answer says so.

use super::facade;
use clap::{Arg, Command};
use clap_facade::annotate::{read_only, renamed_from};
use clap_facade::catalog::{Catalog, CatalogError, Effect, Settings};
use clap_facade::run::{Caller, Outcome, Principal};
use clap_facade::surface::Choice;
use serde_json::{Map, Value, json};

fn tree() -> Command {
    let show = Command::new("show").add(read_only().renamed_from("view")).arg(Arg::new("id"));
    let items = Command::new("items").subcommand_required(true).add(renamed_from("entries"));
    Command::new("notes").subcommand_required(true).subcommand(show).subcommand(items.subcommand(Command::new("list")))
}

fn call(surface: Choice, tool: &str, arguments: Value) -> Outcome {
    let Value::Object(arguments) = arguments else { panic!("not an object") };
    let pipeline =
        facade(tree()).executor(clap_facade::exec::Subprocess::new("true")).surface(surface).build().unwrap();
    let caller = Caller {
        principal: Principal::new("test", Effect::Destructive).into(),
        session: "test".into(),
        door: "test",
        cancel: Default::default(),
        ..Caller::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(pipeline.call(tool, arguments, &caller)).unwrap()
}

#[test]
fn a_former_name_still_calls_and_the_answer_tells_the_new_one() {
    for (surface, tool, arguments, now) in [
        (Choice::Facade, "command_run", json!({"name": "view"}), Some("show")),
        (Choice::Facade, "command_read", json!({"name": "View"}), Some("show")),
        (Choice::Facade, "command_run", json!({"name": "entries list"}), Some("items list")),
        (Choice::Mirror, "view", json!({}), Some("show")),
        (Choice::Mirror, "entries_list", json!({}), Some("items list")),
        (Choice::Facade, "command_run", json!({"name": "show"}), None),
        (Choice::Facade, "command_run", json!({"name": "items_list"}), None),
        (Choice::Mirror, "items_list", json!({}), None),
    ] {
        let notes = call(surface, tool, arguments.clone()).notes.join("\n");
        match now {
            Some(now) => assert!(notes.contains(&format!("is now called `{now}`")), "{tool} {arguments}: {notes}"),
            None => assert_eq!(notes, "", "{tool} {arguments}"),
        }
    }
}

#[test]
fn a_former_name_is_listed_nowhere() {
    for surface in Choice::ALL {
        let pipeline = facade(tree()).surface(*surface).build().unwrap();
        let tools: Vec<Value> =
            pipeline.surface().tools(pipeline.catalog()).iter().map(|tool| tool.to_json()).collect();
        let listed = Value::from(tools).to_string();
        assert!(!listed.contains("view") && !listed.contains("entries"), "{surface}: {listed}");
    }
    let found = call(Choice::Facade, "command_search", Value::Object(Map::new())).text;
    assert!(!found.contains("view") && !found.contains("entries"), "{found}");
}

#[test]
fn a_former_name_that_has_another_meaning_is_an_error() {
    let command = |a: &str, b: &str| {
        Command::new("notes")
            .subcommand_required(true)
            .subcommand(Command::new("a").add(renamed_from(a)))
            .subcommand(Command::new("b").add(renamed_from(b)))
    };
    for (a, b) in [("b", "c"), ("c", "c"), ("c", "a")] {
        let error = Catalog::new(command(a, b), &Settings::default()).unwrap_err();
        assert!(matches!(error, CatalogError::FormerName { .. }), "{a} {b}: {error}");
    }
    assert!(Catalog::new(command("c", "d"), &Settings::default()).is_ok());
}
