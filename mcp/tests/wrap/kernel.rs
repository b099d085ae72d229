//! A kernel without Landlock: commands that only read run, unheld, and that is said.

use super::Program;
use seccompiler::{SeccompAction, SeccompFilter, apply_filter};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// `landlock_create_ruleset` and the two calls after it, the same on every architecture.
const LANDLOCK: std::ops::RangeInclusive<i64> = 444..=446;
/// What a kernel says of a call that it does not know.
const ENOSYS: u32 = 38;

/// Does something on a thread for which, and for whose processes, there is no Landlock.
fn without_landlock<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    let rules: BTreeMap<_, _> = LANDLOCK.map(|call| (call, Vec::new())).collect();
    let (others, these) = (SeccompAction::Allow, SeccompAction::Errno(ENOSYS));
    let filter = SeccompFilter::new(rules, others, these, std::env::consts::ARCH.try_into().unwrap()).unwrap();
    let filter: seccompiler::BpfProgram = filter.try_into().unwrap();
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            apply_filter(&filter).unwrap();
            body()
        });
        thread.join().unwrap()
    })
}

/// A program whose `one` writes a file beside it, and the file of a policy that says it only reads.
fn writer() -> Program {
    let one = super::ONE;
    let program = Program::new(&format!(
        "--help) {};;\n'one --help') {one};;\n'one -- x') touch \"$0.touched\"; echo done;;",
        super::ROOT
    ));
    let policy = "[[command]]\nmatch = [\"one\"]\neffect = \"read-only\"\n";
    std::fs::write(program.folder.path().join("policy.toml"), policy).unwrap();
    program
}

fn facade(program: &Program, verb: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clap-facade"));
    let folder = program.folder.path();
    command.arg(verb).arg("--policy").arg(folder.join("policy.toml")).arg("--").arg(&program.path);
    for variable in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"] {
        command.env(variable, folder.join("state"));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Calls `one` on a server, and returns the answer and what the audit says of it.
fn call(program: &Program) -> (Value, Value) {
    let mut server = facade(program, "start").spawn().unwrap();
    let (mut to, mut from) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let client = json!({ "name": "raw", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let one = json!({ "name": "command_read", "arguments": { "name": "one", "args": ["x"] } });
    let mut answer = Value::Null;
    for (id, method, params) in [(0, "initialize", hello), (1, "tools/call", one)] {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(to, "{request}").unwrap();
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        answer = serde_json::from_str(&line).unwrap();
    }
    drop(to);
    server.wait().unwrap();
    let audit = std::fs::read_to_string(program.folder.path().join("state/tool/mcp-audit.jsonl")).unwrap();
    (answer["result"].take(), serde_json::from_str(audit.lines().last().unwrap()).unwrap())
}

#[test]
fn where_the_kernel_has_no_landlock_reads_run_and_it_is_said() {
    let program = writer();
    let touched = program.folder.path().join("tool.touched");
    let (answer, line) = without_landlock(|| call(&program));
    assert_eq!((answer["isError"].as_bool(), line["enforced"].as_str()), (Some(false), Some("no")), "{answer} {line}");
    assert!(touched.exists(), "nothing kept it from writing");
    let doctor = without_landlock(|| facade(&program, "doctor").output().unwrap());
    let told = String::from_utf8(doctor.stdout).unwrap();
    assert!(told.contains("this system has no Landlock"), "{told}");

    std::fs::remove_file(&touched).unwrap();
    let (answer, line) = call(&program);
    match line["enforced"].as_str() {
        Some("landlock" | "partly") => assert!(!touched.exists(), "the kernel keeps it from writing: {answer}"),
        _ => eprintln!("skipped: this kernel has no Landlock to compare with"),
    }
}
