//! What an agent pays: tools, bytes and o200k_base tokens of each surface, and of a naive mirror.
//!
//! Bytes are those of the tool in a compact `tools/list`; tokens are counted on the same text, by
//! OpenAI's o200k_base as `tiktoken-rs` carries it, offline. They are counted with the feature `stats` alone,
//! since the tokenizer's table is several megabytes.

use crate::catalog::Catalog;
use crate::facade::{Facade, StartError};
use crate::surface::{Choice, Commands, Tool};
use serde_json::{Value, json};
use std::fmt;

/// How many different commands a typical session runs.
const SESSION: usize = 5;

/// The cost of every surface of one CLI.
#[derive(Clone, Debug)]
pub struct Stats {
    /// One of each surface, in [`Choice::ALL`]'s order.
    pub surfaces: Vec<SurfaceCost>,
    /// One tool a command with every global flag repeated, as bridges without an enumerator list it.
    pub naive: SurfaceCost,
    /// The median answer of `command_search` to the commands' own one-line helps.
    pub search: Cost,
}

/// What a surface costs at connect.
#[derive(Clone, Debug)]
pub struct SurfaceCost {
    /// Its name.
    pub name: String,
    /// All of it.
    pub total: Cost,
    /// Each tool, the dearest first.
    pub tools: Vec<ToolCost>,
}

/// What one tool costs, and which part of it.
#[derive(Clone, Debug)]
pub struct ToolCost {
    /// Its name.
    pub name: String,
    /// All of it.
    pub total: Cost,
    /// Its description.
    pub description: Cost,
    /// Its input schema.
    pub schema: Cost,
    /// Its annotations.
    pub annotations: Cost,
}

/// A size in the two currencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of UTF-8.
    pub bytes: usize,
    /// Tokens of o200k_base; `None` without the feature `stats`.
    pub tokens: Option<usize>,
}

impl Stats {
    /// Measures every surface of a server.
    ///
    /// # Errors
    /// [`StartError`] where it can't be made.
    pub fn measure(facade: &Facade) -> Result<Self, StartError> {
        let scale = Scale::new()?;
        let mut surfaces = Vec::new();
        for choice in Choice::ALL {
            let pipeline = facade.clone().surface(*choice).build()?;
            let tools = pipeline.surface().tools(pipeline.catalog());
            surfaces.push(scale.surface(choice.name(), tools.iter().map(Tool::to_json).collect()));
        }
        let naive = scale.surface("naive mirror", crate::catalog::naive::tools(facade.command.clone()));
        Ok(Self { surfaces, naive, search: scale.search(&facade.catalog()?.into()) })
    }

    /// Returns what a session of a few different commands costs on a surface, results left out: the
    /// list, and on the facade one search for each.
    fn session(&self, surface: &SurfaceCost) -> Cost {
        let searches = if surface.name == Choice::Facade.name() { SESSION } else { 0 };
        let tokens = surface.total.tokens.zip(self.search.tokens);
        Cost {
            bytes: surface.total.bytes + searches * self.search.bytes,
            tokens: tokens.map(|(list, search)| list + searches * search),
        }
    }

    /// Renders all of it.
    pub fn to_json(&self) -> Value {
        let cost = |cost: &Cost| match cost.tokens {
            Some(tokens) => json!({ "bytes": cost.bytes, "tokens": tokens }),
            None => json!({ "bytes": cost.bytes }),
        };
        let tool = |tool: &ToolCost| {
            json!({
                "name": tool.name, "total": cost(&tool.total), "description": cost(&tool.description),
                "schema": cost(&tool.schema), "annotations": cost(&tool.annotations),
            })
        };
        let surface = |surface: &SurfaceCost| {
            json!({
                "name": surface.name, "total": cost(&surface.total), "session": cost(&self.session(surface)),
                "tools": surface.tools.iter().map(tool).collect::<Vec<_>>(),
            })
        };
        json!({
            "tokenizer": self.search.tokens.map(|_| "o200k_base"),
            "session": format!("{SESSION} different commands, results left out"),
            "surfaces": self.surfaces.iter().chain([&self.naive]).map(surface).collect::<Vec<_>>(),
            "search_answer_median": cost(&self.search),
        })
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<14} {:>6} {:>9} {:>9} {:>8} {:>16}",
            "surface", "tools", "bytes", "tokens", "of naive", "a session"
        )?;
        for surface in self.surfaces.iter().chain([&self.naive]) {
            let share = 100.0 * surface.total.bytes as f64 / self.naive.total.bytes.max(1) as f64;
            let Cost { bytes, tokens } = surface.total;
            let (tools, tokens, session) = (surface.tools.len(), shown(tokens), self.session(surface));
            writeln!(f, "{:<14} {tools:>6} {bytes:>9} {tokens:>9} {share:>7.1}% {session:>16}", surface.name)?;
        }
        writeln!(
            f,
            "\na session is {SESSION} different commands, their results left out; a search answer is {} (median)",
            match self.search.tokens {
                Some(tokens) => format!("{} bytes, {tokens} tokens", self.search.bytes),
                None =>
                    format!("{} bytes; built without the feature `stats`, so no tokens are counted", self.search.bytes),
            }
        )?;
        for surface in &self.surfaces {
            writeln!(f, "\n{}: its dearest tools", surface.name)?;
            writeln!(f, "  {:<28} {:>6} {:>6}  description, schema, annotations in bytes", "tool", "bytes", "tokens")?;
            for tool in surface.tools.iter().take(10) {
                let parts = [tool.description.bytes, tool.schema.bytes, tool.annotations.bytes];
                writeln!(f, "  {:<28} {:>6} {:>6}  {parts:?}", tool.name, tool.total.bytes, shown(tool.total.tokens))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.tokens {
            Some(tokens) => format!("{tokens} tokens"),
            None => format!("{} bytes", self.bytes),
        })
    }
}

fn shown(tokens: Option<usize>) -> String {
    tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string())
}

struct Scale {
    #[cfg(feature = "stats")]
    tokenizer: tiktoken_rs::CoreBPE,
}

impl Scale {
    #[cfg(feature = "stats")]
    fn new() -> std::io::Result<Self> {
        Ok(Self { tokenizer: tiktoken_rs::o200k_base().map_err(std::io::Error::other)? })
    }

    #[cfg(not(feature = "stats"))]
    fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    fn cost(&self, text: &str) -> Cost {
        #[cfg(feature = "stats")]
        let tokens = Some(self.tokenizer.encode_ordinary(text).len());
        #[cfg(not(feature = "stats"))]
        let tokens = None;
        Cost { bytes: text.len(), tokens }
    }

    fn surface(&self, name: &str, tools: Vec<Value>) -> SurfaceCost {
        let total = self.cost(&Value::Array(tools.clone()).to_string());
        let part = |tool: &Value, key: &str| tool.get(key).map_or(Cost::default(), |part| self.cost(&part.to_string()));
        let mut tools: Vec<ToolCost> = tools
            .iter()
            .map(|tool| ToolCost {
                name: tool["name"].as_str().unwrap_or_default().to_owned(),
                total: self.cost(&tool.to_string()),
                description: part(tool, "description"),
                schema: part(tool, "inputSchema"),
                annotations: part(tool, "annotations"),
            })
            .collect();
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.total.bytes));
        SurfaceCost { name: name.to_owned(), total, tools }
    }

    fn search(&self, catalog: &std::sync::Arc<Catalog>) -> Cost {
        let surface = Commands::alone(catalog);
        let queries = catalog.operations().iter().map(|operation| operation.about.as_str());
        let mut costs: Vec<Cost> = queries
            .filter(|about| !about.is_empty())
            .filter_map(|about| surface.search(about).ok())
            .map(|text| self.cost(&text))
            .collect();
        costs.sort_by_key(|cost| cost.bytes);
        costs.get(costs.len() / 2).copied().unwrap_or_default()
    }
}
