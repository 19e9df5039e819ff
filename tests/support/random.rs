//! Numbers that a printed seed makes again. Include it with `#[path]`, after `figure`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::time::SystemTime;

/// Evenly spread numbers. Source: Steele, Lea and Flood, OOPSLA 2014.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Starts anew each time, and tells from where.
    pub(crate) fn told(what: &str) -> Self {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("it is later than 1970");
        let seed = u64::from(now.subsec_nanos());
        figure!("{what} are made from seed {seed}");
        Self(seed)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }

    /// A place in something of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("it is less than the length")
    }
}
