//! Makes the folder names for hosts and namespaces. Each folder name is a single path component that is valid on every
//! system. Different hosts get different folder names.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::base::Host;

/// Maximum length of a folder name; a longer name is shortened. Unit: bytes. Source: chosen; file systems allow 255
/// bytes.
const MAX_PLAIN: usize = 100;
/// Maximum length of the part of a host that a shortened folder name keeps. `~` and a hash follow this part. Unit:
/// bytes. Source: chosen.
const KEPT: usize = 60;
/// Names that Windows reserves for devices. [`is_device`] also checks numbered names, such as `com1`.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns the name of a host's folder.
///
/// Lower-case letters, digits, `-` (except at the start) and inner single dots stay as they are. Every other byte
/// becomes `_` and two hexadecimal digits. The first byte of a name that Windows reserves for a device is replaced in
/// the same way. A folder name of more than 100 bytes is shortened and ends with `~` and a hash of the host. The full
/// host is stored in the files in the folder.
pub(super) fn encode(host: &Host) -> String {
    component(host.as_str())
}

/// Returns the host for which [`encode`] returns this folder name. Returns `None` if the name was shortened, or if
/// `encode` returns it for no host.
pub(super) fn decode(name: &str) -> Option<Host> {
    let text = plain(name)?;
    // Only the spelling that `encode` produces for this host is accepted.
    (component(&text) == name).then(|| serde_json::from_value(text.into()).ok())?
}

pub(super) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let numbered = |prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|n: &str| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
    };
    DEVICES.contains(&stem) || numbered("com") || numbered("lpt")
}

/// Encodes a text as one path component, by the rules that [`encode`] describes. The empty text becomes `_`.
pub(super) fn component(text: &str) -> String {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return "_".to_owned();
    }
    let mut name = String::with_capacity(bytes.len());
    let mut kept = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let is_inner = at > 0 && at + 1 < bytes.len();
        let is_plain = match byte {
            b'a'..=b'z' | b'0'..=b'9' => at > 0 || !is_device(text),
            b'-' => at > 0,
            b'.' => is_inner && bytes[at - 1] != b'.' && bytes[at + 1] != b'.',
            _ => false,
        };
        if is_plain {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "_{byte:02x}");
        }
        if name.len() <= KEPT {
            kept = name.len();
        }
    }
    if name.len() > MAX_PLAIN {
        name.truncate(kept);
        name.push('~');
        for byte in &Sha256::digest(bytes)[..8] {
            let _ = write!(name, "{byte:02x}");
        }
    }
    name
}

/// Reverses the codes of [`component`]. Does not check whether `component` returns this name. For a shortened name, the
/// result is not the original text. Returns `None` if the name contains an invalid code after a `_`, or if the result
/// would not be UTF-8.
pub(super) fn plain(name: &str) -> Option<String> {
    if name == "_" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'_' {
            let (hex, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        path::{Component, Path},
    };

    use proptest::prelude::*;

    use super::*;

    fn host(text: &str) -> Host {
        serde_json::from_value(text.into()).unwrap()
    }

    fn assert_is_one_safe_component(name: &str) {
        let parts: Vec<_> = Path::new(name).components().collect();
        assert!(matches!(parts[..], [Component::Normal(_)]), "{name}");
        assert!(
            name.len() <= MAX_PLAIN
                && !name.ends_with('.')
                && !name.starts_with('-')
                && !is_device(name),
            "{name}"
        );
        assert!(
            name.bytes()
                .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~')),
            "{name}"
        );
    }

    #[test]
    fn an_ordinary_host_is_its_own_name() {
        for plain in [
            "shop.example",
            "xn--bcher-kva.example",
            "127.0.0.1",
            "localhost",
            "a-b.c-d",
        ] {
            assert_eq!(encode(&host(plain)), plain);
        }
        assert_eq!(
            encode(&host("http://[::1]:80")),
            "http_3a_2f_2f_5b_3a_3a1_5d_3a80"
        );
    }

    #[test]
    fn no_host_leaves_its_folder_or_takes_another_ones() {
        let hostile = [
            "",
            "..",
            ".",
            "...",
            "-rf",
            "--help",
            "con",
            "CON",
            "nul.txt",
            "com1",
            "lpt9.x",
            "a..b",
            "a_b.com",
            "a.b.",
            ".a",
            "example.com.",
            "[::1]",
            "http://127.0.0.1:8080",
            "localhost:5173",
            "localhost_5173",
            "localhost/5173",
            "localhost_3a5173",
            "_",
            "__",
            "_-con",
            "~",
            "a~0123456789abcdef",
            "a/b",
            "a\\b",
            "a\0b",
            "\u{202e}x",
            "ä",
            "a%2eb",
            "COM1.example",
            "aux",
            "a:b",
            "%2e%2e",
            "_2e_2e",
        ];
        let mut names = BTreeSet::new();
        for text in hostile {
            let name = encode(&host(text));
            assert_is_one_safe_component(&name);
            assert_eq!(decode(&name), Some(host(text)), "{name}");
            assert!(names.insert(name), "{text} collides");
        }
    }

    #[test]
    fn a_long_host_is_cut_and_told_apart_by_its_hash() {
        let (a, b) = ("a".repeat(300), format!("{}b", "a".repeat(299)));
        let (name_a, name_b) = (encode(&host(&a)), encode(&host(&b)));
        assert_eq!(
            (name_a.len(), name_a.split('~').next().unwrap().len()),
            (77, 60)
        );
        assert_ne!(name_a, name_b);
        assert_eq!(decode(&name_a), None, "the files hold the whole host");
        assert_is_one_safe_component(&encode(&host(&"_".repeat(99))));
        assert_eq!(encode(&host(&"a".repeat(100))), "a".repeat(100));
    }

    #[test]
    fn a_second_spelling_of_a_name_is_not_read() {
        for name in [
            "_61", "A", "a_", "a_2", "a_zz", "..", "_2E", "-a", "con", "_+1",
        ] {
            assert_eq!(decode(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in "\\PC{0,120}|[a-c._:/\\[\\]-]{0,40}|[a-z0-9.-]{90,130}") {
            let name = encode(&host(&text));
            assert_is_one_safe_component(&name);
            if name.contains('~') {
                prop_assert_eq!(decode(&name), None);
            } else {
                prop_assert_eq!(decode(&name), Some(host(&text)));
            }
        }
    }
}
