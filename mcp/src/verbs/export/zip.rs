//! A zip file of stored entries: all that a bundle needs, since its executable hardly shrinks.

use std::io;

/// A zip file under construction. The same entries give the same bytes: no time is written.
#[derive(Default)]
pub(super) struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

/// 1980-01-01, the first day that the format knows.
const DATE: u16 = 0b0000_0000_0010_0001;
/// The version of the format that is needed, and that Unix made it.
const NEEDED: u16 = 20;
const MADE_BY: u16 = (3 << 8) | NEEDED;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

impl Zip {
    /// Adds a file.
    ///
    /// # Errors
    /// Where it is larger than the plain format can hold.
    pub(super) fn add(&mut self, name: &str, content: &[u8], executable: bool) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(too_large)?;
        let offset = u32::try_from(self.bytes.len()).map_err(too_large)?;
        let name_length = u16::try_from(name.len()).map_err(|_| io::Error::other("its name is too long"))?;
        let mut head = Vec::new();
        for short in [NEEDED, FLAGS, 0, 0, DATE] {
            head.extend(short.to_le_bytes());
        }
        for long in [crc32(content), size, size] {
            head.extend(long.to_le_bytes());
        }
        head.extend(name_length.to_le_bytes());
        head.extend(0_u16.to_le_bytes());

        self.bytes.extend(0x0403_4b50_u32.to_le_bytes());
        self.bytes.extend(&head);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(content);

        self.directory.extend(0x0201_4b50_u32.to_le_bytes());
        self.directory.extend(MADE_BY.to_le_bytes());
        self.directory.extend(&head);
        self.directory.extend([0; 6]);
        let mode: u32 = if executable { 0o100_755 } else { 0o100_644 };
        self.directory.extend((mode << 16).to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Where all of it is larger than the plain format can hold.
    pub(super) fn end(mut self) -> io::Result<Vec<u8>> {
        let start = u32::try_from(self.bytes.len()).map_err(too_large)?;
        let size = u32::try_from(self.directory.len()).map_err(too_large)?;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(0x0605_4b50_u32.to_le_bytes());
        for short in [0, 0, self.entries, self.entries] {
            self.bytes.extend(short.to_le_bytes());
        }
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend([0; 2]);
        Ok(self.bytes)
    }
}

fn too_large(_: std::num::TryFromIntError) -> io::Error {
    io::Error::other("larger than 4 GiB, which no bundle can hold")
}

fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |crc: u32, byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_the_one_of_the_format() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(super::crc32(b""), 0);
    }
}
