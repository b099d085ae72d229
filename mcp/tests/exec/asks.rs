//! Commands that wait for an answer, or say nothing.

use super::{job, prove_in, tiny, wait_for};
use clap_facade::annotate::read_only;
use clap_facade::exec::{Executor, Job, Limits, Subprocess};
use clap_facade::refusal::{Kind, Refusal};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Runs a script that may be silent for so long, and returns why it was stopped.
async fn stopped(script: &str, silence: Duration) -> Refusal {
    let limits = Limits { silence: Some(silence), ..Limits::default() };
    let executor = Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]);
    executor.execute(Job { limits, ..job("change") }).await.unwrap_err()
}

const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn a_command_that_asks_is_stopped_and_its_question_told() {
    for (script, question) in [
        ("printf 'Overwrite x? [y/N] '; sleep 300", "Overwrite x? [y/N]"),
        ("echo working >&2; printf 'Password: ' >&2; sleep 300", "Password:"),
        ("printf '\\033[1mProceed?\\033[0m (yes/no) ' >&2; (sleep 300; true)", "Proceed? (yes/no)"),
    ] {
        let refusal = stopped(script, SHORT).await;
        assert_eq!(refusal.kind, Kind::NeedsInput, "{script}");
        assert_eq!(refusal.message, format!("the command asked `{question}`, which nobody answers, and was stopped"));
        assert!(refusal.partial.is_some(), "{script}");
    }
}

#[tokio::test]
async fn a_silent_command_is_stopped_and_what_it_had_begun_told() {
    let table = [
        ("sleep 300", "the command printed nothing for 300ms and was stopped"),
        ("echo done; sleep 300", "the command printed nothing for 300ms and was stopped"),
        (
            "printf 'Linking: '; sleep 300",
            "the command printed nothing for 300ms and was stopped; it had begun to print `Linking:`",
        ),
    ];
    for (script, message) in table {
        let refusal = stopped(script, SHORT).await;
        assert_eq!((refusal.kind, refusal.message.as_str()), (Kind::TimedOut, message), "{script}");
    }
}

#[tokio::test]
async fn a_command_that_goes_on_printing_is_not_silent() {
    let script = "for i in 1 2 3 4 5 6 7 8; do sleep 0.2; printf . >&2; done; echo ok";
    let limits = Limits { silence: Some(Duration::from_millis(1500)), ..Limits::default() };
    let executor = Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]);
    let finished = executor.execute(Job { limits, ..job("change") }).await.unwrap();
    assert_eq!(finished.stdout.bytes, b"ok\n");
}

#[tokio::test]
async fn a_question_to_an_empty_stdin_is_not_waited_for() {
    let executor =
        Subprocess::new("/bin/sh").fixed_args(["-c", "printf 'Sure? [y/N] '; read x || echo no; exit 3", "sh"]);
    let finished = executor.execute(Job::new(prove_in(tiny(read_only()), "show", &[]))).await.unwrap();
    assert_eq!(String::from_utf8(finished.stdout.bytes).unwrap(), "Sure? [y/N] no\n");
}

#[tokio::test]
#[ignore = "what the next test starts on a terminal"]
async fn asks_at_the_terminal() {
    let script = "printf 'Secret: ' > /dev/tty; stty -echo < /dev/tty; read x < /dev/tty; echo $x";
    let executor = Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]);
    let refusal = executor.execute(job("change")).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::NeedsInput, "{refusal:?}");
    assert!(refusal.message.contains("terminal"), "{refusal:?}");
    std::fs::write(std::env::var_os("EXEC_TEST_FILE").unwrap(), "stopped").unwrap();
}

#[tokio::test]
async fn a_command_that_reads_the_terminal_of_the_server_is_stopped() {
    if !Path::new("/usr/bin/script").exists() {
        eprintln!("skipped: `script`, which makes a terminal, is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let test = std::env::current_exe().unwrap();
    let line = format!("{} --ignored --exact asks::asks_at_the_terminal", test.display());
    let mut terminal = Command::new("/usr/bin/script")
        .args(["-qec", &line, "/dev/null"])
        .env("EXEC_TEST_FILE", &file)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the refusal", || std::fs::read_to_string(&file).ok().filter(|said| said == "stopped")).await;
    terminal.wait().unwrap();
}
