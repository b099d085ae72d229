//! The stdio door, with clients that break the protocol or leave.

use super::{Client, audited, facade, request, within};
use clap_facade::exec::{BoxFuture, Executor, Finished, InProcess, Job};
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::kill::Kill;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use tokio::sync::Notify;

#[tokio::test]
async fn a_session_survives_whatever_comes_before_and_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let executor = InProcess::new(|_, io| Ok(write!(io.stdout, "shown").map(|()| 0)?));
    let mut client = Client::of(Arc::new(facade(executor, &folder.path().join("audit")).build().unwrap()));
    for begun in [false, true] {
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#).await;
        client.send("GET / HTTP/1.1").await;
        assert_eq!(client.answer().await["error"]["code"], -32700);
        client.send("[]").await;
        assert_eq!(client.answer().await["error"]["code"], -32600);
        client.send(&request(4, "tools/call", json!({ "name": "command_run", "arguments": "show" }))).await;
        let answer = client.answer().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(4), &json!(-32602)), "{answer}");
        client.send(&request(5, "no/such", json!({}))).await;
        assert!(client.answer().await["error"].is_object());
        client.run(6, "show").await;
        let answer = client.answer().await;
        let text = &answer["result"]["content"][0]["text"];
        assert_eq!(text, &if begun { json!("shown") } else { Value::Null }, "{answer}");
        if !begun {
            client.initialize().await;
        }
    }
    client.leave().await;
}

/// Runs until it is stopped, and notes whether the server itself did that.
#[derive(Clone, Default)]
struct Hung {
    started: Arc<Notify>,
    kill: Arc<OnceLock<Kill>>,
    stopped_by_the_server: Arc<AtomicBool>,
}

impl Executor for Hung {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async move {
            self.started.notify_one();
            job.cancel.cancelled().await;
            self.stopped_by_the_server.store(self.kill.get().unwrap().token().is_cancelled(), SeqCst);
            Err(Refusal::new(Kind::Cancelled))
        })
    }
}

#[tokio::test]
async fn a_call_in_flight_is_stopped_and_written_down_once_the_client_left() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let hung = Hung::default();
    let pipeline = Arc::new(facade(hung.clone(), &audit).build().unwrap());
    let _ = hung.kill.set(pipeline.kill().clone());
    let mut client = Client::connected(pipeline).await;
    client.run(1, "change").await;
    within(hung.started.notified()).await;
    client.leave().await;
    // The SDK would have given the call five seconds, and then cancelled it for its caller.
    assert!(hung.stopped_by_the_server.load(SeqCst), "it was stopped by the server");
    let last = audited(&audit).pop().unwrap();
    assert_eq!((&last["target"], &last["code"]), (&json!("change"), &json!("CANCELLED")), "{last}");
}

#[tokio::test]
async fn what_is_done_soon_after_the_client_closed_its_side_is_still_answered() {
    let folder = tempfile::tempdir().unwrap();
    let executor = InProcess::new(|_, io| Ok(write!(io.stdout, "shown").map(|()| 0)?));
    let pipeline = Arc::new(facade(executor, &folder.path().join("audit")).build().unwrap());
    let mut client = Client::connected(pipeline).await;
    client.run(1, "show").await;
    tokio::io::AsyncWriteExt::shutdown(&mut client.writer).await.unwrap();
    assert_eq!(client.answer().await["result"]["content"][0]["text"], "shown");
    within(client.server).await.unwrap().unwrap();
}
