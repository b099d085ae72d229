//! The seal of what a client carries from one request to the next.

use sha2::{Digest, Sha256};
use std::io;

/// The key of this process.
pub(super) struct Key([u8; 32]);

impl Key {
    /// Makes one; `None` where the system gives nothing to make it from.
    pub(super) fn new() -> Option<Self> {
        random().ok().map(Self)
    }

    /// Returns the seal of some texts, in hexadecimal digits.
    pub(super) fn seal(&self, texts: &[&str]) -> String {
        let mut bytes = Vec::new();
        for text in texts {
            bytes.extend((text.len() as u64).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        hmac(&self.0, &bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Tells whether this is the seal of these texts, in the same time whatever it is.
    pub(super) fn fits(&self, seal: &str, texts: &[&str]) -> bool {
        let right = self.seal(texts);
        let differs = right.bytes().zip(seal.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
        right.len() == seal.len() && differs == 0
    }
}

/// Returns bytes that nobody can guess.
pub(in crate::run) fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// HMAC-SHA256 (RFC 2104) with a key that is no longer than a block.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let padded = |pad: u8| {
        let mut block = [pad; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        Sha256::new().chain_update(block)
    };
    let inner = padded(0x36).chain_update(text).finalize();
    padded(0x5c).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::{Key, hmac};

    #[test]
    fn the_seal_is_that_of_rfc_4231() {
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(
            hex(hmac(&[0x0b; 20], b"Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex(hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn no_other_texts_have_the_seal() {
        let key = Key::new().unwrap();
        let seal = key.seal(&["ab", "c"]);
        assert!(key.fits(&seal, &["ab", "c"]));
        let others: [&[&str]; 4] = [&["a", "bc"], &["ab", "c", ""], &["abc"], &["ab", "d"]];
        for other in others {
            assert!(!key.fits(&seal, other), "{other:?}");
        }
        for wrong in ["", &seal[1..], &format!("{seal}0"), &seal.to_uppercase().replace(char::is_numeric, "0")] {
            assert!(!key.fits(wrong, &["ab", "c"]), "{wrong}");
        }
        assert!(!Key::new().unwrap().fits(&seal, &["ab", "c"]), "each process has its own key");
    }
}
