//! The step: what a call's line says, and when it has to be written.

use super::chain::hash;
use super::log::{Flush, Keeping, Log};
use crate::argv::Proved;
use crate::catalog::{Effect, REDACTED};
use crate::exec::{Enforcement, Intent, Mask};
use crate::folders;
use crate::invocation::{Given, Invocation};
use crate::refusal::{Kind, Refusal};
use crate::run::approve::Approved;
use crate::run::plan::Checked;
use crate::run::{Call, Caller, Outcome, Target};
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

/// Longest text of a param that is written whole, in bytes; longer ones are cut and digested.
const TEXT_BYTES: usize = 200;

/// About how many members a line has.
const MEMBERS: usize = 24;

/// Where the audit goes.
#[derive(Debug)]
pub struct Audit {
    /// `None` where the environment names no place for it.
    path: Option<PathBuf>,
    log: Mutex<Option<Log>>,
    unrecorded_reads: bool,
    /// The last line could not be written.
    failing: AtomicBool,
    /// What no line holds.
    mask: Arc<Mask>,
    clock: fn() -> SystemTime,
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
    /// Where that fails, everything is refused that changes something, and reads unless they may go on unrecorded.
    pub fn to_file(path: Option<PathBuf>, keeping: Keeping) -> Self {
        let log = path.clone().map(|path| Log::new(path, keeping));
        let (unrecorded_reads, failing, mask) = (keeping.unrecorded_reads, AtomicBool::default(), Arc::default());
        Self { path, log: Mutex::new(log), unrecorded_reads, failing, mask, clock: SystemTime::now }
    }

    /// Keeps values out of every line.
    pub(crate) fn masking(mut self, mask: Arc<Mask>) -> Self {
        self.mask = mask;
        self
    }

    /// Tells now, not at the first call, that the file can't be opened.
    pub(crate) fn announce(&self) {
        if let Some(log) = self.log.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && let Err(error) = log.open()
        {
            let at = self.path.as_deref().unwrap_or(Path::new("")).display();
            let what = if self.unrecorded_reads { "nothing that changes anything" } else { "nothing" };
            tracing::error!("the audit {at} can't be opened ({error}): {what} will run");
        }
    }

    /// Returns the audit's place for a CLI of that name: `$XDG_STATE_HOME/NAME/mcp-audit.jsonl`,
    /// by default below `~/.local/state`; `None` where the environment names neither.
    pub fn default_path(name: &str) -> Option<PathBuf> {
        Some(Self::below(&folders::STATE.folder()?, name))
    }

    /// Returns the audit's place below a folder of states.
    pub(crate) fn below(state: &Path, name: &str) -> PathBuf {
        state.join(name).join("mcp-audit.jsonl")
    }

    /// Returns the file it appends to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Begins a call's line with what was asked, before it is known whether it can be resolved.
    pub(crate) fn begin(&self, tool: &str, surface: &str, caller: &Caller) -> Entry {
        let mut line = Map::with_capacity(MEMBERS);
        line.insert("time".into(), self.now().into());
        line.insert("session".into(), caller.session.as_str().into());
        line.insert("principal".into(), caller.principal.name.as_str().into());
        line.insert("door".into(), caller.door.into());
        line.insert("surface".into(), surface.into());
        line.insert("tool".into(), cut(tool).into());
        Entry { line, flush: Flush::Never, since: Instant::now() }
    }

    /// Writes down that a call which may change something begins, and lets it pass once that is
    /// written; a call that changes nothing passes unless the line before could not be written, nor its own.
    ///
    /// # Errors
    /// [`Kind::AuditUnavailable`].
    pub(crate) fn check(&self, call: &Call, entry: &Entry) -> Result<(), Refusal> {
        let reads = call.target.effect() == Effect::ReadOnly;
        if reads && (self.unrecorded_reads || !self.failing.load(Relaxed)) {
            return Ok(());
        }
        let mut line = entry.line.clone();
        line.insert("decision".into(), "begun".into());
        self.write(&line, entry.flush).map_err(|error| self.unavailable(&error, reads))
    }

    fn unavailable(&self, error: &io::Error, reads: bool) -> Refusal {
        let at = self.path.as_deref().map_or("the state folder".into(), |path| path.display().to_string());
        let refusal = Refusal::new(Kind::AuditUnavailable).hint(format!("make {at} writable: {error}"));
        match reads {
            true => {
                let how = format!(
                    "{}, or let the policy say `audit.unrecorded-reads = true`",
                    refusal.hint.unwrap_or_default()
                );
                Refusal::new(Kind::AuditUnavailable)
                    .because("the audit can't be written, so nothing is answered")
                    .hint(how)
            }
            false => refusal,
        }
    }

    /// Writes the call down. Of what can't be written, only a change that has run is answered, and a read where that is
    /// allowed.
    ///
    /// # Errors
    /// What came of the call, or [`Kind::AuditUnavailable`].
    pub(crate) fn end(&self, entry: Entry, result: Result<Outcome, Refusal>) -> Result<Outcome, Refusal> {
        let Entry { mut line, flush, since } = entry;
        match &result {
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
            if result.is_ok() && flush == Flush::Never && !self.unrecorded_reads {
                return Err(self.unavailable(&error, true));
            }
        }
        result
    }

    /// Writes down what the operator did: `tool` is the verb, `decision` what it was told.
    ///
    /// # Errors
    /// Why it could not be written.
    pub(crate) fn operator(&self, tool: &str, decision: &str, by: &str, reason: Option<&str>) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("time".into(), self.now().into());
        line.insert("principal".into(), cut(by).into());
        line.insert("door".into(), "verb".into());
        line.insert("tool".into(), tool.into());
        line.insert("decision".into(), decision.into());
        if let Some(reason) = reason {
            line.insert("reason".into(), cut(reason).into());
        }
        self.write(&line, Flush::Changes)
    }

    fn now(&self) -> String {
        humantime::format_rfc3339_millis((self.clock)()).to_string()
    }

    fn write(&self, line: &Map<String, Value>, flush: Flush) -> io::Result<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let log = log.as_mut().ok_or_else(|| io::Error::other("neither XDG_STATE_HOME nor HOME is set"));
        let written = match self.mask.is_empty() {
            true => log.and_then(|log| log.append(line, flush)),
            false => {
                let mut line = line.clone();
                line.values_mut().for_each(|value| self.mask.value(value));
                log.and_then(|log| log.append(&line, flush))
            }
        };
        self.failing.store(written.is_err(), Relaxed);
        written
    }
}

impl Entry {
    /// Adds what the call turned out to be.
    pub(crate) fn resolved(&mut self, call: &Call, enforced: Option<Enforcement>) {
        self.line.insert("target".into(), call.target.name().into());
        self.line.insert("effect".into(), call.target.effect().to_string().into());
        let params = match &call.target {
            Target::Operation(proved) => Value::Object(written(proved.invocation())),
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

/// Renders what a call sets, without what may as well have come from the environment.
fn written(invocation: &Invocation) -> Map<String, Value> {
    let mut params = invocation.to_json();
    for (param, _) in invocation.values().filter(|(param, _)| param.env_backed) {
        params.insert(param.name.clone(), REDACTED.into());
    }
    params
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
///
/// What `params` redact is redacted here, too: a digest of few possible words tells which one it was.
fn digest(proved: &Proved) -> String {
    let mut redacted: Vec<&str> = Vec::new();
    for (_, given) in proved.invocation().values().filter(|(param, _)| param.env_backed) {
        match given {
            Given::Value(value) => redacted.push(value),
            Given::Values(values) => redacted.extend(values.iter().map(String::as_str)),
            Given::Present | Given::Times(_) | Given::Bare => {}
        }
    }
    let mut bytes = Vec::new();
    for word in proved.arg0().into_iter().chain(proved.argv().iter().map(AsRef::as_ref)) {
        let is_end = |value: &&&str| !value.is_empty() && word.to_str().is_some_and(|word| word.ends_with(**value));
        let kept = word.len() - redacted.iter().find(is_end).map_or(0, |value| value.len());
        bytes.extend_from_slice(&word.as_encoded_bytes()[..kept]);
        bytes.push(0);
    }
    hash(&bytes)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::audit::verify;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::time::Duration;

    /// The order of the lines is their numbers', so that a clock which is turned back breaks nothing and loses nothing.
    #[test]
    fn lines_stay_in_order_whatever_the_clock_does() {
        // The clock is a function, so what it tells stands in a static.
        static NOW: AtomicU64 = AtomicU64::new(0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit");
        let mut audit = Audit::to_file(Some(path.clone()), Keeping::default());
        audit.clock = || SystemTime::UNIX_EPOCH + Duration::from_secs(NOW.load(SeqCst));
        let times = [2_000_000_000, 1_000_000_000, 0, 2_000_000_001];
        for now in times {
            NOW.store(now, SeqCst);
            audit.operator("kill", "on", "me", None).unwrap();
            audit.end(audit.begin("tool", "facade", &Caller::default()), Err(Refusal::new(Kind::Killed))).unwrap_err();
        }
        let verification = verify(&path).unwrap();
        assert_eq!((verification.lines, verification.seq, verification.faults), (8, 8, Vec::new()));
        let text = std::fs::read_to_string(&path).unwrap();
        let told = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        for ((n, line), time) in told.enumerate().zip(times.iter().flat_map(|time| [time, time])) {
            assert_eq!(line["seq"], n + 1);
            let at = humantime::parse_rfc3339(line["time"].as_str().unwrap()).unwrap();
            assert_eq!(at, SystemTime::UNIX_EPOCH + Duration::from_secs(*time));
            assert!(line["ms"].as_f64().is_none_or(|ms| (0.0..60_000.0).contains(&ms)), "no clock on a wall: {line}");
        }
    }
}
