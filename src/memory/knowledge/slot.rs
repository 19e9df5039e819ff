//! The value of a fact and its confidence, computed from the observations of runs.

use serde::{Deserialize, Serialize};

use super::Claim;

/// Confidence in a fact's first value after its first observation. A value that contradicts a known one begins with
/// `START * LOSS`. A confidence is a number from 0 to 1. Source: chosen.
pub const START: f64 = 0.6;
/// Share of the difference between the confidence and 1 that is added to the confidence when a run observes the same value
/// again. For example, a confidence of 0.6 rises to 0.68. Source: chosen.
pub const GAIN: f64 = 0.2;
/// Factor by which the confidence in a value is multiplied when a run observes a different value. Source: chosen.
pub const LOSS: f64 = 0.5;
/// Minimum confidence. Below it, a fact is removed, and so is a value that contradicts the fact's current value.
/// Source: chosen.
pub const DROP: f64 = 0.1;
/// Minimum confidence with which a fact is shown in prompts. Source: chosen.
pub const SHOWN: f64 = 0.5;

/// A value of a fact, with the confidence in this value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The value.
    pub claim: Claim,
    /// The confidence in the value, from 0 to 1.
    pub confidence: f64,
}

impl Held {
    fn confirm(&mut self) {
        self.confidence += GAIN * (1.0 - self.confidence);
    }

    fn contradict(&mut self) {
        self.confidence *= LOSS;
    }
}

/// The current value of a fact, and the value that contradicts it, if any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The current value, which prompts show.
    pub value: Held,
    /// Another observed value, which contradicts the current value. It becomes the current value when its confidence is
    /// higher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenger: Option<Held>,
}

impl Slot {
    /// Returns the current value and, if there is one, the value that contradicts it.
    pub(super) fn held(&self) -> impl Iterator<Item = &Held> {
        [&self.value].into_iter().chain(&self.challenger)
    }

    /// Adds these observations, oldest first, to the slot `before`. Returns `None` if there is neither an earlier slot
    /// nor an observation.
    pub fn of<'a>(
        before: Option<Self>,
        observed: impl IntoIterator<Item = &'a Claim>,
    ) -> Option<Self> {
        observed.into_iter().fold(before, |slot, claim| {
            Some(match slot {
                Some(slot) => slot.after(claim),
                None => Self {
                    value: Held {
                        claim: claim.clone(),
                        confidence: START,
                    },
                    challenger: None,
                },
            })
        })
    }

    fn after(mut self, claim: &Claim) -> Self {
        if self.value.claim.is_same(claim) {
            self.value.confirm();
            if let Some(challenger) = &mut self.challenger {
                challenger.contradict();
            }
        } else {
            self.value.contradict();
            // The current value contradicts a new one, so the new one begins with half of the usual confidence.
            let new = Held {
                claim: claim.clone(),
                confidence: START * LOSS,
            };
            self.challenger = Some(match self.challenger.take() {
                Some(mut known) if known.claim.is_same(claim) => {
                    known.confirm();
                    known
                }
                Some(mut known) => {
                    known.contradict();
                    if known.confidence > new.confidence {
                        known
                    } else {
                        new
                    }
                }
                None => new,
            });
        }
        if let Some(challenger) = &mut self.challenger
            && challenger.confidence > self.value.confidence
        {
            std::mem::swap(challenger, &mut self.value);
        }
        self.challenger = self.challenger.filter(|held| held.confidence >= DROP);
        self
    }
}
