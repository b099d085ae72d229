//! The text that a JSON string stands for, read without keeping it.

use std::io::{self, BufRead, Read};

/// Reads the text of a string, from behind its first quote to its last one.
pub(super) struct Unescape<R> {
    raw: R,
    /// Decoded and not yet taken.
    ready: Vec<u8>,
    over: bool,
}

impl<R: BufRead> Unescape<R> {
    /// Starts at a string's first quote.
    pub(super) fn new(mut raw: R) -> io::Result<Self> {
        raw.read_exact(&mut [0])?;
        Ok(Self { raw, ready: Vec::new(), over: false })
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.raw.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn unit(&mut self) -> io::Result<u32> {
        let mut digits = [0; 4];
        self.raw.read_exact(&mut digits)?;
        let text = std::str::from_utf8(&digits).ok();
        text.and_then(|text| u32::from_str_radix(text, 16).ok()).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Decodes an escape sequence, of which the letter behind the backslash was read.
    fn escape(&mut self, letter: u8) -> io::Result<()> {
        let c = match letter {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => match self.unit()? {
                high @ 0xd800..=0xdbff => return self.pair(high),
                unit => char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER),
            },
            other => other.into(),
        };
        self.put(c);
        Ok(())
    }

    /// Decodes the second half of a pair; without it the first one is no character.
    fn pair(&mut self, high: u32) -> io::Result<()> {
        let mut c = char::REPLACEMENT_CHARACTER;
        let mut next = None;
        if self.raw.fill_buf()?.first() == Some(&b'\\') {
            self.raw.consume(1);
            next = Some(self.byte()?);
        }
        if next == Some(b'u') {
            let low = self.unit()?;
            if (0xdc00..=0xdfff).contains(&low) {
                c = char::from_u32(0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00))).unwrap_or(c);
            }
            next = None;
        }
        self.put(c);
        next.map_or(Ok(()), |letter| self.escape(letter))
    }

    fn put(&mut self, c: char) {
        self.ready.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl<R: BufRead> Read for Unescape<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !self.over && !out.is_empty() {
            let buffer = self.raw.fill_buf()?;
            if buffer.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let plain = buffer.iter().take(out.len()).take_while(|byte| !matches!(byte, b'"' | b'\\')).count();
            if plain > 0 {
                out[..plain].copy_from_slice(&buffer[..plain]);
                self.raw.consume(plain);
                return Ok(plain);
            }
            match self.byte()? {
                b'"' => self.over = true,
                _ => {
                    let letter = self.byte()?;
                    self.escape(letter)?;
                }
            }
        }
        let taken = self.ready.len().min(out.len());
        out[..taken].copy_from_slice(&self.ready[..taken]);
        self.ready.drain(..taken);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_says_what_serde_json_says() {
        for text in ["", "plain", "a\"b\\c\n\t\r\u{8}\u{c}\u{1}", "é€😀", "\\n"] {
            for json in [
                serde_json::to_string(text).unwrap(),
                serde_json::to_string(text).unwrap().replace('😀', "\\ud83d\\ude00"),
            ] {
                for capacity in [1, 2, 3, 100] {
                    let raw = io::BufReader::with_capacity(7, json.as_bytes());
                    let mut read = Vec::new();
                    let mut part = vec![0; capacity];
                    let mut unescape = Unescape::new(raw).unwrap();
                    while let n @ 1.. = unescape.read(&mut part).unwrap() {
                        read.extend_from_slice(&part[..n]);
                    }
                    assert_eq!(String::from_utf8(read).unwrap(), text, "{json}");
                }
            }
        }
        let mut read = String::new();
        Unescape::new(&b"\"\\ud800x\\udc00\\ud800\\n\""[..]).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, "\u{fffd}x\u{fffd}\u{fffd}\n");
    }
}
