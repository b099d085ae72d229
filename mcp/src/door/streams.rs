//! The process's own streams and signals.

use std::io;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};

/// Waits until the process is told to end.
#[cfg(unix)]
pub(super) async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = signals else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
pub(super) async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Has a full file refuse what is written to it, and not end the process: files may be limited in size.
#[cfg(unix)]
pub(super) fn survive_full_files() {
    use tokio::signal::unix::{SignalKind, signal};
    // From here on the signal has a handler, which children do not inherit.
    let _ = signal(SignalKind::from_raw(nix::libc::SIGXFSZ));
}

#[cfg(not(unix))]
pub(super) fn survive_full_files() {}

pub(super) type Reader = Pin<Box<dyn AsyncRead + Send>>;
pub(super) type Writer = Pin<Box<dyn AsyncWrite + Send>>;

/// Takes the standard streams for the protocol alone.
#[cfg(unix)]
pub(super) fn private_streams() -> io::Result<(Reader, Writer)> {
    use std::os::fd::AsFd;
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    // Reopening a pipe gives it a description of its own, which may be non-blocking without the
    // process at the other end, or a child, seeing it.
    use tokio::net::unix::pipe::OpenOptions;
    let reader: Reader = match OpenOptions::new().open_receiver("/proc/self/fd/0") {
        Ok(pipe) => Box::pin(pipe),
        Err(_) => Box::pin(tokio::fs::File::from_std(stdin.into())),
    };
    let writer: Writer = match OpenOptions::new().open_sender("/proc/self/fd/1") {
        Ok(pipe) => Box::pin(pipe),
        Err(_) => Box::pin(tokio::fs::File::from_std(stdout.into())),
    };
    nix::unistd::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok((reader, writer))
}

#[cfg(not(unix))]
pub(super) fn private_streams() -> io::Result<(Reader, Writer)> {
    Ok((Box::pin(tokio::io::stdin()), Box::pin(tokio::io::stdout())))
}
