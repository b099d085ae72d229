use super::steps::{Script, Step};
use crate::context::Context;
use crate::contract::hex;
use crate::error::{CliError, ErrorKind};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What a workflow did or would do: the envelope of all its steps.
pub(crate) struct Report {
    /// The last journal run.
    pub(crate) run: Option<i64>,
    operation: String,
    applies: bool,
    planned: usize,
    steps: Vec<StepReport>,
    warnings: Vec<String>,
}

/// What one step did or would do.
pub(crate) struct StepReport {
    number: usize,
    name: Option<String>,
    command: String,
    code: u8,
    output: Value,
    stderr: String,
}

impl StepReport {
    pub(crate) fn new(step: &Step, code: u8, stdout: &[u8], stderr: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stdout);
        Self {
            number: step.number,
            name: step.name.clone(),
            command: step.command.clone(),
            code,
            output: serde_json::from_str(&text).unwrap_or_else(|_| json!(text)),
            stderr: String::from_utf8_lossy(stderr).trim().to_owned(),
        }
    }

    fn operations(&self) -> &[Value] {
        self.output["plan"]["operations"].as_array().map_or(&[], Vec::as_slice)
    }

    fn is_refused(&self) -> bool {
        self.code != 0 && self.output["mode"] == json!("apply") && self.output["result"].is_null()
    }

    fn failure(&self) -> Option<CliError> {
        if self.code == 0 {
            return None;
        }
        let error = &self.output["error"];
        let kind = ErrorKind::ALL.iter().find(|kind| error["kind"] == json!(kind.name()));
        let kind = kind.or_else(|| ErrorKind::ALL.iter().find(|kind| kind.exit_code() == self.code));
        let message = error["message"].as_str().unwrap_or(&self.stderr);
        let made = CliError::new(
            kind.copied().unwrap_or(ErrorKind::Failure),
            format!("step {} ({}) failed: {message}", self.number, self.command),
        );
        Some(match error["hint"].as_str() {
            Some(hint) => made.hint(hint),
            None => made,
        })
    }

    fn to_json(&self) -> Value {
        json!({"step": self.number, "name": self.name, "command": self.command, "exit_code": self.code, "output": self.output})
    }
}

impl Report {
    pub(crate) fn new(ctx: &Context<'_, '_>, script: &Script) -> Self {
        Self {
            run: None,
            operation: ctx.operation.clone(),
            applies: ctx.globals.applies(),
            planned: script.commands().len(),
            steps: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a step; one that failed is the workflow's failure.
    pub(crate) fn add(&mut self, step: StepReport) -> Result<(), CliError> {
        let failure = step.failure();
        self.steps.push(step);
        failure.map_or(Ok(()), Err)
    }

    /// How many steps have done what they were to do.
    pub(crate) fn done(&self) -> usize {
        self.steps.len() - self.failed()
    }

    /// How many steps have failed.
    pub(crate) fn failed(&self) -> usize {
        self.steps.iter().filter(|step| step.code != 0).count()
    }

    /// Whether a gate has refused the last step, so that it was not even begun.
    pub(crate) fn is_refused(&self) -> bool {
        self.steps.last().is_some_and(StepReport::is_refused)
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Whether a step destroys something.
    pub(crate) fn destroys(&self) -> bool {
        self.steps.iter().flat_map(StepReport::operations).any(|operation| operation["destructive"] == json!(true))
    }

    /// Prints the report, and gives the error back.
    pub(crate) fn print(self, ctx: &mut Context<'_, '_>, error: Option<CliError>) -> Result<(), CliError> {
        if ctx.globals.output.json {
            crate::output::print_json(ctx, &self.envelope(error.as_ref()))?;
        } else if !ctx.globals.output.quiet {
            let text = self.text(error.is_none());
            ctx.io.stdout.write_all(text.as_bytes())?;
        }
        error.map_or(Ok(()), |error| Err(error.printed()))
    }

    fn envelope(&self, error: Option<&CliError>) -> Value {
        let operations: Vec<Value> = self.steps.iter().flat_map(StepReport::operations).cloned().collect();
        let digests: Vec<String> = self.steps.iter().map(|step| step.output["plan"]["digest"].to_string()).collect();
        let result = json!({
            "steps": self.steps.iter().map(StepReport::to_json).collect::<Vec<_>>(),
            "not_attempted": self.planned - self.steps.len(),
        });
        json!({
            "ok": error.is_none(),
            "operation": self.operation,
            "mode": if self.applies { "apply" } else { "preview" },
            "error": error.map(CliError::to_json),
            "warnings": self.warnings,
            "plan": {
                "digest": hex(&Sha256::digest(digests.join("\n"))),
                "summary": format!("{} of {} steps", self.steps.len(), self.planned),
                "operations": operations,
            },
            "result": if self.applies { result } else { Value::Null },
            "journal": if self.applies { json!({"run_id": self.run}) } else { Value::Null },
        })
    }

    fn text(&self, good: bool) -> String {
        let mut text = String::new();
        for warning in &self.warnings {
            let _ = writeln!(text, "warning: {warning}");
        }
        for step in &self.steps {
            let what = match (step.code, step.output["plan"]["summary"].as_str()) {
                (0, Some(summary)) => summary.to_owned(),
                (0, None) => "done".to_owned(),
                (code, _) => format!("failed with exit code {code}"),
            };
            let _ = writeln!(text, "{}. {}: {what}", step.number, step.command);
        }
        if self.steps.len() < self.planned {
            let _ = writeln!(text, "not attempted: {} steps", self.planned - self.steps.len());
        }
        match (self.applies, self.run) {
            (false, _) if good => text.push_str("Nothing was changed; --yes applies it.\n"),
            (true, Some(run)) => {
                let _ = writeln!(text, "run {run}; `mycli journal undo {run}` undoes it");
            }
            _ => {}
        }
        text
    }
}
