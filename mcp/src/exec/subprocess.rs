//! Runs the CLI's own executable.

use super::capture::{Keep, Spill, partial};
use super::fence::{Enforcement, Fence, Site, Unspawned};
use super::group::{Group, mark_of, new_mark};
use super::listen::{Listener, is_question};
use super::progress::Channel;
use super::terminal;
use super::{BoxFuture, CALL, Executor, Exit, Finished, Job, Surroundings};
use crate::argv::Proved;
use crate::catalog::{Effect, Hidden, Operation};
use crate::policy::word_matches;
use crate::refusal::{Kind, Refusal};
use std::env;
use std::ffi::OsString;
use std::future::{Future, pending};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{self, Path, PathBuf};
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// How long a command may take to end by itself after TERM.
const STOP_GRACE: Duration = Duration::from_millis(150);
/// How long the pipes may stay open after the command's exit before their holders are ended.
const DRAIN_GRACE: Duration = Duration::from_millis(100);
/// How long what is left in the pipes may take once the group is gone.
const LAST_GRACE: Duration = Duration::from_millis(20);

/// Runs the CLI's own executable, one process group a call.
///
/// The group is the command and every process it starts, except those that leave it (`setsid`). It is ended
/// with TERM, and KILL after a grace: when the call times out, is cancelled or dropped; when the command exits
/// and leaves processes behind; and when this process ends, however it ends. What left it is found where there is
/// a `/proc`, by a variable of its environment or as a descendant, and ended as well; but where the command exited
/// by itself it may have left a daemon on purpose.
///
/// The command gets `NO_COLOR=1 TERM=dumb`, and neither `CLICOLOR_FORCE` nor `FORCE_COLOR`.
///
/// A call that only reads is held to that where the system can: see [`Enforcement`].
#[derive(Clone, Debug)]
pub struct Subprocess {
    program: PathBuf,
    fixed_args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    secrets: Vec<(String, Hidden)>,
    pass: Option<Vec<String>>,
    cwd: Option<PathBuf>,
    stop_grace: Duration,
}

impl Subprocess {
    /// Runs `program`: a path, or a name that is looked for on the `PATH` at every call.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        // A relative path means this process's folder, also when the command gets another one.
        let program = match is_bare_name(&program) {
            true => program,
            false => path::absolute(&program).unwrap_or(program),
        };
        Self {
            program,
            fixed_args: Vec::new(),
            env: Vec::new(),
            secrets: Vec::new(),
            pass: None,
            cwd: None,
            stop_grace: STOP_GRACE,
        }
    }

    /// Puts arguments before those of every call.
    #[must_use]
    pub fn fixed_args<I: IntoIterator<Item: Into<OsString>>>(mut self, args: I) -> Self {
        self.fixed_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable of the command.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Keeps every variable of this process from the command but `PATH` and these; `*` stands for any characters.
    #[must_use]
    pub fn pass_env<I: IntoIterator<Item: Into<String>>>(mut self, names: I) -> Self {
        self.pass = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the folder that the command starts in; else it is this process's.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// Sets how long the group may take to end by itself after TERM; else it is 150 ms.
    #[must_use]
    pub fn stop_grace(mut self, grace: Duration) -> Self {
        self.stop_grace = grace;
        self
    }

    async fn run(&self, job: Job) -> Result<Finished, Refusal> {
        let Job { proved, effect, stdin, limits, spool, mask, cancel, progress } = job;
        if cancel.is_cancelled() {
            return Err(Refusal::new(Kind::Cancelled));
        }
        let started = Instant::now();
        let fence = match effect {
            Effect::ReadOnly => self.fence(proved.invocation().operation())?,
            Effect::Mutating | Effect::Destructive => None,
        };
        let (mut child, mut group, fence) = self.start(self.command(&proved, stdin.is_some()), fence).await?;
        let listener = Listener::new(progress);
        let mut stdout = Keep::spooled(limits.stdout_bytes, spool).masked(&mask);
        let mut stderr = Keep::tail(limits.stderr_bytes).masked(&mask);
        let end = {
            let (input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let pipes = async {
                let out = drain(out, |chunk| {
                    let chunk = stdout.mask(chunk);
                    listener.hear(Channel::Out, &chunk);
                    stdout.push(&chunk)
                });
                let err = drain(err, |chunk| {
                    let chunk = stderr.mask(chunk);
                    listener.hear(Channel::Err, &chunk);
                    stderr.push(&chunk)
                });
                tokio::join!(feed(input, stdin), out, err);
            };
            tokio::pin!(pipes);
            let mut pipes = Pipes { io: pipes, closed: false };

            let id = child.id();
            let end = async {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => End::Cancelled,
                    () = sleep(limits.timeout) => End::TimedOut,
                    status = child.wait() => End::Exited(status),
                    () = terminal::is_wanted(id) => End::WantsTerminal,
                    () = listener.silence(limits.silence) => End::Silent(limits.silence),
                }
            };
            let end = pipes.serve_during(end).await;
            if let End::Exited(_) = end {
                group.let_strays_go();
                pipes.close_within(DRAIN_GRACE).await;
            }
            match pipes.closed && matches!(end, End::Exited(_)) {
                true => group.end_later(self.stop_grace),
                false => {
                    let ending = async {
                        tokio::select! {
                            () = group.end(self.stop_grace) => {}
                            // Waited for because the zombie of its leader would keep the group alive.
                            () = async { let _ = child.wait().await; pending().await } => {}
                        }
                    };
                    pipes.serve_during(ending).await;
                    pipes.close_within(LAST_GRACE).await;
                }
            }
            end
        };
        let (stdout, stderr) = (stdout.take(), stderr.take());
        let elapsed = started.elapsed();
        if let Some(fence) = fence {
            fence.remove().await;
        }
        let refusal = match end {
            End::Exited(Ok(status)) => return Ok(Finished { exit: exit(status), stdout, stderr, elapsed }),
            End::Exited(Err(error)) => {
                Refusal::new(Kind::Internal).because(format!("the command's exit is not known: {error}"))
            }
            End::Cancelled => Refusal::new(Kind::Cancelled),
            End::TimedOut => unanswered(listener.unfinished(), &format!("did not end within {:?}", limits.timeout)),
            End::Silent(limit) => {
                unanswered(listener.unfinished(), &format!("printed nothing for {:?}", limit.unwrap_or_default()))
            }
            End::WantsTerminal => Refusal::new(Kind::NeedsInput)
                .because("the command reads from a terminal, where nobody answers, and was stopped"),
        };
        Err(Refusal { partial: partial(&stdout, &stderr), ..refusal })
    }

    /// Makes ready what holds a read-only call to reading; `None` where nothing is to.
    fn fence(&self, operation: &Operation) -> Result<Option<Fence>, Refusal> {
        let own = |name: &str| self.env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let variable = |name: &str| own(name).or_else(|| env::var_os(name));
        Fence::around(&operation.fence, &Site { cwd: self.cwd.as_deref(), variable: &variable })
    }

    async fn start(
        &self,
        mut command: Command,
        fence: Option<Fence>,
    ) -> Result<(Child, Group, Option<Fence>), Refusal> {
        Group::prepare();
        let Some(fence) = fence else {
            let child = command.spawn().map_err(|error| self.not_started(&error))?;
            let group = Group::led_by(&child, mark_of(&command));
            return Ok((child, group, None));
        };
        command.env("TMPDIR", fence.temp());
        match fence.spawn(command).await {
            Ok((child, group, fence)) => Ok((child, group, Some(fence))),
            Err(Unspawned::Command(error)) => Err(self.not_started(&error)),
            Err(Unspawned::Fence(problem)) => Err(Refusal::new(Kind::NotStarted)
                .because(format!("`{}` could not be held to reading: {problem}", self.program.display()))
                .hint("the operator's policy lifts it with `read-only.enforce = false`")),
        }
    }

    fn command(&self, proved: &Proved, reads_stdin: bool) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(name) = proved.arg0() {
            command.arg0(name);
        }
        if let Some(pass) = &self.pass {
            let passes = |name: &OsString| {
                let name = name.to_string_lossy();
                // Without it not even the program would be found.
                name == "PATH" || pass.iter().any(|pattern| word_matches(pattern, &name))
            };
            command.env_clear().envs(env::vars_os().filter(|(name, _)| passes(name)));
        }
        command
            .args(&self.fixed_args)
            .args(proved.secret_argv())
            .env("NO_COLOR", "1")
            .env("TERM", "dumb")
            .env(CALL, new_mark())
            .env_remove("CLICOLOR_FORCE")
            .env_remove("FORCE_COLOR")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .envs(self.secrets.iter().map(|(name, value)| (name, value.reveal())))
            .stdin(if reads_stdin { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(folder) = &self.cwd {
            command.current_dir(folder);
        }
        command
    }

    fn not_started(&self, error: &io::Error) -> Refusal {
        let program = self.program.display();
        let refused = |message: String| Refusal::new(Kind::NotStarted).because(message);
        if let Some(folder) = self.cwd.as_deref().filter(|folder| !folder.is_dir()) {
            return refused(format!(
                "`{program}` could not be started: its folder {} does not exist",
                folder.display()
            ));
        }
        match error.kind() {
            io::ErrorKind::NotFound if is_bare_name(&self.program) => {
                refused(format!("`{program}` was not found on the PATH ({})", self.search_path().display())).hint(
                    "give the program's full path, or add its folder to the PATH of the server: \
                     hosts with a window often start it with /usr/bin:/bin alone",
                )
            }
            io::ErrorKind::NotFound if self.program.exists() => {
                refused(format!("`{program}` exists, but the interpreter or loader it names does not"))
            }
            io::ErrorKind::NotFound => refused(format!("`{program}` does not exist")),
            io::ErrorKind::PermissionDenied => {
                let looked = match is_bare_name(&self.program) {
                    true => format!(" (looked for on the PATH {})", self.search_path().display()),
                    false => String::new(),
                };
                refused(format!("`{program}` is not executable by this user{looked}"))
            }
            io::ErrorKind::ArgumentListTooLong => {
                refused(format!("the arguments and environment are larger than the system passes to `{program}`"))
                    .hint("send less in one call, or pass the data in a file")
            }
            _ => refused(format!("`{program}` could not be started: {error}")),
        }
    }

    /// Returns the `PATH` that the program is looked for on.
    fn search_path(&self) -> OsString {
        let own = self.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        own.or_else(|| env::var_os("PATH")).unwrap_or_else(|| "unset".into())
    }
}

impl Executor for Subprocess {
    fn in_surroundings(&self, surroundings: &Surroundings) -> Option<Arc<dyn Executor>> {
        let mut there = self.clone();
        there.env.extend(surroundings.set.iter().map(|(name, value)| (name.into(), value.into())));
        there.secrets.extend(surroundings.secrets.iter().cloned());
        there.pass = surroundings.pass.clone().or(there.pass);
        there.cwd = surroundings.cwd.clone().or(there.cwd);
        Some(Arc::new(there))
    }

    fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    fn enforcement(&self, operation: &Operation) -> Option<Enforcement> {
        Some(Enforcement::of(&operation.fence))
    }

    fn check(&self) -> Result<(), Refusal> {
        if self.cwd.as_deref().is_some_and(|folder| !folder.is_dir()) {
            return Err(self.not_started(&io::ErrorKind::NotFound.into()));
        }
        let candidates: Vec<PathBuf> = match is_bare_name(&self.program) {
            true => env::split_paths(&self.search_path()).map(|folder| folder.join(&self.program)).collect(),
            false => vec![self.program.clone()],
        };
        if candidates.iter().any(|path| is_executable(path)) {
            return Ok(());
        }
        let found = candidates.iter().any(|path| path.is_file());
        let kind = if found { io::ErrorKind::PermissionDenied } else { io::ErrorKind::NotFound };
        Err(self.not_started(&kind.into()))
    }

    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(self.run(job))
    }
}

/// How the wait for a command ended.
enum End {
    Exited(io::Result<ExitStatus>),
    Cancelled,
    TimedOut,
    /// It printed nothing for as long as it may, or asked something and waits.
    Silent(Option<Duration>),
    WantsTerminal,
}

/// Refuses a command that was stopped because it did not go on, by what it had printed last without ending the line.
fn unanswered(line: Option<String>, did: &str) -> Refusal {
    match line {
        Some(line) if is_question(&line) => Refusal::new(Kind::NeedsInput)
            .because(format!("the command asked `{line}`, which nobody answers, and was stopped")),
        Some(line) => Refusal::new(Kind::TimedOut)
            .because(format!("the command {did} and was stopped; it had begun to print `{line}`")),
        None => Refusal::new(Kind::TimedOut).because(format!("the command {did} and was stopped")),
    }
}

/// The three pipes of a command, served while something else is waited for.
struct Pipes<'a, F> {
    io: Pin<&'a mut F>,
    closed: bool,
}

impl<F: Future<Output = ()>> Pipes<'_, F> {
    async fn serve_during<T>(&mut self, main: impl Future<Output = T>) -> T {
        tokio::pin!(main);
        loop {
            // The main future is asked first: a command that never stops printing could else use up the
            // task's budget each time, and neither time-out nor cancel would be seen.
            tokio::select! {
                biased;
                value = &mut main => return value,
                () = self.io.as_mut(), if !self.closed => self.closed = true,
            }
        }
    }

    async fn close_within(&mut self, grace: Duration) {
        if !self.closed {
            self.closed = timeout(grace, self.io.as_mut()).await.is_ok();
        }
    }
}

/// Writes the input and closes it. A command need not read it, so that errors mean nothing.
async fn feed(pipe: Option<ChildStdin>, input: Option<Vec<u8>>) {
    if let (Some(mut pipe), Some(input)) = (pipe, input) {
        let _ = pipe.write_all(&input).await;
    }
}

/// Reads to the end, beyond what is kept: a full pipe would stop the command.
async fn drain(pipe: Option<impl AsyncRead + Unpin>, mut each: impl FnMut(&[u8]) -> Option<Spill>) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 32 << 10];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        if let Some(spill) = each(&buffer[..read]) {
            let _ = spawn_blocking(|| Spill::write(spill)).await;
        }
    }
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}

/// Tells whether this user may run a file.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok()
}

/// Tells whether a program is a name to be looked for on the `PATH`.
pub(crate) fn is_bare_name(program: &Path) -> bool {
    program.file_name() == Some(program.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_asked_for_without_colour_unless_the_owner_says_so() {
        let tree = clap::Command::new("cli").subcommand(clap::Command::new("run"));
        let catalog = crate::catalog::Catalog::new(tree, &crate::catalog::Settings::default()).unwrap();
        let call = crate::invocation::Invocation::new(catalog.find("run").unwrap(), &serde_json::Map::new(), &[]);
        let proved = Proved::new(&catalog, call.unwrap()).unwrap();
        let command = Subprocess::new("cli").env("TERM", "vt100").command(&proved, false);
        let env = |name: &str| command.as_std().get_envs().find(|(key, _)| *key == name).map(|(_, value)| value);
        assert_eq!(env("NO_COLOR"), Some(Some("1".as_ref())));
        assert_eq!(env("TERM"), Some(Some("vt100".as_ref())));
        assert!(env(CALL).flatten().is_some(), "what is the operator's alone knows an agent's call by it");
        for forced in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
            assert_eq!(env(forced), Some(None), "{forced} is taken away");
        }
    }
}
