//! The fence around a read-only command that is a process of its own.
//!
//! Its parts: a temporary folder that is the command's alone, and on Linux what the kernel enforces ([`kernel`]). Both
//! are made for one call and go with it.

#[cfg_attr(not(all(target_os = "linux", target_pointer_width = "64")), path = "no_kernel.rs")]
mod kernel;
mod writable;

use super::Group;
use super::group::mark_of;
use crate::catalog;
use crate::refusal::{Kind, Refusal};
use kernel::support;
use std::ffi::OsString;
use std::fmt;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// How far the system holds a read-only call to reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforcement {
    /// By the kernel: it can change nothing but its temporary folder and what was named.
    Landlock,
    /// By the kernel, as far as this one can: an older one lets files be truncated.
    Partly,
    /// Not at all: this system can't.
    Unsupported,
    /// Not at all: the policy or the author said so.
    Off,
}

impl Enforcement {
    /// Returns how the calls of an operation that only read are held to it.
    pub(super) fn of(fence: &catalog::Fence) -> Self {
        if fence.enforce == Some(false) { Self::Off } else { support() }
    }

    /// Tells whether anything is refused to the call.
    pub(crate) fn holds(self) -> bool {
        matches!(self, Self::Landlock | Self::Partly)
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Landlock => "landlock",
            Self::Partly => "partly",
            Self::Unsupported => "no",
            Self::Off => "off",
        })
    }
}

/// The fence of one call.
pub(super) struct Fence {
    enforcement: Enforcement,
    rules: Rules,
    temp: TempDir,
}

/// What the kernel is told.
#[derive(Debug)]
struct Rules {
    /// Files and folders that may be changed.
    writes: Vec<PathBuf>,
    network: bool,
}

/// Where a command starts, and the variables that it gets by name.
pub(super) struct Site<'a> {
    pub(super) cwd: Option<&'a Path>,
    pub(super) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Fence {
    /// Makes ready what a read-only call may write; `None` where it is not to be held to reading.
    ///
    /// # Errors
    /// [`Kind::NotStarted`] where no temporary folder can be made.
    pub(super) fn around(said: &catalog::Fence, site: &Site<'_>) -> Result<Option<Self>, Refusal> {
        let enforcement = Enforcement::of(said);
        if enforcement == Enforcement::Off {
            return Ok(None);
        }
        let private = Permissions::from_mode(0o700);
        let temp = tempfile::Builder::new().prefix("read-only-").permissions(private).tempdir().map_err(|error| {
            Refusal::new(Kind::NotStarted)
                .because(format!("no temporary folder could be made for the command: {error}"))
                .hint("free space where temporary files go, or set TMPDIR for the server")
        })?;
        let mut writes: Vec<PathBuf> = said.writes.iter().filter_map(|path| writable::resolve(path, site)).collect();
        writes.push(temp.path().to_owned());
        Ok(Some(Self { enforcement, rules: Rules { writes, network: said.network != Some(false) }, temp }))
    }

    /// Returns the folder that is the command's alone.
    pub(super) fn temp(&self) -> &Path {
        self.temp.path()
    }

    /// Starts a command inside.
    ///
    /// What the kernel refuses it refuses to a thread and all that it starts, for ever: so the thread is made for this.
    pub(super) async fn spawn(self, mut command: Command) -> Result<(Child, Group, Self), Unspawned> {
        let runtime = Handle::current();
        let (sender, receiver) = oneshot::channel();
        let mark = mark_of(&command);
        let body = move || {
            let _entered = runtime.enter();
            let raised = match self.enforcement.holds() {
                true => kernel::restrict_thread(&self.rules).map_err(Unspawned::Fence),
                false => Ok(()),
            };
            let spawned = raised.and_then(|()| command.spawn().map_err(Unspawned::Command));
            // Taken over here, so that nothing is left behind where nobody waits any more.
            let _ = sender.send(spawned.map(|child| {
                let group = Group::led_by(&child, mark);
                (child, group, self)
            }));
        };
        thread::Builder::new()
            .name("fence".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(body)
            .map_err(|error| Unspawned::Fence(error.to_string()))?;
        receiver.await.unwrap_or_else(|_| Err(Unspawned::Fence("its thread crashed".to_owned())))
    }

    /// Removes what the command left in its folder.
    pub(super) async fn remove(self) {
        // Most leave nothing, and one call of the system is then enough.
        if std::fs::remove_dir(self.temp.path()).is_ok() {
            // There is nothing left that its drop could remove.
            let _ = self.temp.keep();
            return;
        }
        let _ = spawn_blocking(move || drop(self.temp)).await;
    }
}

/// Why nothing was started.
#[derive(Debug)]
pub(super) enum Unspawned {
    /// The command can't be.
    Command(io::Error),
    /// It could not be held to reading.
    Fence(String),
}

/// What little a thread needs that starts one command.
const STACK_BYTES: usize = 256 << 10;

/// Says what to do where a command failed as it does when it is kept from writing; `None` where it seems to have failed
/// by itself.
pub(crate) fn remark(fence: &catalog::Fence, ended_by: Option<i32>, outputs: [&[u8]; 2]) -> Option<String> {
    const BAD_SYSTEM_CALL: i32 = 31;
    let outputs = outputs.map(|output| &output[output.len().saturating_sub(READ_BYTES)..]);
    let says = |words: &[&str]| outputs.iter().any(|output| words.iter().any(|word| contains(output, word)));
    if says(REFUSED) || ended_by == Some(BAD_SYSTEM_CALL) {
        return Some(
            "the system held this read-only command to reading, which may be why it failed: a folder that it has to write, \
             such as a cache, is allowed by the operator's policy with `read-only.writes = [\"~/.cache/NAME/\"]`; \
             if one of the call's params makes it write, `mutating-when = [\"PARAM\"]` says so; \
             `read-only.enforce = false` lifts it"
                .to_owned(),
        );
    }
    (fence.network == Some(false) && says(OFFLINE)).then(|| {
        "the operator's policy keeps this read-only command off the network (`read-only.network = false`), which may \
         be why it failed"
            .to_owned()
    })
}

/// How much of the end of an output is read for a reason.
const READ_BYTES: usize = 16 << 10;

/// What commands say whom the system refused a file.
const REFUSED: &[&str] = &[
    "permission denied",
    "permissionerror",
    "permissiondenied",
    "not permitted",
    "eacces",
    "eperm",
    "read-only file",
    "readonly database",
    "unable to open database",
    "not writable",
    "access is denied",
];

/// What commands say that find no network.
const OFFLINE: &[&str] = &["network", "resolve", "connect", "dns", "name resolution", "socket", "offline"];

fn contains(output: &[u8], word: &str) -> bool {
    output.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_put_down_to_the_fence_only_where_it_looks_like_it() {
        let open = catalog::Fence::default();
        let offline = catalog::Fence { network: Some(false), ..open.clone() };
        let table: [(&catalog::Fence, Option<i32>, &str, Option<&str>); 7] = [
            (&open, None, "sh: cannot create x: Permission denied", Some("read-only.writes")),
            (&open, None, "[Errno 13] PERMISSION DENIED: 'x'", Some("read-only.writes")),
            (&open, None, "attempt to write a readonly database", Some("read-only.enforce")),
            (&open, Some(31), "", Some("read-only.enforce")),
            (&open, None, "no such package", None),
            (&open, None, "could not resolve host", None),
            (&offline, None, "could not resolve host", Some("read-only.network")),
        ];
        for (fence, signal, said, named) in table {
            let remark = remark(fence, signal, [b"", said.as_bytes()]);
            match named {
                Some(key) => assert!(remark.as_ref().is_some_and(|remark| remark.contains(key)), "{said}: {remark:?}"),
                None => assert_eq!(remark, None, "{said}"),
            }
        }
    }
}
