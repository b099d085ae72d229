//! Bytes of an output, in memory or in a file, read from any place.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

/// The bytes of one output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Memory(&'a [u8]),
    /// The file and how much of it counts.
    File(&'a File, u64),
}

impl<'a> Source<'a> {
    pub(crate) fn len(self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(_, length) => length,
        }
    }

    /// Reads from a place on; readers of one source don't disturb each other.
    pub(crate) fn reader(self, from: u64) -> Box<dyn BufRead + 'a> {
        match self {
            Self::Memory(bytes) => {
                Box::new(&bytes[usize::try_from(from).map_or(bytes.len(), |n| n.min(bytes.len()))..])
            }
            Self::File(file, length) => {
                Box::new(BufReader::with_capacity(64 << 10, Part { file, at: from, end: length }))
            }
        }
    }

    /// Returns the first bytes, at most so many.
    pub(crate) fn head(self, most: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.reader(0).take(most).read_to_end(&mut head)?;
        Ok(head)
    }
}

/// A part of a file, read without moving the file's own place.
struct Part<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(buffer.len());
        let read = std::os::unix::fs::FileExt::read_at(self.file, &mut buffer[..room], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
