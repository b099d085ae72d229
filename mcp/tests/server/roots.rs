//! Paths, and the folders that they may lead to.

use super::{Client, audited, caller, request};
use clap::{Arg, Command, ValueHint};
use clap_facade::Facade;
use clap_facade::exec::InProcess;
use clap_facade::policy::Policy;
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::confine::Roots;
use clap_facade::run::{Caller, Pipeline};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A tree whose one command takes files.
fn tree() -> Command {
    let path = |name: &'static str| Arg::new(name).long(name).value_hint(ValueHint::AnyPath);
    let copy =
        Command::new("copy").arg(path("from")).arg(path("also").num_args(1..)).arg(Arg::new("note").long("note"));
    Command::new("tiny").subcommand_required(true).subcommand(copy)
}

fn pipeline(roots: Option<&str>, folder: &Path) -> Pipeline {
    let facade = Facade::new(tree()).executor(InProcess::new(|_, _| Ok(0))).audit(folder.join("audit.jsonl"));
    let policy = roots.map_or_else(String::new, |roots| format!("roots = {roots}"));
    facade.policy(&Policy::parse(&policy).unwrap()).unwrap().build().unwrap()
}

async fn call(pipeline: &Pipeline, flags: Value, roots: Roots) -> Result<(), Refusal> {
    let arguments = json!({ "name": "copy", "flags": flags });
    let caller = Caller { roots, ..caller() };
    pipeline.call("command_run", arguments.as_object().unwrap().clone(), &caller).await.map(drop)
}

#[tokio::test]
async fn paths_outside_of_what_the_policy_says_are_refused_each_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let here = root.display();
    let pipeline = pipeline(Some(&format!("['{here}']")), folder.path());
    let inside =
        json!({ "from": format!("{here}/new/file"), "also": ["-", "", format!("{here}/x")], "note": "/etc/passwd" });
    call(&pipeline, inside, Roots::Unsaid).await.unwrap();
    let outside = json!({ "from": "/etc/passwd", "also": [format!("{here}/x"), format!("{here}/../y"), "relative"] });
    let refusal = call(&pipeline, outside, Roots::Unsaid).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::PathOutside);
    let named: Vec<_> =
        refusal.problems.iter().map(|problem| (problem.param.as_str(), problem.given.as_deref().unwrap())).collect();
    assert_eq!(named, [("from", "/etc/passwd"), ("also", &format!("{here}/../y")), ("also", "relative")]);
    assert!(
        refusal.message.contains(&here.to_string()) && refusal.hint.unwrap().contains("roots"),
        "{}",
        refusal.message
    );
    let line = audited(&folder.path().join("audit.jsonl")).pop().unwrap();
    assert_eq!((line["step"].as_str(), line["code"].as_str()), (Some("confine"), Some("PATH_OUTSIDE")));
}

#[tokio::test]
async fn the_operators_word_stands_over_the_clients() {
    let folder = tempfile::tempdir().unwrap();
    let etc = || Roots::Folders(vec!["/etc".into()]);
    let there = || json!({ "from": "/etc/passwd" });
    let elsewhere = || json!({ "from": "/usr/x" });
    let unsaid = pipeline(None, folder.path());
    call(&unsaid, there(), Roots::Unsaid).await.unwrap();
    call(&unsaid, there(), etc()).await.unwrap();
    for (flags, roots) in [(elsewhere(), etc()), (there(), Roots::Unanswered)] {
        assert_eq!(call(&unsaid, flags, roots).await.unwrap_err().kind, Kind::PathOutside);
    }
    call(&unsaid, json!({ "note": "/usr/x" }), Roots::Unanswered).await.unwrap();
    let narrow = pipeline(Some("['/srv']"), folder.path());
    assert_eq!(call(&narrow, there(), etc()).await.unwrap_err().kind, Kind::PathOutside);
    let open = pipeline(Some("[]"), folder.path());
    call(&open, elsewhere(), etc()).await.unwrap();
}

#[tokio::test]
async fn a_client_is_asked_for_its_roots_once_and_again_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::of(Arc::new(pipeline(None, folder.path())));
    let info = json!({ "name": "raw", "version": "0" });
    let capabilities = json!({ "roots": { "listChanged": true } });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
    client.send(&request(0, "initialize", params)).await;
    client.answer().await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    let copy = |id: u32, from: &str| {
        request(
            id,
            "tools/call",
            json!({ "name": "command_run", "arguments": { "name": "copy", "flags": { "from": from } } }),
        )
    };
    let said = |answer: &Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    for (round, root) in ["file:///srv/a%20b", "file:///opt"].into_iter().enumerate() {
        let id = 10 * (round as u32 + 1);
        client.send(&copy(id, "/srv/a b/x")).await;
        let asked = client.answer().await;
        assert_eq!(asked["method"], "roots/list");
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": [{ "uri": root }, { "uri": "https://x/" }] } });
        client.send(&answer.to_string()).await;
        assert_eq!(said(&client.answer().await).contains("PATH_OUTSIDE"), round == 1, "{root}");
        client.send(&copy(id + 1, "/etc/passwd")).await;
        assert!(said(&client.answer().await).contains("PATH_OUTSIDE"), "{root}");
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#).await;
    }
}
