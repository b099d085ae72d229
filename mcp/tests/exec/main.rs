//! Executors, with real processes and real threads.
#![cfg(feature = "stdio")]
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod asks;
mod fence;
mod in_process;
mod subprocess;

use clap::{Arg, ArgAction, Command};
use clap_facade::annotate::{CommandNote, read_only};
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Settings};
use clap_facade::exec::Job;
use clap_facade::invocation::Invocation;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Proves a call of a tiny tree: `show` reads, `change` writes, both take any words.
fn prove(operation: &str, words: &[&str]) -> Arc<Proved> {
    prove_in(tiny(read_only()), operation, words)
}

/// A tiny tree, with what is noted of `show`.
fn tiny(show: CommandNote) -> Command {
    let words = || Arg::new("words").action(ArgAction::Append).num_args(0..);
    Command::new("tiny")
        .subcommand(Command::new("show").add(show).arg(words()))
        .subcommand(Command::new("change").arg(words()))
}

fn prove_in(tree: Command, operation: &str, words: &[&str]) -> Arc<Proved> {
    let catalog = Catalog::new(tree, &Settings::default()).unwrap();
    let mut params = serde_json::Map::new();
    if !words.is_empty() {
        params.insert("words".into(), json!(words));
    }
    let invocation = Invocation::new(catalog.find(operation).unwrap(), &params, &[]).unwrap();
    Arc::new(Proved::new(&catalog, invocation).unwrap())
}

fn job(operation: &str) -> Job {
    Job::new(prove(operation, &[]))
}

/// Waits until `done` gives something. The bound only ends a broken test.
async fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    for _ in 0..3000 {
        if let Some(value) = done() {
            return value;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("waited in vain for {what}");
}
