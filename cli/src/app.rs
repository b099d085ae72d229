//! The command line as a whole: its tree, and the way from matches to an exit code.

use crate::commands::{self, Command};
use crate::context::Context;
use crate::contract::BatchLink;
use crate::error::CliError;
use crate::globals::{Delivery, Globals};
use crate::io::Io;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use serde_json::json;

/// A reference manager for researchers
///
/// Keeps papers and books with their tags, collections, notes, attachments and reading list in one
/// SQLite file; imports and exports bibliographies. A command that changes something previews the
/// change; --yes applies it, and `mycli journal undo` takes it back.
#[derive(Debug, clap::Parser)]
#[command(name = "mycli", version, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// The command tree.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command that was matched and gives its exit code.
pub fn run(matches: &ArgMatches, io: &mut Io<'_>) -> u8 {
    run_with(matches, io, None)
}

/// Parses a whole command line, the program's name first, and runs it.
pub fn run_line<I, T>(line: I, io: &mut Io<'_>) -> u8
where
    I: IntoIterator<Item = T>,
    T: Into<std::ffi::OsString> + Clone,
{
    let line: Vec<std::ffi::OsString> = line.into_iter().map(Into::into).collect();
    match command().try_get_matches_from(&line) {
        Ok(matches) => run(&matches, io),
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            let text = error.render().to_string();
            let wants_json = line.iter().any(|word| word == "--json" || word == "--agent");
            let written = if code == 0 {
                io.stdout.write_all(text.as_bytes())
            } else if wants_json {
                let error = CliError::usage(text.trim_start_matches("error: ").trim_end());
                writeln!(io.stdout, "{}", json!({"ok": false, "error": error.to_json()}))
            } else {
                io.stderr.write_all(text.as_bytes())
            };
            if written.is_err() { code.max(1) } else { code }
        }
    }
}

pub(crate) fn run_in_batch(matches: &ArgMatches, io: &mut Io<'_>, link: BatchLink<'_>) -> u8 {
    run_with(matches, io, Some(link))
}

impl Globals {
    /// The global flags of a matched command line.
    ///
    /// # Errors
    /// When the matches are not of this command tree.
    pub fn of(matches: &ArgMatches) -> Result<Self, CliError> {
        let globals = Self::from_arg_matches(matches).map_err(|error| CliError::usage(error.to_string()))?;
        Ok(globals.resolved())
    }
}

fn run_with(matches: &ArgMatches, io: &mut Io<'_>, link: Option<BatchLink<'_>>) -> u8 {
    let operation = operation_of(matches);
    let cli = match Cli::from_arg_matches(matches) {
        Ok(cli) => cli,
        Err(error) => return report(&CliError::usage(error.to_string()), false, &operation, io),
    };
    let globals = cli.globals.resolved();
    let (as_json, for_agent) = (globals.output.json, globals.output.agent);
    match deliver(&cli.command, globals, &operation, io, link) {
        Ok(()) => 0,
        Err(mut error) => {
            if for_agent {
                error.tell_agent();
            }
            report(&error, as_json, &operation, io)
        }
    }
}

/// Runs the command with its output going where `--deliver` says.
fn deliver(
    command: &Command,
    globals: Globals,
    operation: &str,
    io: &mut Io<'_>,
    link: Option<BatchLink<'_>>,
) -> Result<(), CliError> {
    let Delivery::File(path) = globals.host.deliver.clone() else {
        return execute(command, globals, operation, io, link);
    };
    let mut kept = Vec::new();
    let mut inner =
        Io { stdin: io.stdin, stdout: &mut kept, stderr: io.stderr, terminal: false, cancelled: io.cancelled };
    if let Err(error) = execute(command, globals, operation, &mut inner, link) {
        // The report of a failure belongs to the caller, not into the file.
        io.stdout.write_all(&kept)?;
        return Err(error);
    }
    std::fs::write(&path, kept)
        .map_err(|error| CliError::failure(format!("can't be written: {error}")).at(path.display().to_string(), 0, ""))
}

fn execute(
    command: &Command,
    globals: Globals,
    operation: &str,
    io: &mut Io<'_>,
    link: Option<BatchLink<'_>>,
) -> Result<(), CliError> {
    let mut ctx = match link {
        Some(link) => Context::in_batch(globals, io, operation.to_owned(), link)?,
        None => Context::new(globals, io, operation.to_owned())?,
    };
    commands::dispatch(&mut ctx, command)
}

/// Reports an error where its reader looks for it, and gives its exit code.
fn report(error: &CliError, as_json: bool, operation: &str, io: &mut Io<'_>) -> u8 {
    if error.is_reader_gone() {
        return error.kind().exit_code();
    }
    let written = if as_json && !error.is_printed() {
        writeln!(io.stdout, "{}", json!({"ok": false, "operation": operation, "error": error.to_json()}))
    } else if as_json {
        Ok(())
    } else {
        let hint = error.hint_text().map_or(String::new(), |hint| format!("hint: {hint}\n"));
        write!(io.stderr, "error: {error}\n{hint}")
    };
    drop(written);
    error.kind().exit_code()
}

fn operation_of(matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    let mut level = matches;
    while let Some((word, inner)) = level.subcommand() {
        words.push(word);
        level = inner;
    }
    words.join(" ")
}
