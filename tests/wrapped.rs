//! Real binaries, wrapped: the walk, what is published, and one call that changes nothing.
//!
//! `CLAP_FACADE_BINARIES` names the folders to look in, as a `PATH`; without it there is nothing to do, and it says so.

use clap_facade::Facade;
use clap_facade::catalog::help::Page;
use clap_facade::catalog::{Effect, Spelling, schema};
use clap_facade::exec::CancellationToken;
use clap_facade::policy::Policy;
use clap_facade::run::{Caller, Pipeline, Principal};
use clap_facade::surface::Choice;
use clap_facade::wrap::{WalkOptions, Wrapped, walk};
use serde_json::{Map, Value};
use std::path::Path;
use std::process::Command;

/// One binary: the fewest operations it must have, and a call that only reads.
struct Binary {
    name: &'static str,
    fewest: usize,
    call: Option<Call>,
}

/// A call that changes nothing.
struct Call {
    operation: &'static str,
    /// Its flags, as JSON.
    flags: &'static str,
    /// What it prints.
    prints: &'static str,
}

const BINARIES: &[Binary] = &[
    binary("cargo", 15, "cargo", r#"{"list": true}"#, "build"),
    binary("rustup", 25, "which", r#"{"command": "rustc"}"#, "rustc"),
    Binary { name: "cargo-nextest", fewest: 1, call: None },
    binary("uv", 40, "python dir", "{}", "python"),
    Binary { name: "git-cliff", fewest: 1, call: None },
    Binary { name: "jj", fewest: 60, call: None },
    binary("ruff", 6, "rule", r#"{"rule": "F401"}"#, "unused-import"),
    binary("just", 1, "just", r#"{"completions": "bash"}"#, "just"),
    binary("fdfind", 1, "fdfind", r#"{"pattern": "^no-such-name$", "max-depth": 1}"#, ""),
    binary("hyperfine", 1, "hyperfine", r#"{"command": "true", "runs": 2, "shell": "none"}"#, "Benchmark"),
];

const fn binary(
    name: &'static str,
    fewest: usize,
    operation: &'static str,
    flags: &'static str,
    prints: &'static str,
) -> Binary {
    Binary { name, fewest, call: Some(Call { operation, flags, prints }) }
}

#[tokio::test]
#[ignore = "needs the binaries: .ci/run installs them and names their folders in CLAP_FACADE_BINARIES"]
async fn binaries_from_the_registries_are_walked_published_and_called() {
    let folders = std::env::var_os("CLAP_FACADE_BINARIES").expect("CLAP_FACADE_BINARIES names no folders");
    let mut found = 0;
    for binary in BINARIES {
        let Some(path) =
            std::env::split_paths(&folders).map(|folder| folder.join(binary.name)).find(|path| path.is_file())
        else {
            eprintln!("skipped {}: not in {}", binary.name, folders.display());
            continue;
        };
        found += 1;
        check(binary, &path).await;
    }
    assert!(found > 2, "hardly any binary was found in {}", folders.display());
}

async fn check(binary: &Binary, path: &Path) {
    let name = binary.name;
    let cache = tempfile::tempdir().unwrap();
    let options = WalkOptions { cache_folder: Some(cache.path().to_owned()), ..WalkOptions::default() };
    let cold = walk(path, &[], &options).unwrap();
    let kept = walk(path, &[], &options).unwrap();
    assert_eq!((cold.report.from_cache, kept.report.from_cache, cold.report.pages), (false, true, kept.report.pages));
    let (slow, fast) = (cold.report.elapsed, kept.report.elapsed);
    eprint!("{name}: {}", cold.report);
    eprintln!("{name}: cold {slow:?}, kept {fast:?}");
    invents_nothing(name, path, &kept);
    is_what_its_policy_says(name, &kept).await;

    let folder = tempfile::tempdir().unwrap();
    let pipeline = Facade::from(kept).audit(folder.path().join("audit.jsonl")).surface(Choice::Mirror).build().unwrap();
    let operations = pipeline.catalog().operations().len();
    assert!(operations >= binary.fewest, "{name} has {operations} operations");
    let tools = pipeline.surface().tools(pipeline.catalog());
    for tool in &tools {
        schema::check(&Value::Object(tool.input_schema.clone()))
            .unwrap_or_else(|faults| panic!("{}: {faults:?}", tool.name));
        assert!(tool.effect != Some(Effect::ReadOnly), "nobody declared `{}` to be read-only", tool.name);
    }
    eprintln!("{name}: {operations} operations, {} tools", tools.len());
    if let Some(call) = &binary.call {
        run(&pipeline, name, call).await;
    }
}

/// The policy that comes with clap-facade names only what this version of the program has.
async fn is_what_its_policy_says(name: &str, wrapped: &Wrapped) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../mcp/policies/{name}.mcp.toml"));
    if !path.is_file() {
        return;
    }
    let policy = Policy::read(&path).unwrap();
    let facade = Facade::from(wrapped.clone()).policy(&policy).unwrap_or_else(|error| panic!("{name}: {error}"));
    let catalog = facade.catalog().unwrap();
    let reads = catalog.operations().iter().filter(|operation| operation.declared == Some(Effect::ReadOnly)).count();
    assert!(reads > 0, "{name}: the policy lets nothing be read");
    eprintln!("{name}: by its policy {reads} of {} operations only read", catalog.operations().len());

    // The system holds these to reading, so that what they have to write must be named.
    let folder = tempfile::tempdir().unwrap();
    let pipeline = facade.audit(folder.path().join("audit.jsonl")).surface(Choice::Mirror).build().unwrap();
    for (_, call) in READS.iter().filter(|(program, _)| *program == name) {
        run(&pipeline, name, call).await;
    }
}

/// Calls that a ready policy declares to only read.
const READS: &[(&str, Call)] = &[
    ("rustup", Call { operation: "which", flags: r#"{"command": "rustc"}"#, prints: "rustc" }),
    ("rustup", Call { operation: "toolchain list", flags: "{}", prints: "" }),
    ("rustup", Call { operation: "show active-toolchain", flags: "{}", prints: "" }),
    ("uv", Call { operation: "python list", flags: r#"{"only-installed": true}"#, prints: "python" }),
    ("uv", Call { operation: "python find", flags: "{}", prints: "python" }),
    ("uv", Call { operation: "pip list", flags: r#"{"system": true}"#, prints: "" }),
    ("uv", Call { operation: "cache dir", flags: "{}", prints: "uv" }),
    ("uv", Call { operation: "tool dir", flags: "{}", prints: "uv" }),
    ("uv", Call { operation: "self version", flags: "{}", prints: "uv" }),
    ("git-cliff", Call { operation: "git-cliff", flags: r#"{"unreleased": true}"#, prints: "" }),
];

/// Every published flag stands in the page of its command, or in its ancestors'.
fn invents_nothing(name: &str, program: &Path, wrapped: &Wrapped) {
    let catalog = clap_facade::catalog::Catalog::new(wrapped.command.clone(), &Default::default()).unwrap();
    for operation in catalog.operations().iter().take(25) {
        let output = Command::new(program).args(&operation.path).arg("--help").current_dir("/").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(Page::read(&text).is_help(), "{name} {}", operation.name);
        for param in operation.params.iter().filter(|param| param.depth == operation.path.len()) {
            if let Spelling::Long(_) | Spelling::Short(_) = param.spelling {
                assert!(text.contains(&param.spelling.to_string()), "{name} {}: {}", operation.name, param.spelling);
            }
        }
    }
}

async fn run(pipeline: &Pipeline, name: &str, call: &Call) {
    let operation = pipeline.catalog().find(call.operation).unwrap_or_else(|| panic!("{name}: no {}", call.operation));
    let flags: Map<String, Value> = serde_json::from_str(call.flags).unwrap();
    let caller = Caller {
        principal: Principal::new("test", Effect::Destructive).into(),
        session: "test".into(),
        door: "test",
        cancel: CancellationToken::new(),
        ..Caller::default()
    };
    let outcome =
        pipeline.call(&operation.tool, flags, &caller).await.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    assert!(!outcome.failed && outcome.text.contains(call.prints), "{name} {}: {outcome:?}", operation.name);
}
