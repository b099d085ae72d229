//! Real binaries, wrapped: the walk, what is published, and one call that changes nothing.
//!
//! `CLAP_FACADE_BINARIES` names the folders to look in, as a `PATH`; without it there is nothing to do, and it says so.

use clap_facade::Facade;
use clap_facade::catalog::help::Page;
use clap_facade::catalog::{Effect, Spelling, schema};
use clap_facade::exec::CancellationToken;
use clap_facade::run::{Caller, Pipeline};
use clap_facade::surface::Choice;
use clap_facade::wrap::{WalkOptions, Wrapped, walk};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;

/// One binary: the fewest operations it must have, and a call that only reads.
struct Binary {
    name: &'static str,
    fewest: usize,
    call: Option<(&'static str, fn() -> Value)>,
    /// What the call prints.
    prints: &'static str,
}

const BINARIES: &[Binary] = &[
    Binary { name: "cargo", fewest: 15, call: Some(("cargo", || json!({ "list": true }))), prints: "build" },
    Binary { name: "rustup", fewest: 25, call: Some(("which", || json!({ "command": "rustc" }))), prints: "rustc" },
    Binary { name: "cargo-nextest", fewest: 0, call: None, prints: "" },
    Binary { name: "uv", fewest: 40, call: Some(("python dir", || json!({}))), prints: "python" },
    Binary { name: "ruff", fewest: 6, call: Some(("rule", || json!({ "rule": "F401" }))), prints: "unused-import" },
    Binary { name: "just", fewest: 1, call: Some(("just", || json!({ "completions": "bash" }))), prints: "just" },
    Binary {
        name: "fdfind",
        fewest: 1,
        call: Some(("fdfind", || json!({ "pattern": "^no-such-name$", "max-depth": "1" }))),
        prints: "",
    },
    Binary {
        name: "hyperfine",
        fewest: 1,
        call: Some(("hyperfine", || json!({ "command": ["true"], "runs": "2", "shell": "none", "style": "basic" }))),
        prints: "",
    },
];

#[tokio::test]
#[ignore = "needs the binaries: .ci/run installs them and names their folders in CLAP_FACADE_BINARIES"]
async fn binaries_from_the_registries_are_walked_published_and_called() {
    let folders = std::env::var_os("CLAP_FACADE_BINARIES").expect("CLAP_FACADE_BINARIES names no folders");
    let mut found = 0;
    for binary in BINARIES {
        let Some(path) =
            std::env::split_paths(&folders).map(|folder| folder.join(binary.name)).find(|path| path.is_file())
        else {
            println!("skipped {}: not in {}", binary.name, folders.display());
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
    print!("{name}: {}", cold.report);
    println!("{name}: cold {slow:?}, kept {fast:?}");
    invents_nothing(name, path, &kept);

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
    println!("{name}: {operations} operations, {} tools", tools.len());
    if let Some((operation, flags)) = binary.call {
        call(&pipeline, name, operation, flags(), binary.prints).await;
    }
}

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

async fn call(pipeline: &Pipeline, name: &str, operation: &str, flags: Value, prints: &str) {
    let operation = pipeline.catalog().find(operation).unwrap_or_else(|| panic!("{name} has no `{operation}`"));
    let flags: Map<String, Value> = flags.as_object().cloned().unwrap_or_default();
    let caller = Caller {
        principal: "test".into(),
        session: "test".into(),
        door: "test",
        scope: Effect::Destructive,
        cancel: CancellationToken::new(),
    };
    let outcome =
        pipeline.call(&operation.tool, flags, &caller).await.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    assert!(!outcome.failed && outcome.text.contains(prints), "{name} {}: {outcome:?}", operation.name);
}
