//! Output that is no text: its real type, by its first bytes.

/// Content that is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// How a host shows it.
    pub form: Form,
    /// Its MIME type.
    pub mime: &'static str,
    /// The content itself.
    pub bytes: Vec<u8>,
}

/// How a host shows content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a picture.
    Image,
    /// As sound.
    Audio,
    /// As a file.
    Blob,
}

impl Media {
    /// Returns the content in base64.
    pub fn base64(&self) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::with_capacity(self.bytes.len().div_ceil(3) * 4);
        for chunk in self.bytes.chunks(3) {
            let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            for place in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
                text.push(if place <= chunk.len() { digit.into() } else { '=' });
            }
        }
        text
    }
}

/// The first bytes of the types that are told apart: at which place, which bytes, what that is.
const TYPES: &[(usize, &[u8], Form, &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", Form::Image, "image/png"),
    (0, b"\xff\xd8\xff", Form::Image, "image/jpeg"),
    (0, b"GIF87a", Form::Image, "image/gif"),
    (0, b"GIF89a", Form::Image, "image/gif"),
    (8, b"WEBPVP8", Form::Image, "image/webp"),
    (8, b"WAVEfmt ", Form::Audio, "audio/wav"),
    (0, b"ID3\x02", Form::Audio, "audio/mpeg"),
    (0, b"ID3\x03", Form::Audio, "audio/mpeg"),
    (0, b"ID3\x04", Form::Audio, "audio/mpeg"),
    (0, b"\xff\xfb", Form::Audio, "audio/mpeg"),
    (0, b"\xff\xf3", Form::Audio, "audio/mpeg"),
    (0, b"OggS\0", Form::Audio, "audio/ogg"),
    (0, b"fLaC", Form::Audio, "audio/flac"),
    (0, b"%PDF-", Form::Blob, "application/pdf"),
    (0, b"PK\x03\x04", Form::Blob, "application/zip"),
    (0, b"PK\x05\x06", Form::Blob, "application/zip"),
    (0, b"\x1f\x8b\x08", Form::Blob, "application/gzip"),
    (0, b"\x28\xb5\x2f\xfd", Form::Blob, "application/zstd"),
    (0, b"\xfd7zXZ\0", Form::Blob, "application/x-xz"),
    (0, b"SQLite format 3\0", Form::Blob, "application/vnd.sqlite3"),
    (0, b"\0asm", Form::Blob, "application/wasm"),
    (0, b"\x7fELF", Form::Blob, "application/x-elf"),
    (257, b"ustar", Form::Blob, "application/x-tar"),
];

/// How much of an output is looked at.
pub(crate) const LOOK: usize = 8 << 10;

/// Tells what an output is by its first bytes; `None` for text.
pub(crate) fn sniff(head: &[u8]) -> Option<(Form, &'static str)> {
    let is =
        |(at, magic, ..): &&(usize, &[u8], Form, &str)| head.get(*at..).is_some_and(|rest| rest.starts_with(magic));
    let known = TYPES.iter().find(is).map(|(_, _, form, mime)| (*form, *mime));
    known.or_else(|| is_binary(head).then_some((Form::Blob, "application/octet-stream")))
}

/// Tells whether bytes of no known type are not meant to be read: too few of them are text.
fn is_binary(head: &[u8]) -> bool {
    let strange = |text: &str| {
        text.chars().filter(|c| c.is_control() && !c.is_whitespace() && *c != '\u{1b}' && *c != '\u{8}').count()
    };
    let mut bad = 0;
    for chunk in head.utf8_chunks() {
        bad += chunk.invalid().len() + strange(chunk.valid());
    }
    head.len() >= 16 && bad * 10 > head.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_by_their_first_bytes() {
        for (head, mime) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], Some("image/png")),
            (b"RIFF\x24\0\0\0WAVEfmt ", Some("audio/wav")),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"%PDF-1.7\n", Some("application/pdf")),
            (b"SQLite format 3\0", Some("application/vnd.sqlite3")),
            (&[0x80; 64], Some("application/octet-stream")),
            (b"plain text\n", None),
            ("größe: 5 €\n".as_bytes(), None),
            (b"caf\xe9 au lait, in Latin-1, is text all the same\n", None),
            (b"\x1b[1;31m\x1b[0m\x1b[1m\x1b[0m red\n", None),
            (b"a\0b\0c\0 find -print0", None),
            (b"", None),
        ] {
            assert_eq!(sniff(head).map(|(_, mime)| mime), mime, "{head:?}");
        }
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(Media { form: Form::Blob, mime: "x", bytes: bytes.into() }.base64(), text);
        }
        let media = Media { form: Form::Blob, mime: "x", bytes: vec![0xfb, 0xff, 0xbf] };
        assert_eq!(media.base64(), "+/+/");
    }
}
