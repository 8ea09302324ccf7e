//! Short digests of texts: the same in every run, on every machine.

use sha2::{Digest, Sha256};

/// The first `N` bytes of the SHA-256 of a text: a short key without collisions in practice.
pub(crate) fn digest<const N: usize>(text: &str) -> [u8; N] {
    let mut key = [0; N];
    key.copy_from_slice(&Sha256::digest(text.as_bytes())[..N]);
    key
}

/// A text's digest as 20 hexadecimal digits.
pub(crate) fn fingerprint(text: &str) -> String {
    let bytes: [u8; 10] = digest(text);
    crate::storage::hex::hex(&bytes)
}
