use super::plan::{Operation, Plan};
use crate::context::Context;
use crate::db::Row;
use crate::error::CliError;
use crate::output;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What a run is about to say: the envelope, or its text.
pub(crate) struct Report {
    pub(crate) digest: String,
    pub(crate) summary: String,
    pub(crate) warnings: Vec<String>,
    operation: String,
    operations: Value,
    failing: Value,
    text: String,
}

/// Preview, or what an application did.
pub(crate) enum Mode {
    Preview,
    Refused,
    Apply(Box<Outcome>),
}

/// What an application did, by target.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) run: Option<i64>,
    pub(crate) applied: Vec<String>,
    pub(crate) failed: Vec<(String, CliError)>,
    pub(crate) not_attempted: Vec<String>,
    pub(crate) skipped: usize,
    pub(crate) external: Value,
    pub(crate) data: Row,
}

impl Report {
    pub(crate) fn new(ctx: &Context<'_, '_>, plan: &Plan, applies: bool) -> Self {
        let mut text = String::new();
        for operation in plan.operations.iter().filter(|operation| !applies || operation.error.is_some()) {
            describe(&mut text, operation);
        }
        Self {
            digest: plan.digest(&ctx.operation),
            summary: summary(plan),
            warnings: plan.warnings.clone(),
            operation: ctx.operation.clone(),
            operations: plan.operations.iter().map(Operation::to_json).collect(),
            failing: plan.operations.iter().filter(|o| o.error.is_some()).map(Operation::to_json).collect(),
            text,
        }
    }

    /// Prints the report and gives back the error, marked as printed.
    pub(crate) fn print(self, ctx: &mut Context<'_, '_>, mode: Mode, error: Option<CliError>) -> Result<(), CliError> {
        if ctx.globals.output.json {
            let envelope = self.envelope(&mode, error.as_ref());
            output::print_json(ctx, &envelope)?;
        } else if !ctx.globals.output.quiet {
            let text = self.text(&mode, error.is_some());
            ctx.io.stdout.write_all(text.as_bytes())?;
        }
        match error {
            Some(error) => Err(error.printed()),
            None => Ok(()),
        }
    }

    fn envelope(&self, mode: &Mode, error: Option<&CliError>) -> Value {
        let (name, result, journal) = match mode {
            Mode::Preview => ("preview", Value::Null, Value::Null),
            Mode::Refused => ("apply", Value::Null, Value::Null),
            Mode::Apply(outcome) => ("apply", outcome.to_json(), json!({"run_id": outcome.run})),
        };
        // A refusal need not say again what the preview showed, only what can't be done.
        let operations = if matches!(mode, Mode::Refused) { &self.failing } else { &self.operations };
        // What a gate refuses, or would, stands before the plan: the plan may be long.
        json!({
            "ok": error.is_none(),
            "operation": self.operation,
            "mode": name,
            "error": error.map(CliError::to_json),
            "warnings": self.warnings,
            "plan": {"digest": self.digest, "summary": self.summary, "operations": operations},
            "result": result,
            "journal": journal,
        })
    }

    fn text(&self, mode: &Mode, failed: bool) -> String {
        let mut text = match mode {
            Mode::Preview => format!("Preview of {}: {}\n", self.operation, self.summary),
            Mode::Refused => format!("{}: refused, nothing was changed\n", self.operation),
            Mode::Apply(outcome) => outcome.text(&self.operation),
        };
        for warning in &self.warnings {
            let _ = writeln!(text, "warning: {warning}");
        }
        if !matches!(mode, Mode::Apply(_)) {
            text.push_str(&self.text);
        }
        if matches!(mode, Mode::Preview) && !failed {
            text.push_str("Nothing was changed; --yes applies it.\n");
        }
        text
    }
}

impl Outcome {
    fn to_json(&self) -> Value {
        let mut object = self.data.clone();
        object.insert("applied".into(), self.applied.len().into());
        object.insert("skipped".into(), self.skipped.into());
        object.insert("targets".into(), json!(self.applied));
        let failures = self.failed.iter().map(|(target, error)| json!({"target": target, "error": error.to_json()}));
        object.insert("failed".into(), failures.collect());
        object.insert("not_attempted".into(), json!(self.not_attempted));
        if !self.external.is_null() {
            object.insert("external".into(), self.external.clone());
        }
        Value::Object(object)
    }

    fn text(&self, operation: &str) -> String {
        let mut text = String::new();
        match self.run {
            Some(run) => {
                let count = counted(self.applied.len(), "change");
                let _ =
                    writeln!(text, "{operation}: {count} applied (run {run}; `mycli journal undo {run}` undoes it)");
                for target in self.applied.iter().take(20) {
                    let _ = writeln!(text, "  {target}");
                }
                if self.applied.len() > 20 {
                    let _ = writeln!(text, "  and {} more", self.applied.len() - 20);
                }
            }
            None if self.applied.is_empty() => {
                let _ = writeln!(text, "{operation}: nothing was changed");
            }
            None => {
                let _ = writeln!(text, "{operation}: {} applied", counted(self.applied.len(), "change"));
            }
        }
        for (name, value) in self.data.iter().filter(|(_, value)| !value.is_array() && !value.is_object()) {
            // A command is kept without the program's name, by which agents don't call it.
            let program = if name == "next" { "mycli " } else { "" };
            let _ = writeln!(text, "{name}: {program}{}", output::inline(value));
        }
        for (target, error) in &self.failed {
            let _ = writeln!(text, "  failed: {target}: {error}");
        }
        for target in &self.not_attempted {
            let _ = writeln!(text, "  not attempted: {target}");
        }
        text
    }
}

fn summary(plan: &Plan) -> String {
    let mut parts = Vec::new();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for operation in plan.operations.iter().filter(|operation| operation.is_change()) {
        match counts.iter_mut().find(|(action, _)| *action == operation.action.as_str()) {
            Some((_, count)) => *count += 1,
            None => counts.push((operation.action.as_str(), 1)),
        }
    }
    parts.extend(counts.iter().map(|(action, count)| format!("{action} {count}")));
    let skipped = plan.operations.iter().filter(|operation| operation.skipped.is_some()).count();
    if skipped > 0 {
        parts.push(format!("{skipped} unchanged"));
    }
    let failing = plan.operations.iter().filter(|operation| operation.error.is_some()).count();
    if failing > 0 {
        parts.push(format!("{failing} failing"));
    }
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}

fn describe(text: &mut String, operation: &Operation) {
    let mark = if operation.destructive { " (destructive)" } else { "" };
    let _ = write!(text, "  {} {}{mark}", operation.action, operation.target);
    if let Some(error) = &operation.error {
        let _ = write!(text, ": fails: {error}");
    }
    if let Some(reason) = &operation.skipped {
        let _ = write!(text, ": unchanged, {reason}");
    }
    text.push('\n');
    for change in &operation.fields {
        let (before, after) = (output::inline(&change.before), output::inline(&change.after));
        let _ = match (&change.before, &change.after) {
            (Value::Null, _) => writeln!(text, "    {}: {after}", change.field),
            (_, Value::Null) => writeln!(text, "    {}: {before} → (none)", change.field),
            _ => writeln!(text, "    {}: {before} → {after}", change.field),
        };
    }
    for (table, count) in &operation.removes {
        let _ = writeln!(text, "    removes {count} from {table}");
    }
}

/// A number with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
