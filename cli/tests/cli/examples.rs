//! Every example of every command does something on the demo library.

use crate::server::{Reply, Server};
use crate::support::{Lab, shell_words};
use clap_facade::catalog::{Catalog, Settings};
use serde_json::Value;

/// Examples that rightly find nothing in a library this new and clean.
const IDLE: &[&str] = &[
    "items stale --months 24",
    "items attachments list darwin1859",
    "items attachments check --problems",
    "library health --for quick --fix",
];

/// Files that an example takes as the user's own, in the folder where it runs.
const FILES: &[(&str, &str)] = &[
    ("references.bib", "@book{whewell1840, title = {The Philosophy of the Inductive Sciences}, year = 1840}\n"),
    ("paper.tex", "As \\cite{darwin1859} and \\cite{nobody2000} have shown.\n"),
    ("origin.pdf", "%PDF-1.4 "),
];

const TURING: &str = r#"{"message": {"items": [{"DOI": "10.1112/plms/s2-42.1.230", "type": "journal-article",
  "title": ["On Computable Numbers, with an Application to the Entscheidungsproblem"],
  "author": [{"family": "Turing", "given": "A. M."}], "issued": {"date-parts": [[1936]]}}]}}"#;

const METROPOLIS: &str = r#"{"message": {"DOI": "10.1080/01621459.1949.10483310", "type": "journal-article",
  "title": ["The Monte Carlo Method"], "author": [{"family": "Metropolis", "given": "Nicholas"}],
  "issued": {"date-parts": [[1949, 9]]}}}"#;

#[test]
fn every_example_does_something_on_the_demo_library() {
    let demo = Lab::new();
    demo.ok(&["demo", "--yes"]);
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    let mut failures = Vec::new();
    for example in catalog.operations().iter().flat_map(|operation| &operation.examples) {
        if let Err(failure) = run(&demo, &example.line) {
            failures.push(format!("{}: {failure}", example.line));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn run(demo: &Lab, line: &str) -> Result<(), String> {
    let lab = if line.starts_with("demo") { Lab::new() } else { demo.copy() };
    FILES.iter().for_each(|(name, content)| drop(lab.file(name, content)));
    let provider = Server::start(vec![Reply::json(match line.starts_with("import") {
        true => METROPOLIS,
        false => TURING,
    })]);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mycli"))
        .args(shell_words(line))
        .args(["--json", "--config", lab.settings().to_str().unwrap()])
        .env("MYCLI_CROSSREF_URL", provider.address())
        .current_dir(lab.folder())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let answer: Value = serde_json::from_str(&stdout).map_err(|error| format!("{error}: {output:?}"))?;
    let plan = &answer["plan"]["operations"];
    let idle = [&answer["rows"], plan, &answer["findings"]].into_iter().any(|rows| rows == &serde_json::json!([]))
        || plan
            .as_array()
            .is_some_and(|operations| operations.iter().all(|operation| operation["skipped"] != Value::Null));
    match output.status.code() {
        Some(0) if idle == IDLE.contains(&line) => Ok(()),
        code => Err(format!("exit {code:?}, {}", stdout.split_whitespace().collect::<Vec<_>>().join(" "))),
    }
}
