//! Short keys derived from content by a hash function.

use sha2::{Digest as _, Sha256};

/// Returns the first 64 bits of the SHA-256 of the bytes as 16 hexadecimal digits. The same bytes give the same key in
/// every process and version. The key distinguishes values; it does not protect against forgery.
pub(crate) fn short_hash(bytes: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(bytes);
    let head = digest
        .iter()
        .take(8)
        .fold(0_u64, |head, byte| head << 8 | u64::from(*byte));
    format!("{head:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_head_of_the_known_digest() {
        // The digest of the empty input, from the examples of the standard.
        assert_eq!(short_hash(""), "e3b0c44298fc1c14");
    }
}
