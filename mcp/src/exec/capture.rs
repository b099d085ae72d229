//! Bounded memory for unbounded output.

use super::mask::{Mask, Masking};
use super::{Captured, Spool};
use crate::refusal::Partial;
use std::borrow::Cow;
use std::sync::Arc;

/// The most bytes of one stream that a refusal shows.
const SHOWN: usize = 2048;

/// Keeps one end of a stream and counts the rest.
pub(super) struct Keep {
    end: End,
    limit: usize,
    bytes: Vec<u8>,
    total: u64,
    /// Where the whole goes once it is more than the limit.
    spool: Option<Arc<Spool>>,
    masking: Masking,
}

/// Bytes on their way to a file.
pub(super) struct Spill {
    spool: Arc<Spool>,
    bytes: Vec<u8>,
}

impl Spill {
    /// Writes them, which may block.
    pub(super) fn write(self) {
        self.spool.append(&self.bytes);
    }
}

/// Which end of a stream is kept.
#[derive(Clone, Copy)]
enum End {
    Head,
    Tail,
}

impl Keep {
    pub(super) fn head(limit: usize) -> Self {
        Self { end: End::Head, limit, bytes: Vec::new(), total: 0, spool: None, masking: Masking::default() }
    }

    /// Keeps the start in memory, and the whole in a file where it is more.
    pub(super) fn spooled(limit: usize, spool: Option<Arc<Spool>>) -> Self {
        Self { spool, ..Self::head(limit) }
    }

    pub(super) fn tail(limit: usize) -> Self {
        Self { end: End::Tail, limit, bytes: Vec::new(), total: 0, spool: None, masking: Masking::default() }
    }

    /// Takes secrets out of the stream.
    pub(super) fn masked(mut self, mask: &Arc<Mask>) -> Self {
        self.masking = Masking::new(mask);
        self
    }

    /// Masks a chunk before it is taken, or seen by anybody.
    pub(super) fn mask<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, [u8]> {
        self.masking.push(chunk)
    }

    /// Takes a chunk; what it returns is still to be written, in order.
    #[must_use]
    pub(super) fn push(&mut self, chunk: &[u8]) -> Option<Spill> {
        let before = self.total;
        self.total += chunk.len() as u64;
        match self.end {
            End::Head => {
                let room = self.limit - self.bytes.len();
                let (held, beyond) = chunk.split_at(chunk.len().min(room));
                self.bytes.extend_from_slice(held);
                let spool = self.spool.as_ref().filter(|spool| !beyond.is_empty() && spool.has_room())?;
                let is_first = before <= self.limit as u64;
                let bytes = if is_first { [&self.bytes, beyond].concat() } else { beyond.to_vec() };
                return Some(Spill { spool: spool.clone(), bytes });
            }
            End::Tail => {
                self.bytes.extend_from_slice(&chunk[chunk.len().saturating_sub(self.limit)..]);
                // Moving the kept bytes only when they doubled makes a byte-wise writer linear.
                if self.bytes.len() > self.limit.saturating_mul(2) {
                    self.trim();
                }
            }
        }
        None
    }

    /// Takes what was kept; later writes are counted from nothing.
    pub(super) fn take(&mut self) -> Captured {
        let rest = self.masking.rest();
        if let Some(spill) = self.push(&rest) {
            spill.write();
        }
        self.trim();
        Captured { bytes: std::mem::take(&mut self.bytes), total: std::mem::take(&mut self.total) }
    }

    fn trim(&mut self) {
        let surplus = self.bytes.len().saturating_sub(self.limit);
        self.bytes.drain(..surplus);
    }
}

/// Shows what a command had printed before it was stopped; `None` where it had printed nothing.
pub(super) fn partial(stdout: &Captured, stderr: &Captured) -> Option<Box<Partial>> {
    let printed = stdout.total + stderr.total > 0;
    printed.then(|| Box::new(Partial { stdout: show_start(stdout), stderr: show_end(stderr) }))
}

fn show_start(captured: &Captured) -> String {
    let text = decode(&captured.bytes);
    let end = boundary(&text, (0..=text.len().min(SHOWN)).rev());
    match captured.is_cut() || end < text.len() {
        true => format!("{}… [{} bytes in all]", &text[..end], captured.total),
        false => text.into_owned(),
    }
}

fn show_end(captured: &Captured) -> String {
    let text = decode(&captured.bytes);
    let start = boundary(&text, text.len().saturating_sub(SHOWN)..=text.len());
    match captured.is_cut() || start > 0 {
        true => format!("[{} bytes in all] …{}", captured.total, &text[start..]),
        false => text.into_owned(),
    }
}

fn decode(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn boundary(text: &str, mut places: impl Iterator<Item = usize>) -> usize {
    places.find(|place| text.is_char_boundary(*place)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(mut keep: Keep, chunks: &[&str]) -> (String, u64) {
        chunks.iter().for_each(|chunk| assert!(keep.push(chunk.as_bytes()).is_none()));
        let captured = keep.take();
        (String::from_utf8(captured.bytes).unwrap(), captured.total)
    }

    #[test]
    fn keeps_the_end_asked_for_and_counts_all() {
        let chunks = ["", "abc", "defgh", "i", "jklmnopqrstu", "v"];
        for limit in 0..30 {
            let whole = chunks.concat();
            let kept = limit.min(whole.len());
            assert_eq!(fed(Keep::head(limit), &chunks), (whole[..kept].to_owned(), 22), "head of {limit}");
            assert_eq!(fed(Keep::tail(limit), &chunks), (whole[22 - kept..].to_owned(), 22), "tail of {limit}");
        }
    }

    #[test]
    fn the_whole_goes_to_a_file_once_it_is_more_than_is_held() {
        use std::io::{Read, Seek};
        let whole: Vec<u8> = (0..200_u8).collect();
        for (held, limit, size) in [(10, 500, 1), (10, 500, 7), (10, 50, 7), (10, 500, 200), (0, 500, 3), (199, 500, 9)]
        {
            let spool = Arc::new(Spool::new(limit));
            let mut keep = Keep::spooled(held, Some(spool.clone()));
            whole.chunks(size).filter_map(|chunk| keep.push(chunk)).for_each(Spill::write);
            assert_eq!(keep.take(), Captured { bytes: whole[..held].to_vec(), total: 200 });
            let mut spooled = spool.take().unwrap().unwrap();
            let mut text = Vec::new();
            spooled.file.rewind().unwrap();
            spooled.file.read_to_end(&mut text).unwrap();
            assert_eq!((&text[..], text.len() as u64), (&whole[..whole.len().min(limit as usize)], spooled.length));
        }
        let spool = Arc::new(Spool::new(500));
        assert!(Keep::spooled(200, Some(spool.clone())).push(&whole).is_none());
        assert!(spool.take().unwrap().is_none(), "what fits in memory needs no file");
    }

    #[test]
    fn memory_stays_bounded() {
        for mut keep in [Keep::head(1000), Keep::tail(1000)] {
            for _ in 0..10_000 {
                assert!(keep.push(&[b'x'; 777]).is_none());
            }
            assert!(keep.bytes.capacity() <= 4096, "{}", keep.bytes.capacity());
            assert_eq!(keep.total, 7_770_000);
        }
    }

    #[test]
    fn shows_whole_characters_and_says_what_is_cut() {
        let long = "é".repeat(3000);
        let captured = Captured { bytes: format!("a{long}").into_bytes(), total: 6001 };
        let shown = partial(&captured, &captured).unwrap();
        assert!(
            shown.stdout.starts_with("aéé") && shown.stdout.ends_with("é… [6001 bytes in all]"),
            "{}",
            shown.stdout
        );
        assert!(shown.stderr.starts_with("[6001 bytes in all] …éé"), "{}", shown.stderr);
        assert!(shown.stdout.len() < SHOWN + 40 && shown.stderr.len() < SHOWN + 40);

        let short = Captured { bytes: b"ok \xff".to_vec(), total: 4 };
        assert_eq!(partial(&short, &Captured::default()).unwrap().stdout, "ok \u{fffd}");
        assert_eq!(partial(&Captured::default(), &Captured::default()), None);
    }
}
