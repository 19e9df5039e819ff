//! What a label, a heading or a sentence says that an action does.

use std::slice;

use crate::base::words::{
    self, AGREES, APPLIES, ASKS, AT_A_PRICE, CODES, CONSENT, COOKIES, CURRENCIES, DESTROYS, DONE,
    ENDS, EXEMPT, FINAL, GOES_ON, GRAVE, GRAVE_ALONE, HARMLESS, MATTERS, NEXT, PAYS, PUBLISHES,
    Phrases, REJECTS, SELLS, SENDS, SENT, SIGNS_UP, SPREAD, STARTS, TELLS, VERBS,
};

/// Maximum number of words of a short label; enough for a verb and its object.
const SHORT: usize = 4;
/// Maximum number of words of a link that deletes something, such as "Delete this comment".
const SHORT_LINK: usize = 2;

/// The part of a label in which a phrase counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    Any,
    /// Anywhere in a short label. In a longer label, a phrase counts only if it is the whole label.
    Short,
    Whole,
}

/// The words of a label as [`words::words`] returns them, without harmless phrases such as "order history", and whether
/// the label contains a price.
#[derive(Debug)]
pub(super) struct Label {
    words: Vec<String>,
    is_priced: bool,
}

impl Label {
    pub(super) fn new(text: &str) -> Self {
        Self::of(text, words::words(text))
    }

    /// Returns the label that a name in a program gives, such as `deleteAccount`.
    pub(super) fn of_code(code: &str) -> Self {
        Self::of(code, words::words_of_code(code))
    }

    fn of(text: &str, mut found: Vec<String>) -> Self {
        let is_priced = is_priced(text);
        // The words of a price say nothing about the effect: "Pay $20", "Order for 5 €".
        if is_priced {
            let currencies: Vec<String> =
                CURRENCIES.iter().copied().flat_map(words::words).collect();
            let is_amount = |word: &String| {
                currencies.contains(word) || AT_A_PRICE.are_in(slice::from_ref(word))
            };
            let is_digit = |c: char| c.is_numeric() || matches!(c, 'l' | 'o');
            found.retain(|word| !(word.chars().all(is_digit) || is_amount(word)));
        }
        EXEMPT.cut_from(&mut found);
        Self {
            words: found,
            is_priced,
        }
    }

    /// Returns true if a click on an element with this label cannot be undone.
    pub(super) fn is_grave(&self, breadth: Breadth) -> bool {
        let is_verb = breadth != Breadth::Whole && self.begins_with_verb();
        is_verb
            || self.is_spelled(breadth)
            || self.holds(&DESTROYS, breadth)
            || self.holds(&PAYS, breadth)
            || self.holds(&PUBLISHES, breadth)
            || SPREAD
                .iter()
                .any(|phrases| self.holds_spread(phrases, breadth))
            || GRAVE_ALONE.are_all_of(&self.words)
            || self.sells(breadth)
            || (breadth == Breadth::Whole && self.destroys_by_link())
    }

    /// Returns true if the label contains a price and begins or ends with a phrase such as "book" or "order": "Book
    /// flight for $262".
    fn sells(&self, breadth: Breadth) -> bool {
        let is_read = match breadth {
            Breadth::Any => true,
            Breadth::Short => self.words.len() <= SHORT,
            Breadth::Whole => false,
        };
        self.is_priced && is_read && (SELLS.begin(&self.words) > 0 || SELLS.end(&self.words))
    }

    /// Returns true if the label is spelled letter by letter, as in "D e l e t e", so that its words cannot be read.
    fn is_spelled(&self, breadth: Breadth) -> bool {
        /// Minimum number of single letters in a row.
        const MIN: usize = 4;
        let is_letter = |word: &String| words::is_letter(word);
        let mut runs = self
            .words
            .chunk_by(|one, next| is_letter(one) && is_letter(next));
        breadth != Breadth::Whole && runs.any(|run| run.len() >= MIN)
    }

    /// Returns true if the label begins with a verb such as "archive", perhaps after words that say yes.
    fn begins_with_verb(&self) -> bool {
        let after = AGREES.begin(&self.words);
        VERBS.begin(&self.words) > 0 || (after > 0 && VERBS.begin(rest(&self.words[after..])) > 0)
    }

    /// Returns true if a link with this label deletes something: "Delete this comment", but not "Remove stains from
    /// wool".
    fn destroys_by_link(&self) -> bool {
        self.words.len() <= SHORT_LINK && DESTROYS.begin(&self.words) > 0
    }

    /// Returns the number of words.
    pub(super) const fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if the label has a word for deleting.
    pub(super) fn destroys(&self) -> bool {
        self.holds(&DESTROYS, Breadth::Any)
    }

    /// Returns true if the label has words for deleting or for ending a contract or an account.
    pub(super) fn destroys_or_ends(&self) -> bool {
        self.destroys() || self.holds_spread(&ENDS, Breadth::Any)
    }

    pub(super) fn sends(&self, breadth: Breadth) -> bool {
        self.holds(&SENDS, breadth)
    }

    /// Returns true if the label begins with a phrase that says yes, such as "OK" or "confirm".
    pub(super) fn agrees(&self) -> bool {
        AGREES.begin(&self.words) > 0 && !self.is_harmless()
    }

    /// Returns true if the label begins with a phrase that says yes or continues, or is a word such as "start", which says
    /// nothing of what it starts.
    pub(super) fn goes_on(&self) -> bool {
        let begins = GOES_ON.begin(&self.words) > 0 || STARTS.are_all_of(&self.words);
        self.agrees() || (begins && !self.is_harmless())
    }

    /// Returns true if the label begins with a phrase such as "next".
    pub(super) fn is_next(&self) -> bool {
        NEXT.begin(&self.words) > 0 && !self.is_harmless()
    }

    /// Returns true if a heading with these words asks for something grave: it begins with a phrase for it, or is short and
    /// has a word for deleting or a price.
    pub(super) fn is_grave_heading(&self) -> bool {
        let begins = |phrases: &Phrases| phrases.spread(&self.words).next() == Some(0);
        let is_short = self.words.len() <= SHORT;
        begins(&DESTROYS)
            || begins(&SENDS)
            || GRAVE.iter().any(|phrases| begins(phrases))
            || self.begins_with_verb()
            || GRAVE_ALONE.are_all_of(&self.words)
            || (is_short && self.destroys())
            || (self.is_priced && self.is_grave(Breadth::Any))
    }

    /// Returns true if the label is a word such as "apply", which does what is chosen elsewhere.
    pub(super) fn applies(&self) -> bool {
        APPLIES.are_all_of(&self.words)
    }

    /// Returns true if the label begins with a phrase for rejecting something.
    pub(super) fn rejects(&self) -> bool {
        REJECTS.begin(&self.words) > 0
    }

    /// Returns true if the label begins with a phrase that says no, or that only shows or hides something.
    pub(super) fn is_harmless(&self) -> bool {
        HARMLESS.begin(&self.words) > 0
    }

    /// Returns true if a heading names a grave matter, such as "Payment of 500 EUR".
    pub(super) fn names_a_matter(&self) -> bool {
        self.words.len() <= SHORT && MATTERS.are_in(&self.words)
    }

    /// Returns true if the label says that a button creates an account.
    pub(super) fn signs_up(&self) -> bool {
        SIGNS_UP.begin(&self.words) > 0
    }

    /// As [`holds`](Self::holds), with other words among those of a phrase.
    fn holds_spread(&self, phrases: &Phrases, breadth: Breadth) -> bool {
        let is_read =
            breadth == Breadth::Any || (breadth == Breadth::Short && self.words.len() <= SHORT);
        let mut positions = phrases.spread(&self.words);
        phrases.are_all_of(&self.words)
            || (is_read && positions.any(|at| !is_denied(&self.words[..at])))
    }

    fn holds(&self, phrases: &Phrases, breadth: Breadth) -> bool {
        match breadth {
            Breadth::Short if self.words.len() > SHORT => phrases.are_all_of(&self.words),
            Breadth::Any | Breadth::Short => {
                let mut positions = phrases.positions(&self.words);
                positions.any(|at| !is_denied(&self.words[..at]))
            }
            Breadth::Whole => phrases.are_all_of(&self.words),
        }
    }
}

/// Returns true if one of the sentences asks whether to do something that cannot be undone, or announces that a button
/// does it: "Do you really want to delete it?", "Your account will be deleted". In a dialog, which is about little else,
/// sentences on what will be sent count too.
pub(super) fn asks(text: &str, is_dialog: bool) -> bool {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '\n');
    text.split_inclusive(ends).any(|sentence| {
        let label = Label::new(sentence);
        let has = |phrases: &Phrases| label.holds(phrases, Breadth::Any);
        if CONSENT.are_in(&label.words) {
            return false;
        }
        let is_asked = has(&ASKS);
        let is_told = is_asked || sentence.ends_with(['?', '？']) || has(&TELLS);
        let is_sent = || is_dialog && has(&SENT) && !CODES.are_in(&label.words);
        (is_told && (label.is_grave(Breadth::Any) || has(&DONE) || is_sent()))
            || (is_asked && has(&VERBS))
            || has(&FINAL)
    })
}

/// Returns true if a text speaks of cookies.
pub(super) fn is_of_cookies(text: &str) -> bool {
    COOKIES.are_in_text(text)
}

/// Returns true if a text asks for consent to cookies.
pub(super) fn asks_consent(text: &str) -> bool {
    CONSENT.are_in_text(text)
}

/// Returns the words after a conjunction, if they begin with one: "and sign".
fn rest(words: &[String]) -> &[String] {
    match words.first().map(String::as_str) {
        Some("and" | "und" | "et" | "y" | "e" | "en" | "i" | "to") => &words[1..],
        _ => words,
    }
}

/// Returns true if the text contains a price: a currency sign and a number, or a number next to the code or name of a
/// currency.
fn is_priced(text: &str) -> bool {
    if !text.contains(char::is_numeric) {
        return false;
    }
    if text.contains(['$', '€', '£', '¥', '₹', '￥', '₩', '₽']) {
        return true;
    }
    let words = crate::base::text::words(text);
    let is_number = |word: &String| word.contains(char::is_numeric);
    let is_code = |word: &String| CURRENCIES.contains(&word.as_str());
    words.windows(2).any(|pair| {
        (is_code(&pair[0]) && is_number(&pair[1])) || (is_number(&pair[0]) && is_code(&pair[1]))
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
