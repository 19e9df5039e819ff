//! The state of a page. Guards compare two states to find out whether an action had a result.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The state of a page, for comparison with other states of the same run. It consists of hashes, which depend on the
/// Rust version that built the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageState {
    pub(super) url: u64,
    pub(super) shown: u64,
    pub(super) frame: u64,
}

impl PageState {
    /// Makes the state of the page at this address.
    ///
    /// `shown` is a fingerprint of everything that the page shows except clocks and counters that run by themselves.
    /// `frame` is the same without the values of fields, so that typing does not change it.
    pub fn new(url: &str, shown: &impl Hash, frame: &impl Hash) -> Self {
        let hash = |what: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            url.hash(&mut hasher);
            what(&mut hasher);
            hasher.finish()
        };
        Self {
            url: hash(&|_| ()),
            shown: hash(&|h| shown.hash(h)),
            frame: hash(&|h| frame.hash(h)),
        }
    }
}
