use super::edit::{self, EditError, Existing};
use super::entry::Entry;
use super::file::{FileError, Label, Snapshot};
use super::host::{Host, NoSuchScope, Scope};
use super::places::Places;
use similar::TextDiff;
use std::path::PathBuf;

/// Where an entry goes: a host's file, and the entry's name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The host.
    pub host: Host,
    /// The host's file.
    pub file: PathBuf,
    /// The name of the server's entry: letters, digits, `_` and `-`.
    pub name: String,
}

impl Target {
    /// Finds the host's file for a scope.
    ///
    /// # Errors
    /// When the host has no file for that scope; the error says which it has.
    pub fn new(host: Host, scope: Scope, places: &Places, name: impl Into<String>) -> Result<Self, NoSuchScope> {
        Ok(Self { host, file: host.file(scope, places)?, name: name.into() })
    }
}

/// Whether a change is made, or only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The file is written.
    Apply,
    /// Nothing is written; the change says what would be.
    Preview,
}

/// What to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where the entry goes.
    pub target: Target,
    /// What the host is to run.
    pub entry: Entry,
    /// What to do with an entry of that name that is there.
    pub existing: Existing,
    /// Whether to write.
    pub mode: Mode,
}

/// What became of a host's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file that is written, links followed.
    pub file: PathBuf,
    /// What happened to it, or would in a preview.
    pub kind: ChangeKind,
    /// The change as a unified diff; empty when there is none.
    pub diff: String,
    /// The copy of the file as it was, when one was written.
    pub backup: Option<PathBuf>,
}

/// What happened to a host's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It says already what was asked.
    Unchanged,
    /// It was made, with the entry alone.
    Created,
    /// It has the entry, or holds it changed.
    Installed,
    /// The entry is gone.
    Uninstalled,
    /// The file held only what an install had made, and is gone.
    Deleted,
}

/// Why an entry was neither installed nor removed. The file is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The text of the file can't be edited so.
    #[error("{}: {source}", file.display())]
    Edit {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        source: EditError,
    },
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Adds an entry to a host's file, which is made when there is none.
///
/// Every byte outside the entry stays. The file is replaced in one step, after a copy of it was written beside it.
///
/// # Errors
/// When the file is malformed, has another entry of that name, changes meanwhile, or can't be read or written.
pub fn install(request: &Request) -> Result<Change, InstallError> {
    let Request { target, entry, existing, mode } = request;
    let snapshot = Snapshot::read(&target.file)?;
    let before = snapshot.text()?;
    let after = edit::insert(before.unwrap_or_default(), target.host, &target.name, entry, *existing);
    let after = after.map_err(|source| InstallError::Edit { file: snapshot.file().to_owned(), source })?;
    let kind = match before {
        Some(before) if before == after => ChangeKind::Unchanged,
        Some(_) => ChangeKind::Installed,
        None => ChangeKind::Created,
    };
    let backup = match (mode, kind) {
        (Mode::Preview, _) | (_, ChangeKind::Unchanged) => None,
        (Mode::Apply, _) => snapshot.replace(&after, &Label::install(&target.name))?,
    };
    Ok(change(&snapshot, kind, &after, backup)?)
}

/// Takes an entry out of a host's file again, and leaves the file as it was before [`install`].
///
/// What was changed elsewhere in the meantime stays. No entry, or no file, is no error: nothing is to be done then.
///
/// # Errors
/// When the file is malformed, changes meanwhile, or can't be read or written.
pub fn uninstall(target: &Target, mode: Mode) -> Result<Change, InstallError> {
    let snapshot = Snapshot::read(&target.file)?;
    let Some(before) = snapshot.text()? else { return Ok(change(&snapshot, ChangeKind::Unchanged, "", None)?) };
    let failed = |source| InstallError::Edit { file: snapshot.file().to_owned(), source };
    let Target { host, name, .. } = target;
    let earlier = snapshot.backups(name)?.into_iter().next();
    let after = match &earlier {
        Some(earlier) => edit::revert(before, earlier, *host, name),
        None => edit::remove(before, *host, name),
    };
    let after = match after {
        Err(EditError::Absent { .. }) => return Ok(change(&snapshot, ChangeKind::Unchanged, before, None)?),
        after => after.map_err(failed)?,
    };
    let made = earlier.is_none() && is_as_made(before, target).map_err(failed)?;
    let (kind, after) = if made { (ChangeKind::Deleted, "") } else { (ChangeKind::Uninstalled, after.as_str()) };
    let backup = match (mode, made) {
        (Mode::Preview, _) => None,
        (Mode::Apply, true) => snapshot.delete()?,
        (Mode::Apply, false) => snapshot.replace(after, &Label::uninstall(name))?,
    };
    Ok(change(&snapshot, kind, after, backup)?)
}

/// Reads the entry that a host has under a name; `None` when it has none that starts a program.
///
/// # Errors
/// When the file is malformed or can't be read.
pub fn registered(target: &Target) -> Result<Option<Entry>, InstallError> {
    let snapshot = Snapshot::read(&target.file)?;
    let Some(text) = snapshot.text()? else { return Ok(None) };
    let entry = edit::read(text, target.host, &target.name);
    entry.map_err(|source| InstallError::Edit { file: snapshot.file().to_owned(), source })
}

/// Tells whether a text is just what an install into no file makes.
fn is_as_made(text: &str, target: &Target) -> Result<bool, EditError> {
    let Some(entry) = edit::read(text, target.host, &target.name)? else { return Ok(false) };
    Ok(edit::insert("", target.host, &target.name, &entry, Existing::Refuse).is_ok_and(|made| made == text))
}

fn change(snapshot: &Snapshot, kind: ChangeKind, after: &str, backup: Option<PathBuf>) -> Result<Change, FileError> {
    let file = snapshot.file().to_owned();
    let before = snapshot.text()?.unwrap_or_default();
    let diff = if before == after {
        String::new()
    } else {
        let name = file.display().to_string();
        TextDiff::from_lines(before, after).unified_diff().header(&name, &name).to_string()
    };
    Ok(Change { file, kind, diff, backup })
}
