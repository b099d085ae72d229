//! The audit as a chain: what is done behind its back is found, and what ends in the middle goes on.

use super::{audited, caller, facade};
use clap_facade::exec::InProcess;
use clap_facade::run::Pipeline;
use clap_facade::run::audit::{Flush, Keeping, Verification, lines, verify};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn server(audit: &Path, keeping: Keeping) -> Pipeline {
    facade(InProcess::new(|_, _| Ok(0)), audit).keeping(keeping).build().unwrap()
}

async fn call(pipeline: &Pipeline, name: &str) {
    let serde_json::Value::Object(arguments) = json!({ "name": name }) else { panic!("an object") };
    pipeline.call("command_run", arguments, &caller()).await.unwrap();
}

/// Writes an audit of so many lines, by a server that is then gone.
async fn written(count: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    more(&audit, count).await;
    (folder, audit)
}

async fn more(audit: &Path, count: usize) {
    let pipeline = server(audit, Keeping::default());
    for _ in 0..count {
        call(&pipeline, "show").await;
    }
}

fn beside(audit: &Path, word: &str) -> PathBuf {
    let mut name = audit.as_os_str().to_owned();
    name.push(word);
    name.into()
}

/// Returns the places of the faults, as lines of the audit's own file.
fn places(audit: &Path) -> Vec<u64> {
    let faults = verify(audit).unwrap().faults;
    faults.iter().inspect(|fault| assert_eq!(fault.file, audit, "{fault}")).map(|fault| fault.line).collect()
}

fn sound(audit: &Path, lines: u64) -> Verification {
    let found = verify(audit).unwrap();
    assert_eq!((&found.faults, found.lines), (&vec![], lines));
    found
}

/// Changes the lines of a file, which stays the same file.
fn tamper(audit: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = fs::read_to_string(audit).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(audit, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

#[tokio::test]
async fn every_line_counts_on_over_restarts_and_names_the_one_before_it() {
    let (_folder, audit) = written(3).await;
    more(&audit, 2).await;
    let found = sound(&audit, 5);
    assert_eq!((found.seq, found.hash.len(), found.torn), (5, 64, 0));
    let lines = audited(&audit);
    assert_eq!(lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(lines.iter().all(|line| line["argv_sha256"].as_str().unwrap().len() == 64));
}

#[tokio::test]
async fn an_audit_that_was_never_written_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    for audit in [folder.path().join("audit"), folder.path().join("no/such/folder/audit")] {
        sound(&audit, 0);
    }
    let audit = folder.path().join("begun");
    let _ = server(&audit, Keeping::default());
    sound(&audit, 0);
}

#[tokio::test]
async fn whatever_is_edited_removed_repeated_or_moved_is_found_and_stays_found() {
    const LINES: usize = 5;
    type Change = fn(&mut Vec<String>, usize);
    type Place<'a> = &'a dyn Fn(usize) -> u64;
    let edit: Change = |lines, at| lines[at] = lines[at].replace("\"show\"", "\"shew\"");
    let spaced: Change = |lines, at| lines[at] = lines[at].replacen("\",\"", "\", \"", 1);
    let garble: Change = |lines, at| lines[at].truncate(20);
    let remove: Change = |lines, at| drop(lines.remove(at));
    let repeat: Change = |lines, at| lines.insert(at, lines[at].clone());
    let swap: Change = |lines, at| lines.swap(at, (at + 1) % LINES);
    let add: Change = |lines, at| lines.insert(at, "{}".to_owned());
    // Where the fault of line `at`, counted from 0, shows, counted from 1.
    let here = |at: usize| at as u64 + 1;
    let removed = |at: usize| if at == LINES - 1 { LINES as u64 - 1 } else { here(at) };
    let repeated = |at: usize| here(at) + 1;
    let swapped = |at: usize| if at == LINES - 1 { 1 } else { here(at) };
    let changes: [(&str, Change, Place<'_>); 7] = [
        ("edit", edit, &here),
        ("spaced", spaced, &here),
        ("garble", garble, &here),
        ("remove", remove, &removed),
        ("repeat", repeat, &repeated),
        ("swap", swap, &swapped),
        ("add", add, &here),
    ];
    for (name, change, place) in changes {
        for at in 0..LINES {
            let (_folder, audit) = written(LINES).await;
            tamper(&audit, |lines| change(lines, at));
            let found = places(&audit);
            assert!(found.contains(&place(at)), "{name} {at}: {found:?}");
            // What a server writes then does not heal it.
            more(&audit, 2).await;
            let later = places(&audit);
            let gap = if name == "remove" && at == LINES - 1 { LINES as u64 } else { place(at) };
            assert!(later.contains(&gap), "{name} {at}: {later:?}");
        }
    }
}

#[tokio::test]
async fn what_is_removed_as_a_whole_is_missed() {
    let (_folder, audit) = written(4).await;
    fs::write(&audit, "").unwrap();
    assert_eq!(places(&audit), [0]);
    fs::remove_file(&audit).unwrap();
    assert_eq!(places(&audit), [0]);
    more(&audit, 1).await;
    assert_eq!(places(&audit), [1], "the chain goes on with line 5, and lines 1 to 4 are missed");

    let (_folder, audit) = written(4).await;
    fs::remove_file(beside(&audit, ".head")).unwrap();
    let faults = verify(&audit).unwrap().faults;
    assert_eq!(faults.iter().map(|fault| &fault.file).collect::<Vec<_>>(), [&beside(&audit, ".head")]);
    // A head that is made anew does not make the lines before it whole.
    tamper(&audit, |lines| lines.truncate(2));
    more(&audit, 2).await;
    assert_eq!(places(&audit), [3]);
    assert!(verify(&audit).unwrap().faults[0].problem.contains("the head was gone"));

    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let pipeline = server(&audit, Keeping::default());
    call(&pipeline, "show").await;
    fs::remove_file(&audit).unwrap();
    fs::remove_file(beside(&audit, ".head")).unwrap();
    call(&pipeline, "show").await;
    assert_eq!(places(&audit), [1], "a server that runs knows that it wrote before");
}

#[tokio::test]
async fn a_server_that_ended_in_the_middle_of_a_line_leaves_a_chain_that_goes_on() {
    let (_folder, audit) = written(3).await;
    let (before, head) = (fs::read(&audit).unwrap(), fs::read(beside(&audit, ".head")).unwrap());
    more(&audit, 1).await;
    let after = fs::read(&audit).unwrap();
    // The last offset is the whole line, written by a server that ended before it wrote the head.
    for end in (before.len()..after.len()).step_by(7).chain([after.len() - 1, after.len()]) {
        fs::write(&audit, &after[..end]).unwrap();
        fs::write(beside(&audit, ".head"), &head).unwrap();
        let torn = if end == after.len() { 0 } else { end - before.len() };
        let whole = if end == after.len() { 4 } else { 3 };
        assert_eq!(sound(&audit, whole).torn, torn, "{end}");
        more(&audit, 2).await;
        assert_eq!(sound(&audit, whole + 2).torn, 0, "{end}");
        let said = audited(&audit).iter().find_map(|line| line["torn"].as_u64());
        assert_eq!(said, (torn > 0).then_some(torn as u64), "the next line says that there was one");
    }
}

#[tokio::test]
async fn a_full_file_becomes_an_earlier_one_and_only_so_many_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let keeping = Keeping { rotate_bytes: 2_000, files: 3, flush: Flush::Never, unrecorded_reads: false };
    // A file that only looks like an earlier one is not touched.
    fs::write(beside(&audit, ".old"), "mine").unwrap();
    for round in 0..10 {
        let pipeline = server(&audit, keeping);
        for _ in 0..5 {
            call(&pipeline, "show").await;
        }
        let found = verify(&audit).unwrap();
        assert_eq!((found.faults, found.seq), (vec![], (round + 1) * 5));
    }
    let files = ["", ".1", ".2", ".3"].map(|word| beside(&audit, word));
    for file in &files {
        assert!((1..=2_000).contains(&fs::metadata(file).unwrap().len()), "{}", file.display());
    }
    assert!(!beside(&audit, ".4").exists() && beside(&audit, ".old").exists());
    let kept: Vec<u64> = lines(&audit).unwrap().map(|line| seq(&line.unwrap())).collect();
    assert!(kept[0] > 1 && kept.windows(2).all(|pair| pair[1] == pair[0] + 1) && kept.last() == Some(&50), "{kept:?}");

    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        tamper(file, |lines| drop(lines.remove(0)));
        assert!(!verify(&audit).unwrap().faults.is_empty(), "the first line of {}", file.display());
        fs::remove_file(file).unwrap();
        assert!(!verify(&audit).unwrap().faults.is_empty(), "{}", file.display());
        fs::write(file, text).unwrap();
        assert!(verify(&audit).unwrap().faults.is_empty());
    }
}

fn seq(line: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(line).unwrap()["seq"].as_u64().unwrap()
}

/// How many calls each writer makes; the files are rotated many times meanwhile.
const CALLS: usize = 60;
const PARALLEL: Keeping = Keeping { rotate_bytes: 8_000, files: 1_000, flush: Flush::Never, unrecorded_reads: false };

#[tokio::test]
#[ignore = "a server that other tests start as a process of its own"]
async fn writes_to_the_audit() {
    let audit = PathBuf::from(std::env::var_os("AUDIT_TEST_FILE").unwrap());
    let calls: usize = std::env::var("AUDIT_TEST_CALLS").unwrap().parse().unwrap();
    let pipeline = server(&audit, PARALLEL);
    for _ in 0..calls {
        call(&pipeline, "show").await;
    }
}

fn process(audit: &Path, calls: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "chain::writes_to_the_audit"])
        .env("AUDIT_TEST_FILE", audit)
        .env("AUDIT_TEST_CALLS", calls.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn processes_that_write_at_the_same_time_make_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let writers: Vec<Child> = (0..3).map(|_| process(&audit, CALLS)).collect();
    let (one, two) = (server(&audit, PARALLEL), server(&audit, PARALLEL));
    for _ in 0..CALLS {
        tokio::join!(call(&one, "show"), call(&two, "change"));
        assert_eq!(verify(&audit).unwrap().faults, [], "it is sound at any time");
    }
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    // A change has two lines.
    let all = (CALLS * 6) as u64;
    sound(&audit, all);
    let numbers: BTreeSet<u64> = lines(&audit).unwrap().map(|line| seq(&line.unwrap())).collect();
    assert_eq!(numbers, (1..=all).collect());
    assert!(beside(&audit, ".1").exists(), "it was rotated meanwhile");
}

#[tokio::test]
async fn a_killed_server_leaves_a_chain_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    for round in 1..=5 {
        let before = verify(&audit).unwrap().seq;
        let mut writer = process(&audit, usize::MAX);
        while verify(&audit).unwrap().seq < before + round * 3 {
            assert!(writer.try_wait().unwrap().is_none(), "it writes until it is killed");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert_eq!(verify(&audit).unwrap().faults, []);
    }
    let last = verify(&audit).unwrap().seq;
    more(&audit, 1).await;
    sound(&audit, last + 1);
    // No server holds the lock, so whoever wants it has it at once.
    OpenOptions::new().append(true).open(&audit).unwrap().try_lock().unwrap();
}
