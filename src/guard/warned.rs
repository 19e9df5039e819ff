//! Counts the warnings that the model has read. A guard may end a run only after enough of them.

use serde::{Deserialize, Serialize};

/// Number of turns (replies of the model) in which a guard must have warned before it may end the run. Source: chosen;
/// the model is warned after the third repetition, and the run ends after the fifth.
const MIN_WARNED: u32 = 2;

/// Counts the consecutive turns of the model in which one guard warned.
///
/// A turn is one reply, which may contain many calls. Several warnings about the calls of one reply count once, because
/// the model learns the results only when it is asked again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarnedTurns {
    warned: u32,
    last: Option<u32>,
}

impl WarnedTurns {
    /// Records whether the guard warns in the turn with the number `turn`. Returns true if the guard may now end the
    /// run.
    ///
    /// ```
    /// use webwise::guard::WarnedTurns;
    ///
    /// let mut turns = WarnedTurns::default();
    /// // Ten calls in one reply, then one call in each of two replies.
    /// assert!((0..10).all(|_| !turns.record(1, true)));
    /// assert!(!turns.record(2, true));
    /// assert!(turns.record(3, true));
    /// ```
    pub const fn record(&mut self, turn: u32, warns: bool) -> bool {
        if !warns {
            *self = Self {
                warned: 0,
                last: None,
            };
            return false;
        }
        let is_new = match self.last {
            Some(last) => last != turn,
            None => true,
        };
        if is_new {
            self.warned = self.warned.saturating_add(1);
            self.last = Some(turn);
        }
        self.warned > MIN_WARNED
    }

    /// Returns true if one more turn with a warning may end the run.
    ///
    /// ```
    /// use webwise::guard::WarnedTurns;
    ///
    /// let mut turns = WarnedTurns::default();
    /// let last: Vec<bool> = (1..=3).map(|turn| { turns.record(turn, true); turns.is_last() }).collect();
    /// assert_eq!(last, [false, true, true]);
    /// ```
    pub const fn is_last(&self) -> bool {
        self.warned >= MIN_WARNED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_turns_count_in_which_the_guard_warned_and_only_in_a_row() {
        let mut turns = WarnedTurns::default();
        let ends: Vec<bool> = [
            (1, true),
            (2, true),
            (3, false),
            (4, true),
            (4, true),
            (5, true),
            (6, true),
        ]
        .into_iter()
        .map(|(turn, warns)| turns.record(turn, warns))
        .collect();
        assert_eq!(ends, [false, false, false, false, false, false, true]);
    }
}
