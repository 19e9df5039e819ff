//! Chooses the part of a long text that a prompt shows: the part around the words of a query; without a query, the
//! beginning of the text, or a later part that contains more words of the goal than the beginning.

use std::{borrow::Cow, collections::BTreeSet};

use crate::base::text::{squeeze, words};

/// Minimum length of the goal's words that decide which part of a text is shown. Unit: bytes. Source: chosen; shorter words
/// are mostly grammar.
const MIN_WORD: usize = 4;

/// Divisor of the maximum length of the shown part. The result is the space before the query's words: 4 means a quarter.
/// Source: chosen; in a settings file, the comment on an option comes before the option.
const BEFORE: usize = 4;

/// A place in a text: the number of bytes and the number of characters before it.
#[derive(Clone, Copy, Default)]
struct Place {
    byte: usize,
    char: usize,
}

/// An occurrence of a word of the goal in a text.
struct Hit {
    /// The index of the word in the list of the goal's words.
    word: usize,
    at: Place,
    /// The start of the sentence that contains the occurrence.
    sentence: Place,
}

/// Returns the part of a long text that begins where the next `max` characters contain the most words of the goal. The
/// caller cuts the result to `max` characters.
///
/// The whole text is returned if it has at most `max` characters, or if no other part contains more words of the goal
/// than the beginning.
pub(super) fn excerpt<'t>(text: &'t str, max: usize, goal: &[String]) -> Cow<'t, str> {
    if goal.is_empty() || text.chars().count() <= max {
        return text.into();
    }
    let hits = hits(text, goal);
    let count = |from: Place| {
        let within = hits.iter().filter(|hit| {
            let room = from.char..(from.char + max).saturating_sub(goal[hit.word].len());
            room.contains(&hit.at.char)
        });
        within.map(|hit| hit.word).collect::<BTreeSet<_>>().len()
    };
    // Of parts with equally many words of the goal, one that begins with a sentence is preferred, and then the first.
    let (mut best, mut place) = ((count(Place::default()), true), Place::default());
    for hit in &hits {
        // A sentence that begins far before the word would leave no room for the text after the word.
        let is_near = hit.at.char - hit.sentence.char <= max / 2;
        let from = if is_near { hit.sentence } else { hit.at };
        let worth = (count(from), is_near);
        if worth > best {
            (best, place) = (worth, from);
        }
    }
    match place.byte {
        0 => text.into(),
        at => format!("…{}", &text[at..]).into(),
    }
}

/// Returns the part of a long text that begins shortly before the first occurrence of the whole query. If the query as
/// a whole does not occur, the part begins shortly before the first occurrence of a word of the query. The caller cuts
/// the result to `max` characters.
///
/// The whole text is returned if it has at most `max` characters or contains none of the words.
pub(super) fn around<'t>(text: &'t str, max: usize, query: &str) -> Cow<'t, str> {
    let lower = |text: &str| -> Vec<char> {
        let first = |c: char| c.to_lowercase().next().unwrap_or(c);
        text.chars().map(first).collect()
    };
    let said = lower(text);
    if said.len() <= max {
        return text.into();
    }
    let place = |wanted: &str| {
        let wanted = lower(wanted);
        let mut windows = said.windows(wanted.len().max(1));
        windows.position(|window| window == wanted)
    };
    let by_word = || words(query).iter().filter_map(|word| place(word)).min();
    let Some(at) = place(&squeeze(query)).or_else(by_word) else {
        return text.into();
    };
    let from = at.saturating_sub(max / BEFORE);
    // Begin at the start of a word.
    let skipped = said[from..at].iter().position(|c| c.is_whitespace());
    let from = if from == 0 {
        0
    } else {
        skipped.map_or(from, |skipped| from + skipped + 1)
    };
    match text.char_indices().nth(from) {
        Some((byte, _)) if byte > 0 => format!("…{}", &text[byte..]).into(),
        _ => text.into(),
    }
}

fn hits(text: &str, goal: &[String]) -> Vec<Hit> {
    let mut hits = Vec::new();
    let (mut at, mut sentence) = (Place::default(), Place::default());
    for piece in text.split_inclusive(' ') {
        let is_word = |word: &String| {
            let known = goal.iter().position(|wanted| wanted == word);
            known.filter(|nth| goal[*nth].len() >= MIN_WORD)
        };
        if let Some(word) = words(piece).iter().find_map(is_word) {
            hits.push(Hit { word, at, sentence });
        }
        at.byte += piece.len();
        at.char += piece.chars().count();
        if piece.trim_end().ends_with(['.', '!', '?']) {
            sentence = at;
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_with_most_words_of_the_goal_is_shown() {
        let goal = words("How many gallons did the Ashby well give in summer?");
        let dull = "Nobody believed that the pressure would reach the upper streets of the town. ";
        let told = "In summer the Ashby well gave 41,300 gallons.";
        let text = format!("{dull}{dull}{told} {dull}");
        let shown = excerpt(&text, 120, &goal);
        assert!(shown.starts_with(&format!("…{told}")), "{shown}");
        let before = "Nobody knows for which of the many reasons that are given in the minutes the old board did not give";
        let text = format!("{dull}{dull}{before} it. {told} {dull}");
        let shown = excerpt(&text, 50, &words("give Ashby well summer gallons"));
        assert!(shown.starts_with(&format!("…{told}")), "{shown}");
        // The beginning is as good as any other part.
        let text = format!("The Ashby well. {dull}{dull}The well at Ashby.");
        assert_eq!(excerpt(&text, 120, &goal), text);
        assert_eq!(excerpt(&text, 120, &[]), text);
        assert_eq!(excerpt(told, 120, &goal), told);
    }

    #[test]
    fn what_was_found_is_shown_whatever_its_words_are() {
        let dull = "# no\nother_option = no\n".repeat(200);
        for (query, told) in [
            ("login_attempts", "login_attempts = 3"),
            ("gin_att", "login_attempts = 3"),
            ("VAT", "the vat is 19 percent"),
            ("+ 11", "a + 11"),
            ("東京", "これは東京の店です"),
            ("percent absent", "the vat is 19 percent"),
        ] {
            let text = format!("{dull}{told}\n{dull}");
            let shown = around(&text, 600, query);
            let start: String = shown.chars().take(600).collect();
            assert!(
                start.starts_with('…') && start.contains(told),
                "{query}: {start}"
            );
        }
        assert_eq!(around(&dull, 600, "absent"), dull);
        assert_eq!(around("short", 600, "short"), "short");
        assert_eq!(around(&dull, 600, ""), dull);
    }

    #[test]
    fn a_word_far_from_the_start_of_its_sentence_is_shown_all_the_same() {
        let text = format!("{}summer of the Ä{}", "ä ".repeat(200), " ö".repeat(200));
        let shown = excerpt(&text, 40, &["summer".to_owned()]);
        assert!(shown.starts_with("…summer of the Ä ö"), "{shown}");
    }
}
