//! How soon `mycli-mcp` answers, and what it takes to memory: medians over many starts.
//!
//! Targets: from its start to the answer of `tools/list` 15 ms; 25 MiB at its peak.

#![expect(clippy::unwrap_used, reason = "a bench that can't go on fails")]
#![expect(clippy::print_stdout, reason = "prints what it measured")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const STARTS: usize = 51;

struct Start {
    until_list: Duration,
    peak_kib: u64,
}

fn main() {
    for surface in ["facade", "mirror"] {
        let starts: Vec<Start> = (0..STARTS).map(|_| start(surface)).collect();
        let time = median(starts.iter().map(|start| start.until_list.as_micros() as u64).collect());
        let peak = median(starts.iter().map(|start| start.peak_kib).collect());
        println!(
            "{surface}: start to tools/list {:.1} ms, peak {:.1} MiB (medians of {STARTS})",
            time as f64 / 1e3,
            peak as f64 / 1024.0
        );
    }
}

/// Starts a server, asks it for its tools and stops it.
fn start(surface: &str) -> Start {
    let folder = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mycli-server"))
        .env("MYCLI_MCP_SURFACE", surface)
        .env("MYCLI_DATA_DIR", folder.path().join("data"))
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |request: Value| {
        writeln!(stdin, "{request}").unwrap();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(answer["result"].is_object(), "{answer}");
        answer
    };
    ask(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": { "name": "bench", "version": "0" } } }));
    let list = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let until_list = began.elapsed();
    assert!(list["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 6));
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kib = peak.trim().trim_end_matches(" kB").parse().unwrap();
    drop(stdin);
    child.wait().unwrap();
    Start { until_list, peak_kib }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}
