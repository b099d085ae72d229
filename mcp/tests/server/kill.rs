//! The operator's switch: a file that every server of the CLI heeds.

use super::{audited, caller, facade, within};
use clap_facade::exec::{InProcess, Subprocess};
use clap_facade::refusal::{Kind, Refusal};
use clap_facade::run::kill::Kill;
use clap_facade::run::{Outcome, Pipeline};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

async fn call(pipeline: &Pipeline, tool: &str, arguments: Value) -> Result<Outcome, Refusal> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    within(pipeline.call(tool, arguments, &caller())).await
}

#[tokio::test]
async fn while_the_file_is_there_every_call_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipelines = [(); 2].map(|()| facade(InProcess::new(|_, _| Ok(0)), &audit).build().unwrap());
    let kill = Kill::beside(&audit);
    let calls = [
        ("command_search", json!({ "query": "show" })),
        ("command_run", json!({ "name": "show" })),
        ("command_run", json!({ "name": "change" })),
        ("workflow_submit", json!({ "steps": [{ "command": "show" }] })),
    ];
    for _ in 0..2 {
        for pipeline in &pipelines {
            for (tool, arguments) in calls.clone() {
                call(pipeline, tool, arguments).await.unwrap();
            }
        }
        assert!(kill.turn_on("an operator", Some("it deletes the wrong things")).unwrap());
        assert!(!kill.turn_on("another", None).unwrap(), "it is on already");
        for pipeline in &pipelines {
            for (tool, arguments) in calls.clone() {
                let refusal = call(pipeline, tool, arguments).await.unwrap_err();
                assert_eq!(refusal.kind, Kind::Killed);
                assert!(refusal.message.contains(", by an operator: it deletes the wrong things"), "{refusal}");
                let last = audited(&audit).pop().unwrap();
                assert_eq!((&last["step"], &last["code"]), (&json!("kill"), &json!("KILLED")));
            }
        }
        assert_eq!((kill.turn_off().unwrap(), kill.turn_off().unwrap()), (true, false));
    }
    // A file that somebody made by hand is enough, whatever it is.
    let file = kill.file().unwrap();
    let by_hand: [fn(&std::path::Path); 4] = [
        |file| fs::write(file, "").unwrap(),
        |file| fs::write(file, "[1]").unwrap(),
        |file| fs::create_dir(file).unwrap(),
        |file| std::os::unix::fs::symlink("/no/such/file", file).unwrap(),
    ];
    for make in by_hand {
        make(file);
        assert_eq!(call(&pipelines[0], "command_run", json!({ "name": "show" })).await.unwrap_err().kind, Kind::Killed);
        let _ = fs::remove_dir(file).or_else(|_| fs::remove_file(file));
    }
    call(&pipelines[0], "command_run", json!({ "name": "show" })).await.unwrap();
}

#[tokio::test]
async fn a_handle_stops_its_own_server_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let [one, other] = [(); 2].map(|()| facade(InProcess::new(|_, _| Ok(0)), &audit).build().unwrap());
    one.kill().throw();
    assert!(Kill::beside(&audit).status().is_none());
    assert_eq!(call(&one, "command_run", json!({ "name": "show" })).await.unwrap_err().kind, Kind::Killed);
    call(&other, "command_run", json!({ "name": "show" })).await.unwrap();
}

/// Returns how many processes have a word in their command line; zombies have none.
fn processes(word: &str) -> usize {
    let lines = fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|part| part == word.as_bytes())).count()
}

async fn until(mut holds: impl FnMut() -> bool) {
    within(async {
        while !holds() {
            sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_runs_is_stopped_to_the_last_grandchild() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    // A time that nobody else on this machine sleeps.
    let nap = format!("{}.5", 200_000_000 + u64::from(std::process::id()));
    let script =
        format!("trap '' TERM; echo begun; (trap '' TERM; (sleep {nap}; true) & sleep {nap}; true) & wait; wait");
    let executor = Subprocess::new("/bin/sh").fixed_args(["-c", &script, "sh"]);
    let pipeline = Arc::new(facade(executor, &audit).build().unwrap());
    let kill = Kill::beside(&audit);
    for name in ["show", "change"] {
        let running = {
            let pipeline = pipeline.clone();
            tokio::spawn(async move { call(&pipeline, "command_run", json!({ "name": name })).await })
        };
        until(|| processes(&nap) == 2).await;
        kill.turn_on("an operator", Some("enough")).unwrap();
        until(|| processes(&nap) == 0).await;
        let refusal = within(running).await.unwrap().unwrap_err();
        assert_eq!(refusal.kind, Kind::Killed);
        assert!(refusal.message.ends_with(", by an operator: enough"), "{refusal}");
        assert_eq!(refusal.partial.unwrap().stdout, "begun\n");
        let last = audited(&audit).pop().unwrap();
        assert_eq!((&last["target"], &last["code"]), (&json!(name), &json!("KILLED")));
        kill.turn_off().unwrap();
    }
}
