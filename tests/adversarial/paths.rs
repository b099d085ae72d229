//! Paths that lead out of the folders that are allowed, by whatever way they are written.

use super::run::{Server, Told, Way};
use clap_facade::policy::Policy;
use clap_facade::refusal::Kind;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;
use tempfile::TempDir;

/// `work/`, which is allowed, with a folder and links; `out/` and `work-2/` beside it.
fn land() -> TempDir {
    let land = tempfile::tempdir().unwrap();
    let at = |name: &str| land.path().join(name);
    for folder in ["work/in", "out", "work-2"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    symlink("in", at("work/inside")).unwrap();
    symlink("../out", at("work/outside")).unwrap();
    symlink("outside/new", at("work/dangling")).unwrap();
    symlink("/", at("work/in/top")).unwrap();
    land
}

/// Its name, and the path below the folder that holds `work`; as it stands where it does not begin with `@`.
const OUTSIDE: &[(&str, &str)] = &[
    ("a path elsewhere", "/etc/passwd"),
    ("a path elsewhere with two slashes", "//etc/passwd"),
    ("the top", "/"),
    ("the folder above", "@/work/.."),
    ("a path up and out", "@/work/in/../../out/x"),
    ("a path up and out past what is not there", "@/work/new/../../out/x"),
    ("a neighbour whose name begins alike", "@/work-2/x"),
    ("a link out", "@/work/outside"),
    ("what would be made behind a link out", "@/work/outside/new/newer"),
    ("a link to what is not there yet", "@/work/dangling"),
    ("a link to the top", "@/work/in/top/etc/passwd"),
    ("up from a link", "@/work/inside/../../out"),
    ("a folder of the process", "/proc/self/cwd"),
    ("a stream of the server", "/dev/stdin"),
    ("the home", "~/.ssh/id_rsa"),
    ("the home by its variable", "$HOME/.ssh/id_rsa"),
    ("the home by its variable in braces", "${HOME}/.ssh/id_rsa"),
    ("an address of a file", "file:///etc/passwd"),
    ("an address of a file, shouted", "FILE://localhost/etc/passwd"),
    ("an address with coded dots", "file://@/work/%2e%2e/out"),
    ("a relative path", "x"),
    ("a relative path that looks like an option", "--yes"),
];

pub(super) fn names() -> Vec<&'static str> {
    OUTSIDE.iter().map(|(name, _)| *name).collect()
}

fn server(way: Way, land: &Path) -> Server {
    let policy = Policy::parse(&format!("roots = ['{}']", land.join("work").display())).unwrap();
    Server::with(|facade| facade.surface(way.surface()).policy(&policy).unwrap())
}

#[tokio::test]
async fn no_path_that_leads_out_runs_on_any_surface() {
    let land = land();
    let here = land.path().to_str().unwrap();
    let good = format!("{here}/work/inside/new");
    for way in Way::ALL {
        let server = server(way, land.path());
        let call = async |flags: Value| {
            let (tool, arguments) = way.spell(&server.pipeline, "peek", &flags, None);
            server.call(&tool, arguments).await
        };
        for (name, path) in OUTSIDE {
            let path = path.replace('@', here);
            // A placeholder of a workflow is spelled so.
            if way == Way::Step && path.contains("${") {
                continue;
            }
            // Alone, as one of several, and in the place of a positional.
            for (flags, param) in [
                (json!({ "from": path }), "from"),
                (json!({ "from": good, "also": [good, path] }), "also"),
                (json!({ "files": [good, path, good] }), "files"),
            ] {
                let answer = call(flags).await;
                let told = Told::of(&answer).unwrap_or_else(|| panic!("{name} by {way:?}: {answer:?}"));
                assert_eq!(told.code, Kind::PathOutside.code(), "{name} by {way:?}: {told:?}");
                assert!(told.names(param, "leads to"), "{name} by {way:?}: {told:?}");
                assert!(server.recorder.take().is_empty(), "{name} by {way:?} ran");
            }
        }
        let answer = call(json!({ "from": good, "also": [good, "-"], "files": [good] })).await;
        assert!(answer.is_ok_and(|outcome| !outcome.failed), "{way:?}");
        assert_eq!(server.recorder.take().len(), 1, "{way:?}: what stays inside runs");
    }
}

/// Nothing before it has run when a step is refused whose path is known from the start; what an earlier step tells is
/// looked at in its turn.
#[tokio::test]
async fn no_step_runs_of_a_workflow_with_a_path_that_leads_out() {
    let land = land();
    let server = server(Way::Step, land.path());
    for (step, ran) in [
        (json!({ "command": "peek", "flags": { "from": "/etc/passwd" } }), 0),
        (json!({ "command": "peek", "flags": { "from": "${vars.there}" } }), 0),
        (json!({ "command": "peek", "args": ["${vars.there}/x"] }), 0),
        (json!({ "command": "peek", "flags": { "from": "/etc/passwd", "also": ["${steps.1.output/text}"] } }), 0),
        (json!({ "command": "peek", "flags": { "from": "/etc/${steps.1.output/text}" } }), 1),
    ] {
        let steps = json!([{ "command": "get", "args": ["k"] }, step]);
        let arguments = json!({ "steps": steps, "vars": { "there": "/etc" }, "yes": true });
        let answer = server.call("workflow_submit", arguments).await;
        let told = Told::of(&answer).unwrap_or_else(|| panic!("{steps}: {answer:?}"));
        assert_eq!(told.code, Kind::PathOutside.code(), "{steps}: {told:?}");
        assert_eq!(server.recorder.take().len(), ran, "{steps}");
    }
}
