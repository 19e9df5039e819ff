//! Cuts parts of a message so that they fit into the number of tokens that is available. This module does no I/O.

use crate::base::{TokenCount, tokens::estimate};

/// The end of a block that is kept when the block is cut: the first lines or the last lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines are kept. Used for text that was read or found, because such a text begins with the part that
    /// was asked for.
    First,
    /// The last lines are kept. Used for the history, where the newest step matters most.
    Last,
}

impl Keep {
    /// Returns the first or last `kept` lines, or all lines if there are fewer.
    pub(super) fn shown<T>(self, lines: &[T], kept: usize) -> &[T] {
        let kept = kept.min(lines.len());
        match self {
            Self::First => &lines[..kept],
            Self::Last => &lines[lines.len() - kept..],
        }
    }
}

/// A part of a message that may be cut line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    lines: Vec<TokenCount>,
    priority: u8,
    keep: Keep,
}

impl Block {
    /// Makes a block of these lines.
    ///
    /// If several blocks are too long, they get lines in proportion to their priorities: with the priorities 30 and 60,
    /// the second block gets about twice as many. Priority 0 counts as 1.
    pub fn new<T: AsRef<str>>(lines: &[T], priority: u8, keep: Keep) -> Self {
        Self {
            lines: lines.iter().map(|line| cost(line.as_ref())).collect(),
            priority: priority.max(1),
            keep,
        }
    }

    /// Returns the number of tokens of the line `nth`; `None` if there is no such line. Lines are counted from 0, and from
    /// the last line backwards if the block keeps its last lines.
    fn nth(&self, nth: usize) -> Option<TokenCount> {
        match self.keep {
            Keep::First => self.lines.get(nth).copied(),
            Keep::Last => self.lines.iter().rev().nth(nth).copied(),
        }
    }

    /// Returns the lines that remain if the block is cut to `kept` lines. `lines` are the lines that were given to
    /// [`new`](Self::new).
    pub fn shown<'a, T>(&self, lines: &'a [T], kept: usize) -> &'a [T] {
        self.keep.shown(lines, kept)
    }
}

/// Returns the estimated number of tokens of a line, including its line break.
pub(crate) fn cost(text: &str) -> TokenCount {
    estimate(text) + TokenCount(1)
}

/// Returns, for each block, the number of its lines that fit into the budget.
///
/// The lines are added one by one. The next line always comes from the block that has the fewest lines in proportion to
/// its priority; of equal blocks, from the one with the highest priority. So each block gets its first line before any
/// block gets its second, however long and important the other blocks are. The packing ends at the first line that
/// exceeds the budget. So a larger budget never gives a block fewer lines.
///
/// ```
/// use webwise::prompt::{Block, Keep, pack};
/// use webwise::base::TokenCount;
///
/// let history = Block::new(&["1. click button \"Go\""; 40], 40, Keep::Last);
/// let read = Block::new(&["row | price"; 4], 60, Keep::First);
/// assert_eq!(pack(&[history.clone(), read.clone()], TokenCount(1_000)), [40, 4]);
/// assert_eq!(pack(&[history, read], TokenCount(100)), [9, 4]);
/// ```
pub fn pack(blocks: &[Block], budget: TokenCount) -> Vec<usize> {
    let mut kept = vec![0_usize; blocks.len()];
    let mut spent = TokenCount(0);
    loop {
        let priority = |at: usize| usize::from(blocks[at].priority);
        let lines = (0..blocks.len()).filter_map(|at| Some((at, blocks[at].nth(kept[at])?)));
        // The quotients of lines and priority are compared without dividing.
        let next = lines.min_by(|(a, _), (b, _)| {
            let has_fewer = (kept[*a] * priority(*b)).cmp(&(kept[*b] * priority(*a)));
            has_fewer.then(priority(*b).cmp(&priority(*a)))
        });
        let Some((at, line)) = next.filter(|(_, line)| spent + *line <= budget) else {
            return kept;
        };
        spent += line;
        kept[at] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks() -> impl Strategy<Value = Vec<Block>> {
        let keep = prop_oneof![Just(Keep::First), Just(Keep::Last)];
        let lines = prop::collection::vec("[a-z \u{4e00}]{0,60}", 0..30);
        let block = (lines, 0_u8..90, keep)
            .prop_map(|(lines, priority, keep)| Block::new(&lines, priority, keep));
        prop::collection::vec(block, 0..6)
    }

    fn spent(blocks: &[Block], kept: &[usize]) -> TokenCount {
        let mut all = Vec::new();
        for (block, &kept) in blocks.iter().zip(kept) {
            all.extend_from_slice(block.shown(&block.lines, kept));
        }
        all.into_iter().sum()
    }

    proptest! {
        #[test]
        fn never_above_the_budget_and_never_less_with_more(blocks in blocks(), budget in 0_u64..900, more in 0_u64..200) {
            let few = pack(&blocks, TokenCount(budget));
            let many = pack(&blocks, TokenCount(budget + more));
            prop_assert!(spent(&blocks, &few) <= TokenCount(budget));
            prop_assert!(few.iter().zip(&many).all(|(few, many)| few <= many), "{:?} {:?}", few, many);
        }

        #[test]
        fn all_that_fits_is_kept_and_what_is_cut_would_not_fit(blocks in blocks(), budget in 0_u64..900) {
            let all: Vec<usize> = blocks.iter().map(|block| block.lines.len()).collect();
            let whole = spent(&blocks, &all);
            let kept = pack(&blocks, TokenCount(budget));
            prop_assert_eq!(kept == all, whole <= TokenCount(budget));
        }

        #[test]
        fn a_block_with_lines_is_never_left_out_for_the_second_lines_of_another(blocks in blocks(), budget in 0_u64..900) {
            let kept = pack(&blocks, TokenCount(budget));
            let is_out = blocks.iter().zip(&kept).any(|(block, &kept)| kept == 0 && !block.lines.is_empty());
            prop_assert!(!is_out || kept.iter().all(|kept| *kept <= 1));
        }
    }

    #[test]
    fn blocks_that_are_too_long_get_lines_in_proportion_to_their_priorities() {
        let kept = |priorities: &[u8], lines: u64| {
            let of = |priority: &u8| Block::new(&["x"; 100], *priority, Keep::First);
            // A block without lines changes nothing, whatever its priority.
            let empty = Block::new::<&str>(&[], 1, Keep::First);
            let blocks: Vec<Block> = priorities.iter().map(of).chain([empty]).collect();
            let mut kept = pack(&blocks, TokenCount(lines * cost("x").0));
            kept.pop();
            kept
        };
        assert_eq!(kept(&[30, 60], 90), [30, 60]);
        assert_eq!(kept(&[30, 45, 90], 33), [6, 9, 18]);
        assert_eq!(kept(&[65, 60], 25), [13, 12]);
        assert_eq!(kept(&[1, 60, 120], 30), [1, 10, 19]);
    }

    #[test]
    fn the_cuts() {
        let line = |tokens: usize| "x ".repeat(tokens - 1);
        let of = |count: usize, priority, keep| Block::new(&vec![line(10); count], priority, keep);
        let blocks = [
            of(50, 40, Keep::Last),
            of(30, 60, Keep::First),
            of(5, 120, Keep::Last),
        ];
        let cuts: Vec<(u64, Vec<usize>)> = [0, 9, 10, 40, 100, 300, 600, 850, 900]
            .map(|budget| (budget, pack(&blocks, TokenCount(budget))))
            .into();
        let expected = [
            (0, vec![0, 0, 0]),
            (9, vec![0, 0, 0]),
            (10, vec![0, 0, 1]),
            (40, vec![1, 1, 2]),
            (100, vec![2, 3, 5]),
            (300, vec![10, 15, 5]),
            (600, vec![25, 30, 5]),
            (850, vec![50, 30, 5]),
            (900, vec![50, 30, 5]),
        ];
        assert_eq!(cuts, expected);
    }
}
