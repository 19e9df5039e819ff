//! Digests. A digest is the part of a layout that fits a budget. Small pages are shown whole. In large pages, similar items
//! are left out.

use super::{super::Element, Layout, Line, Part, search::Relevance};
use crate::base::text::words;

/// Options of [`Layout::digest`], which selects the lines of a page that a prompt shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DigestOptions {
    /// Maximum size of a digest. If a page must be cut off, the lines that match the goal may exceed it. Unit:
    /// estimated tokens. Default: 1,500. Nine of ten measured pages of small tasks need less than 500.
    pub max_tokens: usize,
}

impl Default for DigestOptions {
    fn default() -> Self {
        Self { max_tokens: 1_500 }
    }
}

impl DigestOptions {
    /// Returns options that show the whole page.
    pub const fn whole() -> Self {
        Self {
            max_tokens: usize::MAX,
        }
    }

    /// Returns these options with another maximum size. Unit: estimated tokens.
    pub const fn with_max_tokens(self, max_tokens: usize) -> Self {
        Self { max_tokens }
    }
}

/// One entry of a digest: a line that is shown, or a report of lines that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown<'l> {
    /// A line of the layout that is shown.
    Line {
        /// The number of the line in the layout, counted from 0.
        number: usize,
        /// The line.
        line: &'l Line,
    },
    /// A report that one or more consecutive lines of the layout are left out.
    More {
        /// The number of the first left-out line in the layout, counted from 0.
        number: usize,
        /// The nesting depth of the first left-out line.
        depth: usize,
        /// The number of lines that are left out.
        lines: usize,
        /// The number of left-out lines that have the nesting depth `depth`. They are usually items that are similar to the
        /// items before them.
        alike: usize,
        /// The number of left-out lines that match the goal at least as well as the worst match that is shown.
        matching: usize,
        /// The words of the goal that occur in every one of the lines counted in `matching`. Short words and words that
        /// too many lines contain are left out.
        words: Vec<String>,
        /// The nearest group that has a reference and contains the left-out lines; `None` if there is no such group.
        of: Option<&'l Part>,
        /// The number of the first left-out line, counted from 1 within the group `of`, or within the page if `of` is
        /// `None`.
        from: usize,
        /// The last of the left-out lines.
        last: &'l Line,
    },
}

/// The lines of a layout that a prompt shows. Wherever lines are left out, a report of them ([`Shown::More`]) takes
/// their place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Digest<'l> {
    /// The lines that are shown and the reports of lines left out, in the order of the layout.
    pub lines: Vec<Shown<'l>>,
    /// Length to which long texts are cut. A text is shown whole if at most a third of it would be left out. Unit:
    /// characters.
    pub max_text: usize,
    /// True if no line was left out and no text was cut.
    pub whole: bool,
}

/// Length to which long texts are cut, as in [`shown_length`], if the page does not fit the budget. Unit: characters.
/// Source: chosen.
const SHORT_TEXT: usize = 300;
/// Length to which long texts are cut, as in [`shown_length`], if the page does not fit the budget even with
/// [`SHORT_TEXT`]. Unit: characters. Source: chosen.
const SHORTEST_TEXT: usize = 120;
/// Maximum numbers of consecutive similar items that are shown. They are tried in this order until the digest fits. Source:
/// chosen; three items are enough to see what they have in common.
const CAPS: [usize; 6] = [40, 20, 12, 8, 5, 3];
/// Minimum number of similar items that are left out together. A smaller group is shown in full, because it costs no more
/// than the line that would report it. Source: chosen.
const MIN_LEFT_OUT: usize = 5;
/// Minimum number of similar lines that are left out together in an outline, which shows only the first line of each run of
/// similar lines. Source: chosen; two paragraphs of [`SHORTEST_TEXT`] cost more than the line that reports them as left
/// out.
const MIN_OUTLINED: usize = 2;
/// Maximum number of lines that are shown because they match the goal. Source: chosen.
const MAX_MATCHED: usize = 10;
/// Maximum number of words of a text that the goal may name as a whole.
const MAX_NAMING: usize = 4;
/// Maximum number of lines of one item that are shown because a line of the item matches the goal. Source: chosen.
const MAX_OF_MATCHED: usize = 8;
/// Share of the budget for banners, menus, side columns and footers together if the page is cut. Unit: percent. Source:
/// chosen.
const ASIDE_SHARE: usize = 20;
/// Cost of each line in addition to its parts. Unit: tokens.
const LINE: usize = 1;
/// Cost of a line that reports left-out lines. Unit: tokens.
const MORE: usize = 20;

/// Returns how many characters of a text are shown if texts are cut to `max` characters. A text of which at most a
/// third would be left out is shown whole, because to read the rest costs a whole request.
pub(crate) const fn shown_length(length: usize, max: usize) -> usize {
    if length <= max.saturating_add(max / 2) {
        length
    } else {
        max
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// A row of headings is not similar to another item, and an item with one part is not similar to an item with
    /// several parts.
    Same,
    Loose,
}

/// Returns the estimated cost of a part. Unit: tokens.
pub(super) fn weight_of(part: &Part, elements: &[Element]) -> usize {
    weight_within(part, elements, usize::MAX)
}

fn weight_within(part: &Part, elements: &[Element], max_text: usize) -> usize {
    let tokens = |text: &str| {
        if text.is_empty() {
            0
        } else {
            1 + shown_length(text.len(), max_text) / 4
        }
    };
    let element = part.element.map(|at| &elements[at]);
    let more: usize = element.map_or(0, |element| {
        let options = element.options.iter().map(|option| 1 + tokens(option));
        options.sum::<usize>()
            + element
                .value
                .as_deref()
                .map_or(0, |value| 1 + tokens(value))
    });
    // Words that can only be read are mostly shown without their reference.
    let acts = element.is_some()
        || part.clickable
        || part.heard
        || part.cell
        || part.role.is_interactive();
    let reference = if acts && part.reference.is_some() {
        3
    } else {
        0
    };
    let hints = element.into_iter().flat_map(|element| &element.hints);
    let looks = hints
        .filter(|(name, _)| &**name == "look")
        .map(|(_, look)| tokens(look))
        .sum::<usize>();
    1 + reference + tokens(&part.text) + tokens(&part.look) + tokens(&part.note) + looks + more
}

/// Returns the numbers of the [`MAX_MATCHED`] lines with the most points, in document order. Lines without points are left
/// out.
fn matched(points: &[u32]) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..points.len()).filter(|at| points[*at] > 0).collect();
    ranked.sort_unstable_by_key(|at| (std::cmp::Reverse(points[*at]), *at));
    ranked.truncate(MAX_MATCHED);
    ranked.sort_unstable();
    ranked
}

#[derive(Debug, Default)]
struct Matching {
    relevance: Relevance,
    /// Number of points of the worst match with the goal that is shown; `None` if no line matches the goal.
    least: Option<u32>,
}

impl Matching {
    /// Returns how many lines of the range have at least `least` points, and the words of the goal that each of these lines
    /// contains.
    fn within(&self, range: std::ops::Range<usize>) -> (usize, Vec<String>) {
        let Some(least) = self.least else {
            return (0, Vec::new());
        };
        let lines = || {
            range
                .clone()
                .filter(|at| self.relevance.points[*at] >= least)
        };
        (lines().count(), self.relevance.shared(lines()))
    }
}

/// Keeps each run of left-out lines that costs no more than the line that would report it.
fn fill_gaps(kept: &mut [bool], weights: &[usize]) {
    let mut at = 0;
    while at < kept.len() {
        let end = at + kept[at..].iter().take_while(|kept| !**kept).count();
        if weights[at..end].iter().sum::<usize>() <= MORE {
            kept[at..end].fill(true);
        }
        at = end + 1;
    }
}

impl Layout {
    fn weights(&self, elements: &[Element], max_text: usize) -> Vec<usize> {
        let weigh = |line: &Line| {
            let parts = line.all_parts();
            LINE + line.depth.min(4) / 2
                + line.parts.len().saturating_sub(1)
                + parts
                    .map(|part| weight_within(part, elements, max_text))
                    .sum::<usize>()
        };
        self.lines.iter().map(weigh).collect()
    }

    /// Selects the lines of the page that a prompt shows for a goal. The budget for these lines is
    /// [`DigestOptions::max_tokens`].
    ///
    /// A page that fits is shown whole. Otherwise long texts are cut. Of many similar items, only the first ones and
    /// the ones that match the goal are shown, and the last item of the group if it is a single line. If that is not
    /// enough, the limits on the length of texts and on the number of items are lowered, and then only the first line
    /// of each sequence of similar lines is shown. As a last resort, the page is cut off at the end of the budget. The
    /// lines that match the goal are shown even then, and may exceed the budget.
    ///
    /// Where lines are left out, the digest contains a report. The report gives the number of the line from which the
    /// left-out lines can be read.
    pub fn digest(
        &self,
        elements: &[Element],
        goal_words: &[String],
        options: DigestOptions,
    ) -> Digest<'_> {
        let budget = options.max_tokens;
        let weights = self.weights(elements, usize::MAX);
        let total: usize = weights.iter().sum();
        if total <= budget {
            let all = vec![true; self.lines.len()];
            return self.show(all, &Matching::default(), usize::MAX);
        }
        let relevance = self.relevance(elements, goal_words);
        let mut matched = matched(&relevance.points);
        let least = matched.iter().map(|at| relevance.points[*at]).min();
        matched.extend(self.named_by(&relevance).take(MAX_MATCHED));
        matched.sort_unstable();
        matched.dedup();
        let matching = Matching { relevance, least };
        for likeness in [Likeness::Same, Likeness::Loose] {
            for max_text in [SHORT_TEXT, SHORTEST_TEXT] {
                let weights = self.weights(elements, max_text);
                for cap in CAPS {
                    let mut kept = self.folded(cap, likeness, &matched);
                    fill_gaps(&mut kept, &weights);
                    if Self::cost(&kept, &weights) <= budget {
                        return self.show(kept, &matching, max_text);
                    }
                }
            }
        }
        let weights = self.weights(elements, SHORTEST_TEXT);
        // An outline of a long text: its headings, each with the beginning of the text below it.
        let mut kept = self.folded_to(1, MIN_OUTLINED, Likeness::Loose, &matched);
        fill_gaps(&mut kept, &weights);
        if Self::cost(&kept, &weights) <= budget {
            return self.show(kept, &matching, SHORTEST_TEXT);
        }
        let mut kept = self.folded(CAPS[CAPS.len() - 1], Likeness::Loose, &matched);
        self.cut(&mut kept, &weights, budget);
        for at in matched {
            self.keep_item(&mut kept, at);
        }
        self.keep_dividers(&mut kept);
        fill_gaps(&mut kept, &weights);
        self.show(kept, &matching, SHORTEST_TEXT)
    }

    /// Returns the lines of menus, and those outside rows and cards, with a short text that the goal names, such as the entry of a menu or the label of a
    /// field. Many rows may match the goal better, but the way to what it asks for leads through these lines.
    fn named_by<'a>(&'a self, relevance: &'a Relevance) -> impl Iterator<Item = usize> + 'a {
        let is_named = |part: &Part| {
            let words = words(&part.text);
            let known = words.iter().filter(|word| relevance.names(word)).count();
            (1..=MAX_NAMING).contains(&words.len()) && known * 2 >= words.len()
        };
        let lines = self.lines.iter().enumerate();
        let is_way = |line: &Line| line.aside || !line.item;
        let named = lines.filter(move |(_, line)| is_way(line) && line.all_parts().any(is_named));
        named.map(|(at, _)| at)
    }

    fn folded(&self, cap: usize, likeness: Likeness, matched: &[usize]) -> Vec<bool> {
        self.folded_to(cap, MIN_LEFT_OUT, likeness, matched)
    }

    /// Returns, for each line, true if it is kept. These lines are kept:
    ///
    /// - The first `cap` lines of each run of similar neighbours; the whole run if fewer than `least` others follow.
    /// - The last item of each group, if it is a single line.
    /// - Every line in `matched`, and the first lines of its item ([`keep_item`](Self::keep_item)).
    /// - The dividers of kept rows ([`keep_dividers`](Self::keep_dividers)).
    fn folded_to(
        &self,
        cap: usize,
        least: usize,
        likeness: Likeness,
        matched: &[usize],
    ) -> Vec<bool> {
        let mut kept = vec![true; self.lines.len()];
        let mut groups: Vec<Option<usize>> = vec![None];
        while let Some(group) = groups.pop() {
            let mut run: Vec<usize> = Vec::new();
            for child in self.children(group) {
                if self.lines[child].end > child + 1 {
                    groups.push(Some(child));
                }
                let is_like = |last: &usize| self.are_alike(*last, child, likeness);
                if !run.last().is_none_or(is_like) {
                    self.fold_run(&std::mem::take(&mut run), cap, least, &mut kept);
                }
                run.push(child);
            }
            // Totals and links to the next page are often the last item of a table or list.
            let is_row =
                |last: &mut usize| self.lines[*last].item && self.lines[*last].end == *last + 1;
            run.pop_if(is_row);
            self.fold_run(&run, cap, least, &mut kept);
        }
        for at in matched {
            self.keep_item(&mut kept, *at);
        }
        self.keep_dividers(&mut kept);
        kept
    }

    /// Leaves out all but the first `cap` of the similar items `run`. Leaves out none if it would leave out fewer than
    /// `least`.
    fn fold_run(&self, run: &[usize], cap: usize, least: usize, kept: &mut [bool]) {
        if run.len() >= cap + least {
            for at in &run[cap..] {
                kept[*at..self.lines[*at].end].fill(false);
            }
        }
    }

    /// Keeps the [divider](Self::is_divider) of each kept row that follows a left-out line. Without it, the row would seem
    /// to belong to an earlier divider.
    fn keep_dividers(&self, kept: &mut [bool]) {
        for at in 1..self.lines.len() {
            if !kept[at] || kept[at - 1] || !self.lines[at].item {
                continue;
            }
            let depth = self.lines[at].depth;
            let mut before = (0..at)
                .rev()
                .take_while(|at| self.lines[*at].depth >= depth);
            let divider = before.find(|at| self.lines[*at].depth == depth && self.is_divider(*at));
            if let Some(divider) = divider
                && !self.is_divider(at)
            {
                kept[divider] = true;
            }
        }
    }

    /// Returns true if the line is a divider: a row that describes the rows after it. Dividers are rows of headings, and
    /// rows with one part if the next row has several parts.
    fn is_divider(&self, at: usize) -> bool {
        let line = &self.lines[at];
        let next = self.lines.get(line.end);
        let is_before_longer = || {
            next.is_some_and(|next| next.item && next.depth == line.depth && next.parts.len() > 1)
        };
        line.item && (line.parts_rows || line.parts.len() == 1 && is_before_longer())
    }

    fn are_alike(&self, one: usize, other: usize, likeness: Likeness) -> bool {
        let (one, other) = (&self.lines[one], &self.lines[other]);
        // A heading between rows, or a row with one part between rows with several, describes the rows around it.
        let is_single = |line: &Line| line.parts.len() == 1;
        let is_apart = one.parts_rows != other.parts_rows || is_single(one) != is_single(other);
        if likeness == Likeness::Same && one.item && is_apart {
            return false;
        }
        let kind = |line: &Line| line.all_parts().next().map(|part| part.role.clone());
        one.item == other.item
            && one.head.is_some() == other.head.is_some()
            && (one.item || kind(one) == kind(other))
    }

    /// Keeps a line, and the first [`MAX_OF_MATCHED`] lines of the item that contains it.
    fn keep_item(&self, kept: &mut [bool], at: usize) {
        let item = self.item_of(at).unwrap_or(at);
        let end = if self.lines[item].item {
            self.lines[item].end.min(item + MAX_OF_MATCHED)
        } else {
            item + 1
        };
        kept[item..end].fill(true);
        kept[at] = true;
    }

    fn cost(kept: &[bool], weights: &[usize]) -> usize {
        let mut cost = 0;
        let mut before = true;
        for (kept, weight) in kept.iter().zip(weights) {
            cost += if *kept {
                *weight
            } else if before {
                MORE
            } else {
                0
            };
            before = *kept;
        }
        cost
    }

    /// Leaves out the lines that do not fit the budget. The share [`ASIDE_SHARE`] of the budget is for banners, menus, side
    /// columns and footers, the rest for the main content.
    fn cut(&self, kept: &mut [bool], weights: &[usize], budget: usize) {
        let aside = budget * ASIDE_SHARE / 100;
        let mut room = [budget - aside, aside];
        for (at, line) in self.lines.iter().enumerate() {
            let room = &mut room[usize::from(line.aside)];
            let before = at == 0 || kept[at - 1];
            if kept[at] && *room >= weights[at] {
                *room -= weights[at];
            } else if kept[at] {
                // Nothing is kept after the first line that does not fit, so that there is one place to continue
                // reading.
                *room = 0;
                kept[at] = false;
            } else if before {
                *room = room.saturating_sub(MORE);
            }
        }
    }

    /// Returns the kept lines and the first line of each group that contains one. Each sequence of other lines is replaced
    /// by one line that reports their number.
    fn show(&self, mut kept: Vec<bool>, matching: &Matching, max_text: usize) -> Digest<'_> {
        let mut groups: Vec<usize> = Vec::new();
        for at in 0..self.lines.len() {
            groups.truncate(self.lines[at].depth);
            if kept[at] {
                for group in groups.iter().rev() {
                    if std::mem::replace(&mut kept[*group], true) {
                        break;
                    }
                }
            }
            groups.push(at);
        }
        let mut lines: Vec<Shown<'_>> = Vec::new();
        let mut at = 0;
        groups.clear();
        while at < self.lines.len() {
            let line = &self.lines[at];
            groups.truncate(line.depth);
            if kept[at] {
                lines.push(Shown::Line { number: at, line });
                groups.push(at);
                at += 1;
                continue;
            }
            // A run ends with the group that contains it.
            let group = groups.last().copied();
            let end = group.map_or(self.lines.len(), |group| self.lines[group].end);
            let first = at;
            let mut alike = 0;
            while at < end && !kept[at] {
                alike += usize::from(self.lines[at].depth == line.depth);
                at += 1;
            }
            let named = groups.iter().rev().find_map(|group| {
                let head = self.lines[*group].head.as_ref()?;
                head.reference.is_some().then_some((*group, head))
            });
            let (matching, words) = matching.within(first..at);
            lines.push(Shown::More {
                number: first,
                depth: line.depth,
                lines: at - first,
                alike,
                matching,
                words,
                of: named.map(|(_, head)| head),
                from: named.map_or(first + 1, |(group, _)| first - group),
                last: &self.lines[at - 1],
            });
        }
        Digest {
            lines,
            max_text,
            whole: max_text == usize::MAX && kept.iter().all(|kept| *kept),
        }
    }

    /// Returns the lines that follow the first `from` lines of `range`, as many as fit into `max_tokens`. The first of them
    /// is returned even if it does not fit.
    pub(crate) fn read(
        &self,
        elements: &[Element],
        range: std::ops::Range<usize>,
        from: usize,
        max_tokens: usize,
    ) -> Vec<Shown<'_>> {
        let mut room = max_tokens;
        let mut shown = Vec::new();
        for (number, line) in self
            .lines
            .iter()
            .enumerate()
            .take(range.end)
            .skip(range.start + from)
        {
            let weight: usize = LINE
                + line
                    .all_parts()
                    .map(|part| weight_of(part, elements))
                    .sum::<usize>();
            if weight > room && !shown.is_empty() {
                break;
            }
            room = room.saturating_sub(weight);
            shown.push(Shown::Line { number, line });
        }
        shown
    }
}
