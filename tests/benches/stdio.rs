//! What a client waits for, and what the pipeline itself takes of it.
//!
//! Targets: a call over stdio in 0.3 ms where the command does nothing; the pipeline without proof and execution in
//! 0.1 ms, which is `pipeline` less `proof`.

#![expect(clippy::unwrap_used, reason = "a bench that can't go on fails")]

#[path = "../../mcp/tests/trees/peers.rs"]
mod peers;

use clap_facade::Facade;
use clap_facade::annotate::read_only;
use clap_facade::argv::Proved;
use clap_facade::exec::{BoxFuture, CancellationToken, Captured, Executor, Exit, Finished, Job};
use clap_facade::invocation::Invocation;
use clap_facade::refusal::Refusal;
use clap_facade::run::{Caller, Principal};
use clap_facade::surface::Choice;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A server that is a process of its own, asked line by line.
struct Server {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(surface: &str, state: &std::path::Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_peercli-mcp"))
            .arg("--in-process")
            .env("PEERCLI_MCP_SURFACE", surface)
            .env("XDG_STATE_HOME", state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut server = Self { process, to, from };
        let client = json!({ "name": "bench", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.ask(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }));
        server.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn tell(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn ask(&mut self, message: &Value) {
        self.tell(message);
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"result\"") && !answer.contains("\"isError\":true"), "{answer}");
    }

    fn end(self) {
        let Self { mut process, to, .. } = self;
        drop(to);
        process.wait().unwrap();
    }
}

fn stdio(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("over stdio, in process");
    let calls = [
        ("facade", json!({ "name": "command_run", "arguments": { "name": "lab ping" } })),
        ("mirror", json!({ "name": "lab_ping", "arguments": {} })),
    ];
    for (surface, params) in calls {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::start(surface, folder.path());
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        group.bench_function(format!("{surface}: ping"), |bench| bench.iter(|| server.ask(&ping)));
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        group.bench_function(format!("{surface}: tools/call"), |bench| bench.iter(|| server.ask(&call)));
        server.end();
    }
    group.finish();
}

/// Says at once that every command ran.
struct Nothing;

impl Executor for Nothing {
    fn execute(&self, _job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        let printed = Captured { bytes: b"pong\n".to_vec(), total: 5 };
        let finished =
            Finished { exit: Exit::Code(0), stdout: printed, stderr: Captured::default(), elapsed: Duration::ZERO };
        Box::pin(async { Ok(finished) })
    }
}

fn pipeline(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let reading =
        peers::command().mut_subcommand("lab", |lab| lab.mut_subcommand("ping", |ping| ping.add(read_only())));
    let facade = Facade::new(reading).executor(Nothing).surface(Choice::Mirror);
    let pipeline = facade.audit(folder.path().join("audit")).build().unwrap();
    let caller = Caller {
        principal: Arc::new(Principal::default()),
        session: "bench".to_owned(),
        door: "bench",
        cancel: CancellationToken::new(),
        ..Caller::default()
    };
    let mut group = criterion.benchmark_group("the pipeline, nothing executed");
    group.bench_function("pipeline", |bench| {
        bench.iter(|| runtime.block_on(pipeline.call("lab_ping", Map::new(), &caller)).unwrap());
    });
    let catalog = pipeline.catalog();
    group.bench_function("proof", |bench| {
        let operation = catalog.find("lab ping").unwrap();
        bench.iter(|| Proved::new(catalog, Invocation::new(operation, &Map::new(), &[]).unwrap()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, stdio, pipeline);
criterion_main!(benches);
