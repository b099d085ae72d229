//! Step 7, around all the others: what was called, by whom, and what came of it.
//!
//! One JSON object a line, appended; the file is its owner's alone (0600).

use super::{Call, Caller, Outcome, Target};
use crate::catalog::Effect;
use crate::refusal::{Kind, Refusal};
use serde_json::{Map, Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

/// Longest text of a param that is written whole, in bytes; longer ones are cut and say so.
const TEXT_BYTES: usize = 200;

/// Where the audit goes.
#[derive(Debug)]
pub struct Audit {
    path: Option<PathBuf>,
    file: Result<Mutex<File>, io::ErrorKind>,
}

/// A call that has begun and is not yet written down.
#[derive(Debug)]
pub(crate) struct Entry {
    line: Map<String, Value>,
    since: Instant,
}

impl Audit {
    /// Appends to a file, which is made where it is missing.
    ///
    /// Where that fails, reads go on and everything that changes something is refused.
    pub fn to_file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let file = open(&path).map(Mutex::new).map_err(|error| {
            tracing::error!(
                "the audit {} can't be opened ({error}): nothing that changes anything will run",
                path.display()
            );
            error.kind()
        });
        Self { path: Some(path), file }
    }

    /// Returns the audit's place for a CLI of that name: `$XDG_STATE_HOME/NAME/mcp-audit.jsonl`,
    /// by default below `~/.local/state`.
    pub fn default_path(name: &str) -> PathBuf {
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
        state.or_else(home).unwrap_or_else(std::env::temp_dir).join(name).join("mcp-audit.jsonl")
    }

    /// Returns the file it appends to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Begins a call's line with what was asked, before it is known whether it can be resolved.
    pub(crate) fn begin(&self, tool: &str, surface: &str, caller: &Caller) -> Entry {
        let mut line = Map::new();
        line.insert("time".into(), humantime::format_rfc3339_millis(SystemTime::now()).to_string().into());
        line.insert("session".into(), caller.session.as_str().into());
        line.insert("principal".into(), caller.principal.as_str().into());
        line.insert("door".into(), caller.door.into());
        line.insert("surface".into(), surface.into());
        line.insert("tool".into(), cut(tool).into());
        Entry { line, since: Instant::now() }
    }

    /// Lets the call pass where its end can be written down, or changes nothing.
    ///
    /// # Errors
    /// [`Kind::AuditUnavailable`].
    pub(crate) fn check(&self, call: &Call) -> Result<(), Refusal> {
        match &self.file {
            Err(error) if call.target.effect() > Effect::ReadOnly => Err(Refusal::new(Kind::AuditUnavailable)
                .hint(format!("make {} writable: {error}", self.path.as_deref().unwrap_or(Path::new("")).display()))),
            _ => Ok(()),
        }
    }

    /// Writes the call down.
    pub(crate) fn end(&self, entry: Entry, result: &Result<Outcome, Refusal>) {
        let Entry { mut line, since } = entry;
        match result {
            Ok(outcome) => {
                line.insert("decision".into(), "ran".into());
                if let Some(exit) = outcome.exit {
                    line.insert("exit".into(), exit.into());
                }
                line.insert("ok".into(), (!outcome.failed).into());
                line.insert("bytes".into(), outcome.bytes.into());
            }
            Err(refusal) => {
                line.insert("decision".into(), "refused".into());
                line.insert("code".into(), refusal.kind.code().into());
                line.insert("reason".into(), cut(&refusal.message).into());
            }
        }
        line.insert("ms".into(), json!((since.elapsed().as_secs_f64() * 1e5).round() / 100.0));
        let Ok(file) = &self.file else { return };
        let line = format!("{}\n", Value::Object(line));
        let written = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        if let Err(error) = written {
            tracing::error!("the audit could not be written: {error}");
        }
    }
}

impl Entry {
    /// Adds what the call turned out to be.
    pub(crate) fn resolved(&mut self, call: &Call) {
        self.line.insert("target".into(), call.target.name().into());
        self.line.insert("effect".into(), call.target.effect().to_string().into());
        let params = match &call.target {
            Target::Operation(proved) => Value::Object(proved.invocation().to_json()),
            Target::Tool(_, arguments) => Value::Object(arguments.clone()),
            Target::Workflow(workflow) => json!({ "steps": workflow.names() }),
        };
        self.line.insert("params".into(), shorten(params));
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn shorten(value: Value) -> Value {
    match value {
        Value::String(text) => cut(&text).into(),
        Value::Array(items) => items.into_iter().map(shorten).collect(),
        Value::Object(members) => members.into_iter().map(|(key, member)| (key, shorten(member))).collect(),
        plain => plain,
    }
}

fn cut(text: &str) -> String {
    if text.len() <= TEXT_BYTES {
        return text.to_owned();
    }
    format!("{}… ({} bytes)", &text[..text.floor_char_boundary(TEXT_BYTES)], text.len())
}
