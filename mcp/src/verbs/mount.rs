//! A subcommand of the CLI itself that carries the verbs.

use super::verb::Verbs;
use crate::Facade;
use clap::builder::CommandExt;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::process::ExitCode;

/// A CLI with its agent server mounted as a subcommand.
#[derive(Clone)]
pub struct Mounted {
    facade: Facade,
    /// The command names from below the root to the mounted one.
    path: Vec<String>,
}

/// Why a server can't be mounted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// A command of that name, or with that alias, is already there.
    #[error("`{place}` already has a command called `{name}`: mount the server under another name")]
    Clash {
        /// The command that it was to be mounted under.
        place: String,
        /// The name.
        name: String,
    },
    /// The command that it was to be mounted under does not exist.
    #[error("`{place}` has no command `{name}` to mount the server under")]
    NoSuchCommand {
        /// Where it was looked for.
        place: String,
        /// The name.
        name: String,
    },
    /// No name was given.
    #[error("the mounted server needs a name, such as `mcp`")]
    NoName,
}

impl Facade {
    /// Mounts the verbs as a subcommand: `mcp`, or `tools mcp` for one below the command `tools`.
    ///
    /// The subcommand is marked, so that agents never reach it, whatever it is called.
    ///
    /// # Errors
    /// [`MountError`] where the name is taken or the commands above it do not exist.
    ///
    /// ```no_run
    /// # fn command() -> clap::Command { clap::Command::new("app") }
    /// # fn own_main(_: &clap::ArgMatches) -> std::process::ExitCode { std::process::ExitCode::SUCCESS }
    /// fn main() -> std::process::ExitCode {
    ///     let app = clap_facade::Facade::new(command()).mount("mcp").expect("`mcp` is free");
    ///     let matches = app.command().get_matches();
    ///     app.run(&matches).unwrap_or_else(|| own_main(&matches))
    /// }
    /// ```
    pub fn mount(mut self, path: &str) -> Result<Mounted, MountError> {
        let path: Vec<String> = path.split_whitespace().map(str::to_owned).collect();
        let (name, above) = path.split_last().ok_or(MountError::NoName)?;
        check(&self.command, name, above)?;
        let about = format!("Serves {} to agents over MCP", self.command.get_name());
        let verbs = Verbs::augment_args(Command::new(name.clone())).about(about).long_about(None);
        self.command = mounted(self.command, above, verbs);
        Ok(Mounted { facade: self, path })
    }
}

impl Mounted {
    /// Returns the CLI's tree with the server in it: what parses the command line.
    pub fn command(&self) -> Command {
        self.facade.command.clone()
    }

    /// Runs the verb where the command line asked for one; `None` leaves the CLI to do its work.
    pub fn run(&self, matches: &ArgMatches) -> Option<ExitCode> {
        let mut below = matches;
        for word in &self.path {
            let (name, inner) = below.subcommand()?;
            if name != word {
                return None;
            }
            below = inner;
        }
        let Verbs { words } = Verbs::from_arg_matches(below).ok()?;
        let before = self.path.iter().map(OsString::from).collect();
        Some(self.facade.clone().of_own_executable().end_mounted(words, before))
    }
}

/// Marks the command that carries the verbs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark;

impl CommandExt for Mark {}

/// Finds where the verbs are mounted in a tree.
pub(super) fn place(command: &Command) -> Option<Vec<OsString>> {
    if command.get::<Mark>().is_some() {
        return Some(Vec::new());
    }
    command.get_subcommands().find_map(|child| {
        let below = place(child)?;
        Some(std::iter::once(child.get_name().into()).chain(below).collect())
    })
}

fn check(root: &Command, name: &str, above: &[String]) -> Result<(), MountError> {
    let mut place = root;
    for word in above {
        let child = place.get_subcommands().find(|child| child.get_name() == word);
        place = child
            .ok_or_else(|| MountError::NoSuchCommand { place: place.get_name().to_owned(), name: word.clone() })?;
    }
    let taken = |child: &Command| child.get_name() == name || child.get_all_aliases().any(|alias| alias == name);
    match place.get_subcommands().any(taken) {
        true => Err(MountError::Clash { place: place.get_name().to_owned(), name: name.to_owned() }),
        false => Ok(()),
    }
}

fn mounted(command: Command, above: &[String], verbs: Command) -> Command {
    match above.split_first() {
        None => command.subcommand(verbs),
        Some((word, above)) => command.mut_subcommand(word, |child| mounted(child, above, verbs)),
    }
}
