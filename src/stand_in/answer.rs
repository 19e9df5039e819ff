//! Finds answers on the page: a label, and the value that follows it.

use super::words::content;

/// An answer, and the words on the page that show it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub value: String,
    pub evidence: String,
}

/// Words that may stand between a label and its value.
const BETWEEN: &[&str] = &[
    "is", "was", "are", "no", "no.", "nr", "nr.", "number", "=", "-", "–", ":", "#",
];
/// Maximum length of a value that is not a number. Unit: words. Source: chosen; a short sentence.
const MAX_WORDS: usize = 12;
/// Minimum number of capitals in a code without digits. Source: chosen; more than most acronyms have.
const MIN_CAPITALS: usize = 4;
/// Maximum number of words between a label and its number. Source: chosen.
const MAX_DISTANCE: usize = 4;

/// Finds the value that follows a label. `what` contains the words of the label.
pub(super) fn find(text: &str, what: &[String]) -> Option<Found> {
    let words = spans(text);
    let mut best: Option<(usize, usize, usize)> = None;
    for start in 0..words.len() {
        // The label consists of consecutive words of the name, in any order.
        let mut end = start;
        let mut met = 0;
        while let Some((from, to)) = words.get(end) {
            let own = content(&text[*from..*to]);
            if own.is_empty() || !own.iter().all(|word| what.contains(word)) {
                break;
            }
            met += own.len();
            end += 1;
        }
        if met > 0
            && best.is_none_or(|(most, ..)| met > most)
            && value(text, &words, end, what).is_some()
        {
            best = Some((met, start, end));
        }
    }
    let (met, start, end) = best?;
    if met * 2 < what.len() {
        return None;
    }
    let (from, to) = value(text, &words, end, what)?;
    let evidence = text[words[start].0..words[to].1].trim_end_matches(PUNCTUATION);
    let value = text[words[from].0..words[to].1].trim_matches(PUNCTUATION);
    Some(Found {
        value: value.to_owned(),
        evidence: evidence.to_owned(),
    })
}

const PUNCTUATION: &[char] = &['.', ',', ';', ':', '!', '?', '"', '“', '”', '(', ')', '#'];

/// Returns the start and end of every word.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                out.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    out.extend(start.map(|from| (from, text.len())));
    out
}

/// Returns the first and last word of the value after a label that ends before word `at`.
fn value(
    text: &str,
    words: &[(usize, usize)],
    at: usize,
    what: &[String],
) -> Option<(usize, usize)> {
    let word = |index: usize| words.get(index).map(|(from, to)| &text[*from..*to]);
    let ends = |index: usize| word(index).is_some_and(|w| w.ends_with(['.', ';', '!', '?']));
    let among = |known: &[&str]| what.iter().any(|word| known.contains(&word.as_str()));
    let is_amount = among(&[
        "total", "price", "cost", "quantity", "subtotal", "sum", "amount",
    ]);
    let is_number =
        is_amount || among(&["number", "code", "id", "reference", "key", "pin", "date"]);
    let mut from = at;
    // A label at the end of a sentence does not belong to the next sentence.
    if at > 0 && ends(at - 1) {
        return None;
    }
    while word(from).is_some_and(|w| BETWEEN.contains(&w.to_lowercase().trim_end_matches(':'))) {
        from += 1;
    }
    if is_number {
        // A code need not contain a digit, but an amount must.
        let capitals = |w: &str| {
            w.chars().filter(char::is_ascii_uppercase).count() >= MIN_CAPITALS
                && w == w.to_uppercase()
        };
        let tells = |w: &str| w.chars().any(|c| c.is_ascii_digit()) || (!is_amount && capitals(w));
        let found = (from..from + MAX_DISTANCE).find(|index| word(*index).is_some_and(tells))?;
        // An amount and its currency belong together.
        let currency = |index: usize| {
            word(index).is_some_and(|w| {
                let w = w.trim_matches(PUNCTUATION);
                matches!(w, "€" | "$" | "£" | "¥")
                    || (w.len() == 3 && w.chars().all(|c| c.is_ascii_uppercase()))
            })
        };
        let start = if found > from && currency(found - 1) {
            found - 1
        } else {
            found
        };
        let end = if !ends(found) && currency(found + 1) {
            found + 1
        } else {
            found
        };
        return Some((start, end));
    }
    word(from)?;
    let last = words.len().min(from + MAX_WORDS) - 1;
    let end = (from..=last).find(|index| ends(*index)).unwrap_or(last);
    Some((from, end))
}

/// Returns the beginning of a text as a quotation: whole words, at most `max` bytes.
pub(super) fn opening(text: &str, max: usize) -> String {
    let mut end = 0;
    for (_, to) in spans(text) {
        if to > max {
            break;
        }
        end = to;
    }
    text[..end].trim_end_matches('…').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, what: &str) -> Option<(String, String)> {
        find(text, &content(what)).map(|found| (found.value, found.evidence))
    }

    #[test]
    fn a_number_is_read_behind_its_label() {
        let text = "Thank you Your confirmation number is KX-73Q2P. Please keep it. Total with shipping: 149.00 EUR";
        let expected = (
            "KX-73Q2P".to_owned(),
            "confirmation number is KX-73Q2P".to_owned(),
        );
        assert_eq!(found(text, "confirmation number"), Some(expected));
        assert_eq!(found(text, "total").unwrap().0, "149.00 EUR");
        assert_eq!(found("Order no.: #4711", "order number").unwrap().0, "4711");
    }

    #[test]
    fn a_code_may_have_no_digit() {
        let text = "Your confirmation number is FW-QRFAAHNL . Please keep it.";
        assert_eq!(found(text, "confirmation number").unwrap().0, "FW-QRFAAHNL");
        assert_eq!(found("The total is shown in EURO", "total"), None);
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
