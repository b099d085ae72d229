//! What a caller is told who calls something else than there is.

use super::{caller, facade};
use clap::{Arg, Command};
use clap_facade::Facade;
use clap_facade::catalog::Effect;
use clap_facade::exec::InProcess;
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::surface::Choice;
use clap_facade::surface::fixed::{Answer, FixedTool};
use serde_json::{Map, Value, json};

async fn refused(surface: Choice, tool: &str, arguments: Value) -> Refusal {
    let folder = tempfile::tempdir().unwrap();
    let executor = InProcess::new(|_, _| Ok(0));
    let pipeline = facade(executor, &folder.path().join("audit")).surface(surface).build().unwrap();
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    pipeline.call(tool, arguments, &caller()).await.unwrap_err()
}

#[tokio::test]
async fn a_command_under_another_key_than_name_is_named() {
    for key in ["command", "operation", "tool"] {
        let refusal = refused(Choice::Facade, "command_run", json!({ key: "show", "flags": { "words": ["a"] } })).await;
        let [problem, missing] = refusal.problems.as_slice() else { panic!("{refusal}") };
        let expected = (key, "unknown param", Some("name"));
        assert_eq!((problem.param.as_str(), problem.problem.as_str(), problem.nearest.as_deref()), expected);
        assert_eq!((missing.param.as_str(), missing.problem.as_str()), ("name", "missing"));
    }
}

#[tokio::test]
async fn unknown_arguments_of_the_tools_themselves_are_named_with_the_nearest() {
    for (tool, arguments, named) in [
        (
            "command_run",
            json!({ "nam": "show", "bogus": 1 }),
            vec![("nam", Some("name")), ("bogus", None), ("name", None)],
        ),
        (
            "command_read",
            json!({ "NAME": "show", "flgs": {} }),
            vec![("NAME", Some("name")), ("flgs", Some("flags")), ("name", None)],
        ),
        ("command_run", json!({ "name": "show", "filds": ["a"] }), vec![("filds", Some("fields"))]),
        (
            "command_run",
            json!({ "name": "show", "word": ["a"], "bogus": 1 }),
            vec![("word", Some("words")), ("bogus", None)],
        ),
        ("command_run", json!({ "name": "show", "flags": { "flgs": {} } }), vec![("flgs", None)]),
        ("command_search", json!({ "qery": "x", "nme": "y" }), vec![("qery", Some("query")), ("nme", Some("name"))]),
        ("command_search", json!({ "limt": 3 }), vec![("limt", Some("limit"))]),
        ("workflow_submit", json!({ "steps": [{ "command": "show" }], "dry_run": null }), vec![("dry_run", None)]),
        (
            "workflow_submit",
            json!({ "steps": [{ "command": "show", "whn": null }] }),
            vec![("steps.1.whn", Some("when"))],
        ),
    ] {
        let refusal = refused(Choice::Facade, tool, arguments.clone()).await;
        let found: Vec<_> =
            refusal.problems.iter().map(|problem| (problem.param.as_str(), problem.nearest.as_deref())).collect();
        assert_eq!(found, named, "{arguments}: {refusal}");
    }
    let refusal = refused(Choice::Facade, "command_run", json!({ "name": "show", "filds": ["a"] })).await;
    assert!(refusal.to_string().contains("name, flags, args, fields"), "{refusal}");
}

#[tokio::test]
async fn the_one_text_of_a_search_is_searched_for_and_what_else_it_is_given_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = facade(InProcess::new(|_, _| Ok(0)), &folder.path().join("audit")).build().unwrap();
    let answer = async |arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let text = pipeline.call("command_search", arguments, &caller()).await.unwrap().text;
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let plain = answer(json!({ "query": "show" })).await;
    for renamed in
        [json!({ "qery": "show" }), json!({ "text": "show", "name": null }), json!({ "q": "show", "limit": 6 })]
    {
        assert_eq!(answer(renamed.clone()).await, plain, "{renamed}");
    }
    for (told, ignored) in [
        (json!({ "query": "show", "limt": 1, "bogus": null }), json!(["limt: did you mean `limit`?", "bogus"])),
        (json!({ "name": "show", "query": "x", "cursor": "junk" }), json!(["query", "cursor"])),
        (json!({ "cursor": "junk", "limit": 3 }), json!(["limit", "cursor"])),
    ] {
        assert_eq!(answer(told.clone()).await["ignored"], ignored, "{told}");
    }
    for told in [
        json!({ "query": "show", "bogus": 1 }),
        json!({ "name": "show", "bogus": 1 }),
        json!({ "query": "qqqq", "bogus": 1 }),
    ] {
        assert_eq!(answer(told.clone()).await["ignored"], json!(["bogus"]), "{told}");
    }
}

#[tokio::test]
async fn a_plan_that_is_none_is_told_so() {
    for surface in Choice::ALL {
        let (tool, arguments) = match surface {
            Choice::Mirror => ("change", json!({ "yes": true, "plan": "pl_nope" })),
            _ => ("command_run", json!({ "name": "change", "flags": { "yes": true }, "plan": "pl_nope" })),
        };
        let refusal = refused(*surface, tool, arguments).await;
        let [problem] = refusal.problems.as_slice() else { panic!("{refusal}") };
        assert_eq!((problem.param.as_str(), problem.problem.as_str()), ("plan", "not a plan that a preview named"));
        assert!(problem.expected.as_deref().unwrap().contains("12 hexadecimal"), "{refusal}");
    }
}

#[tokio::test]
async fn args_without_an_order_are_refused() {
    let refusal = refused(Choice::Facade, "command_run", json!({ "name": "show", "args": { "words": "a" } })).await;
    let [problem] = refusal.problems.as_slice() else { panic!("{refusal}") };
    assert_eq!((problem.param.as_str(), problem.problem.starts_with("an object")), ("args", true), "{refusal}");
}

#[tokio::test]
async fn args_that_cant_be_read_hide_no_other_problem() {
    for args in ["--words=a", "it's", "a -b"] {
        let arguments = json!({ "name": "show", "flags": { "nonesuch": 1 }, "args": args });
        let refusal = refused(Choice::Facade, "command_run", arguments).await;
        let params: Vec<&str> = refusal.problems.iter().map(|problem| problem.param.as_str()).collect();
        assert_eq!(params, ["args", "nonesuch"], "{refusal}");
    }
}

#[tokio::test]
async fn no_gate_is_offered_for_a_likeness() {
    for (unknown, nearest) in [("year", None), ("yess", None), ("dry", None), ("dryrun", Some("dry-run"))] {
        for surface in Choice::ALL {
            let (tool, arguments) = match surface {
                Choice::Mirror => ("change", json!({ unknown: 5 })),
                _ => ("command_run", json!({ "name": "change", "flags": { unknown: 5 } })),
            };
            let refusal = refused(*surface, tool, arguments).await;
            let [problem] = refusal.problems.as_slice() else { panic!("{refusal}") };
            assert_eq!((problem.param.as_str(), problem.nearest.as_deref()), (unknown, nearest));
        }
    }
}

#[tokio::test]
async fn numbers_out_of_range_are_named() {
    let refusal = refused(Choice::Facade, "command_search", json!({ "query": "show", "limit": -1 })).await;
    assert_eq!((refusal.kind, refusal.problems[0].param.as_str()), (Kind::InvalidParams, "limit"), "{refusal}");
}

#[tokio::test]
async fn what_runs_several_commands_is_pointed_to() {
    let refusal = refused(Choice::Facade, "command_run", json!({ "name": "workflow run" })).await;
    assert_eq!(refusal.message, "`workflow run` can't be called here: it is hidden");
    assert!(refusal.hint.unwrap().contains("workflow_submit"));
}

#[tokio::test]
async fn the_facades_tools_are_translated_on_the_mirror() {
    for (tool, arguments, hint) in [
        ("command_run", json!({ "name": "change" }), "call `change`"),
        ("command_read", json!({ "name": "no such" }), "such as `show`"),
        ("command_search", json!({ "query": "x" }), "such as `show`"),
    ] {
        let refusal = refused(Choice::Mirror, tool, arguments).await;
        assert_eq!(refusal.kind, Kind::UnknownTool);
        assert!(refusal.hint.as_ref().unwrap().contains(hint), "{refusal}");
    }
    assert_eq!(refused(Choice::Mirror, "chnge", json!({})).await.hint, None);
}

#[tokio::test]
async fn a_missing_param_is_told_with_what_it_is_for() {
    let command = Command::new("app").subcommand(
        Command::new("undo").arg(Arg::new("run").required(true).help("The run's number, from `list`. It is never 0.")),
    );
    let pipeline = Facade::new(command).audit("/dev/null").build().unwrap();
    let arguments = Map::from_iter([("name".to_owned(), "undo".into())]);
    let refusal = pipeline.call("command_run", arguments, &caller()).await.unwrap_err();
    let expected = refusal.problems[0].expected.as_deref().unwrap();
    assert!(expected.ends_with(" (The run's number, from `list`)"), "{expected}");
}

#[tokio::test]
async fn the_one_text_of_a_tool_that_only_reads_is_taken_under_any_name() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Sql {
        sql: String,
    }
    let tool = |effect| FixedTool::new("sql", "Ask.", effect, |sql: Sql| Ok::<_, Refusal>(Answer::Text(sql.sql)));
    for (effect, arguments, taken) in [
        (Effect::ReadOnly, json!({ "query": "SELECT 1" }), true),
        (Effect::ReadOnly, json!({ "sql": "SELECT 1" }), true),
        (Effect::ReadOnly, json!({ "query": "SELECT 1", "limit": 1 }), false),
        (Effect::ReadOnly, json!({ "query": 1 }), false),
        (Effect::Mutating, json!({ "query": "SELECT 1" }), false),
    ] {
        let facade = Facade::new(Command::new("app")).audit("/dev/null").tool(tool(effect));
        let Value::Object(given) = arguments.clone() else { panic!("arguments are an object") };
        let answer = facade.build().unwrap().call("sql", given, &caller()).await;
        assert_eq!(answer.map(|outcome| outcome.text).ok(), taken.then(|| "SELECT 1".to_owned()), "{arguments}");
    }
}

#[tokio::test]
async fn a_groups_name_shows_its_commands() {
    let tree = || {
        let list = Command::new("list").about("List items");
        let items = Command::new("items").subcommand_required(true).subcommand(list);
        Command::new("app").subcommand(items.subcommand(Command::new("secret-ish").hide(true)))
    };
    let search = async |name: &str| {
        let pipeline = Facade::new(tree()).audit("/dev/null").build().unwrap();
        pipeline.call("command_search", Map::from_iter([("name".to_owned(), name.into())]), &caller()).await
    };
    let answer: Value = serde_json::from_str(&search(" Items").await.unwrap().text).unwrap();
    assert_eq!((&answer["group"], answer["commands"].as_array().unwrap().len()), (&json!("items"), 1), "{answer}");
    assert_eq!(answer["commands"][0]["name"], "items list");
    for name in ["item", "items secret-ish", "items list more"] {
        assert_eq!(search(name).await.unwrap_err().kind, Kind::UnknownOperation, "{name}");
    }
}
