//! What tells a page's type apart besides the words of [`base::words`](crate::base::words): prices, error codes and names
//! of parameters.

use crate::base::{text, words::CURRENCIES};

/// Names of query parameters that carry the searched words.
pub(super) const SEARCH_KEYS: [&str; 14] = [
    "q",
    "query",
    "search",
    "s",
    "k",
    "keyword",
    "keywords",
    "term",
    "text",
    "wd",
    "search_query",
    "searchterm",
    "_nkw",
    "field-keywords",
];

/// Returns true if a text is a price: it has a number, and a currency sign or the word for a currency.
pub(super) fn is_price(text: &str) -> bool {
    /// Maximum length of a text that can be a price. Unit: bytes. Source: chosen.
    const MAX_PRICE: usize = 120;
    let is_sign = |c: char| {
        matches!(
            c,
            '$' | '¢' | '£' | '¥' | '¤' | '€' | '\u{20a0}'
                ..='\u{20cf}' | '\u{fdfc}' | '￥' | '฿' | '円' | '元' | '원'
        )
    };
    // The lengths of the shortest and the longest word, in bytes. Most words of a page are ruled out by their length
    // alone.
    let is_word = |word: &str| {
        (2..=8).contains(&word.len()) && CURRENCIES.iter().any(|w| w.eq_ignore_ascii_case(word))
    };
    if text.len() > MAX_PRICE || !text.contains(char::is_numeric) {
        return false;
    }
    if text.is_ascii() {
        let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
        return text.contains('$') || words.any(|word| word.len() <= 3 && is_word(word));
    }
    text.contains(is_sign) || text.split(|c: char| !c.is_alphabetic()).any(is_word)
}

/// Returns true if a text contains one of the most common HTTP error codes as a whole word.
pub(super) fn has_error_code(text: &str) -> bool {
    text::words(text).iter().any(|w| {
        matches!(
            &**w,
            "400" | "401" | "403" | "404" | "405" | "410" | "429" | "500" | "502" | "503" | "504"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_needs_a_number_and_money() {
        for price in [
            "$4",
            "1.299,00 €",
            "EUR 12",
            "１２００円",
            "٣٥ ريال",
            "12 zł",
            "USD12.50",
        ] {
            assert!(is_price(price), "{price}");
        }
        for other in ["€", "12 items", "eur", "chapter 4"] {
            assert!(!is_price(other), "{other}");
        }
    }

    #[test]
    fn an_error_code_is_a_word() {
        assert!(has_error_code("404 Not Found") && has_error_code("Error (503)"));
        assert!(!has_error_code("Peugeot 4040") && !has_error_code("1404"));
    }
}
