//! What a call costs before anything runs, and what a large CLI costs.
//!
//! Targets: a call proved in 200 µs on the peers tree; of 10,000 commands, catalog and index built in
//! 100 ms, a search answered in 2 ms.

#![expect(clippy::unwrap_used, reason = "a bench that can't go on fails")]

#[path = "../../mcp/tests/trees/peers.rs"]
mod peers;

use clap::{Arg, ArgAction, Command};
use clap_facade::argv::Proved;
use clap_facade::catalog::search::Index;
use clap_facade::catalog::{Catalog, Settings};
use clap_facade::invocation::Invocation;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, Value, json};
use std::hint::black_box;

/// Commands of the large tree: groups times leaves.
const GROUPS: usize = 100;
const LEAVES: usize = 100;

const VERBS: [&str; 10] =
    ["list", "show", "create", "rename", "archive", "restore", "delete", "export", "import", "verify"];
const THINGS: [&str; 10] =
    ["backup", "policy", "token", "ledger", "shard", "invoice", "webhook", "snapshot", "tenant", "certificate"];

fn proof(criterion: &mut Criterion) {
    let catalog = Catalog::new(peers::command(), &Settings::default()).unwrap();
    let operation = catalog.find("repo create").unwrap();
    let Value::Object(flags) = json!({
        "name": "web", "description": "what the web shows", "label": ["team=a", "tier=1"], "visibility": "internal",
        "yes": true, "dry-run": false,
    }) else {
        unreachable!()
    };
    let mut group = criterion.benchmark_group("peers tree");
    group.bench_function("json to invocation", |bench| {
        bench.iter(|| Invocation::new(black_box(operation), &flags, &[]).unwrap());
    });
    group.bench_function("json to invocation to argv to proof", |bench| {
        bench.iter(|| Proved::new(&catalog, Invocation::new(black_box(operation), &flags, &[]).unwrap()).unwrap());
    });
    let proved = Proved::new(&catalog, Invocation::new(operation, &flags, &[]).unwrap()).unwrap();
    let line: Vec<_> = std::iter::once("peercli".into()).chain(proved.argv().iter().cloned()).collect();
    let mut parser = peers::command();
    group.bench_function("clap's parse alone", |bench| {
        bench.iter(|| parser.try_get_matches_from_mut(black_box(&line)).unwrap());
    });
    group.finish();
}

/// A CLI of ten thousand commands.
fn large() -> Command {
    let leaf = |group: usize, leaf: usize| {
        let (verb, thing) = (VERBS[leaf % 10], THINGS[leaf / 10]);
        Command::new(format!("{verb}-{thing}"))
            .about(format!("{verb} a {thing} of the {} service in region {group}", THINGS[group % 10]))
            .arg(Arg::new("name").required(true).help("Its name"))
            .arg(Arg::new("limit").long("limit").help("At most so many"))
            .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Do not ask"))
    };
    let groups = (0..GROUPS).map(|group| {
        Command::new(format!("{}-{group}", THINGS[group % 10]))
            .about(format!("Manage the {} service in region {group}", THINGS[group % 10]))
            .subcommand_required(true)
            .subcommands((0..LEAVES).map(|number| leaf(group, number)))
    });
    Command::new("large").subcommand_required(true).subcommands(groups)
}

fn ten_thousand(criterion: &mut Criterion) {
    let tree = large();
    let catalog = Catalog::new(tree.clone(), &Settings::default()).unwrap();
    assert_eq!(catalog.operations().len(), GROUPS * LEAVES);
    let index = Index::new(catalog.operations(), catalog.groups());
    let mut group = criterion.benchmark_group("10,000 commands");
    group.sample_size(10);
    group.bench_function("catalog", |bench| {
        bench.iter_with_setup(|| tree.clone(), |tree| Catalog::new(tree, &Settings::default()).unwrap());
    });
    group.bench_function("index", |bench| bench.iter(|| Index::new(catalog.operations(), catalog.groups())));
    group.sample_size(50);
    for query in ["restore a snapshot", "delete the certificate of region 42", "invoise exprot"] {
        group.bench_function(format!("search `{query}`"), |bench| bench.iter(|| index.search(black_box(query), 6)));
    }
    let operation = catalog.find("token-42 verify-ledger").or(catalog.operations().last()).unwrap();
    let flags = Map::from_iter([("name".to_owned(), "x".into()), ("force".to_owned(), true.into())]);
    group.bench_function("json to invocation to argv to proof", |bench| {
        bench.iter(|| Proved::new(&catalog, Invocation::new(operation, &flags, &[]).unwrap()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, proof, ten_thousand);
criterion_main!(benches);
