use super::VerbError;
use super::desk::Desk;
use super::start::Start;
use crate::folders;
use crate::hosts::{
    self, Change, ChangeKind, EditError, Entry, Existing, Host, InstallError, Mode, Places, Request, Scope, Target,
};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use std::process::ExitCode;

/// Add this server to a host's file of settings
#[derive(Args, Clone, Debug)]
pub(super) struct Install {
    #[command(flatten)]
    place: Place,
    /// Replace an entry of that name that says something else
    #[arg(long)]
    replace: bool,
    /// Set a variable for the server, to the value that it has now unless one is given; may be repeated
    ///
    /// The value stands in the host's file for whoever can read it: hand on no secret that should not be there.
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = variable)]
    env: Vec<(String, String)>,
    #[command(flatten)]
    start: Start,
}

/// Take this server out of a host's file of settings, which is then as it was before
#[derive(Args, Clone, Debug)]
pub(super) struct Uninstall {
    #[command(flatten)]
    place: Place,
}

/// Which entry of which file.
#[derive(Args, Clone, Debug)]
pub(super) struct Place {
    /// The host
    #[arg(value_parser = host())]
    pub(super) host: Host,
    /// In the project's file instead of the user's
    #[arg(long)]
    pub(super) workspace: bool,
    /// The entry's name; else the CLI's
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Another file than the host's usual one
    #[arg(long)]
    pub(super) file: Option<PathBuf>,
    /// Show the change and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl Install {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        // A server that can't start is of no use to a host.
        let pipeline = desk.pipeline(None)?;
        self.start.facade(desk.facade.clone()).served()?;
        if let Some(emptiness) = desk.emptiness(pipeline.catalog()) {
            desk.warn(emptiness);
        }
        let target = self.place.target(&desk)?;
        let mut entry = entry(&desk, &self.start)?;
        entry.env.extend(self.env);
        let existing = if self.replace { Existing::Replace } else { Existing::Refuse };
        let change = hosts::install(&Request { target, entry, existing, mode: self.place.mode() }).map_err(
            |error| match error {
                InstallError::Edit { file: path, source: source @ EditError::Exists { .. } } => VerbError::File {
                    path,
                    error: std::io::Error::other(format!("{source}: pass `--replace`, or `--name OTHER`")),
                },
                error => VerbError::Own(error.into()),
            },
        )?;
        self.place.tell(&mut desk, &change)
    }
}

impl Uninstall {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let target = self.place.target(&desk)?;
        let change = hosts::uninstall(&target, self.place.mode()).map_err(|error| VerbError::Own(error.into()))?;
        if change.kind == ChangeKind::Unchanged {
            let (host, name, file) = (self.place.host.title(), &target.name, change.file.display());
            desk.say(format!("{host}: there is no entry `{name}` in {file}"))?;
            return Ok(ExitCode::SUCCESS);
        }
        self.place.tell(&mut desk, &change)
    }
}

/// Describes how a host is to start this server, with the `PATH` that its helpers need and the folders that hold the
/// operator's files.
pub(super) fn entry(desk: &Desk<'_>, start: &Start) -> Result<Entry, VerbError> {
    let words = desk.launch.start(start.options());
    let text = |word: std::ffi::OsString| {
        word.into_string().map_err(|word| {
            VerbError::argument(word.to_string_lossy(), "not UTF-8, which no host's file of settings can hold")
        })
    };
    let words = words.into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let path = std::env::var_os("PATH");
    let entry = Entry::capture(&desk.launch.program, words, path.as_deref())
        .map_err(|error| VerbError::File { path: desk.launch.program.clone(), error })?;
    // The operator's switch, policy and approvals hold for a server that finds them; and the program finds its own.
    let moved =
        [folders::STATE, folders::CONFIG, folders::DATA, folders::CACHE].into_iter().filter_map(folders::Kind::moved);
    Ok(moved.fold(entry, |entry, (name, value)| entry.env(name, value)))
}

impl Place {
    pub(super) fn target(&self, desk: &Desk<'_>) -> Result<Target, VerbError> {
        let scope = if self.workspace { Scope::Workspace } else { Scope::User };
        let name = self.name.clone().unwrap_or_else(|| entry_name(desk.facade.command.get_name()));
        let places = Places::detect().map_err(|error| VerbError::Own(error.into()))?;
        let target = Target::new(self.host, scope, &places, name).map_err(|error| VerbError::Own(error.into()));
        match &self.file {
            Some(file) => Ok(Target { file: file.clone(), ..target? }),
            None => target,
        }
    }

    fn mode(&self) -> Mode {
        if self.dry_run { Mode::Preview } else { Mode::Apply }
    }

    fn tell(&self, desk: &mut Desk<'_>, change: &Change) -> Result<ExitCode, VerbError> {
        let (file, host) = (change.file.display(), self.host.title());
        let (done, would) = match change.kind {
            ChangeKind::Unchanged => ("already says so", "already says so"),
            ChangeKind::Created => ("was made", "would be made"),
            ChangeKind::Installed => ("has the entry", "would get the entry"),
            ChangeKind::Uninstalled => ("no longer has the entry", "would lose the entry"),
            ChangeKind::Deleted => ("held nothing else and is gone", "holds nothing else and would be gone"),
        };
        if self.dry_run && !change.diff.is_empty() {
            desk.say(change.diff.trim_end())?;
        }
        desk.say(format!("{host}: {file} {}", if self.dry_run { would } else { done }))?;
        if let Some(backup) = &change.backup {
            desk.say(format!("its former text is in {}", backup.display()))?;
        }
        if !self.dry_run && change.kind != ChangeKind::Unchanged {
            desk.say(format!("restart {host}, or reload its servers, for it to see the change"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Parses the name of a host.
pub(super) fn host() -> impl TypedValueParser<Value = Host> {
    PossibleValuesParser::new(Host::ALL.iter().map(|host| host.id())).try_map(|name| name.parse::<Host>())
}

/// Parses a variable, and takes the value that this process has where none is given.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Ok(value.to_owned())),
        None => (text, std::env::var(text)),
    };
    if name.is_empty() {
        return Err("a variable needs a name: NAME, or NAME=VALUE".to_owned());
    }
    match value {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(std::env::VarError::NotPresent) => Err(format!("`{name}` is not set here: give {name}=VALUE")),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(format!("the value of `{name}` is not UTF-8, which no host's file of settings can hold"))
        }
    }
}

/// Makes an entry's name of a CLI's: letters, digits, `_` and `-`.
fn entry_name(cli: &str) -> String {
    cli.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}
