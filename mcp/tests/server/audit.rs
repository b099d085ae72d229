//! The audit while the server runs: where its file goes missing, the disk fills up, or a call outlives its client.

use super::{audited, caller, facade};
use clap_facade::exec::{BoxFuture, Executor, Finished, InProcess, Job};
use clap_facade::policy::Policy;
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::{Outcome, Pipeline};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// A server whose commands count themselves.
fn counting(audit: &Path) -> (Pipeline, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let ran = count.clone();
    let executor = InProcess::new(move |_, _| {
        ran.fetch_add(1, SeqCst);
        Ok(0)
    });
    (facade(executor, audit).build().unwrap(), count)
}

async fn call(pipeline: &Pipeline, tool: &str, arguments: Value) -> Result<Outcome, Kind> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    pipeline.call(tool, arguments, &caller()).await.map_err(|refusal| refusal.kind)
}

async fn run(pipeline: &Pipeline, name: &str) -> Result<Outcome, Kind> {
    call(pipeline, "command_run", json!({ "name": name })).await
}

fn decisions(lines: &[Value]) -> Vec<(&str, &str)> {
    lines.iter().map(|line| (line["target"].as_str().unwrap(), line["decision"].as_str().unwrap())).collect()
}

const CHANGE: [(&str, &str); 2] = [("change", "begun"), ("change", "ran")];

#[tokio::test]
async fn a_file_that_was_moved_removed_or_replaced_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("state/audit.jsonl");
    let (pipeline, _) = counting(&audit);
    run(&pipeline, "change").await.unwrap();
    assert_eq!(decisions(&audited(&audit)), CHANGE);

    let moved = folder.path().join("moved");
    fs::rename(&audit, &moved).unwrap();
    run(&pipeline, "change").await.unwrap();
    assert_eq!(decisions(&audited(&audit)), CHANGE, "it goes to the place that the operator looks at");
    assert_eq!(decisions(&audited(&moved)), CHANGE, "and not to the file that was moved away");

    fs::remove_dir_all(audit.parent().unwrap()).unwrap();
    run(&pipeline, "change").await.unwrap();
    assert_eq!(decisions(&audited(&audit)), CHANGE);

    let replaced = folder.path().join("replaced");
    fs::write(&replaced, "").unwrap();
    fs::set_permissions(&replaced, fs::Permissions::from_mode(0o644)).unwrap();
    fs::rename(&replaced, &audit).unwrap();
    run(&pipeline, "change").await.unwrap();
    assert_eq!(decisions(&audited(&audit)), CHANGE);
    assert_eq!(fs::metadata(&audit).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn where_nothing_can_be_written_down_nothing_that_changes_something_runs() {
    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).unwrap();
    let below = folder.path().join("file");
    fs::write(&below, "").unwrap();
    for audit in [full, taken, below.join("audit")] {
        let (pipeline, ran) = counting(&audit);
        assert_eq!(run(&pipeline, "change").await, Err(Kind::AuditUnavailable), "{}", audit.display());
        for yes in [false, true] {
            let steps = json!({ "steps": [{ "command": "change" }], "yes": yes });
            assert_eq!(call(&pipeline, "workflow_submit", steps).await, Err(Kind::AuditUnavailable));
        }
        assert_eq!(ran.load(SeqCst), 0, "{}: nothing ran", audit.display());
        assert_eq!(run(&pipeline, "show").await, Err(Kind::AuditUnavailable), "not even what only reads");
        assert_eq!(ran.load(SeqCst), 0);
        let executor = InProcess::new(|_, _| Ok(0));
        let policy = Policy::parse("[audit]\nunrecorded-reads = true").unwrap();
        let pipeline = facade(executor, &audit).policy(&policy).unwrap().build().unwrap();
        assert_eq!(run(&pipeline, "change").await, Err(Kind::AuditUnavailable));
        assert!(run(&pipeline, "show").await.is_ok(), "unless the policy says so");
    }
}

#[tokio::test]
async fn what_was_read_and_can_not_be_written_down_is_not_answered() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    std::os::unix::fs::symlink("/dev/full", &audit).unwrap();
    let (pipeline, ran) = counting(&audit);
    assert_eq!(run(&pipeline, "show").await, Err(Kind::AuditUnavailable));
    assert_eq!(run(&pipeline, "show").await, Err(Kind::AuditUnavailable));
    assert_eq!(ran.load(SeqCst), 1, "the first could not be known to fail");
    fs::remove_file(&audit).unwrap();
    assert!(run(&pipeline, "show").await.is_ok(), "it goes on once there is room");
}

/// Panics instead of running anything.
struct Broken;

impl Executor for Broken {
    fn execute(&self, _: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async { panic!("a fault of the executor") })
    }
}

#[tokio::test]
async fn a_panic_of_the_server_is_answered_and_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipeline = facade(Broken, &audit).build().unwrap();
    for name in ["show", "change"] {
        assert_eq!(run(&pipeline, name).await, Err(Kind::Internal));
        let last = audited(&audit).pop().unwrap();
        assert_eq!((&last["target"], &last["code"]), (&json!(name), &json!("INTERNAL")));
        assert!(last["reason"].as_str().unwrap().contains("a fault of the executor"), "{last}");
    }
}

#[tokio::test]
async fn a_disk_that_fills_up_refuses_changes_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let (pipeline, ran) = counting(&audit);
    run(&pipeline, "change").await.unwrap();
    fs::remove_file(&audit).unwrap();
    std::os::unix::fs::symlink("/dev/full", &audit).unwrap();
    assert_eq!(run(&pipeline, "change").await, Err(Kind::AuditUnavailable));
    assert_eq!(ran.load(SeqCst), 1);
    fs::remove_file(&audit).unwrap();
    run(&pipeline, "change").await.unwrap();
    assert_eq!((ran.load(SeqCst), decisions(&audited(&audit)).as_slice()), (2, &CHANGE[..]));
}

#[tokio::test]
async fn a_change_is_written_down_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (list, path) = (seen.clone(), audit.clone());
    let executor = InProcess::new(move |_, _| {
        list.lock().unwrap().push(audited(&path).pop().unwrap_or_default()["decision"].clone());
        Ok(0)
    });
    let pipeline = facade(executor, &audit).build().unwrap();
    run(&pipeline, "show").await.unwrap();
    run(&pipeline, "change").await.unwrap();
    let steps = json!([{ "command": "change" }, { "command": "show" }, { "command": "change" }]);
    call(&pipeline, "workflow_submit", json!({ "steps": steps, "yes": true })).await.unwrap();
    let before =
        ["", "begun", "begun", "ran", "begun"].map(|word| if word.is_empty() { Value::Null } else { word.into() });
    assert_eq!(*seen.lock().unwrap(), before);
    let lines = audited(&audit);
    assert_eq!(
        decisions(&lines),
        [
            ("show", "ran"),
            CHANGE[0],
            CHANGE[1],
            ("workflow", "begun"),
            CHANGE[0],
            CHANGE[1],
            ("show", "ran"),
            CHANGE[0],
            CHANGE[1],
            ("workflow", "ran"),
        ]
    );
}
