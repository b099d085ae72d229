//! `mirror`: one tool an operation, with native schemas.

use super::facade::{READ, RUN, SEARCH};
use super::{Beside, Surface, Tool, Way, fields};
use crate::argv::Proved;
use crate::catalog::{Catalog, Operation, schema};
use crate::invocation::Invocation;
use crate::refusal::Refusal;
use crate::run::{Call, Target};
use serde_json::{Map, Value};
use std::sync::Arc;

/// One tool an operation.
#[derive(Debug)]
pub struct Mirror {
    beside: Beside,
}

impl Mirror {
    pub(crate) fn new(beside: Beside) -> Self {
        Self { beside }
    }
}

impl Surface for Mirror {
    fn name(&self) -> &'static str {
        "mirror"
    }

    fn tools(&self, catalog: &Catalog) -> Vec<Tool> {
        let operations = catalog.operations().iter().map(|operation| {
            let tool = Tool {
                name: operation.tool.clone(),
                description: operation.about.clone(),
                input_schema: schema::compact(operation),
                effect: operation.declared_effect(),
            };
            if operation.demands_plan() { tool.with_plan() } else { tool }
        });
        operations.chain(self.beside.tools(catalog)).collect()
    }

    fn instructions(&self, _catalog: &Catalog) -> String {
        "Each tool is one command; its arguments are the command's own. `fields` (paths) selects parts of a JSON result.".to_owned()
    }

    fn way(&self, operation: &Operation) -> Way {
        Way::Own { tool: operation.tool.clone() }
    }

    fn resolve(&self, catalog: &Catalog, tool: &str, mut arguments: Map<String, Value>) -> Result<Call, Refusal> {
        let callable = catalog.operations().iter().chain(catalog.builtin());
        let listed = callable.into_iter().find(|operation| operation.tool == tool);
        let Some(operation) = listed.or_else(|| catalog.find_former(tool)) else {
            let hint = [RUN, READ, SEARCH].contains(&tool).then(|| instead(catalog, &arguments));
            return self.beside.resolve(catalog, tool, arguments).map_err(|refusal| match hint {
                Some(hint) => refusal.hint(hint),
                None => refusal,
            });
        };
        let fields = fields(operation, &mut arguments)?;
        let invocation = Invocation::new(operation, &arguments, &[])?;
        Ok(Call {
            tool: tool.to_owned(),
            target: Target::Operation(Arc::new(Proved::new(catalog, invocation)?)),
            ceiling: operation.widest_effect(),
            wider: None,
            fields,
        })
    }
}

/// Says what to call where a caller uses the tools of the facade.
fn instead(catalog: &Catalog, arguments: &Map<String, Value>) -> String {
    let named = arguments.get("name").and_then(Value::as_str).and_then(|name| catalog.find(name));
    match named.or(catalog.operations().first()) {
        Some(operation) if named.is_some() => format!("each command is a tool here: call `{}`", operation.tool),
        Some(operation) => format!("each command is a tool here, such as `{}`", operation.tool),
        None => "each command is a tool here".to_owned(),
    }
}
