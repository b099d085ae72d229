//! Terminals, of which a command must have none: nobody sits there to answer.

use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::future::pending;
use tokio::signal::unix::{SignalKind, signal};

/// Leaves the terminal that this process was started from, where it has one and may.
///
/// A command could else ask for a password there, past its streams. Who leads a process group can't leave; then the system
/// stops a command that reads the terminal, which [`is_wanted`] sees.
pub(crate) fn leave() {
    let has_one = std::fs::File::open("/dev/tty").is_ok();
    if has_one && let Err(error) = nix::unistd::setsid() {
        tracing::debug!(%error, "the terminal could not be left");
    }
}

/// Waits until a child was stopped because it reads from a terminal, or sets one up to read.
pub(super) async fn is_wanted(child: Option<u32>) {
    let Some(child) = child.and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw) else { return pending().await };
    let Ok(mut changes) = signal(SignalKind::child()) else { return pending().await };
    loop {
        let look = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        if let Ok(WaitStatus::Stopped(_, Signal::SIGTTIN | Signal::SIGTTOU)) = waitid(Id::Pid(child), look) {
            return;
        }
        if changes.recv().await.is_none() {
            return pending().await;
        }
    }
}
