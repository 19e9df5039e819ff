//! The part of a long text that a prompt shows: its beginning, or a part with more words of the goal.

use std::{borrow::Cow, collections::BTreeSet};

use crate::base::text::words;

/// Shortest word of a goal that moves the shown part. Unit: bytes. Source: chosen; shorter words are mostly grammar.
const MIN_WORD: usize = 4;

/// A place in a text.
#[derive(Clone, Copy, Default)]
struct Place {
    byte: usize,
    char: usize,
}

/// A word of the goal in a text.
struct Hit {
    /// Its index in the goal.
    word: usize,
    at: Place,
    /// The start of its sentence.
    sentence: Place,
}

/// Returns a text from the place on from which `max` characters have the most words of the goal. It is the whole text if its beginning has
/// as many as any other part.
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
    // Of equal parts, one that begins with a sentence is better, and then the first.
    let (mut best, mut place) = ((count(Place::default()), true), Place::default());
    for hit in &hits {
        // A sentence that begins far away would leave no room for what follows the word.
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
    fn a_word_far_from_the_start_of_its_sentence_is_shown_all_the_same() {
        let text = format!("{}summer of the Ä{}", "ä ".repeat(200), " ö".repeat(200));
        let shown = excerpt(&text, 40, &["summer".to_owned()]);
        assert!(shown.starts_with("…summer of the Ä ö"), "{shown}");
    }
}
