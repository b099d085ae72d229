//! Real server processes, and what is left of them.

use crate::session::{Era, Human, Session};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// How long anything may take before a test calls it stuck; no test measures.
pub(crate) const STUCK: Duration = Duration::from_secs(60);

/// The CLI of the peers tree.
pub(crate) const PEERCLI: &str = env!("CARGO_BIN_EXE_peercli");

/// The server of mycli.
pub(crate) const MYCLI_MCP: &str = env!("CARGO_BIN_EXE_mycli-server");

/// How a server process is started.
pub(crate) struct Setup {
    command: Command,
    pub(crate) folder: TempDir,
}

/// A running server process and its connection; both end with it.
pub(crate) struct Server {
    pub(crate) session: Session,
    pub(crate) child: Child,
    pub(crate) folder: TempDir,
}

impl Setup {
    /// The server of the peers tree.
    pub(crate) fn peers() -> Self {
        Self::of(env!("CARGO_BIN_EXE_peercli-mcp"))
    }

    pub(crate) fn of(program: impl AsRef<Path>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(program.as_ref());
        command.env("XDG_STATE_HOME", folder.path().join("state")).kill_on_drop(true);
        for name in ["PEERCLI_MCP_SURFACE", "MYCLI_MCP_SURFACE"] {
            command.env_remove(name);
        }
        Self { command, folder }
    }

    pub(crate) fn arg(mut self, arg: &str) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Starts it and connects.
    pub(crate) async fn start(self, era: Era) -> Server {
        self.start_for(Human::default(), era).await
    }

    /// Starts it and connects as the client of a person.
    pub(crate) async fn start_for(mut self, human: Human, era: Era) -> Server {
        let mut child = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (reader, writer) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let session = within(Session::of(human, reader, writer, era)).await;
        Server { session, child, folder: self.folder }
    }

    /// Runs it to its end without a client, and returns its exit and stderr.
    pub(crate) async fn fail(mut self) -> (ExitStatus, String) {
        let output = within(self.command.stdin(Stdio::null()).output()).await.unwrap();
        (output.status, String::from_utf8(output.stderr).unwrap())
    }
}

impl Server {
    /// Returns the audit's file.
    pub(crate) fn audit(&self, cli: &str) -> PathBuf {
        self.folder.path().join("state").join(cli).join("mcp-audit.jsonl")
    }
}

/// Waits for what must come.
pub(crate) async fn within<F: Future>(coming: F) -> F::Output {
    tokio::time::timeout(STUCK, coming).await.expect("nothing is stuck")
}

/// Waits until a condition holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    within(async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Returns the processes whose command line holds a word; zombies have none.
pub(crate) fn processes(word: &str) -> Vec<u32> {
    let holds = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter(holds).collect()
}
