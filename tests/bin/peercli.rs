//! The CLI of the peers tree: prints what clap parsed, or misbehaves as its `lab` commands say.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a fixture that behaves as CLIs do")]

#[path = "../../mcp/tests/trees/peers.rs"]
mod peers;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use serde_json::{Map, json};
use std::io::{Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let code = dispatch(&peers::command().get_matches());
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// One line of JSON: the command path and every argument that came from the command line or the
/// environment, as clap parsed it.
fn dump(path: &[&str], command: &Command, matches: &ArgMatches) -> String {
    let mut args = Map::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if id == "help" || id == "version" {
            continue;
        }
        let source = match matches.value_source(id) {
            Some(ValueSource::CommandLine) => "",
            Some(ValueSource::EnvVariable) => "env:",
            _ => continue,
        };
        let value = match arg.get_action() {
            ArgAction::Count => matches.get_count(id).into(),
            ArgAction::SetTrue | ArgAction::SetFalse => matches.get_flag(id).into(),
            _ => texts(matches, id).into(),
        };
        args.insert(format!("{source}{id}"), value);
    }
    let mut line = json!({ "path": path.join(" "), "args": args });
    if let Some((external, rest)) = matches.subcommand() {
        line["external"] = external.into();
        line["rest"] = texts(rest, "").into();
    }
    line.to_string()
}

fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches.get_raw(id).map(|raw| raw.map(|text| text.to_string_lossy().into_owned()).collect()).unwrap_or_default()
}

/// Runs the command that was parsed; returns the exit code.
fn dispatch(root: &ArgMatches) -> i32 {
    let mut built = peers::command();
    built.build();
    let (mut cmd, mut m) = (&built, root);
    let mut path = Vec::new();
    while let Some((name, sub)) = m.subcommand() {
        let Some(next) = cmd.find_subcommand(name) else { break };
        path.push(next.get_name());
        cmd = next;
        m = sub;
    }
    let mut out = std::io::stdout();
    match path.join(" ").as_str() {
        "lab ping" => println!("pong"),
        "lab big" => {
            let n = *m.get_one::<usize>("bytes").unwrap();
            // More than a pipe holds, before anything else: whoever reads one stream after the other hangs.
            let remark = [b'.'; 100_000];
            std::io::stderr().write_all(&remark[..n.min(remark.len())]).unwrap();
            let line = [b'x'; 99];
            let mut left = n;
            let mut w = std::io::BufWriter::new(out.lock());
            while left > 0 {
                let k = left.min(100) - 1;
                w.write_all(&line[..k]).unwrap();
                w.write_all(b"\n").unwrap();
                left -= k + 1;
            }
            w.flush().unwrap();
        }
        "lab hang" => loop {
            std::thread::sleep(std::time::Duration::from_secs(3600));
        },
        "lab direct" => {
            // Not through Rust's stdout handle.
            let mut f = std::fs::OpenOptions::new().write(true).open("/proc/self/fd/1").unwrap();
            f.write_all(b"written straight to fd 1\n").unwrap();
        }
        "lab badutf8" => {
            out.write_all(b"ok \xff\xfe\x80 end\n").unwrap();
        }
        "lab readin" => {
            let mut s = Vec::new();
            let n = std::io::stdin().read_to_end(&mut s);
            println!("stdin: {n:?}");
        }
        "lab quit" => {
            println!("partial result on stdout");
            eprintln!("what went wrong on stderr");
            return *m.get_one::<i32>("code").unwrap();
        }
        "lab boom" => panic!("deliberate panic"),
        "lab nap" => {
            let ms = *m.get_one::<u64>("ms").unwrap();
            std::thread::sleep(std::time::Duration::from_millis(ms));
            println!("slept {ms}");
        }
        "lab getenv" => {
            for n in m.get_many::<String>("names").unwrap_or_default() {
                println!("{n}={:?}", std::env::var(n).ok());
            }
        }
        _ => println!("{}", dump(&path, cmd, m)),
    }
    0
}
