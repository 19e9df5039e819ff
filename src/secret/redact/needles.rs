//! Makes the forms of a secret that are searched for. The search also covers views, which are transformed copies of a
//! text. For each kind of view, a function returns the forms that a secret can have in it.

use zeroize::Zeroizing;

use super::{
    escape::{DECODERS, Decoder},
    view::View,
};

/// Minimum number of characters of a secret that is searched for anywhere in a text, and of its forms, except those for
/// which [`MIN_UNDONE`] holds. Source: chosen; a shorter form would also be found in references and labels.
pub(super) const MIN_ANYWHERE: usize = 6;

/// Minimum length of a secret after its own escapes are undone; shorter results are not searched for. Unit: characters.
/// Source: chosen; a secret of six characters may consist of three escapes, which stand for three characters.
const MIN_UNDONE: usize = 3;

/// The bytes of one form of a secret. They are wiped from memory on drop.
pub(super) type Form = Zeroizing<Vec<u8>>;

/// The alphabets of hexadecimal digits and of base32, in lower case.
pub(super) const HEX: &[u8] = b"0123456789abcdef";
const BASE32: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The standard alphabet of base64, and the one for URLs.
pub(super) const BASE64: [&[u8]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// A form of a secret that is searched for.
pub(super) struct Needle {
    /// The characters that depend only on the secret. In base32 and base64, the characters at its edges may also depend
    /// on the bytes around the secret, so they are left out.
    pub(super) form: Form,
    /// True if the character before `form` also holds bits of the secret.
    pub(super) before: bool,
    /// True if the character after `form` also holds bits of the secret.
    pub(super) after: bool,
}

impl Needle {
    const fn whole(form: Form) -> Self {
        Self {
            form,
            before: false,
            after: false,
        }
    }
}

/// Returns the spellings of a secret's value: the value as it is, and the value with its own escapes undone. Every
/// combination of kinds of escapes is tried: its escapes are undone layer by layer, and the result of each layer is a
/// spelling.
///
/// A value may itself contain something that looks like an escape, such as `100%25`. A view that undoes the escapes of
/// a text changes that part of the value too, so the changed values must be searched for as well.
fn spellings(value: &str) -> Vec<Form> {
    let mut out: Vec<Form> = vec![Zeroizing::new(value.as_bytes().to_vec())];
    for mix in 1..1_usize << DECODERS.len() {
        let decoders: Vec<Decoder> = DECODERS
            .iter()
            .enumerate()
            .filter(|(i, _)| mix >> i & 1 == 1)
            .map(|(_, d)| *d)
            .collect();
        let mut view = View::of(value.as_bytes());
        while let Some(next) = view.decoded_by(&decoders) {
            out.push(Zeroizing::new(next.bytes().to_vec()));
            view = next;
        }
    }
    out.sort_by(|a, b| a.as_slice().cmp(b.as_slice()));
    out.dedup();
    out
}

/// Returns the forms to search for in a folded view (see [`View::folded`]): the folded value, forwards and backwards.
pub(super) fn spelled(value: &str) -> Vec<Needle> {
    let mut out = Vec::new();
    for spelling in spellings(value) {
        let reversed: Zeroizing<String> =
            Zeroizing::new(String::from_utf8_lossy(&spelling).chars().rev().collect());
        for order in [&*spelling, reversed.as_bytes()] {
            let folded = View::of(order).folded().bytes().to_vec();
            out.push(Needle::whole(Zeroizing::new(folded)));
        }
    }
    keep_long(out, MIN_UNDONE)
}

/// Returns the forms to search for in a view without separators (see [`View::joined`]): the folded value without its
/// separators, and the value's bytes as hexadecimal digits and as base32.
pub(super) fn joined(value: &str) -> Vec<Needle> {
    let mut out: Vec<Needle> = spellings(value)
        .iter()
        .map(|s| View::of(s).folded().joined().bytes().to_vec())
        .map(|joined| Needle::whole(Zeroizing::new(joined)))
        .collect();
    for bytes in texts(value) {
        out.extend(aligned(&bytes, HEX));
        out.extend(aligned(&bytes, BASE32));
    }
    keep_long(out, MIN_ANYWHERE)
}

/// Returns the forms to search for in a packed view (see [`View::packed`]): the value's bytes as base64 in both alphabets.
pub(super) fn coded(value: &str) -> Vec<Needle> {
    let mut out = Vec::new();
    for bytes in texts(value) {
        for alphabet in BASE64 {
            out.extend(aligned(&bytes, alphabet));
        }
    }
    keep_long(out, MIN_ANYWHERE)
}

/// Returns the value's bytes in UTF-8, and in both byte orders of UTF-16.
fn texts(value: &str) -> [Form; 3] {
    let units = || value.encode_utf16();
    [
        value.as_bytes().to_vec(),
        units().flat_map(u16::to_le_bytes).collect(),
        units().flat_map(u16::to_be_bytes).collect(),
    ]
    .map(Zeroizing::new)
}

/// Returns the bytes as digits of an alphabet, without padding. An alphabet of 2^n characters has n bits for each digit.
pub(super) fn digits(bytes: &[u8], alphabet: &[u8]) -> Form {
    let (width, mask) = (alphabet.len().ilog2(), alphabet.len() - 1);
    let mut out = Vec::with_capacity(bytes.len() * 2);
    let (mut held, mut bits) = (0_usize, 0);
    for byte in bytes {
        held = (held << 8 | usize::from(*byte)) & 0xffff;
        bits += 8;
        while bits >= width {
            bits -= width;
            out.push(alphabet[held >> bits & mask]);
        }
    }
    if bits > 0 {
        out.push(alphabet[held << (width - bits) & mask]);
    }
    Zeroizing::new(out)
}

/// Returns the digits of the bytes inside a longer text, once for each place that their first bit can have in a digit. The
/// digits that depend on the bytes around them are left out.
fn aligned(bytes: &[u8], alphabet: &[u8]) -> impl Iterator<Item = Needle> {
    let width = alphabet.len().ilog2() as usize;
    // After so many bytes, a digit ends together with a byte.
    let period = width >> width.trailing_zeros();
    (0..period).filter_map(move |skipped| {
        let mut padded = Zeroizing::new(vec![0_u8; skipped]);
        padded.extend_from_slice(bytes);
        let (start, end) = (skipped * 8, padded.len() * 8);
        let form = digits(&padded, alphabet);
        let form = form.get(start.div_ceil(width)..end / width)?.to_vec();
        Some(Needle {
            form: Zeroizing::new(form),
            before: start % width > 0,
            after: end % width > 0,
        })
    })
}

fn keep_long(mut needles: Vec<Needle>, min: usize) -> Vec<Needle> {
    needles.retain(|needle| String::from_utf8_lossy(&needle.form).chars().count() >= min);
    needles.sort_by(|a, b| a.form.as_slice().cmp(b.form.as_slice()));
    needles.dedup_by(|a, b| a.form == b.form);
    needles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(form: &Form) -> String {
        String::from_utf8_lossy(form).into_owned()
    }

    fn forms(needles: &[Needle]) -> Vec<String> {
        needles.iter().map(|needle| shown(&needle.form)).collect()
    }

    #[test]
    fn a_plain_value_has_one_spelling_one_skeleton_and_a_bounded_number_of_codes() {
        assert_eq!(forms(&spelled("Hunter2")), ["2retnuh", "hunter2"]);
        let joined = forms(&joined("Hunter-2"));
        assert!(joined.contains(&"48756e7465722d32".to_owned()));
        assert!(joined.contains(&"hunter2".to_owned()));
        // Three byte texts, each as hexadecimal digits and five times as base32; and three times as base64, in two alphabets.
        assert_eq!(joined.len(), 1 + 3 * (1 + 5));
        assert!(coded("Hunter-2").len() <= 3 * 3 * 2);
    }

    #[test]
    fn a_value_that_looks_escaped_is_known_in_each_reading() {
        let spellings: Vec<_> = spellings("a%41b&lt;c").iter().map(shown).collect();
        assert_eq!(spellings, ["a%41b&lt;c", "a%41b<c", "aAb&lt;c", "aAb<c"]);
    }

    #[test]
    fn digits_are_those_of_the_rfc() {
        for (bytes, base32, base64) in [
            ("f", "my", "Zg"),
            ("fo", "mzxq", "Zm8"),
            ("foo", "mzxw6", "Zm9v"),
            ("foob", "mzxw6yq", "Zm9vYg"),
            ("foobar", "mzxw6ytboi", "Zm9vYmFy"),
        ] {
            assert_eq!(shown(&digits(bytes.as_bytes(), BASE32)), base32);
            assert_eq!(shown(&digits(bytes.as_bytes(), BASE64[0])), base64);
        }
        assert_eq!(shown(&digits(b"\xff\xfe", BASE64[1])), "__4");
        assert_eq!(shown(&digits(b"\xa0", HEX)), "a0");
    }

    #[test]
    fn what_a_code_holds_does_not_depend_on_its_neighbours() {
        for (before, after) in [
            ("", ""),
            ("u:", ":x"),
            ("a", "b"),
            ("abc", "defg"),
            ("abcd", "e"),
        ] {
            let text = format!("{before}hunter2{after}");
            for (alphabet, needles) in [
                (BASE64[0], coded("hunter2")),
                (BASE32, joined("hunter2")),
                (HEX, joined("hunter2")),
            ] {
                let digits = shown(&digits(text.as_bytes(), alphabet));
                let is_found = forms(&needles).iter().any(|form| digits.contains(form));
                assert!(is_found, "{digits}");
            }
        }
    }
}
