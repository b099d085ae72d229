//! The server of the peers tree: what an adopter of someone else's CLI writes.
//!
//! With `--globals` it also offers the global flags that the fidelity calls set, so that the same
//! calls can be put to every server. With `--in-process` the `lab` commands misbehave in the server's own process.

#![expect(clippy::print_stdout, reason = "commands that print past their streams are part of the fixture")]

#[path = "../../mcp/tests/trees/peers.rs"]
mod peers;

use clap::{ArgMatches, Command};
use clap_facade::annotate::read_only;
use clap_facade::exec::{CommandResult, InProcess, Io};
use clap_facade::{Facade, StartError};
use std::io::{Read, Write};
use std::time::Duration;

fn main() -> Result<(), StartError> {
    let facade = Facade::new(peers::command());
    match std::env::args().nth(1).as_deref() {
        Some("--globals") => {
            let gates = ["dry-run", "yes", "region", "verbose", "header", "quiet", "color", "profile"];
            facade.gates(gates).host_owned(["config"]).expose("lab plugin").start()
        }
        Some("--in-process") => Facade::new(reading(peers::command())).executor(InProcess::new(run)).start(),
        _ => facade.start(),
    }
}

/// Says of the one command that does nothing that it only reads.
fn reading(tree: Command) -> Command {
    tree.mut_subcommand("lab", |lab| lab.mut_subcommand("ping", |ping| ping.add(read_only())))
}

/// Runs a command as code does that was not written for a server.
fn run(matches: &ArgMatches, io: &mut Io<'_>) -> CommandResult {
    let mut path = Vec::new();
    let mut deepest = matches;
    while let Some((name, below)) = deepest.subcommand() {
        path.push(name);
        deepest = below;
    }
    match path.join(" ").as_str() {
        "lab ping" => writeln!(io.stdout, "pong")?,
        "lab direct" => {
            println!("printed");
            let mut stdout = std::fs::OpenOptions::new().write(true).open("/proc/self/fd/1")?;
            stdout.write_all(b"written straight to fd 1\n")?;
            writeln!(io.stdout, "in its place")?;
        }
        "lab readin" => {
            let mut text = Vec::new();
            let given = io.stdin.read_to_end(&mut text);
            writeln!(io.stdout, "stdin: {given:?}, the process's: {:?}", std::io::stdin().read_to_end(&mut text))?;
        }
        "lab boom" => panic!("deliberate panic"),
        "lab hang" => {
            while !io.cancel.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            return Ok(1);
        }
        other => return Err(format!("`{other}` has nothing to show in process").into()),
    }
    Ok(0)
}
