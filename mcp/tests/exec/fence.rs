//! What a read-only command that is a process of its own can do, and what it can't.

use super::{job, prove_in, tiny};
use clap_facade::annotate::{CommandNote, read_only};
use clap_facade::catalog::Fence;
use clap_facade::exec::{Enforcement, Executor, Finished, Job, Subprocess};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

fn sh(script: &str, folder: &Path) -> Subprocess {
    Subprocess::new("/bin/sh").fixed_args(["-c", script, "sh"]).cwd(folder)
}

/// Runs a script as a read-only call of a command with that note, in a folder.
async fn read(note: CommandNote, script: &str, folder: &Path) -> Finished {
    let proved = prove_in(tiny(note), "show", &[]);
    sh(script, folder).execute(Job::new(proved)).await.unwrap()
}

/// Tells whether this kernel enforces anything; says so where it does not.
fn is_held() -> bool {
    let enforcement = Subprocess::new("sh").enforcement(job("show").proved.invocation().operation());
    match enforcement {
        Some(Enforcement::Landlock) => true,
        other => {
            eprintln!("skipped: this system enforces reading only {other:?}");
            false
        }
    }
}

/// A folder with a file of 4 bytes, a link to it, a folder and a named pipe, all as old as can be.
fn victim() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "kept").unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
    folder
}

/// Everything that can be seen of a folder.
fn state(folder: &Path) -> Vec<(String, u32, u64, i64, Option<String>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let mode = meta.permissions().mode();
        all.push((name, mode, meta.nlink(), meta.mtime_nsec(), fs::read_to_string(&path).ok()));
    }
    all.sort();
    all
}

const WRITES: &[&str] = &[
    "echo x > new",
    "echo x > file",
    "echo x >> file",
    "echo x > link",
    "(sh -c 'sh -c \"echo x > new\"')",
    "setsid sh -c 'echo x > new'",
    "nohup sh -c 'echo x > new'",
    "mkdir new",
    "rmdir sub",
    "rm file",
    "mv file new",
    "mv file sub/file",
    "mv \"$TMPDIR\" stolen",
    "ln file new",
    "ln file \"$TMPDIR/hard\" && echo x > \"$TMPDIR/hard\"",
    "ln -s file new",
    "ln -s \"$PWD/file\" \"$TMPDIR/soft\" && echo x > \"$TMPDIR/soft\"",
    "mkfifo new",
    "truncate -s 0 file",
    "dd if=/dev/zero of=file bs=1 count=1 conv=notrunc",
    "cp file new",
    "cd / && echo x > \"$OLDPWD/new\"",
    "echo x > /proc/self/cwd/new",
    "exec 3< file; echo x > /proc/self/fd/3",
    "chmod 000 file",
    "chmod u+s file",
    "touch file",
    "touch -d 2001-01-01 file",
    "chown $(id -u):$(id -g) file",
    "echo x > \"$TMPDIR/../new-$$\" && rm \"$TMPDIR/../new-$$\"",
    "kill -0 $PPID",
    "sleep 1 & renice 19 -p $!",
    "sleep 1 & ionice -c 3 -p $!",
    "sleep 1 & chrt -b -p 0 $!",
    "sleep 1 & prlimit --pid $! --core=0:0",
    "made=$(ipcmk -M 16) && ipcrm -m \"${made##* }\"",
    "made=$(ipcmk -Q) && ipcrm -q \"${made##* }\"",
    "made=$(ipcmk -S 1) && ipcrm -s \"${made##* }\"",
];

#[tokio::test]
async fn nothing_is_changed_however_it_is_tried() {
    if !is_held() {
        return;
    }
    for script in WRITES {
        let folder = victim();
        let before = state(folder.path());
        let finished = read(read_only(), script, folder.path()).await;
        assert_eq!(state(folder.path()), before, "{script}");
        assert!(!finished.exit.is_success(), "{script}: {finished:?}");
        // The same works where nothing is enforced, so that it is the fence that refuses it.
        if !script.contains("TMPDIR") && !script.contains("/proc/self/fd") {
            let open = read(read_only().unenforced(), script, folder.path()).await;
            assert!(open.exit.is_success(), "{script}: {open:?}");
        }
    }
}

const READS: &[&str] = &[
    "cat file link; ls sub",
    "echo x > /dev/null",
    "echo x 2> /dev/null",
    "cat < /dev/null",
    "echo x | cat | tr x y",
    "echo x > /dev/stdout",
    "echo x > /dev/stderr",
    "echo x > /proc/self/fd/1",
    "echo x >&2",
    "sleep 30 & kill $!",
    "echo x > \"$TMPDIR/a\" && mkdir \"$TMPDIR/d\" && mv \"$TMPDIR/a\" \"$TMPDIR/d/b\" && cat \"$TMPDIR/d/b\" && rm -r \"$TMPDIR/d\"",
    "test -z \"$(ls -A \"$TMPDIR\")\"",
];

#[tokio::test]
async fn what_reading_needs_is_left() {
    let folder = victim();
    let before = state(folder.path());
    for script in READS {
        let finished = read(read_only(), script, folder.path()).await;
        assert!(finished.exit.is_success(), "{script}: {finished:?}");
        assert_eq!(state(folder.path()), before, "{script}");
    }
}

#[tokio::test]
async fn the_temporary_folder_is_private_and_gone_afterwards() {
    let folder = victim();
    let script = "echo x > \"$TMPDIR/left\"; stat -c %a \"$TMPDIR\"; printf %s \"$TMPDIR\"";
    let finished = read(read_only(), script, folder.path()).await;
    let said = String::from_utf8(finished.stdout.bytes).unwrap();
    let (mode, temp) = said.split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(Path::new(temp).starts_with(std::env::temp_dir()) && !Path::new(temp).exists(), "{temp}");
    let open = read(read_only().unenforced(), "printf %s \"$TMPDIR\"", folder.path()).await;
    assert_eq!(String::from_utf8(open.stdout.bytes).unwrap(), std::env::var("TMPDIR").unwrap_or_default());
}

#[tokio::test]
async fn what_is_named_may_be_written_and_nothing_beside_it() {
    let folder = victim();
    let note = || read_only().writes("sub").writes("cache/deep/").writes("link").writes("missing");
    let good = read(note(), "echo x > sub/new && echo x > cache/deep/new && echo y > file", folder.path()).await;
    assert!(good.exit.is_success(), "{good:?}");
    if is_held() {
        for script in ["echo x > new", "echo x > cache/new", "mkdir missing", "rm file", "mv sub/new new"] {
            assert!(!read(note(), script, folder.path()).await.exit.is_success(), "{script}");
        }
    }
}

#[tokio::test]
async fn a_call_that_is_not_read_only_is_not_held() {
    let folder = victim();
    let finished = sh("echo x > new; printf %s \"$TMPDIR\"", folder.path()).execute(job("change")).await.unwrap();
    assert!(finished.exit.is_success() && folder.path().join("new").exists());
}

/// Tells how a script of bash ends that opens a connection.
async fn connects(note: CommandNote, to: &str) -> bool {
    let script = format!("exec bash -c 'exec 3<>/dev/{to} && echo x >&3'");
    read(note, &script, Path::new("/")).await.exit.is_success()
}

#[tokio::test]
async fn the_network_is_there_unless_it_was_said_otherwise() {
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let tcp = format!("tcp/127.0.0.1/{}", tcp.local_addr().unwrap().port());
    let udp = format!("udp/127.0.0.1/{}", udp.local_addr().unwrap().port());
    for to in [tcp, udp] {
        assert!(connects(read_only(), &to).await, "{to}");
        if is_held() {
            assert!(!connects(read_only().offline(), &to).await, "{to}");
        }
        assert!(connects(read_only().offline().unenforced(), &to).await, "{to}");
    }
}

#[tokio::test]
async fn the_server_itself_is_not_restricted() {
    let folder = victim();
    for _ in 0..20 {
        read(read_only(), "true", folder.path()).await;
        tokio::task::spawn_blocking({
            let path = folder.path().join("by-server");
            move || fs::write(path, "x").unwrap()
        })
        .await
        .unwrap();
    }
    assert!(
        Command::new("sh").args(["-c", "echo x > by-child"]).current_dir(folder.path()).status().unwrap().success()
    );
}

#[test]
fn what_was_said_of_one_command_stands_over_what_was_said_of_all() {
    let all = Fence { enforce: Some(false), writes: vec!["a".into(), "b".into()], network: None };
    let one = Fence { enforce: Some(true), writes: vec!["b".into(), "c".into()], network: None };
    let both = Fence { enforce: Some(true), writes: vec!["b".into(), "c".into(), "a".into()], network: None };
    assert_eq!(one.over(&all), both);
    assert_eq!(Fence::default().over(&all), all);
}
