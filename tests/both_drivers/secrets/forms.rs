//! The eight encodings of the requirements, and the search for them in what left a run.
//!
//! Written from the encodings alone, not with the crate's redactor: what that overlooks must be found here.

use std::{collections::BTreeSet, fmt::Write as _};

use aho_corasick::AhoCorasick;
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD},
};

use crate::secrets::canaries::PIN;

/// The encodings, in the order of the requirements.
pub(crate) const ENCODINGS: [&str; 8] = [
    "raw",
    "JSON-escaped",
    "URL-encoded",
    "HTML entities",
    "base64",
    "hex",
    "case-folded",
    "separator-stripped",
];

/// Every variant of a value with the number of its encoding: what a page may make of it.
pub(crate) fn variants(value: &str) -> Vec<(usize, String)> {
    let mut out = vec![(0, value.to_owned()), (1, json(value))];
    out.push((
        1,
        value
            .encode_utf16()
            .fold(String::new(), |s, unit| s + &format!("\\u{unit:04x}")),
    ));
    out.extend([
        (2, percent(value, true, true)),
        (2, percent(value, false, true)),
        (2, percent(value, true, false)),
    ]);
    out.push((
        2,
        url::form_urlencoded::byte_serialize(value.as_bytes()).collect(),
    ));
    out.extend([
        (3, named(value)),
        (3, each(value, |c| format!("&#{};", u32::from(c)))),
    ]);
    out.push((3, each(value, |c| format!("&#x{:X};", u32::from(c)))));
    for before in ["", "u", "u:"] {
        // What a short value is embedded in hides it from anybody; alone it can be read.
        if before.is_empty() || value != PIN {
            out.push((4, STANDARD.encode(format!("{before}{value}"))));
            out.push((4, URL_SAFE.encode(format!("{before}{value}"))));
            out.push((4, URL_SAFE_NO_PAD.encode(format!("{before}{value}"))));
        }
    }
    out.extend([(5, hex(value)), (5, hex(value).to_uppercase())]);
    out.extend([(6, value.to_lowercase()), (6, value.to_uppercase())]);
    out.extend([
        (7, each(value.trim(), |c| format!("{c} "))),
        (7, each(value.trim(), |c| format!("{c}-"))),
    ]);
    out.push((
        7,
        value
            .chars()
            .filter(|c| !c.is_whitespace() && !"-_.,:/".contains(*c))
            .collect(),
    ));
    out
}

fn json(value: &str) -> String {
    let quoted = serde_json::to_string(value).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

fn percent(value: &str, upper: bool, sparing: bool) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        match (
            sparing && (byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)),
            upper,
        ) {
            (true, _) => out.push(char::from(byte)),
            (_, true) => write!(out, "%{byte:02X}").unwrap(),
            (_, false) => write!(out, "%{byte:02x}").unwrap(),
        }
        out
    })
}

fn each(value: &str, form: impl Fn(char) -> String) -> String {
    value
        .chars()
        .map(form)
        .collect::<String>()
        .trim_end_matches([' ', '-'])
        .to_owned()
}

fn named(value: &str) -> String {
    value.chars().fold(String::new(), |out, c| match c {
        '&' => out + "&amp;",
        '<' => out + "&lt;",
        '>' => out + "&gt;",
        '"' => out + "&quot;",
        '\'' => out + "&#39;",
        c => out + c.encode_utf8(&mut [0; 4]),
    })
}

fn hex(value: &str) -> String {
    value
        .bytes()
        .fold(String::new(), |out, byte| out + &format!("{byte:02x}"))
}

/// Letters and digits only, in lower case: what is left when everything that can separate is taken out.
pub(crate) fn stripped(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Looks for one value in every encoding.
pub(crate) struct Scanner {
    plain: AhoCorasick,
    encodings: Vec<usize>,
    core: String,
    is_pin: bool,
}

impl Scanner {
    pub(crate) fn new(value: &str) -> Self {
        let mut needles: BTreeSet<(String, usize)> = BTreeSet::new();
        for (encoding, variant) in variants(value) {
            let text = if encoding == 4 {
                variant.trim_end_matches('=').to_owned()
            } else {
                variant
            };
            needles.insert((text.trim().to_lowercase(), encoding));
        }
        // The two other alignments hold what is before the value as well: only what the value decides counts.
        for skipped in [1, 2].into_iter().filter(|_| value != PIN) {
            let coded = STANDARD.encode(format!("{}{value}", &"uu"[..skipped]));
            let first = (skipped * 8_usize).div_ceil(6);
            let end = (skipped + value.len()) * 8 / 6;
            needles.insert((coded[first..end].to_lowercase(), 4));
            needles.insert((
                coded[first..end]
                    .replace('+', "-")
                    .replace('/', "_")
                    .to_lowercase(),
                4,
            ));
        }
        let (texts, encodings): (Vec<_>, Vec<_>) = needles.into_iter().unzip();
        let plain = AhoCorasick::new(&texts).unwrap();
        Self {
            plain,
            encodings,
            core: stripped(value),
            is_pin: value == PIN,
        }
    }

    /// The encodings in which the value stands in these bytes: as they are, and with one and two layers of the escapes
    /// that a log or a JSON file puts around a text undone.
    pub(crate) fn hits(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        for _ in 0..3 {
            let lower = text.to_lowercase();
            for hit in self.plain.find_overlapping_iter(&lower) {
                if !self.is_pin || stands_alone(&lower, hit.range()) {
                    found.insert(self.encodings[hit.pattern().as_usize()]);
                }
            }
            if !self.is_pin && stripped(&text).contains(&self.core) {
                found.insert(7);
            }
            match unescaped(&text) {
                next if next == text => break,
                next => text = next,
            }
        }
        found
    }
}

/// Four digits are part of many numbers; the PIN is what is no part of a longer one.
fn stands_alone(text: &str, range: std::ops::Range<usize>) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !is_part(text[..range.start].chars().next_back()) && !is_part(text[range.end..].chars().next())
}

/// One layer of backslash escapes undone.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let mut chars = after.chars();
        let sign = chars.next();
        rest = chars.as_str();
        match sign {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let digits: String = rest
                    .trim_start_matches('{')
                    .chars()
                    .take_while(char::is_ascii_hexdigit)
                    .collect();
                let braces = rest.starts_with('{');
                let digits = if braces {
                    digits
                } else {
                    digits.chars().take(4).collect()
                };
                match u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                {
                    Some(c) => {
                        out.push(c);
                        rest = &rest[digits.len() + if braces { 2 } else { 0 }..];
                    }
                    None => out.push_str("\\u"),
                }
            }
            Some(sign) => out.push(sign),
            None => {}
        }
    }
    out + rest
}

#[test]
fn the_search_finds_each_encoding_of_each_value_and_nothing_where_there_is_none() {
    for value in crate::secrets::canaries::canaries() {
        let scanner = Scanner::new(&value);
        for (encoding, variant) in variants(&value) {
            for text in [
                format!("x: {variant} ."),
                serde_json::to_string(&variant).unwrap(),
                format!("{variant:?}"),
            ] {
                assert!(
                    !scanner.hits(text.as_bytes()).is_empty(),
                    "{} of {value:?} in {text}",
                    ENCODINGS[encoding]
                );
            }
        }
        let innocent = "the quick brown fox, 18264 82640 e8264 <secret:CANARY> [hidden] %20 &amp; AAAA== 0123456789abcdef";
        assert!(scanner.hits(innocent.as_bytes()).is_empty(), "{value:?}");
    }
}
