//! How a host with windows starts a server.

use crate::hosts::Entry;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The `PATH` of a program that no shell has started.
const PATH: &str = "/usr/bin:/bin";

/// What such a program has in its environment besides.
const KEPT: &[&str] = &["HOME", "USER", "LOGNAME", "TMPDIR", "SHELL"];

/// Starts an entry: another folder, hardly any environment, no terminal.
pub(super) fn start(entry: &Entry) -> Result<Child, String> {
    let path = entry.env.get("PATH").map_or(PATH, String::as_str);
    let program = find(&entry.command, path).ok_or_else(|| match entry.command.contains('/') {
        true => format!("{} does not exist", entry.command),
        false => format!("`{}` is not found by a host, whose PATH is {path}: register its full path", entry.command),
    })?;
    let mut command = Command::new(&program);
    command.args(&entry.args).env_clear().env("PATH", PATH);
    command.envs(KEPT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
    command.envs(&entry.env).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => format!("{} is not executable by this user", program.display()),
        io::ErrorKind::NotFound => format!("{} names an interpreter that does not exist", program.display()),
        _ => format!("{} can't be started: {error}", program.display()),
    })
}

/// Returns what a variable is for a server that is started so.
pub(super) fn variable(entry: &Entry, name: &str) -> Option<OsString> {
    let kept = || KEPT.contains(&name).then(|| std::env::var_os(name)).flatten();
    entry.env.get(name).map(OsString::from).or_else(kept)
}

/// Writes the command line of an entry.
pub(super) fn line(entry: &Entry) -> String {
    let path = entry.env.get("PATH").map_or(PATH, String::as_str);
    let words = std::iter::once(&entry.command).chain(&entry.args);
    format!("{}\nin /, without a terminal, PATH={path}", shell_words::join(words))
}

fn find(program: &str, path: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Path::new(program).exists().then(|| program.into());
    }
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|path| path.is_file())
}
