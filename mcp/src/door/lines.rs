//! The framing of stdio: one JSON-RPC message a line, and an answer to every line that is none.

use crate::surface::twice::key_given_twice;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, InitializeRequestParams,
    ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::future::Future;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The longest line that is read, in bytes.
const LINE_BYTES: usize = 16 << 20;

/// The longest reason that an answer tells, in bytes: it may quote what was sent.
const REASON_BYTES: usize = 300;

/// The methods that a tools server has.
const METHODS: &[&str] = &["initialize", "ping", "server/discover", "tools/list", "tools/call"];

/// Messages over a pair of streams, one a line.
pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    /// The line read so far. Kept here, since a read may be given up half-way and taken up again.
    line: Vec<u8>,
    too_long: bool,
    writer: Arc<Mutex<Option<W>>>,
    /// The answer that is being written to a line that was no message.
    answering: Option<JoinHandle<()>>,
    begun: bool,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// Sets `ended` once the client has closed its side.
    pub(super) fn new(reader: R, writer: W, ended: CancellationToken) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            too_long: false,
            writer: Arc::new(Mutex::new(Some(writer))),
            answering: None,
            begun: false,
            ended,
        }
    }

    /// Reads one line, or tells that there are no more.
    async fn next_line(&mut self) -> bool {
        loop {
            let Ok(available) = self.reader.fill_buf().await else { return false };
            if available.is_empty() {
                return !self.line.is_empty() || self.too_long;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            self.too_long |= self.line.len() + taken > LINE_BYTES;
            match self.too_long {
                true => self.line.clear(),
                false => self.line.extend_from_slice(&available[..taken]),
            }
            self.reader.consume(taken);
            if end.is_some() {
                return true;
            }
        }
    }

    /// Reads the line as a message; what can't be one is answered, what needs no answer is `None`.
    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Answer> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            let reason = format!("the line is longer than {LINE_BYTES} bytes");
            return Err(Answer { id: None, code: ErrorCode::INVALID_REQUEST, reason });
        }
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(line) else { return fault(line) };
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                // The SDK tries all shapes in turn, and takes a request that fits none for an unknown method.
                if let ClientRequest::CustomRequest(custom) = &request.request
                    && METHODS.contains(&custom.method.as_str())
                {
                    let (id, code) = (Some(request.id.clone()), ErrorCode::INVALID_PARAMS);
                    return Err(Answer { id, code, reason: misfit(&custom.method, custom.params.as_ref()) });
                }
                if let Some(reason) = key_given_twice(line) {
                    return Err(Answer { id: Some(request.id.clone()), code: ErrorCode::INVALID_REQUEST, reason });
                }
                self.begun |= begins(&request.request);
            }
            // The SDK takes anything but a request for the end, as long as no session has begun.
            _ if !self.begun => return Ok(None),
            _ => {}
        }
        Ok(Some(message))
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = self.writer.clone();
        async move { write(&writer, serde_json::to_vec(&message)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // One at a time, so that who sends rubbish and reads no answer waits and takes no memory.
            if let Some(answering) = &mut self.answering {
                let _ = answering.await;
                self.answering = None;
            }
            if !self.next_line().await {
                self.ended.cancel();
                return None;
            }
            match self.message() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(answer) => {
                    let writer = self.writer.clone();
                    self.answering = Some(tokio::spawn(async move {
                        let _ = write(&writer, answer.to_json().to_string().into_bytes()).await;
                    }));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.lock().await.take());
        Ok(())
    }
}

async fn write<W: AsyncWrite + Unpin>(writer: &Mutex<Option<W>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

/// The error that answers a line.
#[derive(Debug, PartialEq)]
struct Answer {
    id: Option<RequestId>,
    code: ErrorCode,
    reason: String,
}

impl Answer {
    fn to_json(&self) -> Value {
        let reason = &self.reason[..self.reason.floor_char_boundary(REASON_BYTES)];
        json!({ "jsonrpc": "2.0", "id": self.id, "error": { "code": self.code, "message": reason } })
    }
}

/// Says what keeps a line from being a message.
fn fault(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Answer> {
    let refuse = |id, code, reason: String| Err(Answer { id, code, reason });
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => return refuse(None, ErrorCode::PARSE_ERROR, format!("the line is not JSON: {error}")),
    };
    let has = |key: &str| message.get(key).is_some();
    // Neither a notification nor an answer is ever answered.
    if !has("id") && has("method") || !has("method") && (has("result") || has("error")) {
        return Ok(None);
    }
    let id = message.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    if let (Some(_), Some("2.0"), Some(method)) = (&id, message["jsonrpc"].as_str(), message["method"].as_str())
        && !has("result")
        && !has("error")
    {
        return refuse(id, ErrorCode::INVALID_PARAMS, misfit(method, message.get("params")));
    }
    let reason = match &message {
        Value::Array(_) => "batches are not part of MCP: send one message a line",
        Value::Object(_) if message.get("jsonrpc") != Some(&"2.0".into()) => "`jsonrpc` is not \"2.0\"",
        Value::Object(_) if !has("method") => "there is no `method`",
        Value::Object(_) if !message["method"].is_string() => "`method` is not a string",
        Value::Object(_) if id.is_none() => "`id` is neither a string nor an integer",
        Value::Object(_) => "a request has neither `result` nor `error`",
        _ => "a message is a JSON object",
    };
    refuse(id, ErrorCode::INVALID_REQUEST, reason.to_owned())
}

/// Says what is wrong with the params of a method that this server has.
fn misfit(method: &str, params: Option<&Value>) -> String {
    let params = params.unwrap_or(&Value::Null);
    let reason = match (params, method) {
        (Value::Null, _) => Some("there are none".to_owned()),
        (Value::Object(members), _) if members.get("_meta").is_some_and(|meta| !meta.is_object()) => {
            Some("`_meta` is not an object".to_owned())
        }
        (Value::Object(_), "tools/call") => call(params).or_else(|| unfit::<CallToolRequestParams>(params)),
        (Value::Object(_), "initialize") => unfit::<InitializeRequestParams>(params),
        (Value::Object(_), _) => None,
        _ => Some(format!("they are {}, not an object", kind(params))),
    };
    format!("the params of {method} don't fit: {}", reason.as_deref().unwrap_or("they are not as MCP has them"))
}

fn call(params: &Value) -> Option<String> {
    match (params.get("name"), params.get("arguments")) {
        (None, _) => Some("`name` is missing: the tool to call".to_owned()),
        (Some(name), _) if !name.is_string() => Some(format!("`name` is {}, not a string", kind(name))),
        (_, Some(arguments)) if !arguments.is_object() => {
            Some(format!("`arguments` is {}, not an object", kind(arguments)))
        }
        _ => None,
    }
}

fn unfit<T: DeserializeOwned>(params: &Value) -> Option<String> {
    serde_json::from_value::<T>(params.clone()).err().map(|error| error.to_string())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Tells whether the SDK begins a session with a request: by `initialize`, or by one that brings all it must know.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, DuplexStream, duplex};

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",
        "capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}"#;

    fn hello() -> String {
        HELLO.replace('\n', "")
    }

    /// Reads all of an input; returns the methods of what was let through, and the answers.
    async fn read(input: &str) -> (Vec<String>, Vec<Value>) {
        let (mut client, server) = duplex(1 << 20);
        let mut lines = Lines::<_, DuplexStream>::new(input.as_bytes(), server, CancellationToken::new());
        let mut methods = Vec::new();
        while let Some(message) = lines.receive().await {
            methods.push(match message {
                ClientJsonRpcMessage::Request(request) => request.request.method().to_owned(),
                other => serde_json::to_value(other).unwrap()["method"].as_str().unwrap_or("an answer").to_owned(),
            });
        }
        assert!(lines.ended.is_cancelled());
        lines.close().await.unwrap();
        let mut answers = String::new();
        client.read_to_string(&mut answers).await.unwrap();
        (methods, answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[tokio::test]
    async fn a_line_that_is_no_message_is_answered() {
        let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
        for (line, code, id, reason) in [
            ("hello".to_owned(), -32700, json!(null), "not JSON"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#.to_owned(), -32700, json!(null), "not JSON"),
            ("\u{1}".to_owned(), -32700, json!(null), "not JSON"),
            ("[".repeat(500), -32700, json!(null), "not JSON"),
            ("[]".to_owned(), -32600, json!(null), "one message a line"),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_owned(), -32600, json!(null), "one message a line"),
            ("5".to_owned(), -32600, json!(null), "a JSON object"),
            ("{}".to_owned(), -32600, json!(null), "`jsonrpc`"),
            (r#"{"id":3,"method":"ping"}"#.to_owned(), -32600, json!(3), "`jsonrpc`"),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#.to_owned(), -32600, json!("a"), "`jsonrpc`"),
            (r#"{"jsonrpc":"2.0","id":3}"#.to_owned(), -32600, json!(3), "no `method`"),
            (r#"{"jsonrpc":"2.0","id":3,"method":5}"#.to_owned(), -32600, json!(3), "`method` is not"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_owned(), -32600, json!(null), "`id` is neither"),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#.to_owned(), -32600, json!(null), "`id` is neither"),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}"#.to_owned(),
                -32600,
                json!(3),
                "neither `result`",
            ),
            (call(r#"{"name":"command_run","arguments":"name: x"}"#), -32602, json!(7), "`arguments` is a string"),
            (call(r#"{"name":"command_run","arguments":[1]}"#), -32602, json!(7), "`arguments` is an array"),
            (call(r#"{"name":5}"#), -32602, json!(7), "`name` is a number"),
            (call(r#"{"tool":"command_run"}"#), -32602, json!(7), "`name` is missing"),
            (call(r#"["command_run"]"#), -32602, json!(7), "not an object"),
            (call(r#"{"name":"command_run","_meta":1}"#), -32602, json!(7), "`_meta`"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#.to_owned(), -32602, json!(7), "there are none"),
            (call(r#"{"name":"x","arguments":{"a":1,"a":2}}"#), -32600, json!(7), "`a` is given twice"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#.to_owned(),
                -32602,
                json!(1),
                "protocolVersion",
            ),
        ] {
            for input in [format!("{line}\n"), format!("{}\r\n\n{line}\r\n{}\n", hello(), hello()), line.clone()] {
                let (methods, answers) = read(&input).await;
                assert_eq!(
                    methods.len(),
                    input.matches("protocolVersion").count(),
                    "{input}: nothing else is let through"
                );
                let [answer] = answers.as_slice() else { panic!("{line}: {answers:?}") };
                assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &id), "{line}");
                assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
                assert!(answer["error"]["message"].as_str().unwrap().contains(reason), "{line}: {answer}");
            }
        }
    }

    #[tokio::test]
    async fn what_needs_no_answer_gets_none() {
        for line in [
            "",
            "  ",
            r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":5}"#,
            r#"{"method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","result":5,"id":{}}"#,
            r#"{"jsonrpc":"2.0","error":"no"}"#,
        ] {
            assert_eq!(read(&format!("{line}\n")).await.1, [] as [Value; 0], "{line}");
        }
    }

    #[tokio::test]
    async fn what_comes_before_a_session_has_begun_can_not_end_it() {
        let early = [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#,
        ]
        .join("\n");
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let (methods, answers) = read(&format!("{early}\n{ping}\n{early}\n{}\n{early}\n", hello())).await;
        assert_eq!(methods[..2], ["ping", "initialize"]);
        assert_eq!(methods.len(), 6, "and afterwards all of it is let through: {methods:?}");
        assert_eq!(answers, [] as [Value; 0]);
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        for (first, begins) in [
            (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#), true),
            (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{meta}}}}}"#), false),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(), false),
        ] {
            let (methods, _) = read(&format!("{first}\n{early}\n")).await;
            assert_eq!(methods.len() > 1, begins, "{first}: {methods:?}");
        }
    }

    #[tokio::test]
    async fn a_line_without_end_takes_no_memory_and_is_answered_once() {
        let long = "x".repeat(LINE_BYTES + 1);
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        for input in [format!("{long}{long}\n{ping}\n"), format!("{ping}\n{long}")] {
            let (methods, answers) = read(&input).await;
            assert_eq!(methods, ["ping"]);
            assert_eq!(answers.len(), 1);
            assert_eq!(answers[0]["error"]["code"], -32600);
        }
    }
}
