//! Finds short secrets. They are found only where a value is expected, because `1234`, for example, is also a part of
//! the reference `e1234`.
//!
//! A value is a whole text, a text between quotation marks, or the text after `=`. It is also the text after a colon,
//! if the colon comes before a space or after a quotation mark.

use std::ops::Range;

use super::{
    needles::{BASE64, Form, HEX, digits},
    view::View,
};

/// Maximum length of a value that is compared with the short secrets. Unit: bytes. Source: chosen; a short secret has at
/// most 5 characters, which take fewer bytes even with spaces and escapes.
const MAX_VALUE: usize = 64;
/// Characters that end a value without quotation marks.
const ENDS: &[u8] = b"&#;,\"'`)]}<>\r\n";

/// The forms of all short secrets, each with the index of its secret.
#[derive(Default)]
pub(super) struct Short {
    /// Two forms of each secret: folded (see [`View::folded`]), and as hexadecimal digits. Upper and lower case do not
    /// matter.
    plain: Vec<(Form, usize)>,
    /// The secrets as base64. Upper and lower case matter here.
    coded: Vec<(Form, usize)>,
}

impl Short {
    pub(super) fn add(&mut self, value: &str, secret: usize) {
        let folded = View::of(value.as_bytes()).folded();
        self.plain
            .push((Form::new(folded.bytes().trim_ascii().to_vec()), secret));
        self.plain.push((digits(value.as_bytes(), HEX), secret));
        for alphabet in BASE64 {
            self.coded
                .push((digits(value.as_bytes(), alphabet), secret));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Calls `found` with each range of the view that holds a short secret, and with the index of that secret.
    pub(super) fn find(&self, view: &View, mut found: impl FnMut(Range<usize>, usize)) {
        let bytes = view.bytes();
        let mut try_value = |range: Range<usize>| {
            let range = trimmed(bytes, range);
            if let Some(secret) = self.get(&bytes[range.clone()]) {
                found(range, secret);
            }
        };
        if bytes.len() <= MAX_VALUE {
            try_value(0..bytes.len());
        }
        for (at, byte) in bytes.iter().enumerate() {
            let start = at + 1;
            let until = |is_end: &dyn Fn(u8) -> bool| {
                bytes[start..]
                    .iter()
                    .take(MAX_VALUE + 1)
                    .position(|b| is_end(*b))
                    .map(|length| start..start + length)
            };
            let rest = start..bytes.len().min(start + MAX_VALUE);
            match byte {
                b'"' | b'\'' | b'`' => until(&|b| b == *byte).into_iter().for_each(&mut try_value),
                b'=' => try_value(
                    until(&|b| ENDS.contains(&b) || b.is_ascii_whitespace()).unwrap_or(rest),
                ),
                b':' if is_label(&bytes[..at], &bytes[start..]) => {
                    let blanks = bytes[start..].iter().take_while(|b| **b == b' ').count();
                    let word = bytes[start + blanks..].iter().take(MAX_VALUE);
                    let length = word
                        .take_while(|b| !ENDS.contains(b) && !b.is_ascii_whitespace())
                        .count();
                    try_value(start + blanks..start + blanks + length);
                    try_value(until(&|b| ENDS.contains(&b)).unwrap_or(rest));
                }
                _ => {}
            }
        }
    }

    /// Returns the index of the short secret that has a form equal to this value; `None` if there is no such secret.
    pub(super) fn get(&self, value: &[u8]) -> Option<usize> {
        if value.is_empty() || value.len() > MAX_VALUE {
            return None;
        }
        let get = |forms: &[(Form, usize)], value: &[u8]| {
            forms
                .iter()
                .find(|(form, _)| **form == *value)
                .map(|(_, secret)| *secret)
        };
        let bare = value
            .strip_suffix(b"==")
            .or_else(|| value.strip_suffix(b"="))
            .unwrap_or(value);
        let folded = View::of(value).folded();
        let joined = folded.joined();
        // Separators between the letters may be left out, but not punctuation before or after the letters.
        let is_spaced = joined.origin(0..joined.bytes().len()) == (0..value.len());
        get(&self.coded, bare)
            .or_else(|| get(&self.plain, folded.bytes()))
            .or_else(|| {
                is_spaced
                    .then(|| get(&self.plain, joined.bytes()))
                    .flatten()
            })
    }
}

/// Returns true if the colon between these two texts ends a label. True for `Pin: 1234` and `"pin":1234`, false for
/// `localhost:1234`.
fn is_label(before: &[u8], after: &[u8]) -> bool {
    after.first() == Some(&b' ') || before.last().is_some_and(|b| matches!(b, b'"' | b'\''))
}

/// Returns the range without white space at both ends, and without the backslash of an escaped quotation mark at its end.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let value = &bytes[range.clone()];
    let value = value.strip_suffix(b"\\").unwrap_or(value);
    let front = value.len() - value.trim_ascii_start().len();
    let start = range.start + front;
    start..start + value.trim_ascii().len()
}
