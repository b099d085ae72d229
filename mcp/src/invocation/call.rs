use super::collect::Collected;
use super::reading;
use crate::catalog::{BaseType, Effect, FilledParam, Hidden, Operation, Param, ParamKind, ValueType};
use crate::refusal::{Problem, Refusal};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// A validated call. Its only constructor validates; everything that runs was one.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    operation: Arc<Operation>,
    /// Indices into `operation.params`, ascending, each at most once.
    values: Vec<(usize, Given)>,
}

/// What a call gives for one param.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The switch is passed.
    Present,
    /// The counted flag is passed so many times, at least once.
    Times(u8),
    /// The flag is passed without its optional value.
    Bare,
    /// One value.
    Value(String),
    /// At least one value.
    Values(Vec<String>),
}

impl Invocation {
    /// Validates a call: `params` by property name, positionals included; `args` are positionals in
    /// order, as a convenience.
    ///
    /// # Errors
    /// [`InvalidParams`](crate::refusal::Kind::InvalidParams) with every problem of the call at once.
    pub fn new(operation: &Arc<Operation>, params: &Map<String, Value>, args: &[Value]) -> Result<Self, Refusal> {
        let Collected { given, mut problems } = Collected::new(operation, params, args);
        let mut values = Vec::new();
        for (index, (param, raw)) in operation.params.iter().zip(given).enumerate() {
            match raw.as_ref().map(|raw| reading::read(param, &raw.value)).transpose() {
                Ok(read) => match read.flatten() {
                    Some(given) => values.push((index, given)),
                    None if param.required => problems.push(missing(param)),
                    None => {}
                },
                Err(problem) => problems.push(Problem {
                    param: raw.as_ref().map_or_else(|| param.name.clone(), |raw| raw.name.to_string()),
                    given: raw.as_ref().map(|raw| reading::show(&raw.value)),
                    ..*problem
                }),
            }
        }
        if problems.is_empty() {
            Ok(Self { operation: operation.clone(), values })
        } else {
            Err(Refusal::invalid(problems))
        }
    }

    /// Validates this call again with one param set otherwise; `null` takes it away.
    ///
    /// # Errors
    /// As for [`Invocation::new`].
    pub fn with(&self, param: &str, value: Value) -> Result<Self, Refusal> {
        let mut params = self.to_json();
        params.insert(param.to_owned(), value);
        Self::new(&self.operation, &params, &[])
    }

    /// Adds what the host fills in, for the command line alone; `show` says how a value is written.
    pub(crate) fn filled(&self, show: impl Fn(&Hidden) -> String) -> Cow<'_, Self> {
        if self.operation.filled.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut operation = Operation::clone(&self.operation);
        let mut values = self.values.clone();
        for FilledParam { param, value } in &self.operation.filled {
            let text = show(value);
            let given = match param.kind {
                ParamKind::Many { .. } => Given::Values(vec![text]),
                _ => Given::Value(text),
            };
            values.push((operation.params.len(), given));
            operation.params.push(param.clone());
        }
        Cow::Owned(Self { operation: Arc::new(operation), values })
    }

    /// Returns the operation.
    pub fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }

    /// Returns the effect of this very call.
    pub fn effect(&self) -> Effect {
        self.operation.effect(self.values().map(|(param, _)| param.name.as_str()))
    }

    /// Returns what the call sets, in the operation's order.
    pub fn values(&self) -> impl Iterator<Item = (&Param, &Given)> {
        self.values.iter().map(|(index, given)| (self.operation.params[*index].as_ref(), given))
    }

    /// Returns what the call gives for a param, by its property name.
    pub fn value(&self, name: &str) -> Option<&Given> {
        self.values().find(|(param, _)| param.name == name).map(|(_, given)| given)
    }

    /// Renders what the call sets by property name, from which [`Invocation::new`] makes the same call.
    pub fn to_json(&self) -> Map<String, Value> {
        self.values().map(|(param, given)| (param.name.clone(), given_to_json(param, given))).collect()
    }
}

fn missing(param: &Param) -> Problem {
    Problem {
        param: param.name.clone(),
        problem: "missing".into(),
        expected: Some(reading::describe_missing(param)),
        allowed: reading::allowed(param),
        ..Problem::default()
    }
}

fn given_to_json(param: &Param, given: &Given) -> Value {
    match (given, &param.kind) {
        (Given::Present | Given::Bare, _) => true.into(),
        (Given::Times(times), _) => (*times).into(),
        (Given::Value(text), ParamKind::One(value) | ParamKind::Optional { value, .. }) => typed(text, value),
        (Given::Values(items), ParamKind::Many { item, .. }) => items.iter().map(|text| typed(text, item)).collect(),
        (Given::Value(text), _) => text.as_str().into(),
        (Given::Values(items), _) => items.clone().into(),
    }
}

/// Renders a text as the JSON type it stands for, where that renders back to the very same text.
fn typed(text: &str, kind: &ValueType) -> Value {
    let json = match kind.base {
        BaseType::String => None,
        BaseType::Boolean => text.parse::<bool>().ok().map(Value::from),
        BaseType::Integer { .. } => {
            text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
        }
        BaseType::Number => text.parse::<i64>().map(Value::from).ok(),
    };
    json.filter(|json| json.to_string().as_str() == text).unwrap_or_else(|| text.into())
}
