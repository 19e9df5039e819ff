//! Which elements are worth the prompt's room, and which answer a search.
//!
//! Points are whole numbers, so that the choice is the same on every machine.

use std::collections::HashMap;

use super::{Element, Role, element::CROWD, outline::is_checkable};
use crate::base::text::{fold, for_each_word, words};

/// Members of a crowd that are shown although nothing speaks for them. Unit: elements. Source: chosen; enough to see the
/// pattern.
const CROWD_SHOWN: usize = 3;
/// Most members of a crowd that are shown because the goal speaks of them. Unit: elements. Source: chosen, what `find`
/// shows.
const CROWD_MATCHED: usize = 10;
/// Most words of a goal or query that are looked at. Unit: words. Source: chosen.
const MAX_QUERY_WORDS: usize = 40;
/// Shortest common beginning of two words that are taken for forms of one. Unit: bytes. Source: chosen.
const MIN_STEM: usize = 4;
/// Length from which on a word of the goal counts fully. Unit: bytes. Source: chosen; articles and prepositions are short.
const FULL_WORD: usize = 6;

/// An element that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    /// Its place among all.
    pub(super) at: usize,
    /// Whether the goal speaks of it.
    pub(super) matched: bool,
}

/// The elements to show, in the order given: of a crowd the first few, and the best of those that the goal speaks of.
pub(super) fn pick(
    elements: &[Element],
    goal_words: &[String],
    max: usize,
    folded: bool,
) -> Vec<Pick> {
    let matches = goal_points(elements, goal_words);
    let mut ranked: Vec<(u32, usize)> = Vec::new();
    let mut crowds: HashMap<u32, Crowd> = HashMap::new();
    for (at, (element, goal)) in elements.iter().zip(&matches).enumerate() {
        let points = merit(element) + goal;
        match element
            .crowd
            .filter(|_| folded)
            .map(|crowd| crowds.entry(crowd).or_default())
        {
            Some(crowd) if *goal > 0 => crowd.matched.push((points, at)),
            Some(crowd) if crowd.seen < CROWD_SHOWN => {
                crowd.seen += 1;
                ranked.push((points, at));
            }
            Some(_) => {}
            None => ranked.push((points, at)),
        }
    }
    let best_first = |(points, at): &(u32, usize)| (std::cmp::Reverse(*points), *at);
    for mut crowd in crowds.into_values() {
        crowd.matched.sort_unstable_by_key(best_first);
        ranked.extend(crowd.matched.into_iter().take(CROWD_MATCHED));
    }
    ranked.sort_unstable_by_key(best_first);
    ranked.truncate(max);
    ranked.sort_unstable_by_key(|(_, at)| *at);
    ranked
        .into_iter()
        .map(|(_, at)| Pick {
            at,
            matched: matches[at] > 0,
        })
        .collect()
}

#[derive(Default)]
struct Crowd {
    /// Members shown although nothing speaks for them.
    seen: usize,
    /// Points and places of those that the goal speaks of.
    matched: Vec<(u32, usize)>,
}

/// How useful an element is whatever the goal.
fn merit(element: &Element) -> u32 {
    let by_role = match &element.role {
        role if role.is_editable() => 60,
        role if is_checkable(role) => 45,
        Role::Button => 50,
        Role::Tab | Role::Option | Role::MenuItem | Role::ListBox | Role::Slider => 40,
        Role::Link => 30,
        _ => 25,
    };
    let by_place = match &element.landmark {
        Some(Role::Main | Role::Form | Role::Search | Role::Region) => 15,
        Some(Role::ContentInfo) => 0,
        Some(Role::Complementary) => 4,
        Some(Role::Navigation | Role::Banner) => 7,
        _ => 10,
    };
    let states = &element.states;
    let notable = [
        states.invalid,
        states.active,
        states.expanded == Some(true),
        element.group > 1,
    ];
    let by_state = 12 * u32::try_from(notable.into_iter().filter(|on| *on).count()).unwrap_or(0);
    let worth = 20 + by_role + by_place + by_state + if element.in_dialog { 1_000 } else { 0 };
    worth - if states.disabled { 15 } else { 0 } - if element.label.is_empty() { 15 } else { 0 }
}

/// Points of each element for words of the goal; a word that most elements have says nothing.
fn goal_points(elements: &[Element], goal_words: &[String]) -> Vec<u32> {
    let goal = distinct_words(goal_words.iter().map(String::as_str));
    if goal.is_empty() {
        return vec![0; elements.len()];
    }
    let mut best = vec![0; goal.len()];
    let hits: Vec<Vec<(usize, u32)>> = elements.iter().map(|e| hits(&goal, e, &mut best)).collect();
    let mut times = vec![0_u32; goal.len()];
    hits.iter()
        .flatten()
        .for_each(|(word, _)| times[*word] += 1);
    let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
    let weight = |word: usize| {
        // A word of a quarter of a long list tells nothing apart; on a short page every hit counts.
        let is_common = times[word] > CROWD && times[word].saturating_mul(4) > count;
        let rarity = (count / times[word].max(1)).checked_ilog2().unwrap_or(0) + 1;
        if is_common {
            0
        } else {
            rarity.min(8) * length_share(&goal[word])
        }
    };
    hits.iter()
        .map(|hits| {
            hits.iter()
                .map(|(word, points)| weight(*word) * points / 12)
                .sum()
        })
        .collect()
}

/// 1 to 6: short words are mostly grammar, digits and ideographs never are.
fn length_share(word: &str) -> u32 {
    let telling = word.chars().any(char::is_numeric) || !word.is_ascii();
    if telling {
        6
    } else {
        u32::try_from(word.len().min(FULL_WORD)).unwrap_or(1)
    }
}

/// The words of the goal that an element has, with points from 1 to 24; `best` is room for one number a word.
fn hits(goal: &[String], element: &Element, best: &mut [u32]) -> Vec<(usize, u32)> {
    best.fill(0);
    let mut look = |text: &str, points: u32| {
        for_each_word(text, |word| {
            for (best, wanted) in best.iter_mut().zip(goal) {
                *best = (*best).max(points * likeness(wanted, word) / 4);
            }
        });
    };
    look(&element.label, 24);
    look(element.context.as_deref().unwrap_or_default(), 16);
    look(element.value.as_deref().unwrap_or_default(), 12);
    element.options.iter().for_each(|option| look(option, 12));
    best.iter()
        .copied()
        .enumerate()
        .filter(|(_, points)| *points > 0)
        .collect()
}

/// 4 for the same word, 2 for forms of one word, else 0.
fn likeness(wanted: &str, word: &str) -> u32 {
    let (short, long) = if wanted.len() < word.len() {
        (wanted, word)
    } else {
        (word, wanted)
    };
    if short.as_bytes().first() != long.as_bytes().first() {
        0
    } else if short == long {
        4
    } else if short.len() >= MIN_STEM && long.starts_with(short) {
        2
    } else {
        0
    }
}

fn distinct_words<'w>(texts: impl Iterator<Item = &'w str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in texts.flat_map(words) {
        if !out.contains(&word) {
            out.push(word);
        }
        if out.len() == MAX_QUERY_WORDS {
            break;
        }
    }
    out
}

/// The elements that have words of the query, best first.
pub(super) fn find<'e>(elements: &'e [Element], query: &str, max: usize) -> Vec<&'e Element> {
    let wanted = distinct_words(std::iter::once(query));
    let folded = fold(query.trim());
    let mut ranked: Vec<(u32, usize)> = Vec::new();
    let mut best = vec![0; wanted.len()];
    for (at, element) in elements.iter().enumerate() {
        let mut points: u32 = hits(&wanted, element, &mut best)
            .iter()
            .map(|(_, points)| points)
            .sum();
        points += 8 * u32::from(wanted.iter().any(|w| w == element.role.as_str()));
        if points == 0 && !folded.is_empty() {
            // Parts of words, for compounds and for what is not made of letters.
            let holds = |text: &str| fold(text).contains(&folded);
            points +=
                6 * u32::from(holds(&element.label) || element.value.as_deref().is_some_and(holds));
        }
        if points > 0 {
            points += 48 * u32::from(fold(&element.label) == folded);
            ranked.push((points, at));
        }
    }
    ranked.sort_unstable_by_key(|(points, at)| (std::cmp::Reverse(*points), *at));
    ranked
        .into_iter()
        .take(max)
        .map(|(_, at)| &elements[at])
        .collect()
}
