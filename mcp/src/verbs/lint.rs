use super::VerbError;
use super::desk::Desk;
use super::scratch::{self, Preview};
use crate::catalog::{Lint, LintCode, Means};
use crate::policy::Policy;
use crate::surface::{Choice, Tool};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Look for what agents would fare better without; the places are commands and params
#[derive(Args, Clone, Debug)]
pub(super) struct LintVerb {
    /// Fail where a lint of this kind is found; may be repeated
    #[arg(long, value_name = "CODE", value_parser = codes())]
    deny: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What stands for every code.
const ALL: &str = "all";

/// How many of the dearest tools are shown.
const DEAREST: usize = 5;

impl LintVerb {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let pipeline = desk.pipeline(Some(Choice::Mirror))?;
        let means = if desk.facade.report.is_some() { Means::Policy } else { Means::Annotations };
        let mut lints = pipeline.catalog().review_for(means);
        let previews = scratch::check(&desk.facade, pipeline.catalog())?;
        lints.extend(previews.iter().filter_map(Preview::lint));
        lints.sort_by_key(|lint| LintCode::ALL.iter().position(|code| *code == lint.code));
        let unchecked: Vec<String> = previews.iter().filter_map(Preview::unchecked).collect();
        let mut dear: Vec<(String, usize)> = pipeline
            .surface()
            .tools(pipeline.catalog())
            .iter()
            .map(|tool| (tool.name.clone(), Tool::to_json(tool).to_string().len()))
            .collect();
        dear.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let denies = |lint: &&Lint| self.deny.iter().any(|code| code == ALL || code == lint.code.name());
        let denied = lints.iter().filter(denies).count();
        if self.json {
            desk.json(&json!({
                "lints": lints.iter().map(to_json).collect::<Vec<_>>(),
                "denied": denied,
                "gates_not_checked": unchecked,
                "tools": dear.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes })).collect::<Vec<_>>(),
            }))?;
        } else {
            for code in LintCode::ALL {
                let mut of_code = lints.iter().filter(|lint| lint.code == *code).peekable();
                if of_code.peek().is_some() {
                    desk.say(format!("{}:", code.name()))?;
                }
                for lint in of_code {
                    let place = match &lint.param {
                        Some(param) => format!("{}, {param}", lint.path),
                        None => lint.path.clone(),
                    };
                    desk.say(format!("  {place}: {}", lint.message))?;
                }
            }
            if means == Means::Policy && !lints.is_empty() {
                let place = Policy::path(desk.facade.command.get_name());
                let place = place.map_or_else(|| "the policy".to_owned(), |file| file.display().to_string());
                desk.say(format!("the keys stand in a `[[command]]` of {place}, or at its top"))?;
            }
            for text in &unchecked {
                desk.say(format!("not checked: {text}"))?;
            }
            let dearest = dear.iter().take(DEAREST).map(|(name, bytes)| format!("{name} {bytes}"));
            desk.say(format!("dearest tools of the mirror, in bytes: {}", dearest.collect::<Vec<_>>().join(", ")))?;
            desk.say(match (lints.len(), denied) {
                (0, _) => "nothing to complain of".to_owned(),
                (found, 0) => format!("{found} found"),
                (found, denied) => format!("{found} found, {denied} of them denied"),
            })?;
        }
        Ok(if denied > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn to_json(lint: &Lint) -> Value {
    json!({ "code": lint.code.name(), "command": lint.path, "param": lint.param, "message": lint.message })
}

fn codes() -> PossibleValuesParser {
    PossibleValuesParser::new(LintCode::ALL.iter().map(|code| code.name()).chain([ALL]))
}
