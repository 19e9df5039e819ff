//! The pairs of facts that a diff compares: a fact of the old observation and a fact of the new one.

use std::collections::{HashMap, VecDeque};

use super::super::fact::Fact;

/// Returns, for each new fact, the index of the old fact with which it is compared; `None` if there is none.
///
/// Only facts with the same key are paired. If both observations have equally many facts with a key, these are paired in
/// order. Otherwise, unchanged facts at the start and at the end are paired first, and `pair_equal` pairs the facts in
/// between.
pub(super) fn partners(old: &[Fact], new: &[Fact]) -> Vec<Option<usize>> {
    let by_key = |facts: &[Fact]| {
        let places = facts.iter().enumerate().map(|(at, fact)| (fact.key, at));
        let mut places: Vec<(u64, usize)> = places.collect();
        places.sort_unstable();
        places
    };
    let (old_places, new_places) = (by_key(old), by_key(new));
    let is_same = |((_, a), (_, b)): &(&(u64, usize), &(u64, usize))| {
        (old[*a].detail, old[*a].exact, old[*a].look)
            == (new[*b].detail, new[*b].exact, new[*b].look)
    };
    let mut partners = vec![None; new.len()];
    let mut rest = &old_places[..];
    for after in new_places.chunk_by(|a, b| a.0 == b.0) {
        let key = after[0].0;
        rest = &rest[rest.partition_point(|(other, _)| *other < key)..];
        let before = &rest[..rest.partition_point(|(other, _)| *other == key)];
        let most = before.len().min(after.len());
        let head = before.iter().zip(after).take_while(is_same).count();
        let backwards = before.iter().rev().zip(after.iter().rev());
        let tail = backwards.take(most - head).take_while(is_same).count();
        for at in 0..most {
            let from_end = if at < most - tail {
                None
            } else {
                Some(most - at)
            };
            let place = |all: &[(u64, usize)]| all[from_end.map_or(at, |end| all.len() - end)].1;
            partners[place(after)] = Some(place(before));
        }
        if before.len() != after.len() {
            let middle = |all: &[(u64, usize)]| -> Vec<usize> {
                all[head..all.len() - tail]
                    .iter()
                    .map(|(_, at)| *at)
                    .collect()
            };
            pair_equal((old, &middle(before)), (new, &middle(after)), &mut partners);
        }
    }
    partners
}

/// Pairs the remaining facts that share one key: first facts with equal content, then the others in order. Called only
/// if one observation has more facts with the key than the other: pairing in order alone would then make each fact
/// after an added or removed fact look changed.
fn pair_equal(
    (old, before): (&[Fact], &[usize]),
    (new, after): (&[Fact], &[usize]),
    partners: &mut [Option<usize>],
) {
    let content = |fact: &Fact| (fact.detail, fact.exact, fact.look);
    let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
    for at in before {
        free.entry(content(&old[*at])).or_default().push_back(*at);
    }
    for at in after {
        let equal = free.get_mut(&content(&new[*at]));
        partners[*at] = equal.and_then(VecDeque::pop_front);
    }
    let mut rest: Vec<usize> = free.into_values().flatten().collect();
    rest.sort_unstable();
    let unpaired = after.iter().filter(|at| partners[**at].is_none());
    let unpaired: Vec<usize> = unpaired.copied().collect();
    for (at, old) in unpaired.into_iter().zip(rest) {
        partners[at] = Some(old);
    }
}
