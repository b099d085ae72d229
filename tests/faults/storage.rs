//! A server whose state can't be kept.

use crate::server::{Setup, within};
use crate::session::{Era, Session};
use clap_facade::run::audit::verify;
use serde_json::{Value, json};
use std::path::Path;

async fn change(session: &Session) -> Result<(), String> {
    let answer = within(session.call("command_run", json!({ "name": "project get", "flags": { "id": "p1" } }))).await;
    if answer.failed { Err(answer.refusal()) } else { Ok(()) }
}

#[tokio::test]
async fn where_no_state_can_be_kept_everything_is_refused() {
    // Places that not even root can write to.
    for place in ["/sys/no-state", "/proc/no-state", "/dev/null/no-state"] {
        for era in Era::ALL {
            let server = Setup::peers().env("XDG_STATE_HOME", place).start(era).await;
            assert_eq!(change(&server.session).await, Err("AUDIT_UNAVAILABLE".to_owned()), "{place}");
            let found = within(server.session.call("command_search", json!({ "query": "project" }))).await;
            assert_eq!(found.refusal(), "AUDIT_UNAVAILABLE", "{place}: {}", found.all());
            assert!(!Path::new(place).exists());
        }
    }
}

#[tokio::test]
async fn a_disk_that_is_full_refuses_changes_and_leaves_no_torn_line() {
    for era in Era::ALL {
        // Files of this server may have 16 KiB at most, and it is told so by an error instead of a signal.
        let limited = r#"trap '' XFSZ; ulimit -f 16; exec "$0""#;
        let setup = Setup::of("/bin/bash").arg("-c").arg(limited).arg(env!("CARGO_BIN_EXE_peercli-mcp"));
        let server = setup.start(era).await;
        let audit = server.audit("peercli");
        let mut made = 0;
        let refused = loop {
            match change(&server.session).await {
                Ok(()) => made += 1,
                Err(code) => break code,
            }
            assert!(made < 1_000, "the disk never fills");
        };
        assert_eq!(refused, "AUDIT_UNAVAILABLE");
        assert!(made > 5);
        for _ in 0..3 {
            assert_eq!(change(&server.session).await, Err("AUDIT_UNAVAILABLE".to_owned()), "it stays so");
        }
        let found = within(server.session.call("command_search", json!({ "query": "project" }))).await;
        // Its shorter line may just fit.
        assert!(!found.failed || found.refusal() == "AUDIT_UNAVAILABLE", "{}", found.all());
        let folder = server.folder;
        server.session.close().await;
        let found = verify(&audit).unwrap();
        assert_eq!(found.faults, [], "what was written is sound");
        let text = std::fs::read_to_string(&audit).unwrap();
        assert!(text.len() <= 16 << 10 && text.ends_with('\n'), "the last line is whole");

        // With room again the chain goes on.
        let server = Setup::peers().env("XDG_STATE_HOME", folder.path().join("state")).start(era).await;
        assert_eq!(change(&server.session).await, Ok(()));
        server.session.close().await;
        let after = verify(&audit).unwrap();
        assert!(after.faults.is_empty() && after.seq > found.seq, "{after:?}");
        let ran = |line: &Value| line["target"] == "project get" && line["decision"] == "ran";
        let lines = std::fs::read_to_string(&audit).unwrap();
        let ran = lines.lines().filter(|line| ran(&serde_json::from_str(line).unwrap())).count();
        // The one that the disk filled up in the middle of may have begun and run without an end.
        assert!((made..=made + 2).contains(&ran) || ran + 1 >= made, "{ran} of {made} are written down");
    }
}
