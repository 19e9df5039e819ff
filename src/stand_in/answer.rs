//! Finds answers on the page: a cell of a table, or the value that follows a label.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{seen::Line, words::content};
use crate::base::text::Folded;

/// An answer, and the words of the page that prove it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub value: String,
    pub evidence: String,
}

/// Words and signs that may stand between a label and its value on a page.
const BETWEEN: &[&str] = &[
    "is", "was", "are", "no", "no.", "nr", "nr.", "number", "=", "-", "–", ":", "#",
];
/// Maximum length of a value that is not a number, an amount or a code. Unit: words. Source: chosen; enough for a short
/// sentence.
const MAX_WORDS: usize = 12;
/// Minimum number of capital letters of a word without digits that counts as a code. Source: chosen; most acronyms have
/// fewer capital letters.
const MIN_CAPITALS: usize = 4;
/// Number of words after a label that are searched for a number, an amount or a code. Source: chosen.
const MAX_DISTANCE: usize = 4;

/// Finds the value that is named by the words in `what`: a cell of a table if the words name one of its columns,
/// otherwise the text that follows a label.
pub(super) fn find(lines: &[Line], what: &[String]) -> Option<Found> {
    let tables = lines.split(|line| line.cells.is_empty());
    let mut tables = tables
        .filter_map(|rows| Table::with_column(rows, what))
        .peekable();
    if tables.peek().is_some() {
        return tables.find_map(|table| table.cell(what));
    }
    // Each row is read by itself, because the neighbouring rows have the same labels for other things.
    let is_row = |line: &Line| !line.cells.is_empty();
    let parts = lines.chunk_by(|one, other| !is_row(one) && !is_row(other));
    let found = parts.filter_map(|part| match part {
        [row] if is_row(row) => in_row(row, what),
        lines => {
            let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
            labelled(&texts.join(" "), what)
        }
    });
    let best = found.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.map(|(_, found)| found)
}

/// A table that is searched for a value. `rows` are the rows below the headings, and `column` is the index of the
/// column that contains the value.
struct Table<'a> {
    rows: &'a [Line],
    column: usize,
    /// The wanted words that do not name the column; they identify the row.
    of_row: BTreeSet<&'a String>,
}

impl<'a> Table<'a> {
    /// Makes a table from these rows, of which the first contains the headings. Finds the column that the words `what`
    /// name; returns `None` if they name no column.
    fn with_column(rows: &'a [Line], what: &'a [String]) -> Option<Self> {
        let (heading, rows) = rows.split_first()?;
        let headings = heading.cells.iter().map(|cell| content(cell));
        let named = headings
            .enumerate()
            .filter(|(_, words)| !words.is_empty() && words.iter().all(|word| what.contains(word)));
        let (column, words) = named.max_by_key(|(at, words)| (words.len(), Reverse(*at)))?;
        Some(Self {
            rows,
            column,
            of_row: what.iter().filter(|word| !words.contains(word)).collect(),
        })
    }

    /// Returns the value in the column `column` of the row that the words `of_row` identify. If they do not identify
    /// exactly one row, returns the value after the first label that contains all words of `what`, such as the label of
    /// a total.
    fn cell(&self, what: &[String]) -> Option<Found> {
        let mut meant = self
            .rows
            .iter()
            .filter_map(|row| Some((row, self.place(row)?)));
        let found = if let (Some((row, at)), None) = (meant.next(), meant.next()) {
            row.cells.get(self.column).map(|value| Found {
                value: value.clone(),
                evidence: row.cells[at.min(self.column)..=at.max(self.column)].join(" "),
            })
        } else {
            // The row of a total may have the column's name as its label.
            let mut rows = self.rows.iter().filter_map(|row| in_row(row, what));
            rows.next().map(|(_, found)| found)
        };
        found.filter(|found| !found.value.is_empty())
    }

    /// Returns the index of the cell whose words identify this row as the wanted one; `None` if the row is not wanted. If
    /// `of_row` is empty, every row is wanted, and the index is `column`.
    fn place(&self, row: &Line) -> Option<usize> {
        let is_meant = |cell: &String| content(cell).iter().collect::<BTreeSet<_>>() == self.of_row;
        if self.of_row.is_empty() {
            Some(self.column)
        } else {
            row.cells.iter().position(is_meant)
        }
    }
}

/// Returns the number of words of `what`, and the value that follows a label within this row. Returns `None` if the row
/// has no label that contains all words of `what`.
fn in_row(row: &Line, what: &[String]) -> Option<(usize, Found)> {
    labelled(&row.cells.join(" "), what).filter(|(met, _)| *met == what.len())
}

/// Searches a text for the label with the most words of `what`. Returns the number of these words and the value that
/// follows the label. Returns `None` if the label contains less than half of the words.
fn labelled(text: &str, what: &[String]) -> Option<(usize, Found)> {
    let words = spans(text);
    let mut best: Option<(usize, usize, usize)> = None;
    for start in 0..words.len() {
        // The label is the longest run of words that all occur in `what`, in any order.
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
    let found = Found {
        value: value.to_owned(),
        evidence: evidence.to_owned(),
    };
    Some((met, found))
}

const PUNCTUATION: &[char] = &['.', ',', ';', ':', '!', '?', '"', '“', '”', '(', ')', '#'];

/// Returns the start and the end of every word in the text. Unit: bytes from the start of the text.
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

/// Returns the indexes of the first and the last word of the value that follows a label. The label ends before the word with
/// the index `at`. Returns `None` if no value follows the label.
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
    while word(from)
        .is_some_and(|w| BETWEEN.contains(&Folded::of(w).as_str().trim_end_matches(':')))
    {
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

/// Returns as many whole words from the beginning of a text as fit into `max` bytes.
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
        let line = Line {
            text: text.to_owned(),
            cells: Vec::new(),
        };
        find(&[line], &content(what)).map(|found| (found.value, found.evidence))
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
