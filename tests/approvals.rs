//! Plans and approvals on a real library: the person at the client, and the operator in another process.

use crate::server::{MYCLI_MCP, Server, Setup, within};
use crate::session::{Answer, Era, Human};
use rmcp::model::ElicitationAction;
use serde_json::{Value, json};
use std::process::Output;
use std::time::Duration;

async fn server(options: &[&str], policy: &str, human: Human, era: Era) -> Server {
    let mut setup = Setup::of(MYCLI_MCP).arg("start");
    let file = setup.folder.path().join("policy.toml");
    std::fs::write(&file, policy).unwrap();
    for option in options.iter().copied().chain([format!("--policy={}", file.display()).as_str()]) {
        setup = setup.arg(option);
    }
    let data = setup.folder.path().join("data");
    setup.env("MYCLI_DATA_DIR", data).start_for(human, era).await
}

async fn run(server: &Server, name: &str, flags: Value, plan: Option<&str>) -> Answer {
    let mut arguments = json!({ "name": name, "flags": flags });
    if let Some(plan) = plan {
        arguments["plan"] = plan.into();
    }
    within(server.session.call("command_run", arguments)).await
}

fn audited(server: &Server) -> Vec<Value> {
    let text = std::fs::read_to_string(server.audit("mycli")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs a verb as the operator does, in a process of its own.
async fn verb(server: &Server, words: &[&str], agents: bool) -> Output {
    let mut command = tokio::process::Command::new(MYCLI_MCP);
    command.args(words).env("XDG_STATE_HOME", server.folder.path().join("state")).env("USER", "ada");
    if agents {
        command.env("CLAP_FACADE_CALL", "1");
    }
    within(command.output()).await.unwrap()
}

#[tokio::test]
async fn the_person_at_the_client_decides() {
    for era in Era::ALL {
        for (action, code) in [
            (ElicitationAction::Accept, None),
            (ElicitationAction::Decline, Some("APPROVAL_DENIED")),
            (ElicitationAction::Cancel, Some("APPROVAL_REQUIRED")),
        ] {
            let human = Human::who_says(action.clone());
            let server = server(&["--approve=ask"], "", human.clone(), era).await;
            let title = json!({ "title": "Opticks", "key": "newton1704" });
            let preview = run(&server, "items add", title.clone(), None).await;
            assert_eq!(preview.json()["mode"], "preview");
            assert_eq!(human.asked(), Vec::<String>::new(), "a preview needs nobody's word");
            let mut apply = title;
            apply["yes"] = true.into();
            let answer = run(&server, "items add", apply, None).await;
            let asked = human.asked();
            assert_eq!(asked.len(), 1, "{asked:?}");
            let line = asked[0].lines().nth(1).unwrap();
            for word in ["mycli --agent ", " items add ", "--yes", " -- Opticks"] {
                assert!(line.contains(word), "{line}");
            }
            match code {
                None => assert_eq!(answer.json()["mode"], "apply", "{}", answer.all()),
                Some(code) => assert_eq!(answer.refusal(), code),
            }
            let ran = audited(&server).into_iter().rfind(|line| line["decision"] == "ran").unwrap();
            let by = ran["approval"]["by"].as_str();
            assert_eq!(by, code.is_none().then_some("elicitation"), "{era:?} {action:?} {ran}");
        }
    }
}

#[tokio::test]
async fn the_operator_decides_in_another_process_and_no_agent_does() {
    for era in Era::ALL {
        let server = server(&["--approve=ask"], "", Human::default(), era).await;
        let apply = json!({ "title": "Opticks", "key": "newton1704", "yes": true });
        let waits = run(&server, "items add", apply.clone(), None).await;
        assert_eq!(waits.refusal(), "APPROVAL_REQUIRED");
        let id = waits.json()["error"]["approval"].as_str().unwrap().to_owned();

        for words in [&["approvals", "grant", &id][..], &["approvals", "deny", &id], &["kill", "off"]] {
            let refused = verb(&server, words, true).await;
            assert_eq!(refused.status.code(), Some(13), "{words:?}: {refused:?}");
        }
        assert_eq!(run(&server, "items add", apply.clone(), None).await.refusal(), "APPROVAL_REQUIRED");

        let list = verb(&server, &["approvals", "list"], false).await;
        let list = String::from_utf8(list.stdout).unwrap();
        assert!(list.starts_with(&format!("{id}  waits until ")) && list.contains(" -- Opticks"), "{list}");
        assert!(verb(&server, &["approvals", "grant", &id], false).await.status.success());
        let list = verb(&server, &["approvals", "list", "--json"], false).await;
        let list: Value = serde_json::from_slice(&list.stdout).unwrap();
        assert_eq!(list["approvals"][0]["decided"], json!({ "answer": "grant", "by": "operator ada", "reason": null }));
        let answer = run(&server, "items add", apply.clone(), None).await;
        assert_eq!(answer.json()["mode"], "apply", "{}", answer.all());
        assert_eq!(run(&server, "items add", apply, None).await.refusal(), "APPROVAL_REQUIRED");
        let lines = audited(&server);
        assert_eq!(lines[lines.len() - 2]["approval"], json!({ "id": id, "by": "operator ada" }));
        let granted = lines.iter().find(|line| line["tool"] == "approvals").unwrap();
        assert_eq!((&granted["decision"], &granted["principal"]), (&json!("granted"), &json!("ada")));
        assert_eq!(verb(&server, &["approvals", "grant", "ap_none"], false).await.status.code(), Some(2));
    }
}

/// Returns the plan that a preview names.
fn plan(answer: &Answer) -> String {
    let notes = answer.texts[1..].join("\n");
    let plan = notes.lines().find_map(|line| line.strip_prefix("plan: ")).unwrap_or_else(|| panic!("{answer:?}"));
    plan.split(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn what_the_reference_cli_previews_is_the_same_a_second_later() {
    let changes = [
        ("items add", json!({ "title": "Opticks", "key": "newton1704" })),
        ("items delete", json!({ "keys": ["k"], "allow-destructive": true })),
        ("items edit", json!({ "keys": ["k"], "issued": "1704" })),
        ("tags rename", json!({ "tag": "old", "name": "new" })),
        ("collections create", json!({ "name": "Light" })),
        ("library snapshot create", json!({})),
        ("demo", json!({})),
    ];
    let mut planned = Vec::new();
    for (name, flags) in changes {
        let server = server(&[], "", Human::default(), Era::Modern).await;
        let item = json!({ "title": "Light", "key": "k", "tag": ["old"], "yes": true });
        let added = run(&server, "items add", item, None).await;
        assert!(!added.failed, "{}", added.all());
        let preview = run(&server, name, flags.clone(), None).await;
        assert!(!preview.failed, "{name}: {}", preview.all());
        planned.push((server, name, flags, plan(&preview)));
    }
    // Whatever holds the time of day would differ now.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    for (server, name, mut flags, plan) in planned {
        let mut other = flags.clone();
        other["yes"] = true.into();
        other["max-changes"] = 7.into();
        assert_eq!(run(&server, name, other, Some(&plan)).await.refusal(), "PLAN_CHANGED", "{name}");
        flags["yes"] = true.into();
        let applied = run(&server, name, flags.clone(), Some(&plan)).await;
        assert_eq!(applied.json()["mode"], "apply", "{name}: {}", applied.all());
        assert_eq!(run(&server, name, flags, Some(&plan)).await.refusal(), "PLAN_REQUIRED", "{name}");
    }
}
