//! `mycli-mcp`: `mycli` for agents. This screen is what every adopter writes.

mod demo;
mod tools;

use clap::Command;
use clap_facade::Facade;
use clap_facade::exec::{InProcess, InUse, Intent, Io, Opening, UnitOfWork};
use std::process::ExitCode;

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let demo = Command::new("demo").about("Show the main job on a demo library in a temporary folder");
    facade().verb(demo, |_, _| demo::run().map(|()| ExitCode::SUCCESS)).main()
}

/// The whole adoption: the tree, how it runs, and the tools beside it.
fn facade() -> Facade {
    let run = |matches: &clap::ArgMatches, io: &mut Io<'_>| Ok(with_streams(io, |io| mycli::run(matches, io)));
    let executor = InProcess::new(run).with_unit(|opening| Ok(Box::new(Unit(begin(opening).map_err(busy)?))));
    Facade::new(mycli::command())
        .executor(executor)
        .tool(tools::context())
        .tool(tools::search())
        .tool(tools::sql())
        .workflows()
        .scratch(demo::scratch)
        .notes("Changes preview first: read the plan, then call again with yes: true; journal undo takes a run back.")
}

/// Gives a command the call's streams, and its cancellation.
fn with_streams(io: &mut Io<'_>, run: impl FnOnce(&mut mycli::Io<'_>) -> u8) -> u8 {
    let cancel = io.cancel;
    let cancelled = || cancel.is_cancelled();
    run(&mut mycli::Io {
        stdin: io.stdin,
        stdout: io.stdout,
        stderr: io.stderr,
        terminal: false,
        cancelled: &cancelled,
    })
}

/// Most changes of a whole workflow, unless it says otherwise: what `--agent` allows one command.
const MOST_CHANGES: u64 = 50;

fn begin(opening: &Opening) -> Result<mycli::Batch, mycli::CliError> {
    let most = usize::try_from(opening.max_changes.unwrap_or(MOST_CHANGES)).unwrap_or(usize::MAX);
    match opening.intent {
        Intent::Apply => mycli::Batch::begin(most),
        Intent::Preview => mycli::Batch::rehearse(most),
    }
}

/// Tells apart what is over once another process has written.
fn busy(error: mycli::CliError) -> Box<dyn std::error::Error + Send + Sync> {
    match error.kind() {
        mycli::ErrorKind::Busy => Box::new(InUse(error.to_string())),
        _ => Box::new(error),
    }
}

/// A workflow: one SQLite transaction and one journal run.
struct Unit(mycli::Batch);

impl UnitOfWork for Unit {
    fn run(&mut self, matches: &clap::ArgMatches, io: &mut Io<'_>) -> clap_facade::exec::CommandResult {
        Ok(with_streams(io, |io| self.0.run(matches, io)))
    }

    fn commit(self: Box<Self>) -> Result<Option<serde_json::Value>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.commit()?.map(|run| serde_json::json!({ "run_id": run })))
    }

    fn rollback(self: Box<Self>) {
        self.0.rollback();
    }
}
