//! A client's side of the protocol, as little as it takes to see that a server speaks it.

use super::host;
use crate::hosts::Entry;
use serde_json::{Value, json};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a host waits for an answer before it gives a server up.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a server may take to end once its client has left.
const FAREWELL: Duration = Duration::from_secs(2);

/// The protocol version that is asked for: what hosts of both eras still speak.
const VERSION: &str = "2025-06-18";

/// A running server; it ends with its client.
pub(super) struct Client {
    child: Child,
    lines: Receiver<String>,
    stderr: Receiver<String>,
    next: u64,
}

/// Why a server can't be worked with, in plain words.
pub(super) struct Fault(String);

impl Fault {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Client {
    pub(super) fn start(entry: &Entry) -> Result<Self, Fault> {
        let mut child = host::start(entry).map_err(Fault)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let (send, errors) = channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = stderr.map(|mut pipe| pipe.read_to_end(&mut text));
            if matches!(read, Some(Ok(_))) {
                // The client may be gone by now, and then nobody asks.
                let _ = send.send(String::from_utf8_lossy(&text).trim().to_owned());
            }
        });
        Ok(Self { child, lines, stderr: errors, next: 0 })
    }

    /// Opens a session, and returns how the server calls itself.
    pub(super) fn handshake(&mut self) -> Result<String, Fault> {
        let client = json!({ "name": "doctor", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": client });
        let answer = self.ask("initialize", hello)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let (name, version) = (text(&answer["serverInfo"]["name"]), text(&answer["serverInfo"]["version"]));
        Ok(format!("{name}, version {version}, protocol {}", text(&answer["protocolVersion"])))
    }

    /// Lists the tools.
    pub(super) fn tools(&mut self) -> Result<Vec<Value>, Fault> {
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let page = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let mut answer = self.ask("tools/list", page)?;
            match answer["tools"].take() {
                Value::Array(more) => tools.extend(more),
                _ => return Err(Fault::plain("its answer to `tools/list` holds no tools")),
            }
            match answer["nextCursor"].take() {
                Value::String(next) => cursor = next.into(),
                _ => return Ok(tools),
            }
        }
    }

    /// Calls a tool, and returns whether it failed and what it said.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(bool, String), Fault> {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))?;
        let texts = answer["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        Ok((answer["isError"].as_bool().unwrap_or_default(), texts.collect::<Vec<_>>().join("\n")))
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Fault> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let end = Instant::now() + PATIENCE;
        loop {
            let line = match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Fault(format!("no answer to `{method}` within {PATIENCE:?}: a host would give it up")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(method)),
            };
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                let line: String = line.chars().take(120).collect();
                let what = "it prints on its stdout, which belongs to the protocol";
                return Err(Fault(format!("{what}: `{line}`\nwhat it has to tell people must go to its stderr")));
            };
            if message["id"] != id {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(Fault(format!("`{method}` is refused: {error}")));
            }
            return Ok(message["result"].take());
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Fault> {
        let sent = self.child.stdin.as_mut().map(|pipe| pipe.write_all(format!("{message}\n").as_bytes()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended(message["method"].as_str().unwrap_or("a message"))),
        }
    }

    /// Says how the server ended when it should have answered.
    fn ended(&mut self, method: &str) -> Fault {
        let end = match self.wait() {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its stdout".to_owned(),
        };
        let said = self.stderr.recv_timeout(FAREWELL).unwrap_or_default();
        let tail = &said[said.ceil_char_boundary(said.len().saturating_sub(600))..];
        let said = if tail.is_empty() { "it said nothing on its stderr".to_owned() } else { tail.to_owned() };
        Fault(format!("{end} instead of answering `{method}`:\n{said}"))
    }

    /// Waits a little for the server to end.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let end = Instant::now() + FAREWELL;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(10)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if self.wait().is_none() {
            // It is not to outlive its client; a failure means that it is gone already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
