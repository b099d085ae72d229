//! Shell scripts that behave as badly as commands do.

use super::{job, prove, wait_for};
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Settings};
use clap_facade::exec::{Executor, Exit, Finished, Job, Limits, Subprocess};
use clap_facade::invocation::Invocation;
use clap_facade::refusal::{Kind, Refusal};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

fn sh(script: &str) -> Subprocess {
    Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"])
}

async fn run(script: &str) -> Finished {
    sh(script).execute(job("change")).await.unwrap()
}

async fn run_within(script: &str, timeout: Duration) -> Result<Finished, Refusal> {
    let limits = Limits { timeout, ..Limits::default() };
    sh(script).stop_grace(PATIENT).execute(Job { limits, ..job("change") }).await
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns the processes of a group that are not yet dead.
fn members(group: u32) -> Vec<u32> {
    let alive = |entry: fs::DirEntry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let (state, of) = (fields.next()?, fields.nth(1)?);
        (state != "Z" && state != "X" && of == group.to_string()).then(|| entry.file_name().to_str()?.parse().ok())?
    };
    fs::read_dir("/proc").unwrap().filter_map(|entry| alive(entry.unwrap())).collect()
}

/// Waits for the process id that a script writes to a file by `echo $$ > name.new; mv name.new name`.
async fn pid_in(folder: &Path, name: &str) -> u32 {
    wait_for(name, || fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()).await
}

/// A grace that a busy machine does not use up.
const PATIENT: Duration = Duration::from_secs(30);

const NONE: &[u32] = &[];

const SAY_PID: &str = "echo $$ > pid.new; mv pid.new pid;";

#[tokio::test]
async fn argv_is_the_proofs_own_after_the_fixed_arguments() {
    let words = ["a b", "", "--yes", "-5", "it's", "\"q\"", "é", "$HOME", "two\nlines"];
    let proved = prove("change", &words);
    let argv: Vec<_> = proved.argv().iter().map(|arg| arg.to_str().unwrap().to_owned()).collect();
    let finished = sh(r#"printf '[%s]' "$@""#).execute(Job::new(proved)).await.unwrap();
    assert_eq!(text(&finished.stdout.bytes), format!("[{}]", argv.join("][")));
    assert!(argv.ends_with(&words.map(str::to_owned)), "{argv:?}");
}

#[tokio::test]
async fn exit_codes_and_signals_are_told_apart() {
    for code in [0, 1, 2, 13, 127, 255] {
        assert_eq!(run(&format!("exit {code}")).await.exit, Exit::Code(code));
    }
    for (name, number) in [("SEGV", 11), ("KILL", 9), ("TERM", 15)] {
        assert_eq!(run(&format!("kill -{name} $$")).await.exit, Exit::Signal(number));
    }
}

#[tokio::test]
async fn streams_stay_apart_and_keep_any_bytes() {
    let finished = run(r"printf 'out\377\000out'; printf 'err\376' >&2").await;
    assert_eq!(finished.stdout.bytes, b"out\xff\0out");
    assert_eq!(finished.stderr.bytes, b"err\xfe");
}

#[tokio::test]
async fn stdin_is_at_its_end_unless_given() {
    assert_eq!(run("cat; echo end").await.stdout.bytes, b"end\n");
    let megabyte = vec![b'x'; 1 << 20];
    let given = |stdin: &[u8]| Job { stdin: Some(stdin.to_vec()), ..job("change") };
    assert_eq!(sh("cat").execute(given(&megabyte)).await.unwrap().stdout.bytes, megabyte);
    assert_eq!(sh("cat; echo end").execute(given(b"")).await.unwrap().stdout.bytes, b"end\n");
    let unread = sh("exec 0<&-; echo ok").execute(given(&megabyte)).await.unwrap();
    assert_eq!((unread.exit, unread.stdout.bytes), (Exit::Code(0), b"ok\n".to_vec()));
}

#[tokio::test]
async fn full_pipes_do_not_stop_the_command() {
    let finished = run("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2").await;
    assert_eq!((finished.exit, finished.stdout.total, finished.stderr.total), (Exit::Code(0), 300_000, 600_000));
    assert_eq!((finished.stdout.bytes.len(), finished.stderr.bytes.len()), (300_000, 64 << 10));
}

#[tokio::test]
async fn output_is_kept_within_bounds_and_counted_beyond() {
    let limits = Limits { stdout_bytes: 1000, stderr_bytes: 10, ..Limits::default() };
    let script = "printf start; head -c 50000000 /dev/zero; printf 'first and last' >&2";
    let finished = sh(script).execute(Job { limits, ..job("show") }).await.unwrap();
    assert_eq!((finished.exit, finished.stdout.total), (Exit::Code(0), 50_000_005));
    assert_eq!((finished.stdout.bytes.len(), &finished.stdout.bytes[..6]), (1000, &b"start\0"[..]));
    assert_eq!(text(&finished.stderr.bytes), "t and last");
    assert!(finished.stdout.is_cut() && finished.stderr.is_cut());
}

#[tokio::test]
async fn a_command_may_close_its_streams_and_go_on() {
    let finished = run("echo early; exec 1>&- 2>&-; sleep 0.2; exit 3").await;
    assert_eq!((finished.exit, finished.stdout.bytes), (Exit::Code(3), b"early\n".to_vec()));
}

#[tokio::test]
async fn cancel_ends_every_process_of_the_group_though_they_ignore_term() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("trap '' TERM; echo so far; (sleep 300; true) & sh -c 'sleep 300; true' & {SAY_PID} sleep 300; true");
    let executor = sh(&script).cwd(folder.path());
    let job = job("change");
    let cancel = job.cancel.clone();
    let call = tokio::spawn(async move { executor.execute(job).await });
    let group = pid_in(folder.path(), "pid").await;
    assert!(members(group).len() >= 3, "{:?}", members(group));
    cancel.cancel();
    let refusal = call.await.unwrap().unwrap_err();
    wait_for("the group's end", || members(group).is_empty().then_some(())).await;
    assert_eq!(refusal.kind, Kind::Cancelled);
    assert_eq!(refusal.partial.unwrap().stdout, "so far\n");
}

#[tokio::test]
async fn a_stopped_process_is_ended_too() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("trap 'echo cleaned; exit' TERM; {SAY_PID} kill -STOP $$; sleep 300");
    let executor = sh(&script).cwd(folder.path()).stop_grace(PATIENT);
    let job = job("change");
    let cancel = job.cancel.clone();
    let call = tokio::spawn(async move { executor.execute(job).await });
    let group = pid_in(folder.path(), "pid").await;
    wait_for("the stop", || fs::read_to_string(format!("/proc/{group}/stat")).unwrap().contains(") T").then_some(()))
        .await;
    cancel.cancel();
    assert_eq!(call.await.unwrap().unwrap_err().partial.unwrap().stdout, "cleaned\n");
    assert_eq!(members(group), NONE);
}

#[tokio::test]
async fn what_a_timed_out_command_said_is_not_lost() {
    let script = "trap 'echo cleaning up >&2; exit 1' TERM; echo $$; sleep 300 & wait";
    let refusal = run_within(script, Duration::from_secs(2)).await.unwrap_err();
    assert_eq!(
        (refusal.kind, refusal.message.as_str()),
        (Kind::TimedOut, "the command did not end within 2s and was stopped")
    );
    let partial = refusal.partial.unwrap();
    assert_eq!(partial.stderr, "cleaning up\n");
    assert_eq!(members(partial.stdout.trim().parse().unwrap()), NONE);
}

#[tokio::test]
async fn a_command_that_never_stops_printing_is_timed_out() {
    let refusal = run_within("yes", Duration::from_secs(2)).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::TimedOut);
    let stdout = refusal.partial.unwrap().stdout;
    assert!(stdout.starts_with("y\ny\n") && stdout.ends_with("bytes in all]"), "{stdout}");
}

#[tokio::test]
async fn what_a_command_leaves_behind_neither_delays_its_result_nor_stays() {
    for held in ["sleep 300 &", "sleep 300 >/dev/null 2>&1 &", "(trap '' TERM; sleep 300) &"] {
        let finished = run(&format!("{held} echo $$; exit 4")).await;
        assert_eq!(finished.exit, Exit::Code(4));
        let group = text(&finished.stdout.bytes).trim().parse().unwrap();
        wait_for(held, || members(group).is_empty().then_some(())).await;
    }
}

#[tokio::test]
async fn a_daemon_that_left_the_group_keeps_the_pipe_but_not_the_call() {
    let finished = run("setsid sleep 300 & echo $!").await;
    assert_eq!(finished.exit, Exit::Code(0));
    let daemon = text(&finished.stdout.bytes).trim();
    assert!(Path::new("/proc").join(daemon).exists());
    assert!(Command::new("kill").arg(daemon).status().unwrap().success());
}

#[tokio::test]
async fn a_dropped_call_ends_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("trap '' TERM; sleep 300 & {SAY_PID} wait");
    let executor = sh(&script).cwd(folder.path());
    let call = tokio::spawn(async move { executor.execute(job("change")).await });
    let group = pid_in(folder.path(), "pid").await;
    call.abort();
    wait_for("the group's end", || members(group).is_empty().then_some(())).await;
}

/// Starts what leaves the group: directly, by a parent that is gone, and heedless of TERM.
const STRAYS: &str = r#"
setsid sh -c 'echo $$ > stray.1; sleep 300; true' &
(setsid sh -c '(setsid sh -c "echo \$\$ > stray.2; sleep 300; true" &)' &)
setsid sh -c 'trap "" TERM; (trap "" TERM; echo x; sleep 300; true) & echo $$ > stray.3; sleep 300; true' &
while ! [ -s stray.1 ] || ! [ -s stray.2 ] || ! [ -s stray.3 ]; do sleep 0.01; done
"#;

/// Returns those that still run.
fn strays(folder: &Path) -> Vec<u32> {
    let stray = |number| fs::read_to_string(folder.join(format!("stray.{number}"))).unwrap().trim().parse().unwrap();
    // The one that heeds no TERM leads its own group.
    (1..=3).map(stray).flat_map(members).collect()
}

#[tokio::test]
async fn what_left_the_group_ends_with_a_call_that_is_cancelled_or_dropped() {
    for dropped in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let executor = sh(&format!("{STRAYS} {SAY_PID} sleep 300; true")).cwd(folder.path());
        let job = job("change");
        let cancel = job.cancel.clone();
        let call = tokio::spawn(async move { executor.execute(job).await });
        pid_in(folder.path(), "pid").await;
        assert!(strays(folder.path()).len() >= 4, "{:?}", strays(folder.path()));
        if dropped {
            call.abort();
            let _ = call.await;
        } else {
            cancel.cancel();
            assert_eq!(call.await.unwrap().unwrap_err().kind, Kind::Cancelled);
        }
        wait_for("the strays' end", || strays(folder.path()).is_empty().then_some(())).await;
    }
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let job = job("change");
    job.cancel.cancel();
    let refusal = sh(SAY_PID).cwd(folder.path()).execute(job).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::Cancelled);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
#[ignore = "the server that the next test kills"]
async fn serves_until_killed() {
    let folder = std::env::var_os("EXEC_TEST_FOLDER").unwrap();
    // More than a pipe holds: it is read once the group has been taken over, and until then the test waits for the pid.
    let script = format!("trap '' TERM; (sleep 300; true) & {STRAYS} head -c 300000 /dev/zero; {SAY_PID} wait");
    let _ = sh(&script).cwd(folder).execute(job("change")).await;
}

#[tokio::test]
async fn a_killed_server_leaves_no_orphan() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "subprocess::serves_until_killed"])
        .env("EXEC_TEST_FOLDER", folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let group = pid_in(folder.path(), "pid").await;
    assert!(!members(group).is_empty());
    server.kill().unwrap();
    server.wait().unwrap();
    wait_for("the group's end", || members(group).is_empty().then_some(())).await;
    wait_for("the strays' end", || strays(folder.path()).is_empty().then_some(())).await;
}

#[tokio::test]
async fn what_can_not_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let plain = file("plain", "#!/bin/sh\n", 0o644);
    let lost = file("lost", "#!/no/such/interpreter\n", 0o755);
    let at = folder.path().display();
    let not_on_path = Subprocess::new("no-such-cli");
    let table = [
        (
            not_on_path.clone().env("PATH", "/nowhere:/usr/bin"),
            "`no-such-cli` was not found on the PATH (/nowhere:/usr/bin)".to_owned(),
        ),
        (not_on_path, format!("`no-such-cli` was not found on the PATH ({})", std::env::var("PATH").unwrap())),
        (Subprocess::new(folder.path().join("gone")), format!("`{at}/gone` does not exist")),
        (Subprocess::new(plain), format!("`{at}/plain` is not executable by this user")),
        (Subprocess::new(lost), format!("`{at}/lost` exists, but the interpreter or loader it names does not")),
        (
            sh("true").env("LONG", "x".repeat(1 << 20)),
            "the arguments and environment are larger than the system passes to `/bin/sh`".to_owned(),
        ),
        (
            sh("true").cwd(folder.path().join("gone")),
            format!("`/bin/sh` could not be started: its folder {at}/gone does not exist"),
        ),
    ];
    for (executor, message) in table {
        let refusal = executor.execute(job("change")).await.unwrap_err();
        assert_eq!((refusal.kind, refusal.message), (Kind::NotStarted, message));
    }
}

#[tokio::test]
async fn a_multicall_program_is_started_under_the_name_of_the_applet() {
    let tree = clap::Command::new("box").multicall(true).subcommand(clap::Command::new("ls").about("List"));
    let catalog = Catalog::new(tree, &Settings::default()).unwrap();
    let operation = catalog.find("ls").unwrap();
    let invocation = Invocation::new(operation, &serde_json::Map::new(), &[]).unwrap();
    let proved = Arc::new(Proved::new(&catalog, invocation).unwrap());
    let shown = Subprocess::new("/bin/sh").fixed_args(["-c", "tr '\\0' ' ' </proc/$$/cmdline"]);
    let finished = shown.execute(Job::new(proved)).await.unwrap();
    assert!(finished.stdout.bytes.starts_with(b"ls -c tr"), "{:?}", String::from_utf8_lossy(&finished.stdout.bytes));
}
