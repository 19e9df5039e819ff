//! The words that two goals share.

use super::{
    fold::compose,
    lex::{Token, lex},
};

/// A part of an earlier goal. It can be shown beside a new goal without the earlier goal's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shared {
    /// Words that both goals have, in the spelling of the new goal.
    Words(String),
    /// A value of the earlier goal, as the index of its slot. The value itself is not shown.
    Slot(usize),
    /// Words of the earlier goal that the new goal does not have here. They are not shown.
    Other,
}

/// Splits the earlier goal `known` into parts that show only words which `goal` has too.
///
/// `slots` are the byte ranges of the values in `known`. They count bytes of its composed form (NFC). Returns `None` if
/// both goals have the same words.
///
/// ```
/// use webwise::goal::{Shared::{Other, Slot, Words}, shared};
///
/// let words = |text: &str| Words(text.to_owned());
/// let known = "Search for tea and add the cheapest to the cart";
/// let goal = "Search for cups and add the best to the cart";
/// let parts = shared(known, &[(11, 14)], goal).unwrap();
/// assert_eq!(parts, [words("Search for"), Slot(0), words("and add the"), Other, words("to the cart")]);
/// assert_eq!(shared(known, &[(11, 14)], known), None);
/// ```
pub fn shared(known: &str, slots: &[(usize, usize)], goal: &str) -> Option<Vec<Shared>> {
    let (known, text) = (compose(known), compose(goal));
    let (known, goal) = (lex(&known), lex(&text));
    if known
        .iter()
        .map(|token| &token.fold)
        .eq(goal.iter().map(|token| &token.fold))
    {
        return None;
    }
    let slot_of = |token: &Token| {
        // A quoted value is one token that includes the quotes, and a slot may have several tokens, so an overlap counts.
        let holds = |(start, end): &(usize, usize)| *start < token.end && token.start < *end;
        slots.iter().position(holds)
    };
    let alike = |a: &Token, b: &Token| slot_of(a).is_none() && a.fold == b.fold;
    let mut parts: Vec<Shared> = Vec::new();
    // The position in the new goal after the last shared word, and the byte offset where the current run of shared words begins.
    let (mut at, mut from) = (0, 0);
    for (token, partner) in known.iter().zip(partners(&known, &goal, alike)) {
        let part = match (slot_of(token), partner) {
            (Some(slot), _) => Shared::Slot(slot),
            (None, None) => Shared::Other,
            (None, Some(partner)) => {
                // Words that follow each other in both goals are one part, with the signs between them.
                let is_next = matches!(parts.last(), Some(Shared::Words(_))) && partner == at;
                if is_next {
                    parts.pop();
                } else {
                    from = goal[partner].start;
                }
                at = partner + 1;
                Shared::Words(text[from..goal[partner].end].to_owned())
            }
        };
        if parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    Some(parts)
}

/// Returns, for each token of the earlier goal, the index of its partner in the new goal. The pairs form a longest
/// common subsequence.
fn partners(
    known: &[Token],
    goal: &[Token],
    alike: impl Fn(&Token, &Token) -> bool,
) -> Vec<Option<usize>> {
    let width = goal.len() + 1;
    let mut lengths = vec![0_u16; (known.len() + 1) * width];
    for (i, one) in known.iter().enumerate().rev() {
        for (j, other) in goal.iter().enumerate().rev() {
            lengths[i * width + j] = if alike(one, other) {
                lengths[(i + 1) * width + j + 1].saturating_add(1)
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut pairs = vec![None; known.len()];
    let (mut i, mut j) = (0, 0);
    while i < known.len() && j < goal.len() {
        if alike(&known[i], &goal[j]) {
            pairs[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
