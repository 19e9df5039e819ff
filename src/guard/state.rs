//! Where a run is: what guards compare to see whether something came of an action.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The state of the page, to be compared with others of the same run and never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageState {
    pub(super) shown: u64,
    pub(super) frame: u64,
}

impl PageState {
    /// The page at this address that shows this.
    ///
    /// `shown` is a fingerprint of all that the page shows, values of fields included, and blind to clocks and counters
    /// that run by themselves. `frame` is the same without the values of fields: what is left when one only types.
    pub fn new(url: &str, shown: &impl Hash, frame: &impl Hash) -> Self {
        let hash = |what: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            url.hash(&mut hasher);
            what(&mut hasher);
            hasher.finish()
        };
        Self {
            shown: hash(&|h| shown.hash(h)),
            frame: hash(&|h| frame.hash(h)),
        }
    }
}
