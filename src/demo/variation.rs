//! The differences between two shops: values that depend on the shop's seed, so that a visitor must read them from the page.

use sha2::{Digest, Sha256};

/// The characters of codes: letters and digits that cannot be mistaken for each other on a screen.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// The source of all values that differ between shops. All values are computed from a seed: equal seeds give equal
/// values. A value cannot be computed from the values of another topic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variation {
    seed: u64,
}

impl Variation {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn draw(self, topic: &str, index: usize) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(index.to_le_bytes());
        hash.update(topic.as_bytes());
        hash.finalize().into()
    }

    /// Returns one of several wordings of the text that `topic` names. The choice depends only on the seed and the topic.
    /// Returns an empty string if there are no wordings.
    pub(super) fn pick<const N: usize>(
        self,
        topic: &str,
        wordings: [&'static str; N],
    ) -> &'static str {
        let [first, ..] = self.draw(topic, 0);
        wordings
            .get(usize::from(first) % N.max(1))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the items in an order that depends only on the seed and the topic; `topic` names the list.
    pub(super) fn shuffled<T>(self, topic: &str, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut keyed: Vec<_> = items
            .into_iter()
            .enumerate()
            .map(|(i, item)| (self.draw(topic, i), item))
            .collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, item)| item).collect()
    }

    /// Returns a code of `LENGTH` characters, in upper case. The code depends only on the seed, the topic and the index;
    /// `topic` names what the code is for.
    pub(super) fn code<const LENGTH: usize>(self, topic: &str, index: usize) -> String {
        self.draw(topic, index)
            .iter()
            .take(LENGTH)
            .map(|b| char::from(ALPHABET[usize::from(*b) % ALPHABET.len()]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_values_and_another_seed_others() {
        let (a, b) = (Variation::new(1), Variation::new(2));
        assert_eq!(
            a.code::<8>("order", 0),
            Variation::new(1).code::<8>("order", 0)
        );
        assert_ne!(a.code::<8>("order", 0), b.code::<8>("order", 0));
        assert_ne!(a.code::<8>("order", 0), a.code::<8>("order", 1));
        assert_ne!(a.code::<8>("order", 0), a.code::<8>("password", 0));
        let orders: std::collections::BTreeSet<_> = (0..20)
            .map(|seed| Variation::new(seed).shuffled("results", 0..8))
            .collect();
        assert!(orders.len() > 10, "{orders:?}");
    }
}
