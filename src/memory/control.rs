//! The control group: runs leave out a part of their advice, so that runs with and without the advice can be compared.
//! Advice that is left out for this purpose is called held back.
//!
//! # Decisions
//!
//! - An item is held back for a whole run or not at all. A run that held back an item only for a part of its steps
//!   could count neither as a run with the item nor as a run without it.
//! - The choice depends only on the run's seed, the item and the share of items that are held back. So it can be
//!   computed again from the share and from the seed in the record of the run.
//! - Lessons for the system instruction, including the shipped lessons, are held back like all other advice. The choice
//!   is made before the instruction is written, so the instruction still does not change during a run.
//! - Remembered elements, which help to find a target again, are held back too, so that a run without memory does not
//!   use them. They are not recorded one by one, because no prompt shows them.
//! - If an item is held back, no other item is shown in its place.

use sha2::{Digest as _, Sha256};

use super::AdviceId;

/// Returns true if a run with this seed holds back the advice `item` from its prompts. `share` is the fraction of all
/// items that is held back: 0 for none, 1 for all.
///
/// ```
/// use webwise::memory::{AdviceId, Namespace, Shelf, is_withheld};
///
/// let item = AdviceId { shelf: Shelf::global(&Namespace::default(), "lessons"), key: "k".into() };
/// assert!(is_withheld(b"seed of the run", &item, 1.0));
/// assert!(!is_withheld(b"seed of the run", &item, 0.0));
/// ```
pub fn is_withheld(seed: &[u8], item: &AdviceId, share: f64) -> bool {
    let mut hash = Sha256::new();
    // The length before each part separates the parts, so that no two different inputs are hashed as the same bytes.
    for part in [seed, item.shelf.to_string().as_bytes()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(item.key.as_bytes());
    let head = hash
        .finalize()
        .iter()
        .take(4)
        .fold(0_u32, |head, byte| head << 8 | u32::from(*byte));
    f64::from(head) / (f64::from(u32::MAX) + 1.0) < share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Namespace, Shelf};

    fn item(n: u32) -> AdviceId {
        AdviceId {
            shelf: Shelf::global(&Namespace::default(), "lessons"),
            key: format!("item-{n}"),
        }
    }

    fn held(seed: &[u8], share: f64) -> Vec<u32> {
        (0..1_000)
            .filter(|n| is_withheld(seed, &item(*n), share))
            .collect()
    }

    #[test]
    fn none_all_and_about_the_share_of_all_items_are_held_back() {
        assert_eq!(held(b"a", 0.0).len(), 0);
        assert_eq!(held(b"a", 1.0).len(), 1_000);
        // Four standard deviations of 1,000 draws around 300.
        assert!((242..=358).contains(&held(b"a", 0.3).len()));
    }

    #[test]
    fn a_seed_always_gives_the_same_items_and_another_seed_gives_others() {
        assert_eq!(held(b"a", 0.5), held(b"a", 0.5));
        assert_ne!(held(b"a", 0.5), held(b"b", 0.5));
        let smaller = held(b"a", 0.2);
        let larger = held(b"a", 0.6);
        assert!(smaller.iter().all(|n| larger.contains(n)));
    }

    #[test]
    fn records_of_one_key_on_two_shelves_are_two_items() {
        let on = |collection: &str, n: u32| AdviceId {
            shelf: Shelf::global(&Namespace::default(), collection),
            ..item(n)
        };
        let differs = |n: &u32| {
            let [one, other] = ["lessons", "sessions"].map(|c| is_withheld(b"a", &on(c, *n), 0.5));
            one != other
        };
        assert!((0..100).any(|n| differs(&n)));
    }

    #[test]
    fn a_share_that_is_no_number_holds_nothing_back() {
        assert_eq!(held(b"a", f64::NAN).len(), 0);
    }
}
