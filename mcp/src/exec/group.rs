//! The process group of one command, and what ends it.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::process::Child;
use tokio::time::{sleep, timeout};

/// How long the kernel may take to end a group after KILL.
const KILL_GRACE: Duration = Duration::from_millis(80);
/// How often an ending group is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// The process group of one command: killed when dropped.
pub(crate) struct Group {
    /// Absent where the leader had been waited for already.
    id: Option<Pid>,
}

impl Group {
    /// Makes ready to take over a group, before there is one: what ends it with this process must not have to start then.
    pub(super) fn prepare() {
        guard_pipe();
    }

    /// Takes over the group that `child` leads.
    pub(crate) fn led_by(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        id.inspect(|id| guard('+', *id));
        Self { id }
    }

    /// Ends the group: TERM, and KILL for what is left after `grace`.
    pub(super) async fn end(self, grace: Duration) {
        if self.signal(Signal::SIGTERM) {
            // A stopped process acts on TERM only once it goes on.
            self.signal(Signal::SIGCONT);
            if timeout(grace, self.gone()).await.is_err() && self.signal(Signal::SIGKILL) {
                let _ = timeout(KILL_GRACE, self.gone()).await;
            }
        }
    }

    /// Ends what a command left behind, without anybody waiting for it.
    pub(super) fn end_later(self, grace: Duration) {
        if self.exists() {
            tokio::spawn(self.end(grace));
        }
    }

    async fn gone(&self) {
        while self.exists() {
            sleep(LOOK).await;
        }
    }

    fn exists(&self) -> bool {
        self.signal(None)
    }

    /// Sends a signal to every process of the group; tells whether there was one.
    fn signal(&self, signal: impl Into<Option<Signal>>) -> bool {
        self.id.is_some_and(|id| killpg(id, signal).is_ok())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
        self.id.inspect(|id| guard('-', *id));
    }
}

/// Ends the groups still open when its stdin closes, which is when this process ends, even by KILL.
///
/// A parent-death signal would not do: it needs code between fork and exec, fires when the starting *thread* ends, and
/// reaches the leader alone.
const GUARD: &str = r#"
trap '' HUP INT QUIT TERM
open=' '
while read -r what group; do
  case $what in
    +) open="$open$group " ;;
    -) open="${open%% "$group" *} ${open#* "$group" }" ;;
  esac
done
for group in $open; do kill -s TERM -- "-$group"; kill -s CONT -- "-$group"; done
[ "$open" = ' ' ] || sleep 0.15
for group in $open; do kill -s KILL -- "-$group"; done
"#;

/// Tells the guard that a group was opened (`+`) or is over (`-`).
fn guard(what: char, group: Pid) {
    if let Some(pipe) = guard_pipe() {
        // One write, so that lines can't mix. Without a guard commands still end with their calls.
        let line = format!("{what} {group}\n");
        let _ = pipe.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

fn guard_pipe() -> Option<&'static Mutex<ChildStdin>> {
    static PIPE: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();
    PIPE.get_or_init(start_guard).as_ref()
}

fn start_guard() -> Option<Mutex<ChildStdin>> {
    let started = Command::new("/bin/sh")
        .args(["-c", GUARD, "clap-facade-guard"])
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // What ends this process's group must not end the guard with it.
        .process_group(0)
        .spawn();
    match started {
        Ok(mut shell) => shell.stdin.take().map(Mutex::new),
        Err(error) => {
            tracing::warn!(%error, "no guard: commands may outlive this process if it is killed");
            None
        }
    }
}
