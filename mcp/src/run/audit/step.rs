//! The step: what a call's line says, and when it has to be written.

use super::chain::hash;
use super::log::{Flush, Keeping, Log};
use crate::argv::Proved;
use crate::catalog::Effect;
use crate::exec::{Enforcement, Intent};
use crate::folders::user_folder;
use crate::refusal::{Kind, Refusal};
use crate::run::approve::Approved;
use crate::run::plan::Checked;
use crate::run::{Call, Caller, Outcome, Target};
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

/// Longest text of a param that is written whole, in bytes; longer ones are cut and digested.
const TEXT_BYTES: usize = 200;

/// Where the audit goes.
#[derive(Debug)]
pub struct Audit {
    /// `None` where the environment names no place for it.
    path: Option<PathBuf>,
    log: Mutex<Option<Log>>,
}

/// A call that has begun and is not yet written down.
#[derive(Debug)]
pub(crate) struct Entry {
    line: Map<String, Value>,
    /// Whether its lines have to reach the disk as those of changes do.
    flush: Flush,
    since: Instant,
}

impl Audit {
    /// Appends to a file, which is made where it is missing.
    ///
    /// Where that fails, reads go on and everything that changes something is refused.
    pub fn to_file(path: Option<PathBuf>, keeping: Keeping) -> Self {
        let log = path.clone().map(|path| Log::new(path, keeping));
        Self { path, log: Mutex::new(log) }
    }

    /// Tells now, not at the first call, that the file can't be opened.
    pub(crate) fn announce(&self) {
        if let Some(log) = self.log.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && let Err(error) = log.open()
        {
            let at = self.path.as_deref().unwrap_or(Path::new("")).display();
            tracing::error!("the audit {at} can't be opened ({error}): nothing that changes anything will run");
        }
    }

    /// Returns the audit's place for a CLI of that name: `$XDG_STATE_HOME/NAME/mcp-audit.jsonl`,
    /// by default below `~/.local/state`; `None` where the environment names neither.
    pub fn default_path(name: &str) -> Option<PathBuf> {
        Some(user_folder("XDG_STATE_HOME", ".local/state")?.join(name).join("mcp-audit.jsonl"))
    }

    /// Returns the file it appends to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Begins a call's line with what was asked, before it is known whether it can be resolved.
    pub(crate) fn begin(&self, tool: &str, surface: &str, caller: &Caller) -> Entry {
        let mut line = Map::new();
        line.insert("time".into(), now().into());
        line.insert("session".into(), caller.session.as_str().into());
        line.insert("principal".into(), caller.principal.name.as_str().into());
        line.insert("door".into(), caller.door.into());
        line.insert("surface".into(), surface.into());
        line.insert("tool".into(), cut(tool).into());
        Entry { line, flush: Flush::Never, since: Instant::now() }
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
        self.write(&line, entry.flush).map_err(|error| {
            let at = self.path.as_deref().map_or("the state folder".into(), |path| path.display().to_string());
            Refusal::new(Kind::AuditUnavailable).hint(format!("make {at} writable: {error}"))
        })
    }

    /// Writes the call down.
    pub(crate) fn end(&self, entry: Entry, result: &Result<Outcome, Refusal>) {
        let Entry { mut line, flush, since } = entry;
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
                line.insert("step".into(), step(refusal.kind).into());
                line.insert("code".into(), refusal.kind.code().into());
                line.insert("reason".into(), cut(&refusal.message).into());
            }
        }
        line.insert("ms".into(), json!((since.elapsed().as_secs_f64() * 1e5).round() / 100.0));
        if let Err(error) = self.write(&line, flush) {
            tracing::error!("the audit could not be written: {error}");
        }
    }

    /// Writes down what the operator did: `tool` is the verb, `decision` what it was told.
    ///
    /// # Errors
    /// Why it could not be written.
    pub(crate) fn operator(&self, tool: &str, decision: &str, by: &str, reason: Option<&str>) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("time".into(), now().into());
        line.insert("principal".into(), cut(by).into());
        line.insert("door".into(), "verb".into());
        line.insert("tool".into(), tool.into());
        line.insert("decision".into(), decision.into());
        if let Some(reason) = reason {
            line.insert("reason".into(), cut(reason).into());
        }
        self.write(&line, Flush::Changes)
    }

    fn write(&self, line: &Map<String, Value>, flush: Flush) -> io::Result<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let log = log.as_mut().ok_or_else(|| io::Error::other("neither XDG_STATE_HOME nor HOME is set"))?;
        log.append(line, flush)
    }
}

impl Entry {
    /// Adds what the call turned out to be.
    pub(crate) fn resolved(&mut self, call: &Call, enforced: Option<Enforcement>) {
        self.line.insert("target".into(), call.target.name().into());
        self.line.insert("effect".into(), call.target.effect().to_string().into());
        let params = match &call.target {
            Target::Operation(proved) => Value::Object(proved.invocation().to_json()),
            Target::Tool(_, arguments) => Value::Object(arguments.clone()),
            Target::Workflow(workflow) => json!({ "steps": workflow.names(), "yes": workflow.applies() }),
        };
        self.line.insert("params".into(), shorten(params));
        if let Target::Operation(proved) = &call.target {
            self.line.insert("argv_sha256".into(), digest(proved).into());
        }
        if let Some(enforced) = enforced {
            self.line.insert("enforced".into(), enforced.to_string().into());
        }
        if call.target.effect() > Effect::ReadOnly {
            self.flush = Flush::Changes;
        }
    }

    /// Adds the plan and the operator's word that let the call pass.
    pub(crate) fn allowed(&mut self, plan: Option<&Checked>, approved: Option<&Approved>) {
        if let Some(plan) = plan {
            self.line.insert("plan".into(), plan.token.as_str().into());
        }
        if let Some(Approved { id, by }) = approved {
            self.line.insert("approval".into(), json!({ "id": id, "by": by }));
        }
    }

    /// Adds that the server itself makes a preview again, to compare it with its plan.
    pub(crate) fn previews_again(&mut self) {
        self.line.insert("plan".into(), "again".into());
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
    let start = &text[..text.floor_char_boundary(TEXT_BYTES)];
    format!("{start}… ({} bytes, sha256 {})", text.len(), hash(text.as_bytes()))
}

/// Digests a command line: its words, each ended by a zero byte, which no word can hold.
fn digest(proved: &Proved) -> String {
    let words = proved.arg0().into_iter().chain(proved.argv().iter().map(AsRef::as_ref));
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend_from_slice(word.as_encoded_bytes());
        bytes.push(0);
    }
    hash(&bytes)
}

fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// Names the step that refuses with a kind.
fn step(kind: Kind) -> &'static str {
    match kind {
        Kind::UnknownTool | Kind::UnknownOperation | Kind::InvalidParams | Kind::ProofFailed => "resolve",
        Kind::Killed => "kill",
        Kind::BudgetExhausted | Kind::BudgetUnavailable => "budget",
        Kind::EffectDenied | Kind::OperationDenied => "guard",
        Kind::PlanRequired | Kind::PlanChanged => "plan",
        Kind::ApprovalRequired | Kind::ApprovalDenied => "approve",
        Kind::PathOutside => "confine",
        Kind::AuditUnavailable => "audit",
        Kind::Busy
        | Kind::ToolFailed
        | Kind::TimedOut
        | Kind::NeedsInput
        | Kind::Cancelled
        | Kind::NotStarted
        | Kind::Panicked
        | Kind::Internal => "execute",
    }
}
