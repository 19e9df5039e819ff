//! Splits labels into words and finds the phrases of `words.rs` in them.

use super::words::{
    AGREES, AT_A_PRICE, CURRENCIES, EXEMPT, FILLERS, GOES_ON, GRAVE, GRAVE_ALONE, HARMLESS, SELLS,
    SENDS,
};
use crate::base::text;

/// Maximum number of words of a short label. Source: chosen; enough for a verb and its object.
const SHORT: usize = 4;

/// The part of a label in which a phrase counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    Any,
    /// Anywhere in a short label. In a longer label, a phrase counts only if it is the whole label.
    Short,
    Whole,
}

/// The words of a label, and whether the label contains a price. The words are in lower case and without accents.
/// Fillers such as "the" and harmless phrases such as "order history" are left out.
#[derive(Debug)]
pub(super) struct Label(Vec<String>, bool);

impl Label {
    pub(super) fn new(text: impl AsRef<str>) -> Self {
        let mut words = words(text.as_ref());
        let is_priced = is_priced(text.as_ref(), &words);
        // The words of a price say nothing about the effect: "Pay $20", "Order for 5 €".
        if is_priced {
            let is_amount = |word: &str| {
                word.chars().all(char::is_numeric)
                    || CURRENCIES.contains(&word)
                    || AT_A_PRICE.contains(&word)
            };
            words.retain(|word| !is_amount(word));
        }
        for phrase in EXEMPT.iter() {
            while let Some(at) = position(&words, phrase) {
                words.drain(at..at + phrase.len());
            }
        }
        Self(words, is_priced)
    }

    /// Returns true if the label contains a price and begins or ends with a phrase such as "book" or "order": "Book
    /// flight for $262". Returns false for [`Breadth::Whole`], and for [`Breadth::Short`] if the label is long.
    pub(super) fn sells(&self, breadth: Breadth) -> bool {
        let is_read = match breadth {
            Breadth::Any => true,
            Breadth::Short => self.0.len() <= SHORT,
            Breadth::Whole => false,
        };
        let at_an_end =
            |phrase: &Vec<String>| self.0.starts_with(phrase) || self.0.ends_with(phrase);
        self.1 && is_read && SELLS.iter().any(at_an_end)
    }

    pub(super) fn is_grave(&self, breadth: Breadth) -> bool {
        self.holds(&GRAVE, breadth) || GRAVE_ALONE.contains(&self.0)
    }

    pub(super) fn sends(&self, breadth: Breadth) -> bool {
        self.holds(&SENDS, breadth)
    }

    /// Returns true if the label begins with a phrase that says yes, such as "OK" or "confirm".
    pub(super) fn agrees(&self) -> bool {
        AGREES.iter().any(|phrase| self.0.starts_with(phrase))
    }

    /// Returns true if the label begins with a phrase that says yes or continues, such as "next".
    pub(super) fn goes_on(&self) -> bool {
        self.agrees() || GOES_ON.iter().any(|phrase| self.0.starts_with(phrase))
    }

    /// Returns true if the label begins with a phrase that says no, or that only shows or hides something.
    pub(super) fn is_harmless(&self) -> bool {
        HARMLESS.iter().any(|phrase| self.0.starts_with(phrase))
    }

    fn holds(&self, phrases: &[Vec<String>], breadth: Breadth) -> bool {
        match breadth {
            Breadth::Short if self.0.len() > SHORT => self.holds(phrases, Breadth::Whole),
            Breadth::Any | Breadth::Short => phrases.iter().any(|phrase| {
                let mut windows = self.0.windows(phrase.len()).enumerate();
                windows.any(|(at, window)| window == phrase && !is_denied(&self.0[..at]))
            }),
            Breadth::Whole => phrases.contains(&self.0),
        }
    }
}

/// Returns true if the text contains a price: a currency sign and a number, or a number next to the code or name of a
/// currency.
fn is_priced(text: &str, words: &[String]) -> bool {
    let is_number = |word: &String| word.contains(char::is_numeric);
    let by_sign =
        text.contains(['$', '€', '£', '¥', '₹', '￥', '₩', '₽']) && words.iter().any(is_number);
    let is_code = |word: &String| CURRENCIES.contains(&word.as_str());
    by_sign
        || words.windows(2).any(|pair| {
            (is_code(&pair[0]) && is_number(&pair[1])) || (is_number(&pair[0]) && is_code(&pair[1]))
        })
}

/// Returns the words of a text in lower case, without accents and without fillers.
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

/// Returns a letter without its accent; `None` if the character is only an accent.
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

/// Returns true if the words before a phrase negate it: "don't delete".
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
