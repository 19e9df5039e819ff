//! Numbers that a printed seed makes again. Include it with `#[path]`, beside `figure` and `profile`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{env, ffi::OsStr, time::SystemTime};

/// Evenly spread numbers. Source: Steele, Lea and Flood, OOPSLA 2014.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

/// The seed of the quick suite, so that two runs of it do the same. Source: chosen.
const QUICK: u64 = 20_260_506;

/// Returns the seed of `WEBWISE_SEED`, else the one of the quick suite, else a new one; and prints it.
pub(crate) fn seed(what: &str) -> u64 {
    let given = env::var_os("WEBWISE_SEED");
    let new = if crate::profile::full() { now() } else { QUICK };
    let seed = chosen(given.as_deref(), new);
    figure!("{what} are made from seed {seed}; WEBWISE_SEED={seed} makes them again");
    seed
}

/// Interprets the variable; `new` is the seed if it is not set. A value that is no seed would make other cases unnoticed, so
/// it ends the test.
pub(crate) fn chosen(given: Option<&OsStr>, new: u64) -> u64 {
    given.map_or(new, |given| {
        let seed = given.to_str().and_then(|given| given.parse().ok());
        seed.unwrap_or_else(|| {
            panic!(
                "WEBWISE_SEED is {}: set it to a whole number",
                given.display()
            )
        })
    })
}

fn now() -> u64 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("it is later than 1970");
    u64::from(now.subsec_nanos())
}

impl Random {
    /// Starts from [`seed`].
    pub(crate) fn told(what: &str) -> Self {
        Self(seed(what))
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
