use super::VerbError;
use super::desk::Desk;
use crate::argv::Proved;
use crate::catalog::Param;
use crate::invocation::{Given, Invocation};
use crate::refusal::Refusal;
use crate::run::{Call, Caller, Pipeline, Target};
use crate::surface::Choice;
use clap::Args;
use clap::parser::ValueSource;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Show what a call would run, exactly, and what would be refused; runs nothing
#[derive(Args, Clone, Debug)]
pub(super) struct Explain {
    /// The command, as an agent names it
    name: String,
    /// Its params by name, positionals included: a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = object)]
    flags: Map<String, Value>,
    /// A positional, in order; once for each
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    args: Vec<String>,
    /// As in a server that was started with --principal
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// As in a server that was started with --read-only
    #[arg(long)]
    read_only: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        if self.read_only {
            desk.facade = desk.facade.read_only();
        }
        if let Some(name) = self.principal {
            desk.facade = desk.facade.serves(name);
        }
        let principal = desk.facade.served()?;
        // The facade's tools take any command by name, so that they explain calls for every surface.
        let pipeline = desk.pipeline(Some(Choice::Facade))?;
        let arguments = Map::from_iter([
            ("name".to_owned(), self.name.into()),
            ("flags".to_owned(), self.flags.into()),
            ("args".to_owned(), self.args.into()),
        ]);
        let caller = Caller {
            principal,
            session: "explain".to_owned(),
            door: "explain",
            cancel: tokio_util::sync::CancellationToken::new(),
            ..Caller::default()
        };
        let resolve = |tool| {
            let call = pipeline.surface().resolve(pipeline.catalog(), tool, arguments.clone())?;
            pipeline.stated(call, &caller)
        };
        let explained = resolve("command_run").and_then(|call| Explained::new(&pipeline, &caller, call));
        let reads = resolve("command_read").and_then(|call| pipeline.foresee(&call, &caller)).is_ok();
        let (shown, refusal) = match explained {
            Ok(Explained { shown, refusal }) => (Some(shown), refusal),
            Err(refusal) => (None, Some(refusal)),
        };
        let mask = pipeline.mask();
        let refusal = refusal.map(|refusal| mask.refusal(refusal));
        if self.json {
            let mut answer = json!({ "runs": refusal.is_none() });
            if let Some(shown) = &shown {
                answer["command_read"] = reads.into();
                answer["call"] = shown.to_json();
            }
            if let Some(refusal) = &refusal {
                answer["refusal"] = refusal.to_json()["error"].clone();
            }
            mask.value(&mut answer);
            desk.json(&answer)?;
        } else {
            if let Some(shown) = &shown {
                desk.say(mask.text(&shown.to_text()))?;
            }
            match &refusal {
                Some(refusal) => desk.say(format!("refused    {}: {refusal}", refusal.kind.code()))?,
                None if reads => desk.say("runs       through command_read and command_run")?,
                None => desk.say("runs       through command_run; command_read refuses it")?,
            }
        }
        Ok(refusal.map_or(ExitCode::SUCCESS, |refusal| ExitCode::from(refusal.kind.exit_code())))
    }
}

/// A call that is valid, and why it would not run all the same.
struct Explained {
    shown: Shown,
    refusal: Option<Refusal>,
}

impl Explained {
    fn new(pipeline: &Pipeline, caller: &Caller, call: Call) -> Result<Self, Refusal> {
        let refusal = pipeline.foresee(&call, caller).err();
        match call.target {
            Target::Operation(proved) => Ok(Self { shown: Shown::new(pipeline.catalog().program(), &proved), refusal }),
            Target::Tool(..) | Target::Workflow(_) => Err(Refusal::new(crate::refusal::Kind::UnknownOperation)),
        }
    }
}

/// What a valid call means.
struct Shown {
    name: String,
    effect: String,
    because: Option<String>,
    line: Vec<String>,
    sets: Map<String, Value>,
    defaults: Vec<(String, Vec<String>)>,
    gates: Vec<(String, bool)>,
    constraints: Vec<String>,
}

impl Shown {
    fn new(program: &str, proved: &Proved) -> Self {
        let invocation = proved.invocation();
        let operation = invocation.operation();
        let widened = operation.mutating_when.iter().find(|name| invocation.value(name).is_some());
        let because = match (operation.declared, widened) {
            (None, _) => Some("undeclared, so taken for mutating".to_owned()),
            (Some(_), Some(name)) => Some(format!("because it sets {name}")),
            (Some(_), None) => None,
        };
        let arg0 = proved.arg0().map(|name| vec![name.to_string_lossy().into_owned()]);
        let program = arg0.unwrap_or_else(|| shell_words::split(program).unwrap_or_else(|_| vec![program.to_owned()]));
        let argv = proved.argv().iter().map(|word| word.to_string_lossy().into_owned());
        let gates = operation.params.iter().filter(|param| param.gate);
        Self {
            name: operation.name.clone(),
            effect: invocation.effect().to_string(),
            because,
            line: program.into_iter().chain(argv).collect(),
            sets: invocation.to_json(),
            defaults: operation.params.iter().filter_map(|param| default(proved, param)).collect(),
            gates: gates.map(|gate| (gate.name.clone(), passes(invocation, gate))).collect(),
            constraints: operation.constraints.clone(),
        }
    }

    fn to_json(&self) -> Value {
        let defaults: Map<String, Value> =
            self.defaults.iter().map(|(name, values)| (name.clone(), values.clone().into())).collect();
        let gates: Map<String, Value> =
            self.gates.iter().map(|(name, passed)| (name.clone(), (*passed).into())).collect();
        json!({
            "name": self.name, "effect": self.effect, "effect_because": self.because, "argv": self.line,
            "params": self.sets, "defaults": defaults, "gates": gates, "constraints": self.constraints,
        })
    }

    fn to_text(&self) -> String {
        let mut lines = vec![
            format!("command    {}", self.name),
            format!("runs as    {}", shell_words::join(&self.line)),
            match &self.because {
                Some(because) => format!("effect     {}, {because}", self.effect),
                None => format!("effect     {}", self.effect),
            },
        ];
        let mut list = |title: &str, items: Vec<String>| {
            lines.extend(items.into_iter().enumerate().map(|(n, item)| match n {
                0 => format!("{title:<10} {item}"),
                _ => format!("{:<10} {item}", ""),
            }));
        };
        list("sets", self.sets.iter().map(|(name, value)| format!("{name} = {value}")).collect());
        list(
            "defaults",
            self.defaults.iter().map(|(name, values)| format!("{name} = {}", values.join(", "))).collect(),
        );
        let gate =
            |(name, passed): &(String, bool)| format!("{name}: {}", if *passed { "passed" } else { "not passed" });
        list("gates", self.gates.iter().map(gate).collect());
        list("rules", self.constraints.clone());
        lines.join("\n")
    }
}

fn passes(invocation: &Invocation, gate: &Param) -> bool {
    invocation.value(&gate.name).is_some_and(|given| *given != Given::Value("false".into()))
}

/// Returns what the CLI takes a param for that the call leaves out, where that may be published.
fn default(proved: &Proved, param: &Param) -> Option<(String, Vec<String>)> {
    let mut matches = proved.matches();
    for _ in 0..param.depth {
        matches = matches.subcommand()?.1;
    }
    if param.default.is_empty() || matches.value_source(&param.id) != Some(ValueSource::DefaultValue) {
        return None;
    }
    let values = matches.try_get_raw(&param.id).ok()??;
    Some((param.name.clone(), values.map(|value| value.to_string_lossy().into_owned()).collect()))
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("not a JSON object, such as {\"limit\": 5}".to_owned()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}
