//! Views: transformed texts that can be traced back. Each byte of a view records the bytes of the original text that it
//! was made from.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

use super::escape::{DECODERS, Decoder, Unit};
use crate::base::text::is_deceptive;

#[derive(Default)]
pub(super) struct View {
    bytes: Vec<u8>,
    origins: Vec<Range<usize>>,
}

impl View {
    /// Makes a view of the text without any transformation.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            origins: (0..bytes.len()).map(|i| i..i + 1).collect(),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        match self.origins.get(range) {
            Some([first, .., last]) => first.start..last.end,
            Some([only]) => only.clone(),
            _ => 0..0,
        }
    }

    /// Returns the view with one layer of escapes undone: percent signs, backslashes and HTML entities. Returns `None` if
    /// the view contains no escape.
    pub(super) fn decoded(&self) -> Option<Self> {
        self.decoded_by(&DECODERS)
    }

    /// Returns the view with one layer of escapes undone, but only escapes that one of `decoders` can read. Returns
    /// `None` if the view contains no such escape.
    pub(super) fn decoded_by(&self, decoders: &[Decoder]) -> Option<Self> {
        let mut out = Self::default();
        let (mut at, mut changed) = (0, false);
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            let escape = matches!(rest[0], b'%' | b'&' | b'\\' | b'=')
                .then(|| decoders.iter().find_map(|d| d(rest)))
                .flatten();
            let taken = escape.map_or(1, |(_, taken)| taken);
            let origin = self.origin(at..at + taken);
            match escape {
                Some((Unit::Char(c), _)) => out.push_char(c, &origin),
                Some((Unit::Byte(byte), _)) => out.push(byte, origin),
                Some((Unit::Nothing, _)) => {}
                None => out.push(rest[0], origin),
            }
            changed |= escape.is_some();
            at += taken;
        }
        changed.then_some(out)
    }

    /// Returns the folded view: in lower case, with the compatible decomposition in place of each character, and with a
    /// space in place of each white space character and each plus sign. HTML forms send a space as a plus sign.
    ///
    /// Bytes that are not UTF-8 count as Latin-1, because old pages escape texts in that encoding.
    pub(super) fn folded(&self) -> Self {
        let mut out = Self::default();
        let mut at = 0;
        for chunk in self.bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                let origin = self.origin(at..at + c.len_utf8());
                out.push_folded(c, &origin);
                at += c.len_utf8();
            }
            for byte in chunk.invalid() {
                let origin = self.origin(at..at + 1);
                out.push_folded(char::from(*byte), &origin);
                at += 1;
            }
        }
        out
    }

    /// Returns the view without separators such as hyphens. Call this on a folded view.
    pub(super) fn joined(&self) -> Self {
        self.without(is_separator)
    }

    /// Returns the view without white space. It is searched for base64, because base64 may be wrapped into lines.
    pub(super) fn packed(&self) -> Self {
        self.without(char::is_whitespace)
    }

    fn without(&self, drop: impl Fn(char) -> bool) -> Self {
        let mut out = Self::default();
        let mut at = 0;
        let mut keep = |range: Range<usize>| {
            out.bytes.extend_from_slice(&self.bytes[range.clone()]);
            out.origins.extend_from_slice(&self.origins[range]);
        };
        for chunk in self.bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                let end = at + c.len_utf8();
                if !drop(c) {
                    keep(at..end);
                }
                at = end;
            }
            let end = at + chunk.invalid().len();
            keep(at..end);
            at = end;
        }
        out
    }

    fn push(&mut self, byte: u8, origin: Range<usize>) {
        self.bytes.push(byte);
        self.origins.push(origin);
    }

    fn push_char(&mut self, c: char, origin: &Range<usize>) {
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            self.push(byte, origin.clone());
        }
    }

    fn push_folded(&mut self, c: char, origin: &Range<usize>) {
        let mut push = |c: char| {
            if c.is_whitespace() || c == '+' {
                self.push(b' ', origin.clone());
            } else {
                c.to_lowercase()
                    .for_each(|lower| self.push_char(lower, origin));
            }
        };
        // The mark of this crate for a text that was cut off stays whole; it is compatible with three dots.
        if c.is_ascii() || c == '…' {
            push(c);
        } else {
            decompose_compatible(c, push);
        }
    }
}

/// Returns true if the character may separate the letters of a word, as in `h-u-n-t` or `4111 1111`.
fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || is_deceptive(c)
        || "-_.,:;/|*~'\"`\u{b7}\u{2022}\u{2010}\u{2011}\u{2013}\u{2014}".contains(c)
}
