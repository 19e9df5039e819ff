//! Search in a layout. There are two kinds of search: for the lines that answer a query, and for the lines that match the
//! goal.
//!
//! Points are whole numbers, so that the result is the same on every machine.

use super::{super::Element, Layout, Line, MAX_ITEM};
use crate::base::text::{Folded, for_each_word, words};

/// Maximum number of words of a goal or query that are used. Source: chosen.
const MAX_QUERY_WORDS: usize = 40;
/// Minimum length of a word that counts as a form of every longer word that begins with it. Unit: bytes. Source: chosen.
const MIN_STEM: usize = 4;
/// Minimum length of a goal word that has the full weight. Shorter words have less weight. Unit: bytes. Source: chosen;
/// articles and prepositions are shorter.
const FULL_WORD: usize = 6;
/// Minimum length of a goal word that the report of left-out lines may name. There is no minimum for a word with a digit or
/// a non-ASCII character. Unit: bytes. Source: chosen; shorter words are mostly grammar.
const MIN_NAMED: usize = 4;
/// Maximum number of lines that may contain a goal word without making it too common. A word gives no points if it is in
/// more lines than this, and in more than a quarter of all lines. Source: chosen.
const MIN_COMMON: u32 = 30;

/// Returns the texts of a line, each with the points that a wanted word gets if this text contains it.
fn said<'l>(line: &'l Line, elements: &'l [Element]) -> impl Iterator<Item = (&'l str, u32)> {
    line.all_parts().flat_map(|part| {
        let own = (part.text.as_str(), if part.is_text() { 18 } else { 24 });
        let element = part.element.map(|at| &elements[at]);
        let more = element.into_iter().flat_map(|element| {
            let options = element.options.iter().map(String::as_str);
            element
                .value
                .as_deref()
                .into_iter()
                .chain(options)
                .map(|text| (text, 12))
        });
        let hints = element.into_iter().flat_map(|element| &element.hints);
        let look = hints
            .filter(|(name, _)| &**name == "look")
            .map(|(_, look)| (&**look, 12));
        let own_look = (!part.look.is_empty()).then_some((part.look.as_str(), 12));
        [own].into_iter().chain(more).chain(look).chain(own_look)
    })
}

/// The result of [`Layout::find`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hits {
    /// Numbers of the lines that were found, best first, counted from 0. If the words of the query are spread over the lines
    /// of one item, the number of the item's first line stands for the whole item.
    pub lines: Vec<usize>,
    /// True if every hit has all words of the query. False if no line or item has all words; every hit then has some of
    /// them.
    pub have_all: bool,
}

impl Layout {
    /// Finds the lines with all words of a query. If there are no such lines, finds the lines with some of the words.
    /// The words may also be spread over the lines of one item, such as a card.
    ///
    /// Searches labels, words, values, options, looks and roles. The query as a whole also matches inside words, so
    /// that a query without letters, such as `+`, can be found.
    pub fn find(&self, elements: &[Element], query: &str, max: usize) -> Hits {
        let wanted = distinct_words(std::iter::once(query));
        let whole = Folded::of(query);
        let mut ranked: Vec<(bool, u32, usize)> = Vec::new();
        let mut best = vec![0; wanted.len()];
        // The words that each line has, as indices into `wanted`.
        let mut words: Vec<Vec<usize>> = Vec::with_capacity(self.lines.len());
        for (at, line) in self.lines.iter().enumerate() {
            let hits = hits(&wanted, said(line, elements), &mut best);
            let mut points: u32 = hits.iter().map(|(_, points)| points).sum();
            let is_role = |word: &String| line.all_parts().any(|part| *word == part.role.as_str());
            points += 8 * u32::from(wanted.iter().any(is_role));
            let is_hit = |nth: usize| hits.iter().any(|(word, _)| *word == nth);
            let has = |nth: &usize| is_hit(*nth) || is_role(&wanted[*nth]);
            words.push((0..wanted.len()).filter(has).collect());
            let mut has_all = words[at].len() == wanted.len();
            if !whole.as_str().is_empty() {
                for (text, _) in said(line, elements) {
                    let text = Folded::of(text);
                    // The whole query also matches a part of a word, for compounds and for queries without letters.
                    let holds = text.contains(&whole);
                    points += 48 * u32::from(text == whole) + 12 * u32::from(holds);
                    has_all |= holds;
                }
            }
            if points > 0 {
                ranked.push((has_all, points, at));
            }
        }
        if wanted.len() > 1 {
            self.add_items(&words, wanted.len(), &mut ranked);
        }
        let have_all = ranked.iter().any(|(has_all, ..)| *has_all);
        ranked.retain(|(has_all, ..)| *has_all == have_all);
        ranked.sort_unstable_by_key(|(_, points, at)| (std::cmp::Reverse(*points), *at));
        let lines = ranked.into_iter().take(max).map(|(.., at)| at).collect();
        Hits { lines, have_all }
    }

    /// Adds a hit for each item that has all words although none of its lines has them all. The hit is the first line of the
    /// item. `words` has the words of each line. `ranked` has the hits so far, in the order of the lines.
    fn add_items(&self, words: &[Vec<usize>], count: usize, ranked: &mut Vec<(bool, u32, usize)>) {
        let mut points: Vec<u32> = vec![0; self.lines.len()];
        let mut full = vec![false; self.lines.len()];
        for (has_all, of_line, at) in ranked.iter() {
            (full[*at], points[*at]) = (*has_all, *of_line);
        }
        let mut items = Vec::new();
        // From the last line up, so that an inner item comes before the item around it.
        for at in (0..self.lines.len()).rev() {
            let lines = at..self.lines[at].end;
            if !self.lines[at].item || !(2..=MAX_ITEM).contains(&lines.len()) {
                continue;
            }
            let has = |word: usize| lines.clone().any(|line| words[line].contains(&word));
            if (0..count).all(has) && !full[lines.clone()].contains(&true) {
                full[at] = true;
                items.push((true, points[lines].iter().sum(), at));
            }
        }
        ranked.retain(|(has_all, _, at)| *has_all || !full[*at]);
        ranked.append(&mut items);
    }

    /// Returns how well each line matches the goal. A word that too many lines contain gives no points.
    pub(crate) fn relevance(&self, elements: &[Element], goal_words: &[String]) -> Relevance {
        let goal = distinct_words(goal_words.iter().map(String::as_str));
        let mut best = vec![0; goal.len()];
        let hits: Vec<Vec<(usize, u32)>> = self
            .lines
            .iter()
            .map(|line| hits(&goal, said(line, elements), &mut best))
            .collect();
        let mut times = vec![0_u32; goal.len()];
        hits.iter()
            .flatten()
            .for_each(|(word, _)| times[*word] += 1);
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let weight = |word: usize| {
            // On a long list, a word in a quarter of the lines does not tell them apart; on a short page every hit
            // counts.
            let is_common = times[word] > MIN_COMMON && times[word].saturating_mul(4) > count;
            let rarity = (count / times[word].max(1)).checked_ilog2().unwrap_or(0) + 1;
            if is_common {
                0
            } else {
                rarity.min(8) * length_share(&goal[word])
            }
        };
        let points = |hits: &Vec<(usize, u32)>| {
            let points = hits
                .iter()
                .map(|(word, points)| weight(*word) * points / 12);
            points.sum()
        };
        let is_named = |word: &usize| {
            let telling = goal[*word].len() >= MIN_NAMED || length_share(&goal[*word]) == 6;
            telling && weight(*word) > 0
        };
        let named = |hits: &Vec<(usize, u32)>| {
            let words = hits.iter().map(|(word, _)| *word);
            words.filter(is_named).collect()
        };
        Relevance {
            points: hits.iter().map(points).collect(),
            named: hits.iter().map(named).collect(),
            goal,
        }
    }
}

/// The result of comparing each line of a layout with the words of a goal.
#[derive(Debug, Default)]
pub(crate) struct Relevance {
    pub(crate) points: Vec<u32>,
    /// For each line, the words of the goal that the line contains, as indexes into `goal`. Short words and words that too
    /// many lines contain are left out.
    named: Vec<Vec<usize>>,
    goal: Vec<String>,
}

impl Relevance {
    /// Returns true if this is a word of the goal, and no short one.
    pub(super) fn names(&self, word: &str) -> bool {
        word.len() >= MIN_NAMED && self.goal.iter().any(|goal| goal == word)
    }

    /// Returns the words of the goal that all of these lines contain. Short words and words that too many lines contain are
    /// left out.
    pub(super) fn shared(&self, mut lines: impl Iterator<Item = usize>) -> Vec<String> {
        let Some(first) = lines.next() else {
            return Vec::new();
        };
        let mut shared = self.named[first].clone();
        for line in lines {
            shared.retain(|word| self.named[line].contains(word));
        }
        shared
            .into_iter()
            .map(|word| self.goal[word].clone())
            .collect()
    }
}

/// Returns the weight of a word: its length, but at most 6, because short words are mostly grammar. A word with a digit or a
/// non-ASCII character has the weight 6.
fn length_share(word: &str) -> u32 {
    let telling = word.chars().any(char::is_numeric) || !word.is_ascii();
    if telling {
        6
    } else {
        u32::try_from(word.len().min(FULL_WORD)).unwrap_or(1)
    }
}

/// Returns the index of each wanted word that occurs in the texts, with the points of the word.
///
/// - A word gets the points of the text that contains it. If the text contains only another form of the word, the word gets
///   half of these points.
/// - If several texts contain the word, the highest points count.
///
/// `best` is a buffer with one number for each wanted word.
fn hits<'l>(
    wanted: &[String],
    texts: impl Iterator<Item = (&'l str, u32)>,
    best: &mut [u32],
) -> Vec<(usize, u32)> {
    best.fill(0);
    for (text, points) in texts {
        for_each_word(text, |word| {
            for (best, wanted) in best.iter_mut().zip(wanted) {
                *best = (*best).max(points * likeness(wanted, word) / 4);
            }
        });
    }
    let hits = best.iter().copied().enumerate();
    hits.filter(|(_, points)| *points > 0).collect()
}

/// Returns 4 if the words are the same, 2 if they are forms of one word, and 0 for any other words.
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
