//! Makes the forms of a secret that are searched for. The search also covers views, which are transformed copies of a
//! text. For each kind of view, a function returns the forms that a secret can have in it.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
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

/// One of the forms in which a base64 text can contain a secret.
pub(super) struct Coded {
    /// The base64 characters that depend only on the secret. The characters at its edges may also depend on the bytes
    /// around the secret, so they are left out.
    pub(super) form: Form,
    /// True if the base64 character before `form` also holds bits of the secret.
    pub(super) before: bool,
    /// True if the base64 character after `form` also holds bits of the secret.
    pub(super) after: bool,
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
    distinct(&mut out);
    out
}

/// Returns the forms to search for in a folded view (see [`View::folded`]): the folded value, forwards and backwards.
pub(super) fn spelled(value: &str) -> Vec<Form> {
    let mut out = Vec::new();
    for spelling in spellings(value) {
        let reversed: Zeroizing<String> =
            Zeroizing::new(String::from_utf8_lossy(&spelling).chars().rev().collect());
        for order in [&*spelling, reversed.as_bytes()] {
            out.push(Zeroizing::new(View::of(order).folded().bytes().to_vec()));
        }
    }
    keep_long(out, MIN_UNDONE)
}

/// Returns the forms to search for in a view without separators (see [`View::joined`]): the folded value without its
/// separators, and the value's bytes as hexadecimal digits.
pub(super) fn joined(value: &str) -> Vec<Form> {
    let mut out: Vec<Form> = spellings(value)
        .iter()
        .map(|s| Zeroizing::new(View::of(s).folded().joined().bytes().to_vec()))
        .collect();
    out.push(hex(value));
    keep_long(out, MIN_ANYWHERE)
}

/// Returns the value's bytes as hexadecimal digits in lower case.
pub(super) fn hex(value: &str) -> Form {
    let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble & 15)];
    Zeroizing::new(
        value
            .bytes()
            .flat_map(|b| [digit(b >> 4), digit(b)])
            .collect(),
    )
}

/// Returns the whole value as base64: once in the standard alphabet and once in the alphabet for URLs.
pub(super) fn base64(value: &str) -> [Form; 2] {
    [STANDARD.encode(value), URL_SAFE.encode(value)].map(|text| Zeroizing::new(text.into_bytes()))
}

/// Returns the forms to search for in a packed view (see [`View::packed`]): the value as base64, at each of the three
/// alignments and in both alphabets. The characters that depend on the bytes around the secret are left out.
pub(super) fn coded(value: &str) -> Vec<Coded> {
    let mut out = Vec::new();
    for skipped in 0..3 {
        let mut bytes = Zeroizing::new(vec![0_u8; skipped]);
        bytes.extend_from_slice(value.as_bytes());
        // A base64 character holds 6 bits. `first` is the first character with bits of the value only; `end` is the end
        // of the last one.
        let first = (skipped * 8).div_ceil(6);
        let end = bytes.len() * 8 / 6;
        for alphabet in [&STANDARD, &URL_SAFE] {
            let text = Zeroizing::new(alphabet.encode(&*bytes));
            if let Some(form) = text.as_bytes().get(first..end) {
                let form = Zeroizing::new(form.to_vec());
                out.push(Coded {
                    form,
                    before: skipped > 0,
                    after: bytes.len() * 8 % 6 > 0,
                });
            }
        }
    }
    out.retain(|coded| coded.form.len() >= MIN_ANYWHERE);
    out.sort_by(|a, b| a.form.as_slice().cmp(b.form.as_slice()));
    out.dedup_by(|a, b| a.form == b.form);
    out
}

fn keep_long(mut forms: Vec<Form>, min: usize) -> Vec<Form> {
    forms.retain(|form| String::from_utf8_lossy(form).chars().count() >= min);
    distinct(&mut forms);
    forms
}

fn distinct(forms: &mut Vec<Form>) {
    forms.sort_by(|a, b| a.as_slice().cmp(b.as_slice()));
    forms.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(forms: &[Form]) -> Vec<String> {
        forms
            .iter()
            .map(|f| String::from_utf8_lossy(f).into_owned())
            .collect()
    }

    #[test]
    fn a_plain_value_has_one_spelling_and_one_skeleton() {
        assert_eq!(texts(&spelled("Hunter2")), ["2retnuh", "hunter2"]);
        assert_eq!(texts(&joined("Hunter-2")), ["48756e7465722d32", "hunter2"]);
    }

    #[test]
    fn a_value_that_looks_escaped_is_known_in_each_reading() {
        assert_eq!(
            texts(&spellings("a%41b&lt;c")),
            ["a%41b&lt;c", "a%41b<c", "aAb&lt;c", "aAb<c"]
        );
    }

    #[test]
    fn what_base64_holds_does_not_depend_on_its_neighbours() {
        for (before, after) in [("", ""), ("u:", ":x"), ("a", "b"), ("abc", "defg")] {
            let text = STANDARD.encode(format!("{before}hunter2{after}"));
            assert!(
                coded("hunter2")
                    .iter()
                    .any(|c| text.contains(&*String::from_utf8_lossy(&c.form))),
                "{text}"
            );
        }
    }
}
