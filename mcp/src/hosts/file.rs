use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// Why a host's file can't be read or written. It is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Reading failed.
    #[error("{} can't be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file isn't text.
    #[error("{} isn't UTF-8 text from byte {at} on", file.display())]
    Encoding {
        /// The file.
        file: PathBuf,
        /// The first byte that isn't UTF-8, from 0.
        at: usize,
    },
    /// Writing failed.
    #[error("{} can't be written: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another program wrote the file meanwhile.
    #[error("{} was changed by another program meanwhile: try again", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
}

/// What a backup's name says: whose entry changed, and how.
pub(super) struct Label(String);

impl Label {
    const INSTALL: &str = "install";
    const UNINSTALL: &str = "uninstall";

    pub(super) fn install(name: &str) -> Self {
        Self(format!("{name}.{}", Self::INSTALL))
    }

    pub(super) fn uninstall(name: &str) -> Self {
        Self(format!("{name}.{}", Self::UNINSTALL))
    }
}

/// A file as it was when it was read, links followed; or that there was none.
pub(super) struct Snapshot {
    file: PathBuf,
    found: Option<(Vec<u8>, Metadata)>,
}

impl Snapshot {
    pub(super) fn read(file: &Path) -> Result<Self, FileError> {
        let failed = |source| FileError::Read { file: file.to_owned(), source };
        let real = follow(file).map_err(failed)?;
        // Before it is opened: a pipe would keep whoever opens it.
        if real.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(failed(io::Error::other("it is no regular file")));
        }
        let found = look(&real).map_err(failed)?;
        if let Some((_, metadata)) = &found {
            if metadata.permissions().readonly() {
                return Err(failed(io::Error::other("it is marked read-only, so somebody wants it to stay as it is")));
            }
            if std::os::unix::fs::MetadataExt::nlink(metadata) > 1 {
                return Err(failed(io::Error::other("it has other names (hard links), which would keep the old text")));
            }
        }
        Ok(Self { file: real, found })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn text(&self) -> Result<Option<&str>, FileError> {
        let Some((bytes, _)) = &self.found else { return Ok(None) };
        let encoding =
            |error: std::str::Utf8Error| FileError::Encoding { file: self.file.clone(), at: error.valid_up_to() };
        std::str::from_utf8(bytes).map(Some).map_err(encoding)
    }

    /// Replaces the file in one step, if it is still as it was. Returns the backup that was written.
    pub(super) fn replace(&self, text: &str, label: &Label) -> Result<Option<PathBuf>, FileError> {
        let backup = self.found.as_ref().map(|(bytes, before)| self.back_up(bytes, before, label));
        let backup = backup.transpose().map_err(|source| self.failed(source))?;
        let written = self.put(text);
        if written.is_err()
            && let Some(backup) = &backup
        {
            // The file is as it was, so its copy says nothing.
            let _ = fs::remove_file(backup);
        }
        written.map(|()| backup)
    }

    /// Deletes the file, if it is still as it was.
    pub(super) fn delete(&self) -> Result<Option<PathBuf>, FileError> {
        self.check_unchanged()?;
        fs::remove_file(&self.file).map_err(|source| self.failed(source))?;
        Ok(None)
    }

    /// Returns the texts that installs of `name` kept, the best to go back to first.
    ///
    /// Only those since the last uninstall count: what was before is settled.
    pub(super) fn backups(&self, name: &str) -> Result<Vec<String>, FileError> {
        let failed = |source| FileError::Read { file: self.file.clone(), source };
        let all = self.stamped().map_err(failed)?;
        let last = Label::uninstall(name).0;
        let settled = all.iter().filter(|(_, label, _)| *label == last).map(|(stamp, ..)| *stamp).max();
        let wanted = Label::install(name).0;
        let mut files: Vec<_> =
            all.into_iter().filter(|(stamp, label, _)| *label == wanted && Some(*stamp) > settled).collect();
        files.sort();
        // A copy that can't be read is none: the entry is then removed by what the file itself says.
        Ok(files.into_iter().filter_map(|(_, _, path)| fs::read_to_string(path).ok()).collect())
    }

    fn put(&self, text: &str) -> Result<(), FileError> {
        let failed = |source| self.failed(source);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let mut new = NamedTempFile::with_prefix_in(".", folder).map_err(failed)?;
        new.write_all(text.as_bytes()).map_err(failed)?;
        if let Some((_, before)) = &self.found {
            keep_access(new.as_file(), before).map_err(failed)?;
        }
        new.as_file().sync_all().map_err(failed)?;
        self.check_unchanged()?;
        match &self.found {
            Some(_) => new.persist(&self.file).map_err(|error| failed(error.error))?,
            None => new.persist_noclobber(&self.file).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => FileError::Changed { file: self.file.clone() },
                _ => failed(error.error),
            })?,
        };
        // The name is safe on disk only with its folder; where folders can't be synced there is nothing to do.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }

    fn check_unchanged(&self) -> Result<(), FileError> {
        let now = look(&self.file).map_err(|source| FileError::Read { file: self.file.clone(), source })?;
        let same = match (&self.found, &now) {
            (None, None) => true,
            (Some((before, _)), Some((now, _))) => before == now,
            _ => false,
        };
        if same { Ok(()) } else { Err(FileError::Changed { file: self.file.clone() }) }
    }

    fn back_up(&self, bytes: &[u8], before: &Metadata, label: &Label) -> io::Result<PathBuf> {
        let last = self.stamped()?.into_iter().map(|(stamp, ..)| stamp).max();
        let stamp = now().max(last.map_or(0, |last| last + 1));
        let name = format!("{}{stamp}.{}.bak", self.prefix(), label.0);
        let path = self.file.with_file_name(name);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut copy = options.open(&path)?;
        copy.write_all(bytes)?;
        keep_access(&copy, before)?;
        copy.sync_all()?;
        Ok(path)
    }

    /// Lists this file's backups: when each was written, its label, its path.
    fn stamped(&self) -> io::Result<Vec<(u64, String, PathBuf)>> {
        let prefix = self.prefix();
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let mut found = Vec::new();
        for item in fs::read_dir(folder)? {
            let item = item?;
            let name = item.file_name();
            let parts =
                name.to_str().and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(".bak")?.split_once('.'));
            if let Some((stamp, label)) = parts
                && let Ok(stamp) = stamp.parse()
            {
                found.push((stamp, label.to_owned(), item.path()));
            }
        }
        Ok(found)
    }

    fn prefix(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}.")
    }

    fn failed(&self, source: io::Error) -> FileError {
        FileError::Write { file: self.file.clone(), source }
    }
}

/// Returns what a path leads to, through links whose end may be missing.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("/")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("the links go round in a circle"))
}

fn look(path: &Path) -> io::Result<Option<(Vec<u8>, Metadata)>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some((bytes, fs::metadata(path)?))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a new file the permissions and, where allowed, the owner of the one it replaces.
fn keep_access(file: &File, before: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let now = file.metadata()?;
        if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
            // Only root may give a file away; for others the file is their own from now on.
            let _ = std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()));
        }
    }
    file.set_permissions(before.permissions())
}

/// Returns the time in UTC as a number whose digits read `YYYYMMDDhhmmssmmm`.
fn now() -> u64 {
    let text = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or_default()
}
