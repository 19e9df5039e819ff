//! The state of a page. Guards compare two states to find out whether an action had a result.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The state of a page, which can be compared with other states of the same run. States also depend on the version of
/// Rust that the program was built with. So if a program built with another version resumes a run, it may not recognise
/// the pages that the run has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageState {
    pub(super) shown: u64,
    pub(super) frame: u64,
}

impl PageState {
    /// Makes the state of the page at this address.
    ///
    /// `shown` is a fingerprint of everything that the page shows, including values of fields, but without clocks and
    /// counters that run by themselves. `frame` is a fingerprint of the same content without the values of fields, so
    /// that typing does not change this fingerprint.
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
