use crate::commands::input::{open_file, read_blocks};
use crate::context::Context;
use crate::contract::{Staged, hex};
use crate::error::CliError;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What stands between a library's name and the number of the run it was copied after.
const MARK: &str = ".snapshot-";

/// The file of a library's snapshot after a run: beside the library, and never taken for one.
pub(crate) fn default_path(ctx: &Context<'_, '_>, run: i64) -> PathBuf {
    ctx.library().folder().join(format!("{}{MARK}{run}.sqlite", ctx.library().name()))
}

/// The newest snapshot beside the library.
///
/// # Errors
/// When the folder can't be read.
pub(crate) fn newest(ctx: &Context<'_, '_>) -> Result<Option<PathBuf>, CliError> {
    let prefix = format!("{}{MARK}", ctx.library().name());
    let number = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix(&prefix)?.strip_suffix(".sqlite")?.parse::<i64>().ok()
    };
    let folder = ctx.library().folder();
    let unreadable =
        |error| CliError::config(format!("can't be read: {error}")).at(folder.display().to_string(), 0, "");
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(unreadable)?,
    };
    let paths = entries.map(|entry| Ok(entry.map_err(unreadable)?.path())).collect::<Result<Vec<_>, CliError>>()?;
    Ok(paths.into_iter().filter(|path| number(path).is_some()).max_by_key(number))
}

/// The checksum file of a snapshot.
pub(crate) fn checksum_path(snapshot: &Path) -> PathBuf {
    let mut name = snapshot.as_os_str().to_owned();
    name.push(".sha256");
    name.into()
}

/// The SHA-256 of a file, in hexadecimal digits, and its size in bytes.
pub(crate) fn checksum_of(path: &Path, cancelled: &dyn Fn() -> bool) -> Result<(String, u64), CliError> {
    let (mut hash, mut size) = (Sha256::new(), 0);
    read_blocks(&mut open_file(path)?, &path.display().to_string(), cancelled, |block| {
        hash.update(block);
        size += block.len() as u64;
        Ok(())
    })?;
    Ok((hex(&hash.finalize()), size))
}

/// Copies the committed state of a library file into a temporary one, whatever others write meanwhile.
pub(crate) fn copy_of(library: &Path, cancelled: &dyn Fn() -> bool) -> Result<Staged, CliError> {
    let file = tempfile::NamedTempFile::new()?.into_temp_path();
    let connection = Connection::open_with_flags(library, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // SQLite takes an empty file for one that is not there yet.
    connection.execute("VACUUM INTO ?1", [file.to_string_lossy()])?;
    let (sha256, size) = checksum_of(&file, cancelled)?;
    Ok(Staged { file, sha256, size })
}
