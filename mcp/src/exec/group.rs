//! The process group of one command, and what ends it.

use super::{CALL, stray};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::process::Child;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// How long the kernel may take to end a group after KILL.
const KILL_GRACE: Duration = Duration::from_millis(80);
/// How often an ending group is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// How often what left the group is looked for again after KILL, for what it started meanwhile.
const ROUNDS: usize = 5;

/// The process group of one command, and what left it: killed when dropped.
pub(crate) struct Group {
    /// Absent where the leader had been waited for already.
    id: Option<Pid>,
    /// The value of [`CALL`] in the environment of the command; without one only the group is ended.
    mark: Option<String>,
}

/// Returns a value of [`CALL`] that no other command has.
pub(super) fn new_mark() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{:x}-{}", std::process::id(), since.as_nanos(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Returns the mark that a command will have.
pub(super) fn mark_of(command: &tokio::process::Command) -> Option<String> {
    let mut variables = command.as_std().get_envs();
    variables.find(|(name, _)| *name == CALL)?.1?.to_str().map(str::to_owned)
}

impl Group {
    /// Makes ready to take over a group, before there is one: what ends it with this process must not have to start then.
    pub(super) fn prepare() {
        guard_pipe();
    }

    /// Takes over the group that `child` leads, and what has the mark.
    pub(crate) fn led_by(child: &Child, mark: Option<String>) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        id.inspect(|id| guard('+', *id, mark.as_deref()));
        Self { id, mark }
    }

    /// Lets go of what left the group: a command that ended by itself may leave a daemon on purpose.
    pub(super) fn let_strays_go(&mut self) {
        self.mark = None;
    }

    /// Ends the group and what left it: TERM, and KILL for what is left after `grace`.
    pub(super) async fn end(mut self, grace: Duration) {
        let strays = self.strays(self.id).await;
        let was_there = self.signal(Signal::SIGTERM) | stray::signal(&strays, Signal::SIGTERM);
        if was_there {
            // A stopped process acts on TERM only once it goes on.
            self.signal(Signal::SIGCONT);
            stray::signal(&strays, Signal::SIGCONT);
            let all_gone = async {
                while self.exists() || stray::signal(&strays, None) {
                    sleep(LOOK).await;
                }
            };
            if timeout(grace, all_gone).await.is_err() {
                self.signal(Signal::SIGKILL);
            }
        }
        for _ in 0..ROUNDS {
            let strays = self.strays(None).await;
            if !stray::signal(&strays, Signal::SIGKILL) {
                break;
            }
        }
        let _ = timeout(KILL_GRACE, self.gone()).await;
        self.let_strays_go();
    }

    /// Returns what has the mark, and what the leader started while its number is its own.
    async fn strays(&self, leader: Option<Pid>) -> Vec<Pid> {
        let Some(mark) = self.mark.clone() else { return Vec::new() };
        spawn_blocking(move || stray::find(&mark, leader)).await.unwrap_or_default()
    }

    /// Ends what a command left behind, without anybody waiting for it.
    pub(super) fn end_later(mut self, grace: Duration) {
        self.let_strays_go();
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
        if let Some(mark) = &self.mark {
            stray::signal(&stray::find(mark, None), Signal::SIGKILL);
        }
        self.id.inspect(|id| guard('-', *id, None));
    }
}

/// Ends the groups still open when its stdin closes, which is when this process ends, even by KILL.
///
/// A parent-death signal would not do: it needs code between fork and exec, fires when the starting *thread* ends, and
/// reaches the leader alone.
const GUARD: &str = r#"
trap '' HUP INT QUIT TERM
open=' '
while read -r what group mark; do
  case $what in
    +) open="$open$group:$mark " ;;
    -) open="${open%% "$group":*} ${open#* "$group":* }" ;;
  esac
done
strays() {
  for one in $open; do
    [ "${one#*:}" = none ] || grep -lsz "^CLAP_FACADE_CALL=${one#*:}\$" /proc/[0-9]*/environ
  done | while IFS=/ read -r _ _ process _; do kill -s "$1" "$process"; done
}
for one in $open; do kill -s TERM -- "-${one%%:*}"; kill -s CONT -- "-${one%%:*}"; done
[ "$open" = ' ' ] || { strays TERM; strays CONT; sleep 0.15; }
for one in $open; do kill -s KILL -- "-${one%%:*}"; done
strays KILL
"#;

/// Tells the guard that a group was opened (`+`), with the mark of what leaves it, or is over (`-`).
fn guard(what: char, group: Pid, mark: Option<&str>) {
    if let Some(pipe) = guard_pipe() {
        // One write, so that lines can't mix. Without a guard commands still end with their calls.
        let line = format!("{what} {group} {}\n", mark.unwrap_or("none"));
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
