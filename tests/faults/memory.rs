//! How much of what a command prints is held.

use crate::server::{Setup, within};
use crate::session::Era;
use serde_json::json;

/// What the command prints: 200 MB on stdout, and more than a pipe holds on stderr.
const PRINTED: usize = 200_000_000;

/// The most memory that the server may ever have had meanwhile, in KiB.
const PEAK: u64 = 64 << 10;

/// Returns the most memory that a process ever had, in KiB.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn what_a_command_prints_is_not_held_in_memory() {
    for era in Era::ALL {
        let server = Setup::peers().start(era).await;
        let pid = server.child.id().unwrap();
        let before = peak(pid);
        let big = json!({ "name": "lab big", "flags": { "bytes": PRINTED } });
        let answer = within(server.session.call("command_run", big)).await;
        assert!(!answer.failed, "{}", answer.all());
        assert!(answer.all().contains(&format!("of {PRINTED} bytes")), "{}", answer.texts[1]);
        let most = peak(pid);
        println!("{era:?}: {} KiB before, {} KiB at most", before, most);
        assert!(most <= PEAK, "{most} KiB, {before} KiB before");
        let answer = within(server.session.call("command_run", json!({ "name": "lab ping" }))).await;
        assert_eq!(answer.text(), "pong\n", "and the server goes on");
    }
}
