//! Asking the client's user, in both eras, with clients that answer well, badly or not at all.

use super::{Client, audited, facade, request};
use clap_facade::catalog::Approval;
use clap_facade::exec::InProcess;
use clap_facade::run::approve::{Answer, Approvals};
use clap_facade::surface::Choice;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A server that asks before it changes anything.
struct Asking {
    folder: TempDir,
    client: Client,
}

impl Asking {
    async fn legacy(capabilities: Value) -> Self {
        Self::legacy_on(Choice::Facade, capabilities).await
    }

    async fn legacy_on(surface: Choice, capabilities: Value) -> Self {
        let (folder, mut client) = Self::begun(surface);
        let info = json!({ "name": "raw", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
        client.send(&request(0, "initialize", params)).await;
        assert!(client.answer().await["result"].is_object());
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        Self { folder, client }
    }

    fn modern() -> Self {
        let (folder, client) = Self::begun(Choice::Facade);
        Self { folder, client }
    }

    fn begun(surface: Choice) -> (TempDir, Client) {
        let folder = tempfile::tempdir().unwrap();
        let run = InProcess::new(|_, io| Ok(write!(io.stdout, "done").map(|()| 0)?));
        let facade = facade(run, &folder.path().join("audit")).approve(Approval::Ask).surface(surface);
        let client = Client::of(Arc::new(facade.build().unwrap()));
        (folder, client)
    }

    fn approvals(&self) -> Approvals {
        Approvals::beside(Some(&self.audit()))
    }

    fn audit(&self) -> std::path::PathBuf {
        self.folder.path().join("audit")
    }

    /// Sends a legacy call of a command.
    async fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        self.client.send(&request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))).await;
    }

    /// Sends a modern call, with what is given beside its arguments.
    async fn ask(&mut self, id: u32, arguments: Value, beside: Value) -> Value {
        self.ask_able(id, arguments, beside, json!({ "elicitation": {} })).await
    }

    async fn ask_able(&mut self, id: u32, arguments: Value, beside: Value, capabilities: Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "0" },
        });
        let mut params = json!({ "name": "command_run", "arguments": arguments, "_meta": meta });
        for (key, value) in beside.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.client.send(&request(id, "tools/call", params)).await;
        let answer = self.client.answer().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }
}

fn change(word: &str) -> Value {
    json!({ "name": "change", "flags": { "words": [word], "yes": true } })
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

fn code(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    let error: Value = serde_json::from_str(text(result)).unwrap();
    error["error"]["code"].as_str().unwrap().to_owned()
}

fn last(audit: &Path) -> Value {
    audited(audit).pop().unwrap()
}

#[tokio::test]
async fn the_user_is_asked_over_the_connection() {
    for surface in Choice::ALL {
        for capability in [json!({}), json!({ "form": {} }), json!({ "form": {}, "url": {} })] {
            let mut asking = Asking::legacy_on(*surface, json!({ "elicitation": capability })).await;
            for (id, action, came) in [(1, "accept", "done"), (2, "decline", ""), (3, "cancel", "")] {
                let word = action;
                match surface {
                    Choice::Mirror => asking.call(id, "change", change(word)["flags"].clone()).await,
                    _ => asking.call(id, "command_run", change(word)).await,
                }
                let asked = asking.client.answer().await;
                assert_eq!(asked["method"], "elicitation/create", "{asked}");
                let message = asked["params"]["message"].as_str().unwrap();
                assert!(message.contains(&format!("tiny change --yes -- {word}")), "{message}");
                assert_eq!(asked["params"]["requestedSchema"], json!({ "type": "object", "properties": {} }));
                let answer =
                    json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": action, "content": {} } });
                asking.client.send(&answer.to_string()).await;
                let answer = asking.client.answer().await;
                assert_eq!(answer["id"], id);
                match action {
                    "accept" => assert_eq!(text(&answer["result"]), came),
                    "decline" => assert_eq!(code(&answer["result"]), "APPROVAL_DENIED"),
                    _ => assert_eq!(code(&answer["result"]), "APPROVAL_REQUIRED"),
                }
            }
            let by: Vec<_> = audited(&asking.audit()).into_iter().filter(|line| line["decision"] == "ran").collect();
            assert_eq!((by.len(), &by[0]["approval"]["by"]), (1, &json!("elicitation")));
            // What the user turned away from still waits, for him or for the operator.
            let waiting = asking.approvals().list().unwrap();
            assert_eq!(waiting.iter().filter(|approval| approval.decided.is_none()).count(), 1);
            // What he declined is not asked again.
            let arguments = change("decline");
            match surface {
                Choice::Mirror => asking.call(9, "change", arguments["flags"].clone()).await,
                _ => asking.call(9, "command_run", arguments).await,
            }
            assert_eq!(code(&asking.client.answer().await["result"]), "APPROVAL_DENIED");
        }
    }
}

#[tokio::test]
async fn a_client_that_can_not_ask_gets_the_id() {
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let mut asking = Asking::legacy(capabilities.clone()).await;
        asking.call(1, "command_run", change("a")).await;
        let answer = asking.client.answer().await;
        assert_eq!(code(&answer["result"]), "APPROVAL_REQUIRED");
        let error: Value = serde_json::from_str(text(&answer["result"])).unwrap();
        let id = error["error"]["approval"].as_str().unwrap().to_owned();
        asking.approvals().decide(&id, Answer::Grant, "operator me", None).unwrap();
        asking.call(2, "command_run", change("a")).await;
        assert_eq!(text(&asking.client.answer().await["result"]), "done");
        assert_eq!(last(&asking.audit())["approval"]["by"], "operator me");

        let mut asking = Asking::modern();
        let result = asking.ask_able(1, change("a"), json!({}), capabilities).await;
        assert_eq!(code(&result), "APPROVAL_REQUIRED");
    }
}

#[tokio::test]
async fn a_client_that_answers_rubbish_allows_nothing() {
    let mut asking = Asking::legacy(json!({ "elicitation": {} })).await;
    let answers = [
        json!({ "result": {} }),
        json!({ "result": { "action": "yes" } }),
        json!({ "result": { "action": true } }),
        json!({ "result": { "content": { "action": "accept" } } }),
        json!({ "result": { "model": "m", "role": "user", "content": { "type": "text", "text": "accept" } } }),
        json!({ "error": { "code": -32601, "message": "no such method" } }),
        json!({ "error": { "code": -1, "message": "User rejected" } }),
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        let id = number as u32 + 1;
        asking.call(id, "command_run", change(&id.to_string())).await;
        let asked = asking.client.answer().await;
        let mut line = json!({ "jsonrpc": "2.0", "id": asked["id"] });
        line.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        asking.client.send(&line.to_string()).await;
        let answer = asking.client.answer().await;
        assert_eq!((&answer["id"], code(&answer["result"])), (&json!(id), "APPROVAL_REQUIRED".to_owned()), "{line}");
    }
    assert!(audited(&asking.audit()).iter().all(|line| line["decision"] == "refused"));
}

#[tokio::test]
async fn while_the_user_thinks_other_calls_go_on_and_a_cancel_ends_the_wait() {
    let mut asking = Asking::legacy(json!({ "elicitation": {} })).await;
    asking.call(1, "command_run", change("a")).await;
    assert_eq!(asking.client.answer().await["method"], "elicitation/create");
    asking.call(2, "command_run", json!({ "name": "show" })).await;
    assert_eq!(asking.client.answer().await["id"], 2);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    asking.client.send(&cancel.to_string()).await;
    asking.call(3, "command_run", json!({ "name": "show" })).await;
    loop {
        // The server may tell the client that it no longer asks.
        let answer = asking.client.answer().await;
        if answer.get("id").is_some() {
            assert_eq!(answer["id"], 3);
            break;
        }
    }
    let Asking { folder, client } = asking;
    client.leave().await;
    assert!(
        audited(&folder.path().join("audit"))
            .iter()
            .all(|line| line["target"] != "change" || line["decision"] == "refused")
    );
}

#[tokio::test]
async fn the_client_asks_and_calls_again() {
    for (action, came) in [("accept", "done"), ("decline", "APPROVAL_DENIED"), ("cancel", "APPROVAL_REQUIRED")] {
        let mut asking = Asking::modern();
        let asked = asking.ask(1, change("a"), json!({})).await;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let input = &asked["inputRequests"]["approval"];
        assert_eq!(input["method"], "elicitation/create", "{asked}");
        assert!(input["params"]["message"].as_str().unwrap().contains("tiny change --yes -- a"), "{asked}");
        let beside = json!({
            "requestState": asked["requestState"], "inputResponses": { "approval": { "action": action, "content": {} } },
        });
        let result = asking.ask(2, change("a"), beside.clone()).await;
        match action {
            "accept" => assert_eq!(text(&result), came),
            _ => assert_eq!(code(&result), came),
        }
        if action == "accept" {
            assert_eq!(last(&asking.audit())["approval"]["by"], "elicitation");
            let again = asking.ask(3, change("a"), json!({})).await;
            assert_ne!(again["requestState"], asked["requestState"]);
            assert_eq!(code(&asking.ask(4, change("a"), beside).await), "APPROVAL_REQUIRED", "an answer counts once");
        }
    }
}

#[tokio::test]
async fn a_state_is_good_for_its_call_alone() {
    let mut asking = Asking::modern();
    let asked = asking.ask(1, change("a"), json!({})).await;
    let state = asked["requestState"].as_str().unwrap().to_owned();
    let other = asking.ask(2, change("b"), json!({})).await["requestState"].as_str().unwrap().to_owned();
    let yes = json!({ "approval": { "action": "accept", "content": {} } });
    let words = |state: &str| state.split('.').map(str::to_owned).collect::<Vec<_>>();
    let with = |index: usize, word: &str| {
        let mut words = words(&state);
        word.clone_into(&mut words[index]);
        words.join(".")
    };
    let mixed = [&words(&other)[..4], &words(&state)[4..]].concat().join(".");
    let elsewhere = {
        let mut elsewhere = Asking::modern();
        elsewhere.ask(1, change("a"), json!({})).await["requestState"].as_str().unwrap().to_owned()
    };
    let mut id = 10;
    for (word, state) in [
        ("b", state.as_str()),
        ("a", &other),
        ("a", &mixed),
        ("a", &elsewhere),
        ("a", &with(0, "v2")),
        ("a", &with(1, "ap_0000000000")),
        ("a", &with(2, &"0".repeat(64))),
        ("a", &with(3, "99999999999999")),
        ("a", &with(4, &"0".repeat(64))),
        ("a", &with(4, "")),
        ("a", &format!("{state}.")),
        ("a", ""),
        ("a", "...."),
        ("a", &"x".repeat(100_000)),
    ] {
        id += 1;
        let beside = json!({ "requestState": state, "inputResponses": yes });
        assert_eq!(code(&asking.ask(id, change(word), beside).await), "APPROVAL_REQUIRED", "{word} {state}");
        let last = last(&asking.audit());
        assert_eq!((&last["decision"], &last["code"]), (&json!("refused"), &json!("APPROVAL_REQUIRED")));
    }
    // Another command, and a gate more.
    for arguments in [
        json!({ "name": "change", "flags": { "words": ["a"], "yes": true, "dry-run": true } }),
        json!({ "name": "change", "flags": { "words": ["a", "b"], "yes": true } }),
    ] {
        id += 1;
        let beside = json!({ "requestState": state, "inputResponses": yes });
        assert_eq!(code(&asking.ask(id, arguments, beside).await), "APPROVAL_REQUIRED");
    }
    for nothing in [
        json!({}),
        json!({ "other": yes["approval"] }),
        json!({ "approval": "accept" }),
        json!({ "approval": { "action": "no" } }),
    ] {
        id += 1;
        let beside = json!({ "requestState": state, "inputResponses": nothing });
        assert_eq!(code(&asking.ask(id, change("a"), beside).await), "APPROVAL_REQUIRED");
    }
    assert!(audited(&asking.audit()).iter().all(|line| line["decision"] == "refused"));
    let reordered = json!({ "flags": { "yes": true, "words": ["a"] }, "name": "change" });
    let beside = json!({ "requestState": state, "inputResponses": yes });
    assert_eq!(text(&asking.ask(99, reordered, beside).await), "done", "it still counts for its own call");
}
