//! One operation and what to set, validated: the allow-list.

use crate::catalog::{Effect, Operation, Param};
use crate::refusal::Refusal;
use serde_json::{Map, Value};
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
        let _ = (operation, params, args);
        unimplemented!()
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
        self.values.iter().map(|(index, given)| (&self.operation.params[*index], given))
    }
}
