//! How well `command_search` finds what people ask for.
//!
//! The intents were written without looking at the commands' help. The floors are quality floors: a change of the
//! index, of its thesaurus or of a help text that costs more than a hit or two falls below them.

use clap_facade::catalog::search::Index;
use clap_facade::catalog::{Catalog, Settings};
use serde_json::Value;

struct Intent {
    said: String,
    accepted: Vec<String>,
}

fn intents() -> Vec<Intent> {
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let accepted = line["accept"].as_array().expect("an array").iter().map(text).collect();
        Intent { said: text(&line["intent"]), accepted }
    };
    include_str!("intents/dev_mycli.jsonl").lines().map(read).collect()
}

fn catalog() -> Catalog {
    Catalog::new(mycli::command(), &Settings::default()).expect("the tree is valid")
}

#[test]
fn every_accepted_command_exists() {
    let catalog = catalog();
    for name in intents().iter().flat_map(|intent| &intent.accepted) {
        assert!(catalog.operations().iter().any(|operation| operation.name == *name), "{name}");
    }
}

#[test]
fn intents_find_their_commands() {
    let catalog = catalog();
    let index = Index::new(catalog.operations(), catalog.groups());
    let mut missed = Vec::new();
    let mut ranks = Vec::new();
    for Intent { said, accepted } in intents() {
        let hits = index.search(&said, usize::MAX);
        let rank = hits.iter().position(|hit| accepted.contains(&hit.operation.name)).map(|at| at + 1);
        if rank != Some(1) {
            let first: Vec<_> = hits.iter().take(5).map(|hit| hit.operation.name.as_str()).collect();
            missed.push(format!("{rank:?} {said} | {accepted:?} | {first:?}"));
        }
        ranks.push(rank);
    }
    let share =
        |within: usize| ranks.iter().flatten().filter(|rank| **rank <= within).count() as f64 / ranks.len() as f64;
    let reciprocal = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum::<f64>() / ranks.len() as f64;
    let reached = [share(1), share(3), share(5), reciprocal];
    eprintln!("recall@1, @3, @5, MRR: {reached:.2?} over {}\n{}", ranks.len(), missed.join("\n"));
    for (name, reached, floor) in [
        ("recall@1", reached[0], 0.68),
        ("recall@3", reached[1], 0.86),
        ("recall@5", reached[2], 0.92),
        ("MRR", reached[3], 0.78),
    ] {
        assert!(reached >= floor, "{name} {reached:.2} < {floor:.2}; not first:\n{}", missed.join("\n"));
    }
}
