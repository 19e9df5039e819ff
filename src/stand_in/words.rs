//! Measures how well a label fits the words of an instruction. Both the label and the instruction must be in English.

use crate::base::text::{Folded, words};

/// Words that do not help to identify an element, and so are left out of comparisons.
const EMPTY: &[&str] = &[
    "a", "an", "the", "this", "that", "it", "its", "to", "of", "in", "on", "for", "my", "your",
    "with", "by", "at", "into", "is", "as", "them", "me", "and", "or", "please", "page", "button",
    "link", "field", "box", "item", "option", "i", "up", "using", "shop", "site", "website",
    "there", "then", "be", "should",
];

/// Pairs of words that stand for one term, and this term. In comparisons, the term replaces the words.
const TERMS: &[([&str; 2], &str)] = &[
    (["log", "in"], "login"),
    (["sign", "in"], "login"),
    (["log", "out"], "logout"),
    (["sign", "out"], "logout"),
    (["check", "out"], "checkout"),
    (["user", "name"], "username"),
];

/// Groups of words that mean the same on the buttons and fields of the sites that the stand-in is for.
const ALIKE: &[&[&str]] = &[
    &["place", "order", "buy"],
    &["add", "put"],
    &["search", "find"],
    &["username", "user"],
];

pub(super) fn is_empty(word: &str) -> bool {
    EMPTY.iter().any(|empty| empty.eq_ignore_ascii_case(word))
}

/// Returns the words of a text that help to identify an element, with terms such as `log in` as one word. Leaves out
/// words such as `the` and `button`. If all words are of this sort, leaves out none.
pub(super) fn content(text: &str) -> Vec<String> {
    let all = words(text);
    let mut terms: Vec<String> = Vec::new();
    let mut rest = &all[..];
    while let Some(first) = rest.first() {
        let known = |(from, _): &&([&str; 2], &str)| rest.len() > 1 && rest[..2] == from[..];
        let term = TERMS.iter().find(known).map(|(_, term)| *term);
        terms.push(term.unwrap_or(first).to_owned());
        rest = &rest[if term.is_some() { 2 } else { 1 }..];
    }
    let kept: Vec<String> = terms
        .iter()
        .filter(|word| !is_empty(word))
        .cloned()
        .collect();
    // A text of insignificant words only, such as "On", must not become an empty list.
    if kept.is_empty() { terms } else { kept }
}

fn same(a: &str, b: &str) -> bool {
    a == b
        || ALIKE
            .iter()
            .any(|group| group.contains(&a) && group.contains(&b))
}

/// Returns the fit: a number from 0 to 1 that says how well a label fits the wanted words. Words such as `the` in the
/// label do not count.
///
/// The fit is 1 if the label has exactly the wanted words, in the same order. It is 0 if the label contains less than
/// half of the wanted words, or lacks a wanted number. Otherwise the fit is close to `(w + l) / n`. Here, `w` is the
/// number of wanted words that are in the label, `l` is the number of words of the label that are wanted, and `n` is
/// the number of all wanted words plus the number of all words of the label. Apart from the fit of 1, words that mean
/// the same (see [`ALIKE`]) count as one word.
pub(super) fn fit(wanted: &[String], label: &str) -> f64 {
    let label = content(label);
    if wanted.is_empty() || label.is_empty() {
        return 0.0;
    }
    if wanted == label.as_slice() {
        return 1.0;
    }
    let shared = wanted
        .iter()
        .filter(|a| label.iter().any(|b| same(a, b)))
        .count();
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let lacks_number = wanted
        .iter()
        .any(|word| is_number(word) && !label.contains(word));
    // If less than half of the wanted words match, the label means something else: "Jackets" is not "warm rain jacket". Neither is
    // "Room 7" what is wanted by "room 5".
    if shared * 2 < wanted.len() || lacks_number {
        return 0.0;
    }
    let covered = label
        .iter()
        .filter(|b| wanted.iter().any(|a| same(a, b)))
        .count();
    let exact = wanted.iter().filter(|a| label.contains(a)).count();
    ratio(shared + covered, wanted.len() + label.len()) * 0.98 + ratio(exact, wanted.len()) * 0.01
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words in a label")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Returns true if two texts are equal. Case is ignored, and so is the amount of white space.
pub(super) fn equal(a: &str, b: &str) -> bool {
    Folded::of(a) == Folded::of(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(wanted: &str, label: &str) -> f64 {
        fit(&content(wanted), label)
    }

    #[test]
    fn spellings_of_one_word_are_one_word() {
        assert_eq!(content("Log in to the shop"), ["login"]);
        assert_eq!(content("On it"), ["on", "it"]);
    }

    #[test]
    fn the_label_with_nothing_more_and_nothing_less_fits_best() {
        assert!(fits("rain jacket", "Rain Jacket") > fits("rain jacket", "Rain Jacket Light"));
        assert!(fits("place the order", "Place order") > fits("place the order", "Buy now"));
        assert!(fits("place the order", "Buy now") > 0.4);
        assert!(fits("log in", "Log out") < 0.1);
        assert!(fits("warm rain jacket", "Jackets") < 0.1);
        assert!(fits("room 5", "Room 7") < 0.1 && fits("room 5", "Room 5 (free)") > 0.7);
    }
}
