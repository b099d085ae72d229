//! `facade`: search, run, and run read-only, for any number of commands.

use super::fixed::{Answer, FixedTool, fit, schema};
use super::{Beside, Surface, Tool, Way, detail, fields};
use crate::argv::Proved;
use crate::catalog::search::Index;
use crate::catalog::{Catalog, Effect, Excused, Operation};
use crate::invocation::Invocation;
use crate::refusal::{Kind, Problem, Refusal};
use crate::run::bound::Selection;
use crate::run::{Call, Principal, Target, guard};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};

pub(super) const SEARCH: &str = "command_search";
pub(super) const READ: &str = "command_read";
pub(super) const RUN: &str = "command_run";

/// How many hits a search shows unless told otherwise.
const HITS: usize = 6;

/// What stands in an answer for what the caller may not run.
const NOT_ALLOWED: &str = "not_allowed";

/// How many commands of a group are shown at most.
const GROUP: usize = 50;

/// Hits past the first are shown with their params while the answer stays below this, in bytes.
const ANSWER_BYTES: usize = 1_000;

/// The tools `command_search`, `command_read` and `command_run`.
#[derive(Debug)]
pub struct Commands {
    search: Arc<FixedTool>,
    run_schema: Map<String, Value>,
    beside: Beside,
}

/// What `command_search` takes.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// what to do, in words
    query: Option<String>,
    /// one exact command: all details
    name: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
    /// Arguments that a search has no use for: said, not refused, since a search changes nothing.
    #[serde(default)]
    #[schemars(skip)]
    ignored: Vec<String>,
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
        let finder = Finder { index: OnceLock::new(), catalog: catalog.clone() };
        let description = format!("Find {} commands and their params: {}.", catalog.root(), words(catalog));
        let search = FixedTool::refusing(SEARCH, description, Effect::ReadOnly, move |search: Search, principal| {
            finder.answer(&search, principal)
        });
        Self { search: Arc::new(search.built_in()), run_schema: schema::<Run>(), beside }
    }

    /// Makes the three tools alone, for a look at what they answer.
    pub(crate) fn alone(catalog: &Arc<Catalog>) -> Self {
        Self::new(catalog, Beside::default())
    }

    /// Answers a search.
    pub(crate) fn search(&self, query: &str) -> Result<String, Refusal> {
        self.search.answer(Map::from_iter([("query".to_owned(), query.into())]))
    }

    fn search_arguments(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        let (known, stray): (Map<_, _>, Map<_, _>) =
            arguments.into_iter().partition(|(key, _)| matches!(key.as_str(), "query" | "name" | "limit" | "cursor"));
        let mut fitted = self.search.fit(known)?;
        if !stray.is_empty() {
            fitted.insert("ignored".into(), stray.into_iter().map(|(key, _)| key).collect());
        }
        Ok(fitted)
    }

    /// Resolves the arguments of `command_run` to an invocation.
    fn invocation(
        &self,
        catalog: &Catalog,
        arguments: Map<String, Value>,
    ) -> Result<(Invocation, Option<Selection>), Refusal> {
        let (own, stray): (Map<_, _>, Map<_, _>) =
            arguments.into_iter().partition(|(key, _)| matches!(key.as_str(), "name" | "flags" | "args"));
        let mut own = own;
        if own.get("name").is_none_or(Value::is_null)
            && let Some((key, value)) = stray.iter().find(|(key, _)| FOR_NAME.contains(&key.as_str()))
        {
            return Err(Refusal::invalid(vec![Problem {
                param: key.clone(),
                problem: "unknown param".to_owned(),
                given: Some(value.to_string().chars().take(80).collect()),
                expected: Some("the command in `name`".to_owned()),
                allowed: ["name", "flags", "args"].map(str::to_owned).into(),
                nearest: Some("name".to_owned()),
            }]));
        }
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
        let mut stray = stray;
        let fields = match fields(operation, &mut stray)? {
            Some(fields) => Some(fields),
            None => fields(operation, &mut flags)?,
        };
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
        match args {
            Ok(args) => Ok((Invocation::new(operation, &flags, &args)?, fields)),
            Err(unreadable) => Err(with_others(unreadable, operation, &flags)),
        }
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
                let target = Target::Tool(self.search.clone(), self.search_arguments(arguments)?);
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

/// Returns the CLI's own words for its groups, so that hosts which search tools find this one.
fn words(catalog: &Catalog) -> String {
    let mut words: Vec<&str> = Vec::new();
    for operation in catalog.operations() {
        if let Some(word) = operation.path.first()
            && !words.contains(&word.as_str())
        {
            words.push(word);
        }
    }
    let mut text = String::new();
    for word in &words {
        if text.len() + word.len() > 180 {
            text.push_str(", …");
            break;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(word);
    }
    text
}

/// Answers `command_search`; the index is made at the first search.
struct Finder {
    index: OnceLock<Index>,
    catalog: Arc<Catalog>,
}

impl Finder {
    fn answer(&self, search: &Search, principal: &Principal) -> Result<Answer, Refusal> {
        if let Some(name) = search.name.as_deref().filter(|name| !name.trim().is_empty()) {
            let found = find(&self.catalog, name);
            return match found.is_err().then(|| self.group(name, principal)).flatten() {
                Some(group) => Ok(group.into()),
                None => {
                    let operation = found?;
                    let mut whole = detail::whole(operation);
                    if let Err(refusal) = guard::could_run(principal, operation) {
                        whole[NOT_ALLOWED] = refusal.message.into();
                    }
                    Ok(whole.into())
                }
            };
        }
        match search.query.as_deref().map(str::trim).filter(|query| !query.is_empty()) {
            None => Ok(self.groups().into()),
            Some(query) => self.hits(query, search, principal),
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.catalog.operations(), self.catalog.groups()))
    }

    /// Returns the commands of a group; nothing where none is called so.
    fn group(&self, name: &str, principal: &Principal) -> Option<Value> {
        let wanted: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
        let is_below = |operation: &&Arc<Operation>| {
            operation.path.len() > wanted.len()
                && operation.path.iter().zip(&wanted).all(|(word, wanted)| word.to_lowercase() == *wanted)
        };
        let below: Vec<_> = self.catalog.operations().iter().filter(is_below).collect();
        if below.is_empty() {
            return None;
        }
        let (below, closed): (Vec<_>, Vec<_>) = below.into_iter().partition(|operation| principal.can_run(operation));
        let shown: Vec<Value> = below.iter().take(GROUP).map(|operation| detail::line(operation)).collect();
        let mut answer = json!({ "group": wanted.join(" "), "commands": shown });
        tell_closed(&mut answer, closed.into_iter());
        if below.len() > GROUP {
            answer["more"] = (below.len() - GROUP).into();
        }
        Some(answer)
    }

    fn groups(&self) -> Value {
        let groups = self.index().groups();
        let shown = groups
            .iter()
            .map(|group| json!({ "name": group.name, "commands": group.operations, "about": group.about }));
        json!({ "groups": shown.collect::<Vec<_>>(), "commands": self.catalog.operations().len() })
    }

    fn hits(&self, query: &str, search: &Search, principal: &Principal) -> Result<Answer, Refusal> {
        let skip = match search.cursor.as_deref() {
            None | Some("") => 0,
            Some(cursor) => cursor.parse::<usize>().map_err(|_| {
                Refusal::invalid(vec![Problem {
                    param: "cursor".into(),
                    problem: "not a cursor of this search".into(),
                    given: Some(cursor.chars().take(80).collect()),
                    ..Problem::default()
                }])
            })?,
        };
        let limit = search.limit.unwrap_or(HITS).clamp(1, 50);
        let wanted = skip.saturating_add(limit).saturating_add(1);
        let found = self.index().search(query, if principal.is_narrow() { usize::MAX } else { wanted });
        // What an agent can't run only keeps it from what it can.
        let (hits, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|hit| principal.can_run(&hit.operation));
        if hits.is_empty() && closed.is_empty() {
            let near = self.index().nearest(query, 5);
            return Ok(json!({ "commands": [], "nearest": near, "groups": words(&self.catalog) }).into());
        }
        let mut bytes = 0;
        let mut detailed = true;
        let mut shown = Vec::new();
        for (rank, hit) in hits.iter().skip(skip).take(limit).enumerate() {
            let signature = detail::signature(&hit.operation);
            bytes += signature.to_string().len();
            detailed &= rank == 0 || bytes <= ANSWER_BYTES;
            shown.push(if detailed { signature } else { detail::line(&hit.operation) });
        }
        let mut answer = json!({ "commands": shown });
        if !search.ignored.is_empty() {
            answer["ignored"] = search.ignored.clone().into();
        }
        if skip == 0 {
            tell_closed(&mut answer, closed.iter().map(|hit| &hit.operation));
        }
        if hits.len() > skip.saturating_add(limit) {
            answer["cursor"] = (skip + limit).to_string().into();
        }
        Ok(answer.into())
    }
}

/// Names the commands that would fit but that the caller can't run, so that it neither tries nor looks further.
fn tell_closed<'a>(answer: &mut Value, closed: impl Iterator<Item = &'a Arc<Operation>>) {
    let names: Vec<&str> = closed.take(HITS).map(|operation| operation.name.as_str()).collect();
    if !names.is_empty() {
        answer[NOT_ALLOWED] = names.into();
    }
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
