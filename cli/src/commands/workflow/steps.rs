use crate::contract::hex;
use crate::error::CliError;
use crate::globals::Globals;
use clap::{ArgMatches, ValueEnum};
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Effect, Settings};
use clap_facade::invocation::Invocation;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The steps of a file as written.
#[derive(Debug)]
pub(crate) struct Script {
    /// The file, as the user named it.
    pub(crate) file: String,
    steps: Vec<WrittenStep>,
}

/// One step as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    command: String,
    #[serde(default)]
    flags: Map<String, Value>,
    #[serde(default)]
    args: Vec<Value>,
    #[serde(default)]
    name: Option<String>,
    #[serde(skip)]
    line: usize,
}

impl Script {
    /// Reads a list of steps, an object with `steps`, or a step a line.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, CliError> {
        let steps = match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(steps)) => numbered(file, steps)?,
            Ok(Value::Object(mut object)) if object.contains_key("steps") => match object.remove("steps") {
                Some(Value::Array(steps)) => numbered(file, steps)?,
                _ => return Err(CliError::usage("expected a list of steps").at(file, 0, "steps")),
            },
            _ => by_line(file, text)?,
        };
        if steps.is_empty() {
            return Err(CliError::usage("holds no step").at(file, 0, ""));
        }
        Ok(Self { file: file.to_owned(), steps })
    }

    /// A hash of the steps, by which an interrupted run is known again.
    pub(crate) fn digest(&self) -> String {
        let steps: Vec<Value> = self.steps.iter().map(|step| json!([step.command, step.flags, step.args])).collect();
        hex(&Sha256::digest(Value::from(steps).to_string()))
    }

    /// The commands in their order.
    pub(crate) fn commands(&self) -> Vec<&str> {
        self.steps.iter().map(|step| step.command.as_str()).collect()
    }
}

/// Steps that are valid calls of this very command line.
pub(crate) struct Steps {
    file: String,
    steps: Vec<Step>,
}

/// One step, ready to run.
pub(crate) struct Step {
    /// From 1.
    pub(crate) number: usize,
    /// The line in a file with a step a line, else 0.
    pub(crate) line: usize,
    /// The name its author gave it.
    pub(crate) name: Option<String>,
    /// The command's words.
    pub(crate) command: String,
    proved: Proved,
}

impl Steps {
    /// Makes each step a call that the command tree has proved, before any of them runs.
    pub(crate) fn prepare(globals: &Globals, script: &Script) -> Result<Self, CliError> {
        let settings = Settings { inject: handed_down(globals), ..Settings::default() };
        let catalog =
            Catalog::new(crate::app::command(), &settings).map_err(|error| CliError::failure(error.to_string()))?;
        let mut steps = Vec::new();
        for (index, written) in script.steps.iter().enumerate() {
            let proved = prove(&catalog, globals, written)
                .map_err(|error| error.at(script.file.as_str(), written.line, format!("step {}", index + 1)))?;
            steps.push(Step {
                number: index + 1,
                line: written.line,
                name: written.name.clone(),
                command: proved.invocation().operation().name.clone(),
                proved,
            });
        }
        Ok(Self { file: script.file.clone(), steps })
    }

    /// The steps in their order.
    pub(crate) fn all(&self) -> &[Step] {
        &self.steps
    }

    /// What a step runs from.
    pub(crate) fn matches<'a>(&self, step: &'a Step) -> &'a ArgMatches {
        step.proved.matches()
    }

    /// The file, as the user named it.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }
}

fn numbered(file: &str, steps: Vec<Value>) -> Result<Vec<WrittenStep>, CliError> {
    let step = |(index, value)| {
        serde_json::from_value(value)
            .map_err(|error| CliError::usage(error.to_string()).at(file, 0, format!("step {}", index + 1)))
    };
    steps.into_iter().enumerate().map(step).collect()
}

fn by_line(file: &str, text: &str) -> Result<Vec<WrittenStep>, CliError> {
    let mut steps = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut step: WrittenStep = serde_json::from_str(line).map_err(|error| {
            CliError::usage(format!("is no step: {error}"))
                .at(file, index + 1, "")
                .hint("write {\"command\": \"items add\", \"flags\": {}, \"args\": []}, one a line or in a list")
        })?;
        step.line = index + 1;
        steps.push(step);
    }
    Ok(steps)
}

/// The global flags that hold for the steps too.
fn handed_down(globals: &Globals) -> Vec<String> {
    let mut flags = vec!["--agent".to_owned()];
    let host = &globals.host;
    let path = host.config.as_ref().map(|path| path.display().to_string());
    for (name, value) in [("config", path), ("profile", host.profile.clone()), ("group", host.group.clone())] {
        flags.extend(value.map(|value| format!("--{name}={value}")));
    }
    let source = globals.operation.data_source.to_possible_value();
    flags.extend(source.map(|source| format!("--data-source={}", source.get_name())));
    for (name, set) in [
        ("no-cache", globals.operation.no_cache),
        ("idempotent", globals.operation.idempotent),
        ("ignore-missing", globals.operation.ignore_missing),
    ] {
        flags.extend(set.then(|| format!("--{name}")));
    }
    flags
}

fn prove(catalog: &Catalog, globals: &Globals, written: &WrittenStep) -> Result<Proved, CliError> {
    let Some(operation) = catalog.find(&written.command) else {
        let error = CliError::usage(format!("unknown command {:?}", written.command));
        return Err(match catalog.nearest(&written.command, 1).first() {
            Some(near) => error.hint(format!("did you mean {near:?}?")),
            None => error.hint("`mycli capabilities` lists the commands"),
        });
    };
    let refused = |refusal: clap_facade::refusal::Refusal| CliError::usage(refusal.to_string());
    let mut invocation = Invocation::new(operation, &written.flags, &written.args).map_err(refused)?;
    if let Some((gate, _)) = invocation.values().find(|(param, _)| param.gate) {
        return Err(CliError::usage(format!("a step can't set {}", gate.spelling))
            .hint("give it to `workflow run`: it holds for all steps"));
    }
    if invocation.effect() > Effect::ReadOnly {
        let destroys = globals.gates.allow_destructive || !globals.applies();
        for (gate, set) in
            [("yes", true), ("allow-destructive", destroys), ("continue-on-error", globals.gates.continue_on_error)]
        {
            if set {
                invocation = invocation.with(gate, json!(true)).map_err(refused)?;
            }
        }
    }
    Proved::new(catalog, invocation).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_hold_the_same_steps() {
        let step = r#"{"command": "tags delete", "args": ["x"]}"#;
        let other = r#"{"command": "tags list"}"#;
        let digests: Vec<String> =
            [format!("[{step}, {other}]"), format!("{{\"steps\": [{step}, {other}]}}"), format!("{step}\n\n{other}\n")]
                .iter()
                .map(|text| Script::parse("f", text).unwrap().digest())
                .collect();
        assert!(digests.iter().all(|digest| *digest == digests[0]));
    }

    #[test]
    fn what_is_no_step_is_refused_with_its_place() {
        for (text, place) in [
            ("", "f: "),
            ("[]", "f: "),
            ("{\"steps\": 3}", "f, field steps: "),
            ("[{\"command\": \"tags list\"}, {\"comand\": 1}]", "f, field step 2: "),
            ("{\"command\": \"tags list\"}\n{", "f:2: "),
            ("{\"command\": \"tags list\", \"yes\": true}", "f:1: "),
            ("tags list", "f:1: "),
        ] {
            let error = Script::parse("f", text).unwrap_err().to_string();
            assert!(error.starts_with(place), "{text:?}: {error}");
        }
    }
}
