//! `facade`: search, run, and run read-only, for any number of commands.

use super::fixed::{FixedTool, argument_names, fit, schema};
use super::{Beside, Surface, Tool, Way, fields, finder};
use crate::argv::Proved;
use crate::catalog::{Catalog, Effect, Excused, Operation};
use crate::invocation::{Invocation, UNKNOWN, nearest};
use crate::refusal::{Kind, Problem, Refusal};
use crate::run::bound::Selection;
use crate::run::{Call, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) const SEARCH: &str = "command_search";
pub(super) const READ: &str = "command_read";
pub(super) const RUN: &str = "command_run";

/// The tools `command_search`, `command_read` and `command_run`.
#[derive(Debug)]
pub struct Commands {
    search: Arc<FixedTool>,
    run_schema: Map<String, Value>,
    beside: Beside,
}

/// What `command_run` and `command_read` take.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read by `Commands::resolve` as plain JSON, since flags are checked by the operation")]
struct Run {
    name: String,
    /// params by name
    flags: Option<Map<String, Value>>,
    /// or positionals in order
    args: Option<Vec<String>>,
    /// of a JSON result: paths
    fields: Option<Vec<String>>,
}

impl Commands {
    pub(crate) fn new(catalog: &Arc<Catalog>, beside: Beside) -> Self {
        Self { search: Arc::new(finder::tool(catalog)), run_schema: schema::<Run>(), beside }
    }

    /// Makes the three tools alone, for a look at what they answer.
    pub(crate) fn alone(catalog: &Arc<Catalog>) -> Self {
        Self::new(catalog, Beside::default())
    }

    /// Answers a search.
    pub(crate) fn search(&self, query: &str) -> Result<String, Refusal> {
        self.search.answer(Map::from_iter([("query".to_owned(), query.into())]))
    }

    /// Resolves the arguments of `command_run` to an invocation.
    fn invocation(
        &self,
        catalog: &Catalog,
        arguments: Map<String, Value>,
    ) -> Result<(Invocation, Option<Selection>), Refusal> {
        if arguments.get("name").is_none_or(Value::is_null) {
            return Err(self.nameless(arguments));
        }
        let (mut own, mut stray): (Map<_, _>, Map<_, _>) =
            arguments.into_iter().partition(|(key, _)| matches!(key.as_str(), "name" | "flags" | "args"));
        let args = positionals(own.remove("args"));
        let mut own = fit(&self.run_schema, own)?;
        let name = own.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let operation = find(catalog, &name).map_err(|refusal| {
            match self.beside.workflows && HAND_OVER.contains(&name.as_str()) {
                true => refusal.hint(format!("several commands in order are run by {}", crate::run::workflow::NAME)),
                false => refusal,
            }
        })?;
        let mut flags = match own.remove("flags") {
            Some(Value::Object(flags)) => flags,
            _ => Map::new(),
        };
        let fields = match fields(operation, &mut stray)? {
            Some(fields) => Some(fields),
            None => fields(operation, &mut flags)?,
        };
        let beside: Vec<String> = stray.keys().cloned().collect();
        let mut problems = Vec::new();
        for (key, value) in stray {
            // A param that stands one level too high has one reading, and a gate must not get lost.
            if flags.contains_key(&key) {
                let problem = "given both beside and inside flags".to_owned();
                problems.push(Problem { param: key, problem, given: Some(value.to_string()), ..Problem::default() });
            } else {
                flags.insert(key, value);
            }
        }
        if !problems.is_empty() {
            return Err(Refusal::invalid(problems));
        }
        let invocation = match args {
            Ok(args) => Invocation::new(operation, &flags, &args),
            Err(unreadable) => Err(with_others(unreadable, operation, &flags)),
        };
        Ok((invocation.map_err(|refusal| self.or_own(refusal, &beside))?, fields))
    }

    /// Names all that is wrong with arguments that name no command.
    fn nameless(&self, arguments: Map<String, Value>) -> Refusal {
        let mut refusal = match fit(&self.run_schema, arguments) {
            Ok(_) => Refusal::new(Kind::InvalidParams),
            Err(refusal) => refusal,
        };
        for problem in refusal.problems.iter_mut().filter(|problem| FOR_NAME.contains(&problem.param.as_str())) {
            problem.expected = Some("the command in `name`".to_owned());
            problem.nearest = Some("name".to_owned());
        }
        refusal
    }

    /// Says of unknown names beside `flags` that they may be meant for the tool itself.
    fn or_own(&self, mut refusal: Refusal, beside: &[String]) -> Refusal {
        let own: Vec<&str> = argument_names(&self.run_schema).collect();
        let unknown = |problem: &&mut Problem| problem.problem == UNKNOWN && beside.contains(&problem.param);
        for problem in refusal.problems.iter_mut().filter(unknown) {
            let near =
                nearest(&problem.param, own.iter().copied().chain(problem.nearest.as_deref())).map(str::to_owned);
            problem.nearest = near.or(problem.nearest.take());
            problem.expected =
                problem.expected.take().map(|expected| format!("{expected}, or one of {}", own.join(", ")));
        }
        refusal
    }
}

/// Adds to the problem of positionals that can't be read what else is wrong with the call.
fn with_others(mut unreadable: Refusal, operation: &Arc<Operation>, flags: &Map<String, Value>) -> Refusal {
    let is_positional = |problem: &Problem| operation.positionals().any(|param| param.name == problem.param);
    if let Err(others) = Invocation::new(operation, flags, &[]) {
        // Whether a positional is missing, nobody knows.
        unreadable.problems.extend(others.problems.into_iter().filter(|problem| !is_positional(problem)));
    }
    unreadable
}

impl Surface for Commands {
    fn name(&self) -> &'static str {
        "facade"
    }

    fn tools(&self, catalog: &Catalog) -> Vec<Tool> {
        let root = catalog.root();
        let run = |name: &str, description: String, effect| Tool {
            name: name.to_owned(),
            description,
            input_schema: self.run_schema.clone(),
            effect,
        };
        // One undeclared command is enough for the tool not to say.
        let effects = catalog.operations().iter().map(|operation| operation.declared_effect());
        let widest = effects.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).flatten();
        let read =
            run(READ, format!("Run a {root} command that only reads; refuses all others."), Some(Effect::ReadOnly));
        let run = run(RUN, format!("Run any {root} command; search first for its params."), widest);
        let demands = catalog.operations().iter().any(|operation| operation.demands_plan());
        let run = if demands { run.with_plan() } else { run };
        [self.search.listing(), read, run].into_iter().chain(self.beside.tools(catalog)).collect()
    }

    fn instructions(&self, _catalog: &Catalog) -> String {
        format!(
            "Find a command with {SEARCH} {{query}}: the first hits show their params. Run it with {RUN} {{name, flags}}, or {READ} where it is read-only."
        )
    }

    fn looks_up(&self, tool: &str) -> bool {
        tool == SEARCH
    }

    fn way(&self, operation: &Operation) -> Way {
        Way::Named { tool: if operation.is_read_only() { READ } else { RUN }, name: operation.name.clone() }
    }

    fn resolve(&self, catalog: &Catalog, tool: &str, arguments: Map<String, Value>) -> Result<Call, Refusal> {
        let arguments = if [SEARCH, READ, RUN].contains(&tool) { unwrapped(arguments) } else { arguments };
        let (ceiling, wider) = match tool {
            SEARCH => {
                let target = Target::Tool(self.search.clone(), finder::arguments(&self.search, arguments)?);
                return Ok(Call {
                    tool: tool.to_owned(),
                    target,
                    ceiling: Effect::ReadOnly,
                    wider: None,
                    fields: None,
                });
            }
            READ => (Effect::ReadOnly, Some(RUN)),
            RUN => (Effect::Destructive, None),
            _ => return self.beside.resolve(catalog, tool, arguments),
        };
        let (invocation, fields) = self.invocation(catalog, arguments)?;
        let target = Target::Operation(Arc::new(Proved::new(catalog, invocation)?));
        Ok(Call { tool: tool.to_owned(), target, ceiling, wider, fields })
    }
}

/// Takes arguments out of the one object that models wrap them in once too often.
fn unwrapped(mut arguments: Map<String, Value>) -> Map<String, Value> {
    const WRAPPERS: &[&str] = &["arguments", "params", "parameters", "input", SEARCH, READ, RUN];
    let only = arguments.keys().next().filter(|key| arguments.len() == 1 && WRAPPERS.contains(&key.as_str())).cloned();
    match only.and_then(|key| arguments.get_mut(&key)) {
        Some(Value::Object(inner)) => unwrapped(std::mem::take(inner)),
        _ => arguments,
    }
}

/// Finds the operation that a caller names, or refuses with the nearest names.
pub(crate) fn find<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Arc<Operation>, Refusal> {
    catalog.find(name).ok_or_else(|| {
        let excused = catalog.find_excused(name);
        let refusal = Refusal::new(Kind::UnknownOperation).because(match excused {
            Some(Excused { path, reason }) => format!("`{path}` can't be called here: it {reason}"),
            None => format!("no command is called `{name}`"),
        });
        if let Some(remedy) = excused.and_then(|excused| excused.reason.remedy()) {
            return refusal.hint(remedy);
        }
        match catalog.nearest(name, 3).as_slice() {
            [] => refusal,
            near => refusal.hint(format!("the nearest are: {}", near.join(", "))),
        }
    })
}

/// Commands that run several others, which is what `workflow_submit` is for.
const HAND_OVER: &[&str] = &["workflow", "workflow run", "workflow submit", "workflow_submit", "batch"];

/// What callers write for `name`.
const FOR_NAME: &[&str] = &["command", "cmd", "operation", "tool", "path", "command_name"];

/// Reads positionals: an array, one shell-quoted string, or one value.
pub(crate) fn positionals(args: Option<Value>) -> Result<Vec<Value>, Refusal> {
    match args {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(Value::String(line)) => split(&line),
        Some(object @ Value::Object(_)) => Err(Refusal::invalid(vec![Problem {
            param: "args".into(),
            problem: "an object, and positionals have no names".into(),
            given: Some(object.to_string().chars().take(80).collect()),
            expected: Some("an array of strings in order; or params by name in `flags`".into()),
            ..Problem::default()
        }])),
        Some(other) => Ok(vec![other]),
    }
}

/// Splits one shell-quoted string into positionals.
fn split(line: &str) -> Result<Vec<Value>, Refusal> {
    let refuse = |problem: String, expected: &str| {
        Refusal::invalid(vec![Problem {
            param: "args".into(),
            problem,
            given: Some(line.chars().take(80).collect()),
            expected: Some(expected.to_owned()),
            ..Problem::default()
        }])
    };
    let words = shell_words::split(line).map_err(|error| {
        refuse(format!("not a shell-quoted line: {error}"), "balanced quotes, or an array of strings")
    })?;
    if let Some(flag) =
        words.iter().find(|word| word.starts_with('-') && word.len() > 1 && word.parse::<f64>().is_err())
    {
        return Err(refuse(
            format!("`{flag}` starts with a dash, and positionals alone are read from a string"),
            "params in flags; a positional that does start with a dash in an array of strings",
        ));
    }
    Ok(words.into_iter().map(Value::String).collect())
}

#[cfg(test)]
mod tests {
    use super::unwrapped;
    use serde_json::{Value, json};

    #[test]
    fn arguments_that_are_wrapped_have_one_reading() {
        for (given, meant) in [
            (json!({"arguments": {"name": "a"}}), json!({"name": "a"})),
            (json!({"command_run": {"params": {"name": "a"}}}), json!({"name": "a"})),
            (json!({"arguments": {"name": "a"}, "name": "b"}), json!({"arguments": {"name": "a"}, "name": "b"})),
            (json!({"arguments": "a"}), json!({"arguments": "a"})),
            (json!({"flags": {"name": "a"}}), json!({"flags": {"name": "a"}})),
        ] {
            let Value::Object(given) = given else { unreachable!() };
            assert_eq!(Value::Object(unwrapped(given.clone())), meant, "{given:?}");
        }
    }
}
