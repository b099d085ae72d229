//! The file that lines are appended to.

use super::chain::{Head, Link, beside, hash};
use super::read::{first_seq, rotated};
use serde_json::{Map, Value};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How much of the audit is kept, and how safely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// The most bytes of one file; the line that would exceed them begins the next one.
    pub rotate_bytes: u64,
    /// How many earlier files are kept, at least one: `NAME.1` is the latest of them.
    pub files: usize,
    /// Which lines have to reach the disk before anything goes on.
    pub flush: Flush,
    /// Whether calls that only read are answered though they can't be written down.
    pub unrecorded_reads: bool,
}

impl Default for Keeping {
    /// 64 MiB, eight earlier files; no change runs before its line has reached the disk, and nothing is answered that
    /// can't be written down.
    fn default() -> Self {
        Self { rotate_bytes: 64 << 20, files: 8, flush: Flush::default(), unrecorded_reads: false }
    }
}

/// Which lines have to reach the disk before anything goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flush {
    /// None: a power failure may take the last seconds, the end of a process takes nothing.
    Never,
    /// Those of calls that may change something.
    #[default]
    Changes,
    /// All.
    Always,
}

/// The longest wait for another process that writes to the same file.
const LOCK_WAIT: Duration = Duration::from_secs(2);
/// How often the lock is tried.
const LOCK_LOOK: Duration = Duration::from_millis(1);
/// How often a line is tried on a file that other processes keep rotating away.
pub(super) const TRIES: usize = 100;
/// How much is read at first to find the last line.
const TAIL_BYTES: u64 = 16 << 10;

/// An append-only file of chained lines.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    keeping: Keeping,
    open: Option<Open>,
    /// This process has written a line.
    wrote: bool,
}

/// The open file and what goes with it.
#[derive(Debug)]
struct Open {
    file: File,
    /// Absent for what is no file, such as a device: there is nothing to chain.
    head: Option<File>,
    /// The size and the head that this process left behind.
    left: Option<(u64, Head)>,
}

/// Whether a line has found its file.
enum Step {
    Written,
    /// The file was full, and is now an earlier one.
    Rotated,
}

impl Log {
    pub(super) fn new(path: PathBuf, keeping: Keeping) -> Self {
        Self { path, keeping, open: None, wrote: false }
    }

    /// Opens the file, which is made where it is missing, so that a fault shows before anything is written.
    pub(super) fn open(&mut self) -> io::Result<()> {
        // A file that was moved, replaced or removed no longer keeps what is written to it.
        if !self.open.as_ref().is_some_and(|open| is_at(&open.file, &self.path)) {
            self.open = None;
            self.open = Some(Open::at(&self.path)?);
        }
        Ok(())
    }

    /// Appends a line and flushes it where `flush` says that this kind of line is.
    pub(super) fn append(&mut self, line: &Map<String, Value>, flush: Flush) -> io::Result<()> {
        let line = serde_json::to_vec(line)?;
        for _ in 0..TRIES {
            let open = match &mut self.open {
                Some(open) => open,
                empty => empty.insert(Open::at(&self.path)?),
            };
            let Open { file, head, left } = open;
            let lock = head.as_ref().map(|_| Lock::take(file)).transpose()?;
            // A file that was moved, replaced or removed no longer keeps what is written to it, and whoever had the lock
            // may have rotated it.
            if !is_at(file, &self.path) {
                drop(lock);
                self.open = None;
                continue;
            }
            let Some(head) = head else {
                return (&*file).write_all(&[&line, &b"\n"[..]].concat());
            };
            let place = Place { path: &self.path, keeping: &self.keeping, file, head, left, wrote: self.wrote };
            match place.append(&line, flush)? {
                Step::Written => {
                    self.wrote = true;
                    return Ok(());
                }
                Step::Rotated => {}
            }
        }
        Err(io::Error::other("other processes keep replacing the file"))
    }
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = private(OpenOptions::new().read(true).append(true), path)
            // A device may be one that can't be read.
            .or_else(|_| private(OpenOptions::new().append(true), path))?;
        let head = match file.metadata()?.is_file() {
            true => Some(private(OpenOptions::new().read(true).write(true).truncate(false), &Head::path(path))?),
            false => None,
        };
        Ok(Self { file, head, left: None })
    }
}

/// The locked file.
struct Place<'a> {
    path: &'a Path,
    keeping: &'a Keeping,
    file: &'a File,
    head: &'a File,
    left: &'a mut Option<(u64, Head)>,
    wrote: bool,
}

impl Place<'_> {
    fn append(self, line: &[u8], flush: Flush) -> io::Result<Step> {
        let size = self.file.metadata()?.len();
        let (whole, before, lost) = match (&*self.left, Head::read(self.head)?) {
            (Some((left, known)), Some(head)) if (*left, known) == (size, &head) => (size, head, false),
            (_, head) => self.catch_up(size, head)?,
        };
        let seq = before.seq + 1;
        let mut bytes = format!(r#"{{"seq":{seq},"prev":"{}""#, before.hash).into_bytes();
        if whole < size {
            // A process ended in the middle of a line, or its disk was full.
            self.file.set_len(whole)?;
            bytes.extend(format!(r#","torn":{}"#, size - whole).into_bytes());
        }
        if lost {
            bytes.extend(br#","headless":true"#);
        }
        bytes.push(b',');
        bytes.extend(line.strip_prefix(b"{").unwrap_or(line));
        let head = Head { first: before.first, seq, hash: hash(&bytes) };
        bytes.push(b'\n');
        let length = bytes.len() as u64;
        if whole > 0 && whole + length > self.keeping.rotate_bytes {
            match rotate(self.path, self.keeping.files, before, self.head) {
                Ok(()) => return Ok(Step::Rotated),
                Err(error) => tracing::error!("the audit {} can't be rotated: {error}", self.path.display()),
            }
        }
        let mut file = self.file;
        if let Err(error) = file.write_all(&bytes) {
            let _ = file.set_len(whole);
            return Err(error);
        }
        match self.keeping.flush {
            Flush::Always => file.sync_data()?,
            Flush::Changes if flush != Flush::Never => file.sync_data()?,
            Flush::Changes | Flush::Never => {}
        }
        head.write(self.head)?;
        *self.left = Some((whole + length, head));
        Ok(Step::Written)
    }

    /// Finds out where the chain ends that other processes, or earlier ones, have left; returns the size of its whole
    /// lines, too, and whether the head that tells its end is lost.
    fn catch_up(&self, size: u64, head: Option<Head>) -> io::Result<(u64, Head, bool)> {
        let Tail { whole, line } = Tail::of(self.file, size)?;
        let last = line.as_deref().map(|line| (Link::of(line).map_or(0, |link| link.seq), hash(line)));
        // One was there before the first line.
        let lost = head.is_none() && (last.is_some() || self.wrote);
        let head = match (head, last) {
            // The head is one behind where a process ended between the line and it.
            (Some(head), Some((seq, hash))) if seq > head.seq => Head { seq, hash, ..head },
            // It is heeded, not the file: so a line that was edited or removed stays a break in the chain.
            (Some(head), _) => head,
            (None, Some((seq, hash))) => {
                let oldest = rotated(self.path)?.into_iter().next().map_or(self.path.to_owned(), |(_, file)| file);
                Head { first: first_seq(&oldest)?.unwrap_or(1), seq, hash }
            }
            (None, None) => {
                let head = Head::default();
                head.write(self.head)?;
                head
            }
        };
        Ok((whole, head, lost))
    }
}

/// The end of a file.
struct Tail {
    /// How many bytes its whole lines have.
    whole: u64,
    /// The last of them.
    line: Option<Vec<u8>>,
}

impl Tail {
    fn of(mut file: &File, size: u64) -> io::Result<Self> {
        let mut window = TAIL_BYTES;
        loop {
            let start = size.saturating_sub(window);
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(start))?;
            file.take(size - start).read_to_end(&mut bytes)?;
            let end = bytes.iter().rposition(|byte| *byte == b'\n');
            let begin = end.and_then(|end| bytes[..end].iter().rposition(|byte| *byte == b'\n'));
            match (end, begin) {
                (Some(end), Some(begin)) => {
                    return Ok(Self { whole: start + end as u64 + 1, line: Some(bytes[begin + 1..end].to_vec()) });
                }
                (Some(end), None) if start == 0 => {
                    return Ok(Self { whole: end as u64 + 1, line: Some(bytes[..end].to_vec()) });
                }
                (None, _) if start == 0 => return Ok(Self { whole: 0, line: None }),
                _ => window *= 4,
            }
        }
    }
}

/// Makes the file the latest of the earlier ones, and forgets those beyond what is kept.
fn rotate(path: &Path, keep: usize, head: Head, head_file: &File) -> io::Result<()> {
    let mut earlier = rotated(path)?;
    let gone = earlier.len().saturating_sub(keep.saturating_sub(1));
    let gone: Vec<_> = earlier.drain(..gone).collect();
    let oldest = earlier.first().map_or(path, |(_, file)| file);
    // The head comes first: were the process to end here, more would be there than it says, not less.
    Head { first: first_seq(oldest)?.unwrap_or(head.first), ..head }.write(head_file)?;
    for (_, file) in gone {
        fs::remove_file(file)?;
    }
    for (number, file) in earlier {
        fs::rename(file, beside(path, &(number + 1).to_string()))?;
    }
    fs::rename(path, beside(path, "1"))
}

/// The lock of a file, which keeps other processes from it; released when dropped.
pub(in crate::run) struct Lock<'a>(&'a File);

impl<'a> Lock<'a> {
    /// Waits for the lock, but not for ever: its holder may have been stopped.
    pub(in crate::run) fn take(file: &'a File) -> io::Result<Self> {
        let since = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if since.elapsed() > LOCK_WAIT => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "another process holds its lock"));
                }
                Err(TryLockError::WouldBlock) => sleep(LOCK_LOOK),
            }
        }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(unix)]
pub(in crate::run) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), path.metadata()), (Ok(open), Ok(there)) if place(open.clone()) == place(there.clone()))
}

#[cfg(not(unix))]
pub(in crate::run) fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Opens a file that is its owner's alone, and makes it where it is missing.
pub(in crate::run) fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}
