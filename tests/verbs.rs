//! The verbs of a real server, in processes of their own.

use crate::server::{MYCLI_MCP, within};
use std::process::Output;
use tempfile::TempDir;
use tokio::process::Command;

/// Runs a verb of mycli's server on a library of its own.
async fn run(folder: &TempDir, words: &[&str]) -> Output {
    let mut command = Command::new(MYCLI_MCP);
    command.args(words).current_dir(folder.path()).env_remove("MYCLI_MCP_SURFACE");
    command.env("MYCLI_DATA_DIR", folder.path().join("data")).env("XDG_STATE_HOME", folder.path().join("state"));
    // What a host keeps of the environment decides where a server without more finds its library.
    command.env("HOME", folder.path()).env("XDG_CONFIG_HOME", folder.path().join("config"));
    within(command.output()).await.unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test]
async fn doctor_starts_the_server_and_runs_a_command_that_reads() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&folder, &["doctor"]).await;
    assert!(output.status.success(), "{}", text(&output));
    for line in ["ok   start", "ok   handshake  mycli, version 0", "ok   tools      7: ", "call       `"] {
        assert!(text(&output).contains(line), "{line:?} is not in {}", text(&output));
    }
}

#[tokio::test]
async fn lock_passes_in_a_clean_folder_and_fails_once_the_file_says_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let unlocked = run(&folder, &["lock", "--check"]).await;
    assert_eq!(unlocked.status.code(), Some(1), "{}", text(&unlocked));
    assert!(run(&folder, &["lock"]).await.status.success());
    let same = run(&folder, &["lock", "--check"]).await;
    assert!(same.status.success(), "{}", text(&same));
    let file = folder.path().join("mycli-mcp.lock.json");
    let locked = std::fs::read_to_string(&file).unwrap();
    let loosened = locked.replacen("\"effect\":\"mutating\"", "\"effect\":\"read-only\"", 1);
    assert_ne!(loosened, locked);
    std::fs::write(&file, loosened).unwrap();
    let drift = run(&folder, &["lock", "--check"]).await;
    assert_eq!(drift.status.code(), Some(1));
    assert!(
        text(&drift).contains("major") && text(&drift).contains("effect read-only is now mutating"),
        "{}",
        text(&drift)
    );
}

#[tokio::test]
async fn explain_runs_nothing_and_ends_in_the_refusals_code() {
    let folder = tempfile::tempdir().unwrap();
    let allowed = run(&folder, &["explain", "items add", "--flags", r#"{"title": "--yes", "yes": true}"#]).await;
    assert!(allowed.status.success() && text(&allowed).contains("gates      yes: passed"), "{}", text(&allowed));
    assert!(text(&allowed).contains("mycli --agent items add --yes -- --yes"), "{}", text(&allowed));
    let refused = run(&folder, &["explain", "items add", "--flags", r#"{"config": "/x"}"#]).await;
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(!folder.path().join("data").exists(), "a library was made");
}

#[tokio::test]
async fn a_reader_that_leaves_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "\"$1\" tools --json --surface mirror | head -c 1 >/dev/null; \"$1\" stats >/dev/full; echo $?",
        "sh",
        MYCLI_MCP,
    ]);
    command.env("XDG_STATE_HOME", folder.path());
    let output = within(command.output()).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.lines().count() == 1 && told.contains("the output can't be written"), "{told}");
}

#[tokio::test]
async fn what_is_committed_does_not_depend_on_the_users_policy() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("config").join("mycli");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("mycli.mcp.toml"), "no such key = 1").unwrap();
    assert!(!run(&folder, &["tools"]).await.status.success(), "the user's policy counts for the server");
    for words in [&["lock"][..], &["lock", "--check"], &["export", "tools"]] {
        let output = run(&folder, words).await;
        assert!(output.status.success(), "{words:?}: {}", text(&output));
    }
}

#[tokio::test]
async fn the_readmes_costs_are_what_stats_counts() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&folder, &["stats"]).await;
    let readme = include_str!("../README.md");
    let said = text(&output);
    let rows =
        said.lines().filter(|line| ["facade ", "mirror ", "naive mirror "].iter().any(|name| line.starts_with(name)));
    let mut seen = 0;
    for row in rows {
        let words = row.trim_start_matches("naive mirror").split_whitespace();
        let numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).take(3).collect();
        let [tools, bytes, tokens] = numbers[..] else { continue };
        let expected = format!("| {tools} | {} | {} |", thousands(bytes), thousands(tokens));
        assert!(readme.contains(&expected), "the README does not say `{expected}`: {row}");
        seen += 1;
    }
    assert_eq!(seen, 3, "{said}");
}

fn thousands(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", thousands(number / 1000), number % 1000) }
}
