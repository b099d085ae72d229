//! What is listed: a surface chooses the tools, and resolves a tool call to what it runs.

pub(crate) mod detail;
mod facade;
mod finder;
pub mod fixed;
mod mirror;
pub(crate) mod twice;

pub use facade::Commands;
pub(crate) use facade::{find, positionals};
pub use mirror::Mirror;

use crate::catalog::{Catalog, Effect, Operation, Param};
use crate::refusal::{Kind, Refusal};
use crate::run::bound::{FIELDS, Selection};
use crate::run::{Call, Target};
use fixed::FixedTool;
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Chooses what is listed, and resolves calls to it.
pub trait Surface: Send + Sync {
    /// Returns the surface's name, as the environment variable spells it.
    fn name(&self) -> &'static str;

    /// Returns every tool, in a deterministic order that is the same for every connection.
    fn tools(&self, catalog: &Catalog) -> Vec<Tool>;

    /// Returns how an agent works with these tools, in one or two sentences.
    fn instructions(&self, catalog: &Catalog) -> String;

    /// Resolves a call to what it runs; runs nothing.
    ///
    /// # Errors
    /// [`Kind::UnknownTool`] for a tool that is not listed, and every refusal of the arguments.
    fn resolve(&self, catalog: &Catalog, tool: &str, arguments: Map<String, Value>) -> Result<Call, Refusal>;

    /// Tells whether calls of a tool only look up what there is, whatever their arguments.
    fn looks_up(&self, tool: &str) -> bool {
        let _ = tool;
        false
    }

    /// Returns how a call of an operation is written here, to tell a caller of one.
    fn way(&self, operation: &Operation) -> Way;
}

/// How a call of an operation is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Through a tool that takes its name.
    Named {
        /// The tool.
        tool: &'static str,
        /// What the operation is called there.
        name: String,
    },
    /// Through a tool of its own.
    Own {
        /// The tool.
        tool: String,
    },
}

impl Way {
    /// Returns the tool and the arguments of a call with these params.
    pub fn call(&self, params: Map<String, Value>) -> (String, Map<String, Value>) {
        match self {
            Self::Own { tool } => (tool.clone(), params),
            Self::Named { tool, name } => {
                let arguments = [("name".to_owned(), name.as_str().into()), ("flags".to_owned(), params.into())];
                ((*tool).to_owned(), Map::from_iter(arguments))
            }
        }
    }
}

/// One listed tool, in MCP's terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name, in the safe profile.
    pub name: String,
    /// What it does, in the CLI's own words.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// The widest effect that its calls are declared to have, `None` where somebody did not say:
    /// it becomes MCP's tool annotations.
    pub effect: Option<Effect>,
}

impl Tool {
    /// Returns MCP's `ToolAnnotations` for the effect, leaving out what MCP assumes anyway.
    pub fn annotations(&self) -> Map<String, Value> {
        let annotations = match self.effect {
            Some(Effect::ReadOnly) => json!({ "readOnlyHint": true }),
            Some(Effect::Mutating) => json!({ "readOnlyHint": false, "destructiveHint": false }),
            Some(Effect::Destructive) => json!({ "readOnlyHint": false, "destructiveHint": true }),
            // MCP takes a tool that does not say for a destructive one.
            None => json!({ "readOnlyHint": false }),
        };
        let Value::Object(annotations) = annotations else { unreachable!("it is an object") };
        annotations
    }

    /// Returns the same with the plan that its calls may name.
    pub(crate) fn with_plan(mut self) -> Self {
        if let Some(properties) = self.input_schema.get_mut("properties").and_then(Value::as_object_mut) {
            let plan = json!({ "type": "string", "description": "that its preview names" });
            properties.entry(crate::run::plan::PLAN).or_insert(plan);
        }
        self
    }

    /// Renders the tool as `tools/list` carries it.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.annotations(),
        })
    }
}

/// The surfaces that can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// Search, run, and run read-only: a few tools for any number of commands.
    #[default]
    Facade,
    /// One tool an operation, with native schemas.
    Mirror,
}

impl Choice {
    /// Every surface.
    pub const ALL: &[Self] = &[Self::Facade, Self::Mirror];

    /// Returns the name, as the environment variable spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Facade => "facade",
            Self::Mirror => "mirror",
        }
    }

    /// Returns the environment variable that chooses the surface of a CLI: `MYCLI_MCP_SURFACE`.
    pub fn variable(cli: &str) -> String {
        variable(cli, "SURFACE")
    }

    /// Makes the surface, with the fixed tools beside it.
    pub(crate) fn build(self, catalog: &Arc<Catalog>, fixed: Vec<Arc<FixedTool>>, workflows: bool) -> Box<dyn Surface> {
        let beside = Beside { fixed, workflows };
        match self {
            Self::Facade => Box::new(Commands::new(catalog, beside)),
            Self::Mirror => Box::new(Mirror::new(beside)),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Choice {
    type Err = UnknownSurface;

    fn from_str(name: &str) -> Result<Self, UnknownSurface> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.name() == name)
            .ok_or_else(|| UnknownSurface { name: name.to_owned() })
    }
}

/// Returns the environment variable by which a server of a CLI is told something: `MYCLI_MCP_…`.
pub(crate) fn variable(cli: &str, what: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{}_MCP_{what}", cli.chars().map(upper).collect::<String>())
}

/// A surface that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no surface is called `{name}`; there are: {}", Choice::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownSurface {
    /// The name that was asked for.
    pub name: String,
}

/// Takes `fields` out of a call's arguments, unless the operation has a param of that name.
fn fields(operation: &Operation, arguments: &mut Map<String, Value>) -> Result<Option<Selection>, Refusal> {
    let is_own = |param: &Arc<Param>| param.name == FIELDS || param.aliases.iter().any(|alias| alias == FIELDS);
    if operation.params.iter().any(is_own) { Ok(None) } else { Selection::take(arguments) }
}

/// The tools that stand beside the commands on every surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    fixed: Vec<Arc<FixedTool>>,
    workflows: bool,
}

impl Beside {
    fn tools(&self, catalog: &Catalog) -> impl Iterator<Item = Tool> {
        let workflow = self.workflows.then(|| {
            let demands = catalog.operations().iter().any(|operation| operation.demands_plan());
            let tool = crate::run::workflow::tool();
            if demands { tool.with_plan() } else { tool }
        });
        self.fixed.iter().map(|tool| tool.listing()).chain(workflow)
    }

    /// Resolves a call to a fixed tool or a workflow.
    fn resolve(&self, catalog: &Catalog, tool: &str, mut arguments: Map<String, Value>) -> Result<Call, Refusal> {
        let mut fields = None;
        let (target, ceiling) = if let Some(fixed) = self.fixed.iter().find(|fixed| fixed.name() == tool) {
            if !fixed.has_fields() {
                fields = Selection::take(&mut arguments)?;
            }
            (Target::Tool(fixed.clone(), fixed.fit(arguments)?), fixed.effect())
        } else if self.workflows && tool == crate::run::workflow::NAME {
            fields = Selection::take(&mut arguments)?;
            let workflow = crate::run::workflow::Workflow::new(catalog, arguments)?;
            (Target::Workflow(Arc::new(workflow)), Effect::Destructive)
        } else {
            return Err(Refusal::new(Kind::UnknownTool).because(format!("there is no tool `{tool}`")));
        };
        Ok(Call { tool: tool.to_owned(), target, ceiling, wider: None, fields })
    }
}
