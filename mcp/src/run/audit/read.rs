//! The files of an audit, read from the oldest line on.

use super::chain::{Link, beside};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Returns every whole line of an audit, its earlier files included, the oldest first.
///
/// # Errors
/// Where a file can't be read; an audit that is not there has no lines.
pub fn lines(path: &Path) -> io::Result<impl Iterator<Item = io::Result<String>>> {
    let files = opened(path)?;
    Ok(files.into_iter().flat_map(|(_, file)| {
        let mut reader = BufReader::new(file);
        std::iter::from_fn(move || {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(_) if line.pop() == Some(b'\n') => Some(Ok(String::from_utf8_lossy(&line).into_owned())),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            }
        })
    }))
}

/// Opens the files of an audit, the oldest first: a rotation does not touch what is open.
pub(super) fn opened(path: &Path) -> io::Result<Vec<(PathBuf, File)>> {
    let earlier = rotated(path)?.into_iter().map(|(_, file)| file);
    let mut files = Vec::new();
    for path in earlier.chain([path.to_owned()]) {
        match File::open(&path) {
            Ok(file) => files.push((path, file)),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// Returns the earlier files and their numbers, the oldest first.
pub(super) fn rotated(path: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else { return Ok(Vec::new()) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut earlier = Vec::new();
    for entry in entries {
        let other = entry?.file_name();
        let number = other.to_str().zip(name.to_str()).and_then(|(other, name)| {
            let number = other.strip_prefix(name)?.strip_prefix('.')?;
            number.parse::<u64>().ok().filter(|parsed| parsed.to_string() == number)
        });
        if let Some(number) = number {
            earlier.push((number, beside(path, &number.to_string())));
        }
    }
    earlier.sort_unstable_by(|a, b| b.cmp(a));
    Ok(earlier)
}

/// Returns the number of a file's first line.
pub(super) fn first_seq(path: &Path) -> io::Result<Option<u64>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).take(1 << 20).read_until(b'\n', &mut line)?;
    Ok(Link::of(&line).map(|link| link.seq))
}

pub(in crate::run) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
