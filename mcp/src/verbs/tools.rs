use super::VerbError;
use super::desk::Desk;
use super::start::surface;
use crate::catalog::{Excuse, Excused};
use crate::surface::{Choice, Tool};
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// Show what is listed to agents, the commands behind it, and what is kept from them
#[derive(Args, Clone, Debug)]
pub(super) struct Tools {
    /// Print JSON: the tools as `tools/list` carries them
    #[arg(long)]
    json: bool,
    /// Show another surface than the one that would be served
    #[arg(long, value_name = "NAME", value_parser = surface())]
    surface: Option<Choice>,
}

impl Tools {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let pipeline = desk.pipeline(self.surface)?;
        let (surface, catalog) = (pipeline.surface(), pipeline.catalog());
        if let Some(emptiness) = desk.emptiness(catalog) {
            desk.warn(emptiness);
        }
        let tools = surface.tools(catalog);
        if self.json {
            desk.json(&json!({ "tools": tools.iter().map(Tool::to_json).collect::<Vec<_>>() }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        desk.say(format!("{}, surface {}:", count(tools.len(), "tool"), surface.name()))?;
        for tool in &tools {
            let effect = tool.effect.map_or_else(|| "undeclared".to_owned(), |effect| effect.to_string());
            desk.say(format!("  {:<28} {effect:<12} {}", tool.name, tool.description))?;
        }
        desk.say(format!("\n{}:", count(catalog.operations().len(), "command")))?;
        for operation in catalog.operations() {
            let effect = match operation.declared {
                None => "undeclared".to_owned(),
                Some(_) if operation.mutating_when.is_empty() => operation.widest_effect().to_string(),
                Some(base) => format!("{base} (changes with {})", operation.mutating_when.join(", ")),
            };
            desk.say(format!("  {:<28} {effect:<12} {}", operation.name, operation.about))?;
        }
        let kept = topmost(catalog.excused());
        if !kept.is_empty() {
            desk.say("\nkept from agents:")?;
            for Excused { path, reason } in kept {
                let remedy = reason.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default();
                desk.say(format!("  {path:<28} {reason}{remedy}"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns what is kept from agents for a reason of its own: a subtree once, and no mere groups.
fn topmost(excused: &[Excused]) -> Vec<&Excused> {
    let mut topmost: Vec<&Excused> = Vec::new();
    for kept in excused.iter().filter(|kept| kept.reason != Excuse::Group) {
        let is_above = |above: &Excused| {
            above.reason == kept.reason && kept.path.strip_prefix(&above.path).is_some_and(|rest| rest.starts_with(' '))
        };
        if !topmost.iter().any(|above| is_above(above)) {
            topmost.push(kept);
        }
    }
    topmost
}
