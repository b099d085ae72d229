//! Serves a clap binary that one did not write, from its own help.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_facade::Facade;
use clap_facade::exec::Subprocess;
use clap_facade::surface::Tool;
use clap_facade::wrap::{self, WalkOptions};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = command().get_matches();
    let result = match matches.subcommand() {
        Some(("tools", matches)) => tools(matches),
        Some((_, matches)) => start(matches),
        None => Ok(()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    let binary = Arg::new("binary")
        .value_name("BINARY")
        .help("The program, and what stands before every command: `-- cargo nextest`")
        .required(true)
        .last(true)
        .num_args(1..)
        .action(ArgAction::Append)
        .value_parser(value_parser!(OsString));
    Command::new("clap-facade")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Serves any clap CLI to agents over MCP, from its own help")
        .subcommand_required(true)
        .subcommand(Command::new("start").about("Serves the program over stdio").arg(binary.clone()))
        .subcommand(Command::new("tools").about("Prints the tools that an agent would see, as JSON").arg(binary))
}

fn start(matches: &ArgMatches) -> Result<(), Box<dyn std::error::Error>> {
    Ok(facade(matches)?.start()?)
}

fn tools(matches: &ArgMatches) -> Result<(), Box<dyn std::error::Error>> {
    let pipeline = facade(matches)?.build()?;
    let tools: Vec<_> = pipeline.surface().tools(pipeline.catalog()).iter().map(Tool::to_json).collect();
    Ok(writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&tools)?)?)
}

fn facade(matches: &ArgMatches) -> Result<Facade, Box<dyn std::error::Error>> {
    let mut words = matches.get_many::<OsString>("binary").into_iter().flatten().cloned();
    let program = PathBuf::from(words.next().unwrap_or_default());
    let fixed_args: Vec<OsString> = words.collect();
    let wrapped = wrap::walk(&program, &fixed_args, &WalkOptions::default())?;
    if let Some(summary) = wrapped.report.summary() {
        eprintln!("{}: {summary}", wrapped.command.get_name());
    }
    Ok(Facade::new(wrapped.command).executor(Subprocess::new(wrapped.program).fixed_args(wrapped.fixed_args)))
}
