//! What agents, models and what they read may try: nothing of it runs, and each refusal speaks to its reader.
//!
//! A case is one call of a command, made through every surface; what is no call of a command has its own tables.

mod arguments;
mod commands;
mod contained;
mod limits;
mod names;
mod paths;
mod run;
mod stdio;
mod tree;
mod values;
mod workflows;

use clap_facade::refusal::Kind;
use run::{Server, Told, Way};
use serde_json::Value;

/// A call that must be refused.
pub(crate) struct Case {
    name: &'static str,
    command: String,
    flags: Value,
    args: Option<Value>,
    kind: Kind,
    /// The param that the refusal names; of other kinds than of params a word of the text.
    about: &'static str,
    /// A part of what is said of it.
    says: &'static str,
}

/// A call whose params must be refused.
fn bad(name: &'static str, command: &str, flags: Value, about: &'static str, says: &'static str) -> Case {
    Case { name, command: command.to_owned(), flags, args: None, kind: Kind::InvalidParams, about, says }
}

/// A call with positionals in order that must be refused.
fn bad_args(name: &'static str, command: &str, args: Value, about: &'static str, says: &'static str) -> Case {
    Case { args: Some(args), ..bad(name, command, serde_json::json!({}), about, says) }
}

/// A command that must not be there.
fn absent(name: &'static str, command: &str) -> Case {
    Case { kind: Kind::UnknownOperation, ..bad(name, command, serde_json::json!({}), "", "") }
}

fn cases() -> Vec<Case> {
    [arguments::cases(), values::cases(), names::cases(), commands::cases()].into_iter().flatten().collect()
}

#[test]
fn there_are_enough_cases_and_each_has_its_own_name() {
    let mut names: Vec<_> = cases().iter().map(|case| case.name).collect();
    names.extend(limits::names().into_iter().chain(workflows::names()).chain(stdio::names()).chain(paths::names()));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two cases have one name");
    assert!(count >= 150, "{count} cases");
}

#[tokio::test]
async fn no_case_runs_on_any_surface_and_each_is_told_why() {
    let mut faults = Vec::new();
    for way in Way::ALL {
        let server = Server::new(way.surface());
        for case in cases() {
            let (tool, arguments) = way.spell(&server.pipeline, &case.command, &case.flags, case.args.as_ref());
            let answer = server.call(&tool, arguments).await;
            let context = || format!("{} by {way:?}: {answer:?}", case.name).chars().take(2_000).collect::<String>();
            faults.extend(match (server.recorder.take().len(), Told::of(&answer)) {
                (0, Some(told)) => fault(&case, way, &told).map(|fault| format!("{fault}: {}", context())),
                (0, None) => Some(format!("not refused: {}", context())),
                _ => Some(format!("it ran: {}", context())),
            });
        }
        // A step that is refused in its turn is part of what came of its workflow.
        let lines = server.audited();
        let is_kept = |line: &&Value| line["decision"] == "refused" || line["target"] == "workflow";
        assert!(lines.iter().filter(is_kept).count() >= cases().len(), "{way:?}: each refusal is written down");
        assert!(lines.iter().all(|line| is_kept(&line)), "{way:?}: nothing is written down as run");
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// What is wrong with a refusal: it has its kind, names what is wrong and stays on its own surface.
fn fault(case: &Case, way: Way, told: &Told) -> Option<String> {
    let unknown = case.kind == Kind::UnknownOperation;
    let kind = match way {
        Way::Mirror if unknown => Kind::UnknownTool,
        Way::Step if unknown => Kind::InvalidParams,
        _ => case.kind,
    };
    if told.code != kind.code() {
        return Some(format!("it is {}, not {}", told.code, kind.code()));
    }
    // The mirror has no string of positionals to split: what is sent as one is an unknown param.
    let (about, says) = match (&case.args, way) {
        (Some(Value::String(_)), Way::Mirror) => ("args", ""),
        _ => (case.about, case.says),
    };
    let is_named = match kind {
        Kind::InvalidParams if !unknown => told.names(about, says),
        _ => told.text.contains(about) && told.text.contains(says),
    };
    if !is_named {
        return Some(format!("`{about}` is not named with `{says}`"));
    }
    mute(case, way, told)
}

/// What keeps a refusal from speaking to its reader on any surface: debris of the program, secrets, tools that are not there.
fn mute(case: &Case, way: Way, told: &Told) -> Option<String> {
    if told.text.len() > 64 << 10 {
        return Some(format!("{} bytes", told.text.len()));
    }
    let debris = ["Some(", "String(\"", "Object {", "unwrap", "ArgMatches", "panicked"];
    let hidden = ["backdoor", "ADVERSARIAL_"];
    let absent: &[&str] = if way == Way::Mirror { &["command_run", "command_read", "command_search"] } else { &[] };
    // What was sent may be quoted.
    let sent = |word: &str| case.command == word || told.problems.iter().any(|(param, _)| param.contains(word));
    let mut words = debris.iter().chain(&hidden).chain(absent);
    words.find(|word| told.text.contains(**word) && !sent(word)).map(|word| format!("`{word}` is told"))
}
