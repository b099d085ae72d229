//! Verbs that the adopter adds, and the process's end.

use super::VerbError;
use super::desk::{Desk, Launch};
use super::verb::{Parsed, Verbs, command};
use crate::Facade;
use clap::{ArgMatches, Command, FromArgMatches};
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

type Run = dyn Fn(&ArgMatches, &mut dyn Write) -> Result<ExitCode, Box<dyn Error + Send + Sync>> + Send + Sync;

/// A verb of the adopter.
#[derive(Clone)]
pub(crate) struct OwnVerb {
    pub(crate) command: Command,
    run: Arc<Run>,
}

impl Facade {
    /// Adds a verb of the adopter's own beside the others.
    ///
    /// It stands where the others do: in [`Facade::main`] and [`Facade::mount`]. One that has the name of
    /// another takes its place.
    #[must_use]
    pub fn verb<E: Into<Box<dyn Error + Send + Sync>>>(
        mut self,
        command: Command,
        run: impl Fn(&ArgMatches, &mut dyn Write) -> Result<ExitCode, E> + Send + Sync + 'static,
    ) -> Self {
        let run = move |matches: &ArgMatches, out: &mut dyn Write| run(matches, out).map_err(Into::into);
        self.verbs.push(OwnVerb { command, run: Arc::new(run) });
        self
    }

    /// Runs the verb on this process's command line: all that the `main` of a second binary does.
    ///
    /// ```no_run
    /// # fn command() -> clap::Command { clap::Command::new("app") }
    /// fn main() -> std::process::ExitCode {
    ///     clap_facade::Facade::new(command()).main()
    /// }
    /// ```
    pub fn main(self) -> ExitCode {
        let name = self.name();
        self.end(name, std::env::args_os().skip(1).collect(), Vec::new())
    }

    /// Runs a verb that a variant of the CLI's own command enum holds: all that its match arm does.
    ///
    /// ```no_run
    /// use clap::{CommandFactory, Parser};
    ///
    /// #[derive(Parser)]
    /// enum Cli {
    ///     /// Greets
    ///     Hello,
    ///     /// Serves this CLI to agents
    ///     Mcp(clap_facade::verbs::Verbs),
    /// }
    ///
    /// fn main() -> std::process::ExitCode {
    ///     match Cli::parse() {
    ///         Cli::Mcp(verbs) => clap_facade::Facade::new(Cli::command()).run(verbs),
    ///         Cli::Hello => std::process::ExitCode::SUCCESS,
    ///     }
    /// }
    /// ```
    pub fn run(self, verbs: Verbs) -> ExitCode {
        let before = super::mount::place(&self.command).unwrap_or_default();
        self.of_own_executable().end_mounted(verbs.words, before)
    }

    /// Parses the command line of a second binary, its program name first.
    ///
    /// # Errors
    /// clap's own, `--help` and `--version` included.
    pub fn parse<I>(&self, line: I) -> Result<ArgMatches, clap::Error>
    where
        I: IntoIterator<Item: Into<OsString> + Clone>,
    {
        command(self.name(), self).try_get_matches_from(line)
    }

    /// Runs a parsed verb and prints to `out`: what [`Facade::main`] does, for tests and embedders.
    ///
    /// # Errors
    /// [`VerbError`]. A verb that did its work and found something wrong returns a failing code instead.
    pub fn execute(self, matches: &ArgMatches, launch: Launch, out: &mut dyn Write) -> Result<ExitCode, VerbError> {
        if let Some((name, below)) = matches.subcommand()
            && let Some(own) = self.verbs.iter().rev().find(|own| own.command.get_name() == name)
        {
            return (own.run)(below, out).map_err(VerbError::Own);
        }
        let parsed = Parsed::from_arg_matches(matches)
            .map_err(|error| VerbError::argument("the command line", error.to_string()))?;
        parsed.run(Desk { facade: self, launch, out })
    }

    /// Runs the verb of a mounted subcommand to the process's end.
    pub(super) fn end_mounted(self, words: Vec<OsString>, before: Vec<OsString>) -> ExitCode {
        let place = before.iter().map(|word| word.to_string_lossy());
        let name = std::iter::once(self.command.get_name().into()).chain(place).collect::<Vec<_>>().join(" ");
        self.end(name, words, before)
    }

    /// Parses words and runs their verb to the process's end.
    fn end(self, name: String, words: Vec<OsString>, before: Vec<OsString>) -> ExitCode {
        let command = command(name.clone(), &self).bin_name(name).no_binary_name(true);
        match command.try_get_matches_from(words) {
            Ok(matches) => finish(|out| self.execute(&matches, launch(before)?, out)),
            Err(error) => {
                // Help goes to stdout, faults to stderr; with both closed there is nobody to tell.
                let _ = error.print();
                ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
            }
        }
    }

    /// Returns the name of a second binary.
    fn name(&self) -> String {
        format!("{}-mcp", self.command.get_name())
    }

    /// Lets this very executable run the calls, whatever it is called: the verbs are mounted in it.
    pub(super) fn of_own_executable(self) -> Self {
        match std::env::current_exe() {
            Ok(own) if self.executor.is_none() => self.executor(crate::exec::Subprocess::new(own)),
            _ => self,
        }
    }
}

fn launch(before: Vec<OsString>) -> Result<Launch, VerbError> {
    let own = Launch::own().map_err(|error| VerbError::Start(error.into()))?;
    Ok(Launch { before, ..own })
}

/// Ends the process as a verb ended, with what went wrong on stderr.
pub(super) fn finish(run: impl FnOnce(&mut dyn Write) -> Result<ExitCode, VerbError>) -> ExitCode {
    let done = run(&mut std::io::stdout());
    match done {
        Ok(code) => code,
        Err(error) if error.is_reader_gone() => ExitCode::SUCCESS,
        Err(error) => {
            // With stderr closed too there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
