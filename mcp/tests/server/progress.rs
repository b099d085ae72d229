//! How far a call has got, as a client hears it in both eras.

use super::{Client, facade, request};
use clap_facade::exec::{Executor, InProcess, Subprocess};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How a request of each era says what it is.
fn eras() -> [(bool, Value); 2] {
    let modern = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    [(true, json!({})), (false, modern)]
}

/// Calls `show` and returns the progress that was told before the answer, and the answer.
async fn told(executor: impl Executor + 'static, legacy: bool, meta: Value) -> (Vec<Value>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = Arc::new(facade(executor, &folder.path().join("audit.jsonl")).build().unwrap());
    let mut client = if legacy { Client::connected(pipeline).await } else { Client::of(pipeline) };
    let params = json!({ "name": "command_read", "arguments": { "name": "show" }, "_meta": meta });
    client.send(&request(7, "tools/call", params)).await;
    let mut steps = Vec::new();
    loop {
        let message = client.answer().await;
        match message["method"].as_str() {
            Some("notifications/progress") => steps.push(message["params"].clone()),
            None => break (steps, message),
            Some(other) => panic!("{other}"),
        }
    }
}

fn with_token(mut meta: Value) -> Value {
    meta["progressToken"] = "mine".into();
    meta
}

fn check(steps: &[Value], answer: &Value) {
    assert!(answer["result"]["isError"] != true, "{answer}");
    assert!(steps.len() >= 2, "{steps:?}");
    let mut last = 0.0;
    for step in steps {
        let progress = step["progress"].as_f64().unwrap();
        assert!(progress > last && step["progressToken"] == "mine", "{steps:?}");
        assert!(step["message"].as_str().is_none_or(|text| !text.contains(char::is_control)), "{steps:?}");
        last = progress;
    }
}

#[tokio::test]
async fn bars_and_events_of_a_process_are_told_to_who_asked() {
    let bar = r"printf '\r\033[32m10%%\033[0m' >&2; sleep 0.5; printf '\r60%%' >&2; sleep 0.5; printf '\r70%%\n' >&2; sleep 0.5";
    let events = r#"for i in 1 2 3; do echo "{\"event\":\"progress\",\"current\":$i,\"total\":3,\"message\":\"at $i\"}"; sleep 0.5; done"#;
    for script in [bar, events] {
        for (legacy, meta) in eras() {
            let shell = Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]);
            let (steps, answer) = told(shell, legacy, with_token(meta)).await;
            check(&steps, &answer);
        }
    }
}

#[tokio::test]
async fn a_command_in_process_tells_as_well() {
    for (legacy, meta) in eras() {
        let executor = InProcess::new(|_, io| {
            for step in 1..=3 {
                writeln!(io.stderr, "[{step}/3] working")?;
                std::thread::sleep(Duration::from_millis(400));
            }
            Ok(0)
        });
        let (steps, answer) = told(executor, legacy, with_token(meta)).await;
        check(&steps, &answer);
        assert_eq!(steps[0]["total"], 3.0);
    }
}

#[tokio::test]
async fn who_did_not_ask_hears_nothing() {
    for (legacy, meta) in eras() {
        let script = r"printf '10%%\r20%%\r' >&2; sleep 0.3; printf '30%%\r' >&2";
        let shell = Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]);
        let (steps, answer) = told(shell, legacy, meta).await;
        assert!(steps.is_empty() && answer["result"].is_object(), "{steps:?} {answer}");
    }
}
