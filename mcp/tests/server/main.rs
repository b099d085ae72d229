//! The whole server over streams in memory, spoken to line by line, around executors that misbehave.
#![cfg(feature = "stdio")]
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod approve;
mod ask;
mod asks;
mod audit;
mod bound;
mod budget;
mod chain;
mod door;
mod kill;
mod plan;
mod principal;
mod progress;
mod refusals;
mod roots;
mod secrets;
mod workflow;

use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::annotate::read_only;
use clap_facade::catalog::Effect;
use clap_facade::door::stdio::serve_on;
use clap_facade::exec::{CancellationToken, Executor};
use clap_facade::run::{Caller, Pipeline, Principal};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// A tiny tree: `show` reads, `change` writes, both take any words.
fn tree() -> Command {
    let words = || Arg::new("words").action(ArgAction::Append).num_args(0..);
    let gate = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).global(true);
    Command::new("tiny")
        .subcommand_required(true)
        .args([gate("yes"), gate("dry-run")])
        .subcommand(Command::new("show").add(read_only()).arg(words()))
        .subcommand(Command::new("change").arg(words()))
        .subcommand(Command::new("workflow").subcommand(Command::new("run").hide(true)))
}

fn facade(executor: impl Executor + 'static, audit: &Path) -> Facade {
    Facade::new(tree()).executor(executor).workflows().audit(audit)
}

fn caller() -> Caller {
    Caller {
        principal: Principal::new("test", Effect::Destructive).into(),
        session: "test".to_owned(),
        door: "test",
        cancel: CancellationToken::new(),
        ..Caller::default()
    }
}

/// A server, and a client that has said nothing yet.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<io::Result<()>>,
}

impl Client {
    fn of(pipeline: Arc<Pipeline>) -> Self {
        let (near, far) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(far);
        let server = tokio::spawn(serve_on(pipeline, Principal::default().into(), reader, writer));
        let (reader, writer) = tokio::io::split(near);
        Self { lines: BufReader::new(reader).lines(), writer, server }
    }

    async fn connected(pipeline: Arc<Pipeline>) -> Self {
        let mut client = Self::of(pipeline);
        client.initialize().await;
        client
    }

    async fn initialize(&mut self) {
        let info = json!({ "name": "raw", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        self.send(&request(0, "initialize", params)).await;
        assert!(self.answer().await["result"].is_object());
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Sends a call of a command.
    async fn run(&mut self, id: u32, name: &str) {
        let arguments = json!({ "name": name });
        self.send(&request(id, "tools/call", json!({ "name": "command_run", "arguments": arguments }))).await;
    }

    async fn answer(&mut self) -> Value {
        let line = within(self.lines.next_line()).await.unwrap().expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    /// Leaves, and waits for the server to end.
    async fn leave(mut self) {
        self.writer.shutdown().await.unwrap();
        within(self.server).await.unwrap().unwrap();
    }
}

fn request(id: u32, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Waits for what must come. The bound only ends a broken test.
async fn within<F: Future>(coming: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(60), coming).await.expect("nothing is stuck")
}

/// Returns the audit's lines.
fn audited(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
