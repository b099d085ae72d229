//! One line a fact: a call of a tree, and the argv it means or the problem it has.

use super::reader;
use clap::Command;
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Operation, Settings};
use clap_facade::invocation::Invocation;
use clap_facade::refusal::Refusal;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A tree, and the facts stated about it.
pub(crate) struct Table {
    tree: Command,
    catalog: Catalog,
}

impl Table {
    /// Starts a table for a tree without injected flags.
    pub(crate) fn new(tree: Command) -> Self {
        Self::with(tree, &Settings::default())
    }

    pub(crate) fn with(tree: Command, settings: &Settings) -> Self {
        tree.clone().debug_assert();
        Self { catalog: Catalog::new(tree.clone(), settings).unwrap(), tree }
    }

    pub(crate) fn operation(&self, name: &str) -> &Arc<Operation> {
        let names = || self.catalog.operations().iter().map(|operation| &operation.name).collect::<Vec<_>>();
        self.catalog.find(name).unwrap_or_else(|| panic!("`{name}` is not among {:?}", names()))
    }

    /// Proves a call.
    pub(crate) fn call(&self, name: &str, params: &Value, args: &[Value]) -> Result<Proved, Refusal> {
        let params: &Map<_, _> = params.as_object().unwrap();
        Proved::new(&self.catalog, Invocation::new(self.operation(name), params, args)?)
    }

    /// States that a call means an argv, its tokens joined by spaces and quoted where they hold one.
    #[track_caller]
    pub(crate) fn ok(&self, name: &str, params: Value, argv: &str) -> &Self {
        self.ok_args(name, params, &[], argv)
    }

    /// States the same for a call with positionals in order.
    #[track_caller]
    pub(crate) fn ok_args(&self, name: &str, params: Value, args: &[Value], argv: &str) -> &Self {
        let proved = self.call(name, &params, args).unwrap_or_else(|refusal| panic!("{name} {params}: {refusal}"));
        assert_eq!(shown(&proved), argv, "{name} {params}");
        let path = reader::path(&self.tree, &proved);
        assert_eq!(path, self.operation(name).path, "{name} {params}");
        let again = proved.invocation().to_json();
        assert_eq!(&Invocation::new(self.operation(name), &again, &[]).unwrap(), proved.invocation(), "{again:?}");
        self
    }

    /// States that a call is refused: `param: problem; expected …`, a part of it.
    #[track_caller]
    pub(crate) fn no(&self, name: &str, params: Value, problem: &str) -> &Self {
        self.no_args(name, params, &[], problem)
    }

    /// States the same for a call with positionals in order.
    #[track_caller]
    pub(crate) fn no_args(&self, name: &str, params: Value, args: &[Value], problem: &str) -> &Self {
        match self.call(name, &params, args) {
            Ok(proved) => panic!("{name} {params} was accepted as {}", shown(&proved)),
            Err(refusal) => {
                let text = refusal.to_string();
                assert!(text.contains(problem), "{name} {params} was refused with\n{text}\nnot with\n{problem}");
            }
        }
        self
    }
}

/// Renders the tokens as a table states them.
pub(crate) fn shown(proved: &Proved) -> String {
    let quoted =
        |token: &str| if token.is_empty() || token.contains(' ') { format!("{token:?}") } else { token.into() };
    let tokens = proved.arg0().into_iter().chain(proved.argv().iter().map(|token| token.as_os_str()));
    tokens.map(|token| quoted(token.to_str().unwrap())).collect::<Vec<_>>().join(" ")
}
