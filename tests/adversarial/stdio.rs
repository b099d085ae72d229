//! What comes as bytes: lines that say one thing to one reader and another to the next, over stdio in both eras.

use super::run::{Server, Told, Way};
use super::{cases, fault};
use crate::server::within;
use crate::session::{Era, Session};
use clap_facade::door::stdio::serve_on;
use clap_facade::refusal::Kind;
use clap_facade::run::Principal;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Its name, the arguments of `command_run` as text, and what it is answered by: a JSON-RPC error's code or a kind.
type Row = (&'static str, Vec<u8>, Result<Kind, i64>);

pub(super) fn names() -> Vec<&'static str> {
    rows().iter().map(|row| row.0).collect()
}

fn rows() -> Vec<Row> {
    const PARSE: i64 = -32700;
    const INVALID: i64 = -32600;
    const PARAMS: i64 = -32602;
    let text = |name, text: &str, answer| (name, text.as_bytes().to_vec(), answer);
    let deep = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    vec![
        text(
            "a gate given twice",
            r#"{"name":"add","flags":{"title":"t","dry-run":true,"dry-run":false}}"#,
            Err(INVALID),
        ),
        text("a command given twice", r#"{"name":"get","name":"remove","args":["k"]}"#, Err(INVALID)),
        text("flags given twice", r#"{"name":"add","flags":{"dry-run":true},"flags":{"title":"t"}}"#, Err(INVALID)),
        text(
            "a gate given twice, once in escapes",
            r#"{"name":"add","flags":{"title":"t","dry-run":true,"dry\u002drun":false}}"#,
            Err(INVALID),
        ),
        text(
            "a gate given twice, deep down",
            r#"{"name":"add","flags":{"flags":{"title":"t","yes":false,"yes":true}}}"#,
            Err(INVALID),
        ),
        text("a number beyond all numbers", r#"{"name":"add","flags":{"title":"t","count":1e999}}"#, Err(PARSE)),
        text(
            "a number of ten thousand digits",
            &format!(r#"{{"name":"add","flags":{{"title":"t","count":{}}}}}"#, "9".repeat(10_000)),
            Err(PARSE),
        ),
        text("not a number", r#"{"name":"add","flags":{"title":"t","count":NaN}}"#, Err(PARSE)),
        text("a number with a leading nought", r#"{"name":"add","flags":{"title":"t","count":007}}"#, Err(PARSE)),
        text("half a surrogate", r#"{"name":"add","flags":{"title":"\ud800"}}"#, Err(PARSE)),
        text("a surrogate the wrong way round", r#"{"name":"add","flags":{"title":"\udc00\ud800"}}"#, Err(PARSE)),
        (
            "bytes that are no text",
            [br#"{"name":"add","flags":{"title":""#.as_slice(), b"\xff\xfe", br#""}}"#].concat(),
            Err(PARSE),
        ),
        (
            "a letter in too many bytes",
            [br#"{"name":"add","flags":{"title":""#.as_slice(), b"\xc0\xaf", br#""}}"#].concat(),
            Err(PARSE),
        ),
        ("a control byte in a text", b"{\"name\":\"add\",\"flags\":{\"title\":\"a\x00b\"}}".to_vec(), Err(PARSE)),
        text("a comment", r#"{"name":"add" /* , */ ,"flags":{"title":"t"}}"#, Err(PARSE)),
        text("a comma too many", r#"{"name":"add","flags":{"title":"t"},}"#, Err(PARSE)),
        text("single quotes", r#"{'name':'add'}"#, Err(PARSE)),
        text("two values", r#"{"name":"add"}{"name":"remove"}"#, Err(PARSE)),
        text("depth beyond all measure", &deep(100_000), Err(PARSE)),
        text(
            "depth that is still read",
            &format!(r#"{{"name":"add","flags":{{"title":"t","note":{}}}}}"#, deep(100)),
            Ok(Kind::InvalidParams),
        ),
        text("a NUL in an escape", r#"{"name":"add","flags":{"title":"a\u0000b"}}"#, Ok(Kind::InvalidParams)),
        text(
            "a prototype in its place",
            r#"{"name":"add","__proto__":{"yes":true},"flags":{"title":"t"}}"#,
            Ok(Kind::InvalidParams),
        ),
        text("arguments that are a list", r#"["add"]"#, Err(PARAMS)),
        text("arguments that are text", r#""add""#, Err(PARAMS)),
        text("a name that is a list", r#"{"name":["get","remove"]}"#, Ok(Kind::InvalidParams)),
        text("a name that is an object", r#"{"name":{"toString":"get"}}"#, Ok(Kind::InvalidParams)),
        text("flags that are a list", r#"{"name":"add","flags":["--yes"]}"#, Ok(Kind::InvalidParams)),
        text("flags that are text", r#"{"name":"add","flags":"--title t --yes"}"#, Ok(Kind::InvalidParams)),
    ]
}

/// The client's side of a line-by-line connection.
struct Raw {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
    writer: tokio::io::WriteHalf<tokio::io::DuplexStream>,
}

impl Raw {
    async fn connect(server: &Server) -> Self {
        let (near, far) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(far);
        tokio::spawn(serve_on(server.pipeline.clone(), Principal::default().into(), reader, writer));
        let (reader, writer) = tokio::io::split(near);
        let mut raw = Self { lines: BufReader::new(reader).lines(), writer };
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "raw", "version": "0" } });
        raw.send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string().as_bytes())
            .await;
        raw.answer().await;
        raw.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        raw
    }

    async fn send(&mut self, line: &[u8]) {
        self.writer.write_all(&[line, b"\n"].concat()).await.unwrap();
    }

    async fn answer(&mut self) -> Value {
        serde_json::from_str(&within(self.lines.next_line()).await.unwrap().unwrap()).unwrap()
    }
}

/// Spells a call as one line of either era.
fn line(era: Era, arguments: &[u8]) -> Vec<u8> {
    let meta = match era {
        Era::Legacy => "",
        Era::Modern => {
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"#
        }
    };
    let start =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{meta}"name":"command_run","arguments":"#);
    [start.as_bytes(), arguments, b"}}"].concat()
}

#[tokio::test]
async fn no_line_runs_that_could_be_read_in_two_ways_or_none() {
    for era in Era::ALL {
        let server = Server::new(Way::Run.surface());
        let mut raw = Raw::connect(&server).await;
        for (name, arguments, expected) in rows() {
            raw.send(&line(era, &arguments)).await;
            let answer = raw.answer().await;
            let context = format!("{name}: {}", answer.to_string().chars().take(2000).collect::<String>());
            assert_eq!(server.recorder.take().len(), 0, "{context}");
            match expected {
                Err(code) => assert_eq!(answer["error"]["code"], code, "{context}"),
                Ok(kind) => {
                    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{context}"));
                    let error: Value = serde_json::from_str(text).unwrap();
                    assert_eq!(error["error"]["code"], kind.code(), "{context}");
                }
            }
        }
        raw.send(&line(era, br#"{"name":"get","args":["k"]}"#)).await;
        assert_eq!(raw.answer().await["result"]["isError"], false, "and the session goes on");
        assert_eq!(server.recorder.take().len(), 1);
    }
}

#[tokio::test]
async fn a_sample_of_the_cases_is_refused_over_stdio_in_both_eras() {
    for era in Era::ALL {
        for way in Way::ALL {
            let server = Server::new(way.surface());
            let (near, far) = tokio::io::duplex(64 << 10);
            let (reader, writer) = tokio::io::split(far);
            tokio::spawn(serve_on(server.pipeline.clone(), Principal::default().into(), reader, writer));
            let (reader, writer) = tokio::io::split(near);
            let session = Session::over(reader, writer, era).await;
            for case in cases().into_iter().step_by(5) {
                let (tool, arguments) = way.spell(&server.pipeline, &case.command, &case.flags, case.args.as_ref());
                let context = format!("{} by {way:?} in {era:?}", case.name);
                if way == Way::Mirror && case.kind == Kind::UnknownOperation {
                    let (code, message) = within(session.protocol_error(&tool, arguments)).await;
                    assert_eq!(code.0, -32602, "{context}: {message}");
                } else {
                    let answer = within(session.call(&tool, arguments)).await;
                    assert!(answer.failed, "{context}: {answer:?}");
                    let report = answer.json();
                    let error = report.get("error").unwrap_or(&report["steps"][0]["error"]);
                    let told = Told::from_error(error).unwrap_or_else(|| panic!("{context}: {answer:?}"));
                    assert_eq!(fault(&case, way, &told), None, "{context}: {answer:?}");
                }
                assert_eq!(server.recorder.take().len(), 0, "{context}");
            }
        }
    }
}
