use super::journal::fingerprint;
use crate::error::CliError;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file that becomes other bytes, or goes.
pub(crate) struct FileChange {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Content>,
}

/// What a file is to hold.
pub(crate) enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What another file holds, too much for the memory.
    Staged(Staged),
}

/// A temporary file whose content another file is to have; it goes with this.
pub(crate) struct Staged {
    pub(crate) file: TempPath,
    /// In hexadecimal digits.
    pub(crate) sha256: String,
    pub(crate) size: u64,
}

impl Content {
    /// What the journal keeps of it.
    pub(crate) fn fingerprint(&self) -> String {
        match self {
            Self::Bytes(bytes) => fingerprint(bytes),
            Self::Staged(staged) => format!("sha256:{}", staged.sha256),
        }
    }

    /// In bytes.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Staged(staged) => staged.size,
        }
    }

    fn is(&self, bytes: &[u8]) -> bool {
        matches!(self, Self::Bytes(own) if own == bytes)
    }

    fn open(&self) -> std::io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Bytes(bytes) => Box::new(bytes.as_slice()),
            Self::Staged(staged) => Box::new(File::open(&staged.file)?),
        })
    }
}

impl FileChange {
    /// Plans a file in a folder that exists, or in the one that the run makes.
    pub(crate) fn plan(path: &Path, after: Option<Content>, made: Option<&Path>) -> Result<Self, CliError> {
        let path = std::path::absolute(path)?;
        let shown = path.display().to_string();
        if !path.parent().is_some_and(|folder| folder.is_dir() || Some(folder) == made) {
            return Err(CliError::not_found("the folder of the file does not exist").at(shown, 0, ""));
        }
        let before = read_if_there(&path)?;
        if after.is_some() && before.as_deref().is_some_and(is_database) {
            return Err(
                CliError::precondition("this is a database, and writing over it would lose it").at(shown, 0, "")
            );
        }
        Ok(Self { path, before, after })
    }

    pub(crate) fn is_change(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => !after.is(before),
            (before, after) => before.is_some() || after.is_some(),
        }
    }

    /// Makes the file have the bytes after the change.
    pub(crate) fn apply(&self) -> Result<(), CliError> {
        put(&self.path, self.after.as_ref().map(Content::open))
    }

    /// Makes the file have the bytes before the change.
    pub(crate) fn revert(&self) -> Result<(), CliError> {
        put(&self.path, self.before.as_deref().map(|bytes| Ok(Box::new(bytes) as Box<dyn Read>)))
    }
}

/// Reads a regular file; none when there is no such file.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, CliError> {
    let shown = path.display().to_string();
    match path.metadata() {
        Ok(found) if found.is_dir() => {
            return Err(CliError::usage("this is a folder; name a file").at(shown, 0, ""));
        }
        Ok(found) if !found.is_file() => return Err(CliError::usage("this is no regular file").at(shown, 0, "")),
        Ok(_) => std::fs::read(path).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error),
    }
    .map_err(|error| CliError::failure(format!("can't be read: {error}")).at(shown, 0, ""))
}

/// Tells an SQLite database, or its write-ahead log, by its first bytes.
fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3\0") || bytes.starts_with(&[0x37, 0x7f, 0x06])
}

/// Applies all changes, or none when one fails.
pub(crate) fn apply_all(changes: &[FileChange]) -> Result<(), CliError> {
    for (done, change) in changes.iter().enumerate() {
        if let Err(error) = change.apply() {
            revert_all(&changes[..done]);
            return Err(error);
        }
    }
    Ok(())
}

/// Puts back what `apply_all` changed; what can't be put back stays.
pub(crate) fn revert_all(changes: &[FileChange]) {
    for change in changes.iter().rev() {
        let _ = change.revert();
    }
}

fn put(path: &Path, content: Option<std::io::Result<Box<dyn Read + '_>>>) -> Result<(), CliError> {
    let write = || -> std::io::Result<()> {
        let Some(content) = content else { return std::fs::remove_file(path) };
        // A link stays a link: what it points to is written.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut content = content?;
        let mut file = new_file_in(folder)?;
        if let Ok(before) = std::fs::metadata(&path) {
            file.as_file().set_permissions(before.permissions())?;
        }
        std::io::copy(&mut content, &mut file)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write()
        .map_err(|error| CliError::failure(format!("can't be written: {error}")).at(path.display().to_string(), 0, ""))
}

/// A file that others may read as far as the user lets them, unlike other temporary files.
fn new_file_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
