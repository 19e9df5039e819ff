//! Finds and replaces secret values, in the forms that are listed below. No other code in the crate does this.
//!
//! A text is searched in several views. A view is the text after a transformation. Each byte of a view records which
//! bytes of the text it came from.
//!
//! - The first views are the text as it is, and the text with one, two or three layers of escapes undone (escapes of
//!   URLs, HTML, JSON and program text, in any mix). If one of them looks like quoted-printable, what it says is a first
//!   view too. That is not mixed with the other escapes, because `=12` is often no escape.
//! - From each first view, three further views are made: a folded view (in lower case, each letter replaced by the
//!   letters that Unicode calls compatible with it, each white space character and `+` as a blank), a folded view
//!   without separators, and a view without white space.
//!
//! For each kind of further view, one automaton looks for all secrets at once. The forms in which a secret is found, each
//! with the search that finds it:
//!
//! - Written as it is, in another case, in full-width letters, with its accents as characters of their own, backwards, or
//!   with `+` for a blank: a search of the folded view.
//! - Written with escapes such as `\"`, `\u0022`, `%22`, `&quot;`, `&#34;` or `&#x22;`, also with escapes of escapes: the
//!   same search after the escapes are undone.
//! - Written with separators, such as `h u n t e r 2`, `h-u-n-t-e-r-2` or `4111 1111`, as hexadecimal digits, or as base32
//!   at any alignment: a search of the folded view without separators.
//! - Written as base64 at any alignment, in either alphabet, wrapped into lines or not, padded or not: a search of the view
//!   without white space. Of base32 and base64, the characters that depend only on the secret are searched for; of these
//!   codes and of hexadecimal digits, those of the value's UTF-8 and of both byte orders of its UTF-16.
//! - Cut off, with this crate's own `…` at the end: a search for the secret's beginning, at least 6 characters,
//!   directly before the `…`.
//!
//! A secret of fewer than 6 characters is replaced only where a value is expected: as a whole text, between quotes,
//! after `=`, or after a colon with a space behind it or a quotation mark before it. In other places, the replacement
//! would destroy references and labels. The run should warn its user of such secrets ([`Redactor::too_short`]).
//!
//! In a page tree, a secret that is spread over several nodes is found as well; see `spread`.
//!
//! Nothing else is found: for example a value that the page's own code encrypted, a value with other characters between
//! its letters (such as `#`), a value under more than three layers of escapes, or a short secret inside running text.
//! Redact a text before you cut it.
//!
//! # Decisions
//!
//! - Redaction undoes escapes instead of searching for each secret in a list of encodings, because pages mix and nest
//!   encodings. The place of a secret in a view is mapped back to its place in the original text.

mod escape;
mod needles;
mod short;
mod spread;
mod view;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt, ops::Range, sync::Arc};

use aho_corasick::AhoCorasick;
use serde_json::{Map, Value};

use self::{
    escape::quoted_printable,
    needles::{Form, MIN_ANYWHERE, Needle},
    short::Short,
    view::View,
};
use super::{Secret, SecretName};
use crate::page::{Observation, Tree};

/// Maximum number of layers of escapes that are undone. Source: chosen; a URL inside an HTML attribute inside a JSON
/// string has three layers.
const MAX_LAYERS: usize = 3;
/// Maximum number of characters that pad a base32 or base64 text. Source: RFC 4648.
const MAX_PADDING: usize = 6;
/// Replacement for every text if the secrets are too large to search for.
const UNSEARCHABLE: &str = "[redacted]";

/// Replaces every known form of every secret by its placeholder.
///
/// ```
/// use webwise::{Origin, secret::{Secret, SecretName, Vault}};
///
/// let vault = Vault::new().with(
///     SecretName::parse("PASSWORD")?,
///     Secret::new("hunter2!"),
///     vec![Origin::parse("https://shop.example")?],
/// )?;
/// let redactor = vault.redactor();
/// assert_eq!(redactor.text("q=HUNTER2%21&x=1"), "q=<secret:PASSWORD>&x=1");
/// assert_eq!(redactor.text("Basic dTpodW50ZXIyIQ=="), "Basic dT<secret:PASSWORD>");
/// assert_eq!(redactor.text("hunters"), "hunters");
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Option<Arc<Forms>>);

/// The forms of all secrets of a run. The automata hold copies of the secrets, and these copies cannot be wiped from
/// memory. The other copies in this value are wiped on drop. The views from which the forms are made are not wiped.
struct Forms {
    placeholders: Vec<String>,
    weak: Vec<SecretName>,
    spelled: Automaton,
    joined: Automaton,
    coded: Automaton,
    /// The folded values of all secrets that are not too short (see [`View::folded`]), each with the index of its
    /// secret. A value whose end was cut off is found by its beginning.
    heads: Vec<(Form, usize)>,
    short: Short,
}

/// A place where a secret was found: a range of the text, and the index of the secret.
#[derive(Debug, Clone)]
struct Hit {
    range: Range<usize>,
    secret: usize,
}

impl Redactor {
    /// The forms in which a secret is found, in words for a person.
    pub const FORMS: [&'static str; 8] = [
        "as it is, in upper or lower case, in full-width and other compatible letters",
        "backwards",
        "with blanks or separators between its characters",
        "with up to three layers of URL, HTML, JSON or program escapes",
        "as quoted-printable",
        "as hexadecimal digits of its UTF-8 or UTF-16",
        "as base32 of its UTF-8 or UTF-16, also inside a longer text",
        "as base64 of its UTF-8 or UTF-16 in both alphabets, also inside a longer text",
    ];

    /// Builds a redactor for these secrets.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a SecretName, &'a Secret)>) -> Self {
        let secrets: Vec<_> = secrets
            .into_iter()
            .filter(|(_, secret)| !secret.expose().trim().is_empty())
            .collect();
        if secrets.is_empty() {
            Self(None)
        } else {
            Self(Some(Arc::new(Forms::of(&secrets))))
        }
    }

    /// Returns true if the redactor has no secret to look for.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the names of the secrets that are too short to be replaced everywhere. Such a secret is replaced only if
    /// it is a whole text, stands between quotes, or follows `=` or the colon of a label, as in `Pin: 1234` and
    /// `"pin":1234`. In a page tree, it is also replaced if it is spread over nodes of one or two characters each.
    pub fn too_short(&self) -> &[SecretName] {
        self.0.as_deref().map_or(&[], |forms| &forms.weak)
    }

    /// Returns the text with every form of every secret replaced by the secret's placeholder. A text without secrets is
    /// returned unchanged.
    pub fn text(&self, text: &str) -> String {
        match self.replaced(text.as_bytes()) {
            None => text.to_owned(),
            Some(bytes) => String::from_utf8(bytes)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        }
    }

    /// Returns the bytes with every form of every secret replaced by the secret's placeholder.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.replaced(bytes).unwrap_or_else(|| bytes.to_vec())
    }

    /// Returns true if the text shows a secret in any form.
    pub fn contains(&self, text: &str) -> bool {
        self.is_in(text.as_bytes())
    }

    /// Returns true if the bytes show a secret in any form.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        self.replaced(bytes).is_some()
    }

    /// Redacts every string and key of a JSON value. Also redacts each number that is equal to a secret, unless the
    /// secret is [too short](Self::too_short).
    pub fn json(&self, value: &mut Value) {
        let Some(forms) = &self.0 else { return };
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Number(number) => {
                let text = number.to_string();
                if text.chars().count() >= MIN_ANYWHERE && forms.is_secret(&text) {
                    *value = Value::String(self.text(&text));
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Value::Object(map) => {
                let redact = |(key, mut value): (String, Value)| {
                    self.json(&mut value);
                    (self.text(&key), value)
                };
                *map = std::mem::take(map)
                    .into_iter()
                    .map(redact)
                    .collect::<Map<_, _>>();
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Returns the tree with every name, value, address and property redacted. If a secret is spread over several
    /// nodes, its pieces are redacted too. References and structure stay the same.
    pub fn tree(&self, tree: &Tree) -> Tree {
        match self.0.as_deref() {
            None => tree.clone(),
            Some(forms) => spread::hidden(forms, tree.clone().map_text(|text| self.text(text))),
        }
    }

    /// Returns the observation with every text redacted. The picture stays as it is, because it cannot be redacted.
    #[must_use]
    pub fn observation(&self, mut seen: Observation) -> Observation {
        if self.is_empty() {
            return seen;
        }
        seen.tree = self.tree(&seen.tree);
        seen.map_text_beside_tree(|text| self.text(text))
    }

    /// Returns the map with its keys and values redacted.
    #[must_use]
    pub fn pairs(&self, pairs: BTreeMap<String, String>) -> BTreeMap<String, String> {
        pairs
            .into_iter()
            .map(|(name, text)| (self.text(&name), self.text(&text)))
            .collect()
    }

    fn replaced(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let forms = self.0.as_deref()?;
        if forms.is_unsearchable() {
            return Some(UNSEARCHABLE.as_bytes().to_vec());
        }
        let hits = clusters(forms.find(bytes));
        if hits.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for Hit { range, secret } in hits {
            out.extend_from_slice(&bytes[at..range.start]);
            out.extend_from_slice(forms.placeholders[secret].as_bytes());
            at = range.end;
        }
        out.extend_from_slice(&bytes[at..]);
        Some(out)
    }
}

impl Forms {
    fn of(secrets: &[(&SecretName, &Secret)]) -> Self {
        let (mut spelled, mut joined, mut coded) = (Vec::new(), Vec::new(), Vec::new());
        let (mut heads, mut weak, mut short) = (Vec::new(), Vec::new(), Short::default());
        for (index, (name, secret)) in secrets.iter().enumerate() {
            let value = secret.expose();
            if value.chars().count() < MIN_ANYWHERE {
                short.add(value, index);
                weak.push((*name).clone());
                continue;
            }
            let of_secret = |needle: Needle| (needle, index);
            spelled.extend(needles::spelled(value).into_iter().map(of_secret));
            joined.extend(needles::joined(value).into_iter().map(of_secret));
            coded.extend(needles::coded(value).into_iter().map(of_secret));
            heads.push((
                Form::new(View::of(value.as_bytes()).folded().bytes().to_vec()),
                index,
            ));
        }
        Self {
            placeholders: secrets.iter().map(|(name, _)| name.placeholder()).collect(),
            weak,
            spelled: Automaton::of(&spelled),
            joined: Automaton::of(&joined),
            coded: Automaton::of(&coded),
            heads,
            short,
        }
    }

    fn is_unsearchable(&self) -> bool {
        [&self.spelled, &self.joined, &self.coded]
            .iter()
            .any(|automaton| automaton.machine.is_none())
    }

    fn is_secret(&self, text: &str) -> bool {
        self.heads
            .iter()
            .any(|(value, _)| ***value == *text.as_bytes())
    }

    /// Finds secrets in a text. Returns a hit for each place where a secret was found, in no particular order. Leaves
    /// out places inside placeholders.
    fn find(&self, text: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut view = View::of(text);
        for layer in 0..=MAX_LAYERS {
            self.find_in(&view, &mut hits);
            if let Some(unquoted) = view.decoded_by(&[quoted_printable]) {
                self.find_in(&unquoted, &mut hits);
            }
            match view.decoded() {
                Some(next) if layer < MAX_LAYERS => view = next,
                _ => break,
            }
        }
        if !hits.is_empty() {
            // A hit inside a placeholder is dropped: a placeholder contains the value itself, for example, if the value is
            // the name of the secret or the word "secret".
            let placeholders: Vec<_> = self
                .placeholders
                .iter()
                .flat_map(|p| occurrences(text, p.as_bytes()))
                .collect();
            hits.retain(|hit| {
                !placeholders
                    .iter()
                    .any(|p| p.start <= hit.range.start && hit.range.end <= p.end)
            });
        }
        hits
    }

    fn find_in(&self, view: &View, hits: &mut Vec<Hit>) {
        if !self.short.is_empty() {
            self.short.find(view, |range, secret| {
                hits.push(Hit {
                    range: view.origin(range),
                    secret,
                });
            });
        }
        if self.heads.is_empty() {
            return;
        }
        let folded = view.folded();
        self.spelled.find(&folded, hits);
        self.find_cut_off(&folded, hits);
        self.joined.find(&folded.joined(), hits);
        self.coded.find(&view.packed(), hits);
    }

    /// Finds secrets whose end this crate has cut off: the beginning of a secret directly before the mark `…`.
    fn find_cut_off(&self, folded: &View, hits: &mut Vec<Hit>) {
        for mark in occurrences(folded.bytes(), "…".as_bytes()) {
            let before = &folded.bytes()[..mark.start];
            for (value, secret) in &self.heads {
                let longest = beginnings(value).find(|n| before.ends_with(&value[..*n]));
                if let Some(length) = longest {
                    hits.push(Hit {
                        range: folded.origin(mark.start - length..mark.start),
                        secret: *secret,
                    });
                }
            }
        }
    }
}

/// Returns the lengths of the beginnings of a value that have at least [`MIN_ANYWHERE`] characters, without the whole
/// value, the longest first. Unit: bytes.
fn beginnings(value: &[u8]) -> impl Iterator<Item = usize> {
    let starts_character = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let starts = (0..value.len()).filter(move |at| starts_character(&value[*at]));
    let lengths: Vec<usize> = starts.skip(MIN_ANYWHERE).collect();
    lengths.into_iter().rev()
}

/// Searches a view for many forms of secrets at once.
struct Automaton {
    /// The automaton; `None` if the forms are too large for one.
    machine: Option<AhoCorasick>,
    /// For each form, the flags of its [`Needle`], and the index of its secret.
    forms: Vec<(bool, bool, usize)>,
}

impl Automaton {
    fn of(needles: &[(Needle, usize)]) -> Self {
        let forms = needles.iter().map(|(needle, _)| needle.form.as_slice());
        let flags = |(needle, secret): &(Needle, usize)| (needle.before, needle.after, *secret);
        Self {
            machine: AhoCorasick::new(forms).ok(),
            forms: needles.iter().map(flags).collect(),
        }
    }

    /// Adds a hit for each occurrence of a form in the view, including overlapping ones.
    fn find(&self, view: &View, hits: &mut Vec<Hit>) {
        let machine = self.machine.iter();
        let found = machine.flat_map(|machine| machine.find_overlapping_iter(view.bytes()));
        hits.extend(found.map(|found| {
            let (before, after, secret) = self.forms[found.pattern().as_usize()];
            let range = widened(view.bytes(), found.range(), before, after);
            Hit {
                range: view.origin(range),
                secret,
            }
        }));
    }
}

/// Returns the hits in the order of the text. Overlapping hits are merged into one hit, which covers all their ranges and
/// has the secret of the longest of them.
fn clusters(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| {
        (
            hit.range.start,
            std::cmp::Reverse(hit.range.end),
            hit.secret,
        )
    });
    let mut out: Vec<(Hit, usize)> = Vec::new();
    for hit in hits {
        match out.last_mut() {
            Some((last, longest)) if hit.range.start < last.range.end => {
                last.range.end = last.range.end.max(hit.range.end);
                if hit.range.len() > *longest {
                    (*longest, last.secret) = (hit.range.len(), hit.secret);
                }
            }
            _ => out.push((hit.clone(), hit.range.len())),
        }
    }
    out.into_iter().map(|(hit, _)| hit).collect()
}

/// Extends the range of a form: by the character before it if `before` is true, by the character after it and the padding
/// that follows if `after` is true.
fn widened(text: &[u8], range: Range<usize>, before: bool, after: bool) -> Range<usize> {
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || b"+/-_".contains(b);
    let start =
        range.start - usize::from(before && text[..range.start].last().is_some_and(is_digit));
    if !after {
        return start..range.end;
    }
    let end = range.end + usize::from(text[range.end..].first().is_some_and(is_digit));
    let padding = text[end..].iter().take(MAX_PADDING);
    start..end + padding.take_while(|b| **b == b'=').count()
}

/// Returns the ranges of the text that are equal to `part`, from left to right. The ranges do not overlap.
fn occurrences(text: &[u8], part: &[u8]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (at, window) in text.windows(part.len()).enumerate() {
        if window == part && out.last().is_none_or(|last| last.end <= at) {
            out.push(at..at + part.len());
        }
    }
    out
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self
            .0
            .as_deref()
            .map_or(0, |forms| forms.placeholders.len());
        write!(
            f,
            "Redactor({count} secrets, {} of them short)",
            self.too_short().len()
        )
    }
}
