//! Processes of a command that left its group (`setsid`): told by a variable that they inherited, or as descendants.

use super::CALL;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::HashSet;
use std::fs;

/// Finds what runs with the mark in its environment and what that started, and what the leader started where it has not
/// been waited for: later its number may be another's. Nothing is found where there is no `/proc`.
pub(super) fn find(mark: &str, leader: Option<Pid>) -> Vec<Pid> {
    let variable = format!("{CALL}={mark}");
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let processes: Vec<(i32, i32, bool)> = ids.filter_map(|id| process(id, variable.as_bytes())).collect();
    let marked = processes.iter().filter(|(.., marked)| *marked).map(|(id, ..)| *id);
    let mut found: HashSet<i32> = marked.chain(leader.map(Pid::as_raw)).collect();
    loop {
        let known = found.len();
        found.extend(
            processes.iter().filter(|(_, parent, _)| found.contains(parent)).map(|(id, ..)| *id).collect::<Vec<_>>(),
        );
        if found.len() == known {
            break;
        }
    }
    let own = Pid::this();
    found.into_iter().map(Pid::from_raw).filter(|id| Some(*id) != leader && *id != own).collect()
}

/// Sends a signal to each of them; tells whether one was there.
pub(super) fn signal(processes: &[Pid], signal: impl Into<Option<Signal>> + Copy) -> bool {
    processes.iter().filter(|process| kill(**process, signal).is_ok()).count() > 0
}

/// Returns a process that runs, its parent, and whether its environment has the variable.
fn process(id: i32, variable: &[u8]) -> Option<(i32, i32, bool)> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let behind = stat.iter().rposition(|byte| *byte == b')')?;
    let mut words = std::str::from_utf8(&stat[behind + 1..]).ok()?.split_whitespace();
    let is_over = matches!(words.next()?, "Z" | "X");
    let parent = words.next()?.parse().ok()?;
    let has = || {
        fs::read(format!("/proc/{id}/environ")).is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == variable))
    };
    (!is_over).then(|| (id, parent, has()))
}
