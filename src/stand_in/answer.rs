//! Finds answers on the page: the value that follows a label.

use super::words::content;
use crate::base::text::Folded;

/// An answer, and the words of the page that prove it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub value: String,
    pub evidence: String,
}

/// Words and signs that may stand between a label and its value on a page.
const BETWEEN: &[&str] = &["is", "was", "no", "no.", "number", "=", "-", ":", "#"];
/// Words of labels whose value is a number, an amount or a code.
const NUMBERS: &[&str] = &["number", "code", "total", "subtotal", "price", "date"];
/// Maximum length of a value that is not a number, an amount or a code. Unit: words. Enough for a short sentence.
const MAX_WORDS: usize = 12;
/// Minimum number of capital letters of a word without digits that counts as a code. Most acronyms have fewer.
const MIN_CAPITALS: usize = 4;
/// Number of words after a label that are searched for a number, an amount or a code.
const MAX_DISTANCE: usize = 4;
const PUNCTUATION: &[char] = &['.', ',', ';', ':', '!', '?', '"', '(', ')', '#'];

/// Searches a text for the label with the most words of `what`, and returns the value that follows it. Labels that
/// contain less than half of the words do not count, and neither do labels without a value.
pub(super) fn find(text: &str, what: &[String]) -> Option<Found> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut best: Option<(usize, Found)> = None;
    for start in 0..words.len() {
        // The label is the longest run of words that all occur in `what`, in any order.
        let mut end = start;
        let mut met = 0;
        while let Some(word) = words.get(end) {
            let own = content(word);
            if own.is_empty() || !own.iter().all(|word| what.contains(word)) {
                break;
            }
            met += own.len();
            end += 1;
        }
        if met == 0 || met * 2 < what.len() || best.as_ref().is_some_and(|(most, _)| met <= *most) {
            continue;
        }
        if let Some((from, to)) = value(&words, end, what) {
            let part = |from: usize| words[from..=to].join(" ");
            let found = Found {
                value: part(from).trim_matches(PUNCTUATION).to_owned(),
                evidence: part(start).trim_end_matches(PUNCTUATION).to_owned(),
            };
            best = Some((met, found));
        }
    }
    best.map(|(_, found)| found)
}

/// Returns the indexes of the first and the last word of the value that follows a label. The label ends before the word
/// with the index `at`. Returns `None` if no value follows the label.
fn value(words: &[&str], at: usize, what: &[String]) -> Option<(usize, usize)> {
    let ends = |index: usize| words[index].ends_with(['.', ';', '!', '?']);
    // A label at the end of a sentence does not belong to the next sentence.
    if at > 0 && ends(at - 1) {
        return None;
    }
    let between = |word: &&str| BETWEEN.contains(&Folded::of(word).as_str().trim_end_matches(':'));
    let from = at + words[at..].iter().take_while(|word| between(word)).count();
    if what.iter().any(|word| NUMBERS.contains(&word.as_str())) {
        // A code need not contain a digit.
        let is_code = |word: &str| {
            let capitals = word.chars().filter(char::is_ascii_uppercase).count();
            capitals >= MIN_CAPITALS && word == word.to_uppercase()
        };
        let tells = |word: &&str| word.chars().any(|c| c.is_ascii_digit()) || is_code(word);
        let mut near = words[from..].iter().take(MAX_DISTANCE);
        let found = from + near.position(tells)?;
        return Some((found, found));
    }
    let last = words.len().min(from + MAX_WORDS).checked_sub(1)?;
    let end = (from..=last).find(|index| ends(*index)).unwrap_or(last);
    (from <= last).then_some((from, end))
}

/// Returns as many whole words from the beginning of a text as fit into `max` bytes.
pub(super) fn opening(text: &str, max: usize) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if out.len() + word.len() > max {
            break;
        }
        out.extend([word, " "]);
    }
    out.trim_end_matches([' ', '…']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, what: &str) -> Option<(String, String)> {
        find(text, &content(what)).map(|found| (found.value, found.evidence))
    }

    #[test]
    fn a_number_is_read_behind_its_label() {
        let text =
            "Thank you Your confirmation number is KX-73Q2P. Please keep it. Subtotal 149.00 EUR";
        let expected = (
            "KX-73Q2P".to_owned(),
            "confirmation number is KX-73Q2P".to_owned(),
        );
        assert_eq!(found(text, "confirmation number"), Some(expected));
        assert_eq!(found(text, "subtotal").unwrap().0, "149.00");
        assert_eq!(found("Order no.: #4711", "order number").unwrap().0, "4711");
    }

    #[test]
    fn a_code_may_have_no_digit() {
        let text = "Your confirmation number is FW-QRFAAHNL . Please keep it.";
        assert_eq!(found(text, "confirmation number").unwrap().0, "FW-QRFAAHNL");
    }

    #[test]
    fn the_fullest_label_wins_and_none_is_none() {
        let text = "Article number 12 in stock. Your order number: 998";
        assert_eq!(found(text, "order number").unwrap().0, "998");
        assert_eq!(found("Keep your order number safe.", "order number"), None);
        assert_eq!(found("Enter the postal code", "confirmation number"), None);
    }

    #[test]
    fn words_are_read_to_the_end_of_their_sentence() {
        assert_eq!(
            found("Status: ready to ship. Bye", "status").unwrap().0,
            "ready to ship"
        );
    }

    #[test]
    fn an_opening_ends_with_a_whole_word() {
        assert_eq!(opening("Thank you for your order", 13), "Thank you for");
        assert_eq!(opening("", 5), "");
    }
}
