//! Step 7, around all the others: what was called, by whom, and what came of it.
//!
//! One JSON object a line, appended; the file is its owner's alone (0600).

use super::{Call, Caller, Outcome, Target};
use crate::catalog::Effect;
use crate::exec::Intent;
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
    /// `None` where the environment names no place for it.
    path: Option<PathBuf>,
    file: Mutex<Option<File>>,
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
    pub fn to_file(path: Option<PathBuf>) -> Self {
        let file = path.as_deref().map(open).transpose().unwrap_or_else(|error| {
            let at = path.as_deref().unwrap_or(Path::new("")).display();
            tracing::error!("the audit {at} can't be opened ({error}): nothing that changes anything will run");
            None
        });
        Self { path, file: Mutex::new(file) }
    }

    /// Returns the audit's place for a CLI of that name: `$XDG_STATE_HOME/NAME/mcp-audit.jsonl`,
    /// by default below `~/.local/state`; `None` where the environment names neither.
    pub fn default_path(name: &str) -> Option<PathBuf> {
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
        Some(state.or_else(home)?.join(name).join("mcp-audit.jsonl"))
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

    /// Writes down that a call which may change something begins, and lets it pass once that is
    /// written; a call that changes nothing passes in any case.
    ///
    /// # Errors
    /// [`Kind::AuditUnavailable`].
    pub(crate) fn check(&self, call: &Call, entry: &Entry) -> Result<(), Refusal> {
        if call.target.effect() == Effect::ReadOnly {
            return Ok(());
        }
        let mut line = entry.line.clone();
        line.insert("decision".into(), "begun".into());
        self.write(line).map_err(|error| {
            let at = self.path.as_deref().map_or("the state folder".into(), |path| path.display().to_string());
            Refusal::new(Kind::AuditUnavailable).hint(format!("make {at} writable: {error}"))
        })
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
        if let Err(error) = self.write(line) {
            tracing::error!("the audit could not be written: {error}");
        }
    }

    fn write(&self, line: Map<String, Value>) -> io::Result<()> {
        let path = self.path.as_deref().ok_or_else(|| io::Error::other("neither XDG_STATE_HOME nor HOME is set"))?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that was moved, replaced or removed no longer keeps what is written to it.
        if !file.as_ref().is_some_and(|file| is_at(file, path)) {
            if file.is_some() {
                tracing::error!("the audit {} was replaced or removed while in use", path.display());
            }
            *file = None;
            *file = Some(open(path)?);
        }
        let Some(file) = file.as_mut() else { return Err(io::ErrorKind::NotFound.into()) };
        file.write_all(format!("{}\n", Value::Object(line)).as_bytes())
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), path.metadata()), (Ok(open), Ok(there)) if place(open.clone()) == place(there.clone()))
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

impl Entry {
    /// Adds what the call turned out to be.
    pub(crate) fn resolved(&mut self, call: &Call) {
        self.line.insert("target".into(), call.target.name().into());
        self.line.insert("effect".into(), call.target.effect().to_string().into());
        let params = match &call.target {
            Target::Operation(proved) => Value::Object(proved.invocation().to_json()),
            Target::Tool(_, arguments) => Value::Object(arguments.clone()),
            Target::Workflow(workflow) => json!({ "steps": workflow.names(), "yes": workflow.applies() }),
        };
        self.line.insert("params".into(), shorten(params));
    }

    /// Adds what becomes of the workflow that the call is a step of: what a preview did is taken back.
    pub(crate) fn step_of(&mut self, intent: Intent) {
        let intent = match intent {
            Intent::Apply => "apply",
            Intent::Preview => "preview",
        };
        self.line.insert("workflow".into(), intent.into());
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
    let file = options.open(path)?;
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
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
