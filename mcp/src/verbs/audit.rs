use super::VerbError;
use super::desk::Desk;
use crate::run::audit::{self, Verification};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// Read what agents did, and prove that nobody changed the record of it
#[derive(Args, Clone, Debug)]
pub(super) struct AuditVerb {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Show the last lines
    Tail {
        #[command(flatten)]
        show: Show,
    },
    /// Show the lines that match every condition
    Query {
        #[command(flatten)]
        filter: Filter,
        #[command(flatten)]
        show: Show,
    },
    /// Look for lines that were edited, removed or moved; fails where there is one
    Verify {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Clone, Debug)]
struct Show {
    /// The most lines shown, the last ones
    #[arg(short = 'n', long = "lines", value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Print the lines as they are stored
    #[arg(long)]
    json: bool,
}

#[derive(Args, Clone, Debug)]
struct Filter {
    /// The tool as the agent named it; `*` stands for any characters
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The command that it ran; `*` stands for any characters
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// What the call may have changed
    #[arg(long, value_parser = ["read-only", "mutating", "destructive"])]
    effect: Option<String>,
    /// What was decided: `begun`, `ran`, `refused`, `on`, `off`, …
    #[arg(long, value_name = "WORD")]
    decision: Option<String>,
    /// Why it was refused, such as `EFFECT_DENIED`
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// Who called
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// The session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// From then on: how long ago (`2h`, `3days`), or a time in UTC (`2026-01-31T12:00:00Z`)
    #[arg(long, value_name = "WHEN", value_parser = time)]
    since: Option<SystemTime>,
    /// Until then
    #[arg(long, value_name = "WHEN", value_parser = time)]
    until: Option<SystemTime>,
}

impl AuditVerb {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let Some(path) = desk.facade.audit_path() else {
            let error = std::io::Error::other("neither XDG_STATE_HOME nor HOME is set, so there is no audit");
            return Err(VerbError::File { path: PathBuf::from("mcp-audit.jsonl"), error });
        };
        match self.what {
            What::Tail { show } => show.print(&mut desk, &path, |_| true)?,
            What::Query { filter, show } => show.print(&mut desk, &path, |line| filter.matches(line))?,
            What::Verify { json } => {
                let found = audit::verify(&path).map_err(|error| VerbError::File { path: path.clone(), error })?;
                match json {
                    true => desk.json(&to_json(&found))?,
                    false => tell(&mut desk, &path, &found)?,
                }
                return Ok(if found.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Show {
    fn print(&self, desk: &mut Desk<'_>, path: &Path, matches: impl Fn(&Value) -> bool) -> Result<(), VerbError> {
        let failed = |error| VerbError::File { path: path.to_owned(), error };
        let mut shown = VecDeque::new();
        for line in audit::lines(path).map_err(failed)? {
            let line = line.map_err(failed)?;
            // What is no JSON was edited: `verify` tells.
            let value = serde_json::from_str(&line).unwrap_or_default();
            if matches(&value) {
                shown.push_back(if self.json { line } else { describe(&value) });
                if shown.len() > self.lines {
                    shown.pop_front();
                }
            }
        }
        shown.iter().try_for_each(|line| desk.say(line))
    }
}

impl Filter {
    fn matches(&self, line: &Value) -> bool {
        let is = |key: &str, wanted: &Option<String>| {
            wanted
                .as_ref()
                .is_none_or(|wanted| line[key].as_str().is_some_and(|word| crate::policy::word_matches(wanted, word)))
        };
        let when = || humantime::parse_rfc3339(line["time"].as_str()?).ok();
        is("tool", &self.tool)
            && is("target", &self.operation)
            && is("effect", &self.effect)
            && is("decision", &self.decision)
            && is("code", &self.code)
            && is("principal", &self.principal)
            && is("session", &self.session)
            && self.since.is_none_or(|since| when().is_some_and(|when| when >= since))
            && self.until.is_none_or(|until| when().is_some_and(|when| when <= until))
    }
}

/// Reads a time: how long ago, or the time itself.
fn time(text: &str) -> Result<SystemTime, String> {
    if let Ok(time) = humantime::parse_rfc3339_weak(text) {
        return Ok(time);
    }
    let ago = humantime::parse_duration(text)
        .map_err(|_| "neither how long ago, as in `2h`, nor a time in UTC, as in `2026-01-31T12:00:00Z`".to_owned())?;
    SystemTime::now().checked_sub(ago).ok_or_else(|| "longer ago than there is time".to_owned())
}

/// Renders a line for people; whatever a caller put in it can't steer their terminal.
fn describe(line: &Value) -> String {
    if !line.is_object() {
        return "(no line of an audit)".to_owned();
    }
    let mut words: Vec<String> = ["time", "principal", "decision", "effect", "target", "code", "reason"]
        .into_iter()
        .filter_map(|key| match key {
            "target" => line["target"].as_str().or(line["tool"].as_str()),
            _ => line[key].as_str(),
        })
        .map(str::to_owned)
        .collect();
    for key in ["exit", "ms", "bytes"] {
        if line[key].is_number() {
            words.push(format!("{key} {}", line[key]));
        }
    }
    if let Some(params) = line["params"].as_object().filter(|params| !params.is_empty()) {
        words.push(Value::Object(params.clone()).to_string());
    }
    let text = words.join("  ");
    text.chars().fold(String::with_capacity(text.len()), |mut plain, c| {
        match c.is_control() {
            true => plain.extend(c.escape_default()),
            false => plain.push(c),
        }
        plain
    })
}

fn tell(desk: &mut Desk<'_>, path: &Path, found: &Verification) -> Result<(), VerbError> {
    for fault in &found.faults {
        desk.say(fault.to_string())?;
    }
    if found.torn > 0 {
        desk.say(format!(
            "{}: ends in {} bytes of a line that was not written to its end",
            path.display(),
            found.torn
        ))?;
    }
    let lines = if found.lines == 1 { "1 line".to_owned() } else { format!("{} lines", found.lines) };
    match found.faults.len() {
        0 if found.lines == 0 => desk.say(format!("{}: nothing was written yet", path.display())),
        0 => desk.say(format!("{lines}, sound; the last is number {} with the hash {}", found.seq, found.hash)),
        1 => desk.say(format!("{lines}, 1 fault")),
        faults => desk.say(format!("{lines}, {faults} faults")),
    }
}

fn to_json(found: &Verification) -> Value {
    let faults = found.faults.iter();
    let faults = faults.map(|fault| json!({ "file": fault.file, "line": fault.line, "problem": fault.problem }));
    json!({
        "sound": found.faults.is_empty(),
        "lines": found.lines,
        "seq": found.seq,
        "hash": found.hash,
        "torn_bytes": found.torn,
        "faults": faults.collect::<Vec<_>>(),
    })
}
