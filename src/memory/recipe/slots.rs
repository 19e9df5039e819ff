//! The values of a run: their names, and their places in the goal.

use unicode_normalization::UnicodeNormalization as _;

use super::Slot;
use crate::{base::text, page::TargetIdentity};

/// Maximum length of a slot's name. Unit: characters.
const MAX_NAME: usize = 24;

/// Returns the words as the name of a slot: letters without accents, digits, and `_` between words.
pub(super) fn slug(words: &str) -> String {
    let mut out = String::new();
    for c in words.nfd().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if c.is_whitespace() || c.is_ascii_punctuation() {
            let is_between = !out.is_empty() && !out.ends_with('_');
            out.extend(is_between.then_some('_'));
        }
    }
    out.truncate(MAX_NAME);
    out.trim_end_matches('_').to_owned()
}

/// Names the slots of one recipe, and finds their values in its goal.
#[derive(Debug)]
pub(super) struct Slots<'g> {
    goal: &'g str,
    names: Vec<String>,
    /// The values of rows, with their slots.
    rows: Vec<(String, Slot)>,
    /// The places of the goal that belong to a slot.
    taken: Vec<(usize, usize)>,
}

impl<'g> Slots<'g> {
    pub(super) const fn new(goal: &'g str) -> Self {
        Self {
            goal,
            names: Vec::new(),
            rows: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Returns a new slot for a value of a field or another element. `otherwise` is its name if the element has no words.
    pub(super) fn add(
        &mut self,
        of: Option<&TargetIdentity>,
        otherwise: &str,
        value: &str,
    ) -> Slot {
        let attribute = |name| of.and_then(|of| of.attribute(name)).unwrap_or_default();
        let own = [
            of.map_or("", TargetIdentity::best_name),
            attribute("name"),
            attribute("placeholder"),
            otherwise,
        ];
        let mut names = own.iter().map(|words| slug(words));
        let name = names
            .find(|name| !name.is_empty())
            .unwrap_or_else(|| "value".to_owned());
        self.named(&name, value)
    }

    /// Returns the slot for a row or card that contains this value: the same one for all steps in the row.
    pub(super) fn row(&mut self, value: &str) -> Slot {
        if let Some((_, slot)) = self.rows.iter().find(|(known, _)| known == value) {
            return slot.clone();
        }
        let slot = self.named("row", value);
        self.rows.push((value.to_owned(), slot.clone()));
        slot
    }

    /// Returns a new slot with this name, or with a number behind it if the name is taken.
    pub(super) fn named(&mut self, name: &str, value: &str) -> Slot {
        let name = if name.is_empty() { "value" } else { name };
        let is_free = |name: &String| !self.names.contains(name);
        let others = (2..).map(|n| {
            let room = MAX_NAME - 3;
            format!(
                "{}_{n}",
                name.get(..room).unwrap_or(name).trim_end_matches('_')
            )
        });
        let mut all = std::iter::once(name.to_owned()).chain(others);
        let name = all.find(is_free).unwrap_or_default();
        self.names.push(name.clone());
        let mut slot = Slot::new(&name, value);
        slot.at = self.place(value);
        self.taken.extend(slot.at);
        slot
    }

    /// Returns the first place of a value in the goal that no other slot has, else that of a slot with the same value,
    /// preferably in the same case.
    fn place(&self, value: &str) -> Option<(usize, usize)> {
        let exact = places(self.goal, value, |one, other| one == other);
        let folded = places(self.goal, value, |one, other| {
            one.to_lowercase().eq(other.to_lowercase())
        });
        let is_free = |(start, end): &(usize, usize)| {
            self.taken
                .iter()
                .all(|(from, to)| end <= from || to <= start)
        };
        let all: Vec<(usize, usize)> = exact.into_iter().chain(folded).collect();
        // Two fields may have the same value of the goal.
        let is_same = |place: &&(usize, usize)| self.taken.contains(place);
        let mut free = all.iter().filter(|place| is_free(place));
        free.next().or_else(|| all.iter().find(is_same)).copied()
    }
}

/// Returns true if the goal contains the words, whatever their case.
pub(super) fn contains(goal: &str, words: &str) -> bool {
    !places(goal, words, |one, other| {
        one.to_lowercase().eq(other.to_lowercase())
    })
    .is_empty()
}

/// Returns true if the goal contains the words in the same case, and not as the first of a sentence: there stands what to do, such as
/// `Add`, and a link of this name is no choice.
pub(super) fn names_choice(goal: &str, words: &str) -> bool {
    let same = places(goal, words, |one, other| one == other);
    same.into_iter().any(|(start, _)| {
        let before = goal[..start].trim_end();
        !before.is_empty() && !before.ends_with(['.', '!', '?', ':', '\n'])
    })
}

/// Returns true if all words of `name` are words of the goal.
pub(super) fn has_all_words(goal: &str, name: &str) -> bool {
    let (goal, name) = (text::words(goal), text::words(name));
    !name.is_empty() && name.iter().all(|word| goal.contains(word))
}

/// Returns the places where whole words of the goal are those of `value`.
fn places(goal: &str, value: &str, is_same: impl Fn(char, char) -> bool) -> Vec<(usize, usize)> {
    let value: Vec<char> = value.trim().chars().collect();
    let chars: Vec<(usize, char)> = goal.char_indices().collect();
    let (Some(first), Some(last)) = (value.first(), value.last()) else {
        return Vec::new();
    };
    // Scripts that write no spaces have no borders between words.
    let joins = |one: char, other: char| {
        one.is_alphanumeric()
            && other.is_alphanumeric()
            && !text::tokens_wide(one)
            && !text::tokens_wide(other)
    };
    let found = chars
        .windows(value.len())
        .enumerate()
        .filter(|(at, window)| {
            let is_it = window
                .iter()
                .zip(&value)
                .all(|((_, one), other)| is_same(*one, *other));
            let before = at.checked_sub(1).map(|before| chars[before].1);
            let after = chars.get(at + value.len()).map(|(_, after)| *after);
            is_it
                && !before.is_some_and(|before| joins(before, *first))
                && !after.is_some_and(|after| joins(*last, after))
        });
    found
        .map(|(at, window)| {
            let start = window[0].0;
            let end = chars
                .get(at + value.len())
                .map_or(goal.len(), |(end, _)| *end);
            (start, end)
        })
        .collect()
}

/// Returns the goal with the sign of each slot in place of its value.
pub(super) fn masked<'s>(goal: &str, slots: impl Iterator<Item = &'s Slot>) -> String {
    let mut places: Vec<((usize, usize), &Slot)> =
        slots.filter_map(|slot| Some((slot.at?, slot))).collect();
    places.sort_by_key(|(place, _)| *place);
    let (mut out, mut from) = (String::new(), 0);
    for ((start, end), slot) in places {
        if start >= from && goal.get(start..end).is_some() {
            out.push_str(&goal[from..start]);
            out.extend(["<", &slot.name, ">"]);
            from = end;
        }
    }
    out.push_str(goal.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_named_after_its_field() {
        for (words, name) in [
            ("Post date*", "post_date"),
            ("Größe (cm)", "große_cm"),
            ("日付", ""),
            (
                "A very long label of a field indeed",
                "a_very_long_label_of_a_f",
            ),
        ] {
            let name: String = name.chars().filter(char::is_ascii).collect();
            assert_eq!(slug(words), name, "{words}");
        }
    }

    #[test]
    fn a_value_is_found_in_the_goal_as_whole_words_and_for_each_slot_elsewhere_if_it_can() {
        let goal = "Rename Ann to ann in the annals";
        let mut slots = Slots::new(goal);
        let places: Vec<_> = ["ann", "Ann", "ann"]
            .map(|value| slots.named("name", value).at)
            .into();
        assert_eq!(places, [Some((14, 17)), Some((7, 10)), Some((14, 17))]);
        assert_eq!(slots.named("name", "anna").at, None);
        assert!(contains("搜索网球拍", "网球拍") && !contains("annals", "ann"));
    }

    #[test]
    fn the_goal_is_shown_without_its_values() {
        let goal = "Create the issue Broken lamp for Ann";
        let mut slots = Slots::new(goal);
        let own = ["Broken lamp", "Ann"].map(|value| slots.named("text", value));
        assert_eq!(
            masked(goal, own.iter()),
            "Create the issue <text> for <text_2>"
        );
    }
}
