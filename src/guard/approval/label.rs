//! Reading a label: which of the listed phrases it holds, as whole words.

use super::words::{AGREES, EXEMPT, FILLERS, GOES_ON, GRAVE, GRAVE_ALONE, HARMLESS, SENDS};
use crate::base::text;

/// Most words of a label that is read like a button's, on something that may be content. Source: chosen; a verb and
/// what it acts on.
const SHORT: usize = 4;

/// How much of a label is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Phrases anywhere in it.
    Any,
    /// Phrases anywhere in it if it is short, else only as a whole.
    Short,
    /// Only the whole of it.
    Whole,
}

/// A label as words: folded, without accents, fillers and exempt phrases.
#[derive(Debug)]
pub(super) struct Label(Vec<String>);

impl Label {
    pub(super) fn new(text: impl AsRef<str>) -> Self {
        let mut words = words(text.as_ref());
        // A price says nothing about what is done: "Pay $20", "Order for 5 €".
        if text.as_ref().contains(['$', '€', '£', '¥', '₹', '￥']) {
            words.retain(|word| !word.chars().all(char::is_numeric) && word != "for");
        }
        for phrase in EXEMPT.iter() {
            while let Some(at) = position(&words, phrase) {
                words.drain(at..at + phrase.len());
            }
        }
        Self(words)
    }

    /// Whether it pays, orders, deletes or publishes.
    pub(super) fn is_grave(&self, breadth: Breadth) -> bool {
        self.holds(&GRAVE, breadth) || GRAVE_ALONE.contains(&self.0)
    }

    /// Whether it sends something; on forms that ask who one is or what one looks for, that is their ordinary button.
    pub(super) fn sends(&self, breadth: Breadth) -> bool {
        self.holds(&SENDS, breadth)
    }

    /// Whether it says yes.
    pub(super) fn agrees(&self) -> bool {
        AGREES.iter().any(|phrase| self.0.starts_with(phrase))
    }

    /// Whether it says yes or leads on.
    pub(super) fn goes_on(&self) -> bool {
        self.agrees() || GOES_ON.iter().any(|phrase| self.0.starts_with(phrase))
    }

    /// Whether it says no, or only shows or hides something.
    pub(super) fn is_harmless(&self) -> bool {
        HARMLESS.iter().any(|phrase| self.0.starts_with(phrase))
    }

    fn holds(&self, phrases: &[Vec<String>], breadth: Breadth) -> bool {
        match breadth {
            Breadth::Short if self.0.len() > SHORT => self.holds(phrases, Breadth::Whole),
            Breadth::Any | Breadth::Short => phrases.iter().any(|phrase| {
                position(&self.0, phrase).is_some_and(|at| !is_denied(&self.0[..at]))
            }),
            Breadth::Whole => phrases.contains(&self.0),
        }
    }
}

/// Words without accents and fillers.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain: String = text
        .to_lowercase()
        .chars()
        .filter_map(without_accent)
        .collect();
    let mut words = text::words(&plain);
    words.retain(|word| !FILLERS.contains(&word.as_str()));
    words
}

/// The letter without its accent; `None` for an accent that stands alone.
fn without_accent(c: char) -> Option<char> {
    Some(match c {
        '\u{300}'..='\u{36f}' => return None,
        'à'..='å' | 'ą' => 'a',
        'ç' | 'ć' => 'c',
        'è'..='ë' | 'ę' => 'e',
        'ì'..='ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ś' => 's',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' => 'z',
        c => c,
    })
}

/// Whether the words before a phrase turn it round: "don't delete".
fn is_denied(before: &[String]) -> bool {
    match before {
        [.., first, second] if first == "don" && second == "t" => true,
        [.., last] => {
            matches!(
                last.as_str(),
                "not" | "never" | "without" | "undo" | "dont" | "nicht" | "ohne" | "sans" | "sin"
            )
        }
        [] => false,
    }
}

fn position(words: &[String], phrase: &[String]) -> Option<usize> {
    words
        .windows(phrase.len())
        .position(|window| window == phrase)
}
