//! One page: a program is asked for its help, with nothing to gain from it and nothing to wait for.

use crate::catalog::help::Page;
use crate::exec::{Group, is_bare_name, is_executable};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

/// What of the environment reaches the program: enough to find itself, nothing that would show up in help as a value.
const KEPT: &[&str] =
    &["PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CARGO_HOME", "RUSTUP_HOME"];

/// What the program is told: no colour, no pager, no wrapping, English.
const SET: &[(&str, &str)] = &[
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("TERM", "dumb"),
    ("COLUMNS", "10000"),
    ("PAGER", "cat"),
    ("LC_ALL", "C.UTF-8"),
    ("LANG", "C.UTF-8"),
];

/// How long the pipes may stay open after the program's exit.
const DRAIN_GRACE: Duration = Duration::from_millis(100);

/// A program and what stands before every command.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) program: PathBuf,
    pub(super) fixed_args: Vec<OsString>,
    pub(super) timeout: Duration,
    pub(super) page_bytes: usize,
}

/// Why there is no page.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum NoPage {
    #[error("its --help could not be started: {0}")]
    NotStarted(String),
    #[error("its --help did not end within {0:?}")]
    TimedOut(Duration),
    #[error("its --help printed more than {0} bytes")]
    TooLong(usize),
    #[error("its --help printed no help{}", if .0.is_empty() { String::new() } else { format!(", but `{}`", .0) })]
    NoHelp(String),
}

impl Source {
    /// Asks for the page of one command. Help on stderr or with another exit code than 0 is help as well.
    pub(super) async fn page(&self, path: &[String]) -> Result<String, NoPage> {
        let texts = self.ask(path, "--help").await?;
        if let Some(help) = texts.iter().find(|text| Page::read(text).is_help()) {
            return Ok(help.clone());
        }
        let first = texts.iter().rev().flat_map(|text| text.lines()).map(str::trim).find(|line| !line.is_empty());
        Err(NoPage::NoHelp(first.map(crate::invocation::cut).unwrap_or_default()))
    }

    /// Asks for the version, for a program whose own page lists `--version`.
    pub(super) async fn version(&self) -> Option<String> {
        let [stdout, _] = self.ask(&[], "--version").await.ok()?;
        version_in(stdout.lines().next()?)
    }

    /// Runs one command with one flag; returns what it printed on stdout and on stderr.
    async fn ask(&self, path: &[String], flag: &str) -> Result<[String; 2], NoPage> {
        let mut child = self.command(path, flag).spawn().map_err(|error| NoPage::NotStarted(error.to_string()))?;
        // Whatever the program started ends with it.
        let _group = Group::led_by(&child, None);
        let limit = self.page_bytes + 1;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let read = async {
            let pipes = async { tokio::join!(read(out, limit, &mut stdout), read(err, limit, &mut stderr)) };
            tokio::select! {
                _ = pipes => {}
                () = async { let _ = child.wait().await; sleep(DRAIN_GRACE).await; } => {}
            }
        };
        let ended = timeout(self.timeout, read).await;
        if stdout.len().max(stderr.len()) >= limit {
            return Err(NoPage::TooLong(self.page_bytes));
        }
        ended.map_err(|_| NoPage::TimedOut(self.timeout))?;
        Ok([stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn command(&self, path: &[String], flag: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.fixed_args)
            .args(path)
            .arg(flag)
            .env_clear()
            .envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))))
            .envs(SET.iter().copied())
            // Where it stands decides nothing: neither a project's own settings nor a toolchain file.
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        command
    }
}

/// The longest version that is believed, in bytes.
const VERSION_BYTES: usize = 64;

/// Returns the version in a line such as `tool 1.2.3 (rev 2025-01-02)`.
fn version_in(line: &str) -> Option<String> {
    let version = line.split_whitespace().map(|word| word.strip_prefix('v').unwrap_or(word)).find(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.') && word.len() <= VERSION_BYTES
    })?;
    Some(version.trim_end_matches([',', ';', '.']).to_owned())
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, limit: usize, into: &mut Vec<u8>) {
    if let Some(pipe) = pipe {
        let _ = pipe.take(limit as u64).read_to_end(into).await;
    }
}

/// Finds a program: a path as it is, a name on the `PATH`.
pub(super) fn find(program: &Path) -> Option<PathBuf> {
    if !is_bare_name(program) {
        let path = std::path::absolute(program).ok()?;
        return is_executable(&path).then_some(path);
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| is_executable(path))
}

/// Returns what calls it in a shell: its own name and the words that stand before all others.
pub(super) fn line(program: &Path, fixed_args: &[OsString]) -> String {
    let own = program.file_name().unwrap_or(OsStr::new("cli")).to_string_lossy();
    shell_words::join(std::iter::once(own).chain(fixed_args.iter().map(|arg| arg.to_string_lossy())))
}

/// The name to serve a program by: its own, and the fixed words behind it.
pub(super) fn name(program: &Path, fixed_args: &[OsString]) -> String {
    let own = program.file_stem().unwrap_or(OsStr::new("cli")).to_string_lossy().into_owned();
    let words = fixed_args.iter().map(|arg| arg.to_string_lossy().into_owned()).take_while(|arg| !arg.starts_with('-'));
    std::iter::once(own).chain(words).collect::<Vec<_>>().join("-")
}
