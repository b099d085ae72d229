//! JSON → invocation → argv → proof, over trees of every shape.

use crate::bytes::Bytes;
use crate::reader::{self, Set};
use crate::{is_told, trees};
use clap::Command;
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Operation, Param, ParamKind, Spelling};
use clap_facade::invocation::{Given, Invocation};
use clap_facade::refusal::{Kind, Refusal};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static TREES: LazyLock<Vec<(Mutex<Command>, Catalog)>> = LazyLock::new(|| {
    let read = |(_, mut tree): (_, Command)| {
        let catalog = Catalog::new(tree.clone(), &reader::exposing(&tree)).expect("the tree is valid");
        // What is deferred is only there once it is built.
        tree.build();
        (Mutex::new(tree), catalog)
    };
    trees::all().into_iter().map(read).filter(|(_, catalog)| !catalog.operations().is_empty()).collect()
});

/// Nothing panics, and what is proved reads back as exactly the same params.
///
/// The first bytes choose tree, operation and form: JSON as text, or a call put together from the bytes.
pub fn check(input: &[u8]) {
    let mut bytes = Bytes(input);
    let (tree, catalog) = &TREES[bytes.below(TREES.len())];
    let operation = &catalog.operations()[bytes.below(catalog.operations().len())];
    let Some((params, args)) = call(operation, &mut bytes) else { return };
    let invocation = match Invocation::new(operation, &params, &args) {
        Ok(invocation) => invocation,
        Err(refusal) => {
            assert_eq!(refusal.kind, Kind::InvalidParams);
            assert!(!refusal.problems.is_empty(), "{}: {params:?} {args:?}", operation.name);
            return is_told(&refusal);
        }
    };
    let again = Invocation::new(operation, &invocation.to_json(), &[]);
    assert_eq!(again.as_ref(), Ok(&invocation), "{}: {params:?} {args:?}", operation.name);
    let tree = &mut *tree.lock().unwrap_or_else(PoisonError::into_inner);
    match Proved::new(catalog, invocation) {
        Ok(proved) => reads_back(tree, &proved),
        Err(refusal) => {
            assert!(may_refuse(tree, operation, &refusal), "{}: {params:?} {args:?}: {refusal}", operation.name);
            is_told(&refusal);
        }
    }
}

fn call(operation: &Operation, bytes: &mut Bytes<'_>) -> Option<(Map<String, Value>, Vec<Value>)> {
    let form = bytes.next();
    if form % 4 == 0 {
        let params = match serde_json::from_slice(bytes.0).ok()? {
            Value::Object(params) => params,
            Value::Array(args) => return Some((Map::new(), args)),
            _ => return None,
        };
        return Some((params, Vec::new()));
    }
    let mut words: Vec<&str> = operation.params.iter().flat_map(|param| words(param)).collect();
    words.extend(["help", "yes", "config", "--", "-", ";", ""]);
    let params = bytes.object(&words, 0);
    let args = match form % 4 {
        1 => (0..bytes.below(5)).map(|_| bytes.value(&words, 2)).collect(),
        _ => Vec::new(),
    };
    Some((params, args))
}

fn words(param: &Param) -> Vec<&str> {
    let choices = match &param.kind {
        ParamKind::One(kind) | ParamKind::Optional { value: kind, .. } | ParamKind::Many { item: kind, .. } => {
            kind.choices.iter().map(|choice| choice.name.as_str()).collect()
        }
        ParamKind::Switch | ParamKind::Count => Vec::new(),
    };
    std::iter::once(param.name.as_str()).chain(param.aliases.iter().map(String::as_str)).chain(choices).collect()
}

/// A fresh parse, read with clap's typed getters, sets what the invocation gives and what the host sets.
fn reads_back(tree: &mut Command, proved: &Proved) {
    let operation = proved.invocation().operation();
    let matches = reader::parse_by(tree, proved);
    assert_eq!(reader::path_of(tree, &matches), operation.path, "{:?}", proved.argv());
    let mut set = reader::settings_of(tree, &matches);
    for (param, given) in proved.invocation().values() {
        let key = match param.spelling {
            Spelling::External => (operation.path.len(), "(external)".to_owned()),
            _ => (param.depth, param.id.clone()),
        };
        let found = set.remove(&key);
        let right = match (&found, given) {
            (Some(Set::Passed | Set::To(_)), Given::Present) | (Some(Set::To(_)), Given::Bare) => true,
            (Some(Set::Counted(times)), Given::Times(wanted)) => times == wanted,
            (Some(Set::To(found)), Given::Value(wanted)) => *found == [OsString::from(wanted)],
            (Some(Set::To(found)), Given::Values(wanted)) => {
                found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| found == wanted.as_str())
            }
            _ => false,
        };
        assert!(right, "{} is {found:?}, not {given:?}: {:?}", param.name, proved.argv());
    }
    set.retain(|(_, id), _| id != "agent");
    assert!(set.is_empty(), "{set:?} is set as well: {:?}", proved.argv());
}

/// A valid call is refused in its own names; where a word may be a subcommand as well, the proof decides.
fn may_refuse(tree: &Command, operation: &Arc<Operation>, refusal: &Refusal) -> bool {
    let called = operation.path.iter().try_fold(tree, |command, word| command.find_subcommand(word));
    match refusal.kind {
        Kind::InvalidParams => !refusal.problems.is_empty(),
        Kind::ProofFailed => called.is_none_or(Command::has_subcommands),
        _ => false,
    }
}
