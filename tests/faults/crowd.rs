//! Many clients of one server, each with calls of its own under way.

use crate::server::within;
use clap::{Arg, Command};
use clap_facade::Facade;
use clap_facade::annotate::read_only;
use clap_facade::door::stdio::serve_on;
use clap_facade::exec::{CommandResult, InProcess, Io};
use clap_facade::run::audit::verify;
use clap_facade::run::{Pipeline, Principal};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const CLIENTS: usize = 64;
const CALLS: usize = 200;
/// How many calls one client has under way.
const ABREAST: usize = 2;
/// Every so many calls are a change, which runs alone.
const CHANGES: usize = 50;

fn tree() -> Command {
    let word = || Arg::new("word").required(true);
    Command::new("echo")
        .subcommand_required(true)
        .subcommand(Command::new("say").add(read_only()).arg(word()))
        .subcommand(Command::new("note").arg(word()))
}

fn echo(matches: &clap::ArgMatches, io: &mut Io<'_>) -> CommandResult {
    let (name, matches) = matches.subcommand().unwrap();
    let word = matches.get_one::<String>("word").unwrap();
    write!(io.stdout, "{name} {word}")?;
    Ok(0)
}

fn call(client: usize, number: usize) -> (String, String) {
    let name = if number.is_multiple_of(CHANGES) { "note" } else { "say" };
    let word = format!("c{client}-n{number}");
    let arguments = json!({ "name": name, "args": [word] });
    let params = json!({ "name": "command_run", "arguments": arguments });
    let line =
        json!({ "jsonrpc": "2.0", "id": format!("{client}:{number}"), "method": "tools/call", "params": params });
    (format!("{line}\n"), format!("{name} {word}"))
}

/// Makes all calls of one client; returns how many were answered.
async fn converse(pipeline: Arc<Pipeline>, client: usize, all: Arc<Barrier>) -> usize {
    let (near, far) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(serve_on(pipeline, Principal::default().into(), reader, writer));
    let (reader, mut writer) = tokio::io::split(near);
    let mut lines = BufReader::new(reader).lines();
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "raw", "version": "0" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    writer.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
    lines.next_line().await.unwrap().unwrap();
    writer.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
    let mut open = HashSet::new();
    let mut sent = 0;
    let mut answered = 0;
    while answered < CALLS {
        while sent < CALLS && open.len() < ABREAST {
            writer.write_all(call(client, sent).0.as_bytes()).await.unwrap();
            open.insert(sent);
            sent += 1;
        }
        let answer: Value = serde_json::from_str(&within(lines.next_line()).await.unwrap().unwrap()).unwrap();
        let id = answer["id"].as_str().unwrap_or_else(|| panic!("{answer}"));
        let number: usize =
            id.strip_prefix(&format!("{client}:")).unwrap_or_else(|| panic!("crossed: {answer}")).parse().unwrap();
        assert!(open.remove(&number), "answered twice: {answer}");
        assert_eq!(answer["result"]["content"][0]["text"], call(client, number).1, "{answer}");
        answered += 1;
    }
    // A server of one connection ends with it.
    all.wait().await;
    answered
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "12,800 calls: run by .ci/run"]
async fn of_64_clients_with_200_calls_each_nothing_is_lost_or_crossed() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    let pipeline = Facade::new(tree()).executor(InProcess::new(echo)).audit(&audit).build().unwrap();
    let pipeline = Arc::new(pipeline);
    let mut clients = JoinSet::new();
    let all = Arc::new(Barrier::new(CLIENTS));
    for client in 0..CLIENTS {
        clients.spawn(converse(pipeline.clone(), client, all.clone()));
    }
    assert_eq!(clients.join_all().await.iter().sum::<usize>(), CLIENTS * CALLS);
    let found = verify(&audit).unwrap();
    let changes = CLIENTS * CALLS.div_ceil(CHANGES);
    assert_eq!((found.faults.len(), found.seq), (0, (CLIENTS * CALLS + changes) as u64), "each call is written down");
    let text = std::fs::read_to_string(&audit).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ran = lines.filter(|line| line["decision"] == "ran");
    let words: HashSet<String> = ran
        .map(|line| format!("{} {}", line["target"].as_str().unwrap(), line["params"]["word"].as_str().unwrap()))
        .collect();
    assert_eq!(words.len(), CLIENTS * CALLS, "each under its own words");
}
