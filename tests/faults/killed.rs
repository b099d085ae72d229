//! A server that is killed in the middle of a change.

use crate::server::{MYCLI_MCP, Server, Setup, until, within};
use crate::session::Era;
use clap_facade::run::audit::verify;
use serde_json::{Value, json};
use std::path::Path;

/// How many items one workflow adds.
const STEPS: usize = 30;

async fn start(folder: &Path, era: Era) -> Server {
    let setup = Setup::of(MYCLI_MCP).env("MYCLI_DATA_DIR", folder.join("data"));
    setup.env("XDG_STATE_HOME", folder.join("state")).start(era).await
}

/// Returns the audit's lines, but for one that is being written.
fn audited(audit: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(audit).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Counts the steps that a round's server began.
fn begun(audit: &Path, before: usize) -> usize {
    let is_step = |line: &&Value| line["target"] == "items add" && line["decision"] == "begun";
    audited(audit).iter().skip(before).filter(is_step).count()
}

async fn count(server: &Server, command: &str, filter: &str) -> usize {
    let answer =
        within(server.session.call("command_run", json!({ "name": command, "flags": { "limit": 10_000 } }))).await;
    assert!(!answer.failed, "{command}: {}", answer.all());
    let listed = answer.data();
    let rows = listed["rows"].as_array().unwrap_or_else(|| panic!("{listed}"));
    rows.iter().filter(|row| row.to_string().contains(filter)).count()
}

#[tokio::test]
async fn a_server_killed_in_the_middle_of_an_apply_leaves_nothing_half_done() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("state/mycli/mcp-audit.jsonl");
    let first = start(folder.path(), Era::Modern).await;
    let init = json!({ "name": "items add", "flags": { "title": "Opticks", "key": "newton1704", "yes": true } });
    assert!(!within(first.session.call("command_run", init)).await.failed);
    first.session.close().await;
    let mut halved = 0;
    for (round, at) in [0, 1, 2, STEPS / 2, STEPS - 1, STEPS].into_iter().enumerate() {
        let mut server = start(folder.path(), Era::ALL[round % 2]).await;
        let (lines, runs) = (audited(&audit).len(), count(&server, "journal list", "").await);
        let step = |n: usize| json!({ "command": "items add", "flags": { "title": format!("r{round}-{n}-title"), "key": format!("round{round}x{n}") } });
        let steps: Vec<Value> = (0..STEPS).map(step).collect();
        server.session.send("workflow_submit", json!({ "steps": steps, "yes": true })).await;
        until(|| begun(&audit, lines) >= at).await;
        server.child.kill().await.unwrap();
        let reached = begun(&audit, lines);
        assert_eq!(verify(&audit).unwrap().faults, [], "round {round}: the audit is sound up to its last line");

        let server = start(folder.path(), Era::ALL[round % 2]).await;
        let added = count(&server, "items list", &format!("round{round}x")).await;
        let journaled = count(&server, "journal list", "").await - runs;
        assert!(
            [(0, 0), (STEPS, 1)].contains(&(added, journaled)),
            "round {round}: {added} of {STEPS} items, {journaled} runs"
        );
        halved += usize::from(added == 0 && reached > 0);
        // The restart is clean: nobody holds a lock, reads and changes go on, and so does the chain.
        let one = json!({ "title": "After", "key": format!("after{round}"), "yes": true });
        let answer = within(server.session.call("command_run", json!({ "name": "items add", "flags": one }))).await;
        assert!(!answer.failed, "round {round}: {}", answer.all());
        assert_eq!(count(&server, "items list", &format!("after{round}")).await, 1);
        server.session.close().await;
        assert_eq!(verify(&audit).unwrap().faults, [], "round {round}: the chain goes on");
    }
    assert!(halved > 0, "no round was killed in the middle");
}
