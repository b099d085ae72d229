//! What ties a line to the one before it.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What the first line of all holds as the hash of the one before it.
pub(super) const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A line's own number and the hash of the line before it.
#[derive(Deserialize)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) prev: String,
    /// The head was lost when it was written.
    #[serde(default)]
    pub(super) headless: bool,
}

impl Link {
    /// Reads it out of a line; `None` where the line is none of an audit's.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// Where the chain ends, kept beside it so that a missing end can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The number of the first line that is still kept.
    pub(super) first: u64,
    /// The number of the last line; 0 before there is any.
    pub(super) seq: u64,
    /// The last line's hash.
    pub(super) hash: String,
}

/// How long a head is: two numbers of 20 digits, a hash, and what stands behind each.
const LENGTH: usize = 21 + 21 + NOTHING.len() + 1;

impl Default for Head {
    fn default() -> Self {
        Self { first: 1, seq: 0, hash: NOTHING.to_owned() }
    }
}

impl Head {
    /// Returns where the head of an audit stands.
    pub(super) fn path(audit: &Path) -> PathBuf {
        beside(audit, "head")
    }

    /// Reads it; `None` where there is none yet, or what is there is none.
    pub(super) fn read(mut file: &File) -> io::Result<Option<Self>> {
        let mut bytes = [0; LENGTH];
        file.seek(SeekFrom::Start(0))?;
        let length = file.read(&mut bytes)?;
        let mut words = str::from_utf8(&bytes[..length]).unwrap_or_default().split_whitespace();
        Ok((|| {
            let (first, seq) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let hash = words.next().filter(|hash| hash.len() == NOTHING.len())?.to_owned();
            Some(Self { first, seq, hash })
        })())
    }

    /// Writes it in one go and always at the same length, so that there is never half of it.
    pub(super) fn write(&self, mut file: &File) -> io::Result<()> {
        let Self { first, seq, hash } = self;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{first:020} {seq:020} {hash}\n").as_bytes())
    }
}

/// Returns the SHA-256 of some bytes, in lower-case hexadecimal digits.
pub(in crate::run) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(NOTHING.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the path of a file that belongs to an audit: its name, a dot and a word.
pub(in crate::run) fn beside(audit: &Path, word: &str) -> PathBuf {
    let mut name = OsString::from(audit);
    name.push(".");
    name.push(word);
    name.into()
}
