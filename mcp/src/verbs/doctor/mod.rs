//! `doctor`: starts a server as a host with windows does, and says in plain words what is missing.

mod client;
mod host;
mod places;

use super::VerbError;
use super::desk::Desk;
use super::install::{Place, entry};
use super::start::Start;
use crate::catalog::{Catalog, Effect};
use crate::exec::Enforcement;
use crate::facade::Facade;
use crate::hosts::{self, Entry, Host};
use crate::policy::Fill;
use clap::Args;
use client::{Client, Fault};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Start the server as a host would, talk to it, and say in plain words what is missing
#[derive(Args, Clone, Debug)]
pub(super) struct Doctor {
    /// Try the entry that this host has registered; else this program
    #[arg(long, value_parser = super::install::host())]
    host: Option<Host>,
    /// The entry in the project's file instead of the user's
    #[arg(long, requires = "host")]
    workspace: bool,
    /// The entry's name; else the CLI's
    #[arg(long, requires = "host")]
    name: Option<String>,
    /// Another file than the host's usual one
    #[arg(long, requires = "host")]
    file: Option<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was tried.
struct Step {
    what: &'static str,
    end: End,
    note: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Good,
    /// Worth knowing, and no fault of the server.
    Remark,
    Bad,
}

/// What came of running a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trial {
    None,
    Failed,
    Ran,
}

impl Doctor {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let mut steps = Vec::new();
        if let Some(report) = &desk.facade.report {
            let end = if report.summary().is_some() { End::Remark } else { End::Good };
            steps.push(Step { what: "help", end, note: report.to_string().trim_end().to_owned() });
        }
        let catalog = desk.facade.catalog()?;
        if let Some(note) = desk.emptiness(&catalog).or_else(|| foreign(&desk, &catalog)) {
            steps.push(Step { what: "commands", end: End::Bad, note });
        }
        steps.extend(reads(&desk.facade, &catalog));
        steps.extend(desk.facade.fills.iter().map(secret));
        let trial = match self.entry(&desk)? {
            Ok(entry) => {
                steps.extend(places::compare(&entry, &desk));
                examine(&entry, &catalog, &mut steps)
            }
            Err(note) => {
                steps.push(Step { what: "entry", end: End::Bad, note });
                Trial::None
            }
        };
        let good = steps.iter().all(|step| step.end != End::Bad);
        if self.json {
            let end = |end| match end {
                End::Good => "good",
                End::Remark => "remark",
                End::Bad => "bad",
            };
            let step = |step: &Step| json!({ "step": step.what, "end": end(step.end), "note": step.note });
            desk.json(&json!({ "good": good, "steps": steps.iter().map(step).collect::<Vec<_>>() }))?;
        } else {
            for Step { what, end, note } in &steps {
                let sign = match end {
                    End::Good => "ok",
                    End::Remark => "note",
                    End::Bad => "BAD",
                };
                desk.say(format!("{sign:<5}{what:<10} {}", note.replace('\n', "\n                ")))?;
            }
            desk.say(match (good, trial) {
                (false, _) => "an agent can't work with it as it is",
                (true, Trial::Ran) => "an agent can work with it",
                (true, Trial::Failed) => "the server answers; the one command that was tried failed",
                (true, Trial::None) => "the server answers; no command was tried",
            })?;
        }
        Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Returns what a host would start, or why it would start nothing.
    fn entry(&self, desk: &Desk<'_>) -> Result<Result<Entry, String>, VerbError> {
        let Some(host) = self.host else {
            let start = Start::default();
            let mut entry = entry(desk, &start)?;
            // Without what `install` captures, a missing helper shows.
            entry.env.remove("PATH");
            return Ok(Ok(entry));
        };
        let place =
            Place { host, workspace: self.workspace, name: self.name.clone(), file: self.file.clone(), dry_run: true };
        let target = place.target(desk)?;
        let file = target.file.display();
        Ok(match hosts::registered(&target) {
            Ok(Some(entry)) => Ok(entry),
            Ok(None) => Err(format!("{file} has no entry `{}`: run `install {}`", target.name, host.id())),
            Err(error) => Err(format!("{} would not start it: {error}", host.title())),
        })
    }
}

/// Says that hardly anything can be called of a program whose help was not understood at all.
fn foreign(desk: &Desk<'_>, catalog: &Catalog) -> Option<String> {
    desk.facade.report.as_ref().filter(|report| report.foreign && !desk.facade.has_tools())?;
    Some(format!("nothing can be called but `{}` by itself, without any option", catalog.root()))
}

/// Tells how far the system holds read-only calls to reading; `None` where it has no part in it.
fn reads(facade: &Facade, catalog: &Catalog) -> Option<Step> {
    let reads = catalog.operations().iter().filter(|operation| operation.declared == Some(Effect::ReadOnly));
    let held: Vec<Enforcement> = reads.filter_map(|operation| facade.enforcement(operation)).collect();
    let off = held.iter().filter(|held| **held == Enforcement::Off).count();
    let (end, note) = match held.iter().find(|held| **held != Enforcement::Off) {
        Some(Enforcement::Landlock) => (End::Good, "the kernel refuses every change to commands that only read"),
        Some(Enforcement::Partly) => {
            (End::Remark, "this kernel's Landlock is an old one: a command that only reads could still truncate files")
        }
        Some(_) => (End::Remark, "this system has no Landlock: that a command only reads is taken on trust"),
        None if off > 0 => (End::Remark, "that a command only reads is taken on trust, as the policy has it"),
        None => return None,
    };
    let note = match off {
        1.. if off < held.len() => format!("{note}; {off} of {} are taken on trust, as the policy has it", held.len()),
        _ => note.to_owned(),
    };
    Some(Step { what: "reading", end, note })
}

/// Tells whether a secret that the policy fills in is there; what it is, nobody tells.
fn secret(fill: &Fill) -> Step {
    let Fill { name, source, value } = fill;
    let (end, note) = match value {
        Ok(_) => (End::Good, format!("{name} comes from {source}")),
        Err(why) => (End::Remark, format!("{name} is not filled in: {source} {why}, here at least")),
    };
    Step { what: "secret", end, note }
}

/// Tries one thing after the other, up to the first that fails.
fn examine(entry: &Entry, catalog: &Catalog, steps: &mut Vec<Step>) -> Trial {
    let mut trial = Trial::None;
    let result = (|| {
        let mut client = Client::start(entry).map_err(|fault| ("start", fault))?;
        steps.push(Step { what: "start", end: End::Good, note: host::line(entry) });
        let server = client.handshake().map_err(|fault| ("handshake", fault))?;
        steps.push(Step { what: "handshake", end: End::Good, note: server });
        let tools = client.tools().map_err(|fault| ("tools", fault))?;
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let note = match names.len() {
            0 => return Err(("tools", Fault::plain("it lists no tools, so an agent can do nothing"))),
            count => format!("{count}: {}", shown(&names)),
        };
        steps.push(Step { what: "tools", end: End::Good, note });
        let Some(Reading { label, tool, arguments, is_command }) = reading(catalog, &names) else {
            let note = "no tool is known to read only, so none was called";
            steps.push(Step { what: "call", end: End::Remark, note: note.to_owned() });
            return Ok(());
        };
        let (failed, text) = client.call(&tool, &arguments).map_err(|fault| ("call", fault))?;
        let (step, ended) = called(&label, failed, &text);
        steps.push(step);
        if is_command {
            trial = ended;
        }
        Ok(())
    })();
    if let Err((what, fault)) = result {
        steps.push(Step { what, end: End::Bad, note: fault.to_string() });
    }
    trial
}

/// A call that changes nothing.
struct Reading {
    label: String,
    tool: String,
    arguments: Value,
    /// Not merely a search.
    is_command: bool,
}

/// Chooses a call that changes nothing: of a command that is declared so and needs nothing, or a search.
fn reading(catalog: &Catalog, tools: &[&str]) -> Option<Reading> {
    let free = |operation: &&std::sync::Arc<crate::catalog::Operation>| {
        operation.declared == Some(Effect::ReadOnly)
            && operation.constraints.is_empty()
            && !operation.params.iter().any(|param| param.required)
    };
    if let Some(operation) = catalog.operations().iter().find(free) {
        let label = format!("`{}`", operation.name);
        if tools.contains(&"command_read") {
            let arguments = json!({ "name": operation.name });
            return Some(Reading { label, tool: "command_read".to_owned(), arguments, is_command: true });
        }
        if tools.contains(&operation.tool.as_str()) {
            return Some(Reading { label, tool: operation.tool.clone(), arguments: json!({}), is_command: true });
        }
    }
    tools.contains(&"command_search").then(|| {
        let label = "command_search, since no command that can do without params is declared to read only,".to_owned();
        Reading { label, tool: "command_search".to_owned(), arguments: json!({}), is_command: false }
    })
}

/// Tells what came of a call.
fn called(label: &str, failed: bool, text: &str) -> (Step, Trial) {
    let step = |end, note| Step { what: "call", end, note };
    let short: String = text.chars().take(300).collect();
    if !failed {
        return (step(End::Good, format!("{label} answered {} bytes", text.len())), Trial::Ran);
    }
    // A refusal is the server's own; anything else is a command that ran and had something to say.
    let refusal: Option<Value> = serde_json::from_str(text).ok();
    match refusal.as_ref().and_then(|answer| answer["error"]["code"].as_str()) {
        Some(code) => {
            let error = refusal.as_ref().map(|answer| &answer["error"]).unwrap_or(&Value::Null);
            let text = |key: &str| error[key].as_str().unwrap_or_default();
            let why = format!("{label}: {code}: {}", text("message"));
            let step = match code {
                // It answers, but does not have the commands that this program has.
                "EFFECT_DENIED" | "UNKNOWN_OPERATION" => step(
                    End::Remark,
                    format!(
                        "{why}\nis the server that starts here of another version than this program, or under another policy?"
                    ),
                ),
                // What the operator wants is no fault of the server.
                "OPERATION_DENIED" | "BUDGET_EXHAUSTED" => step(End::Remark, why),
                _ => step(End::Bad, format!("{why}\n{}", text("hint")).trim_end().to_owned()),
            };
            (step, Trial::None)
        }
        None => (step(End::Remark, format!("{label} ran and failed: {short}")), Trial::Failed),
    }
}

fn shown(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    match names.len() {
        0..=SHOWN => names.join(", "),
        _ => format!("{}, …", names[..SHOWN].join(", ")),
    }
}
