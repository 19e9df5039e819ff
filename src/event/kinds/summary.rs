//! The key figures of a run, such as its duration and its cost.

use serde::{Deserialize, Serialize};

use crate::{chat::Usage, guard::Money, working::StopReason};

/// The key figures of a run: why it ended, whether it succeeded, and what it used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// The reason why the run ended.
    pub stop: StopReason,
    /// True if the model reported that the goal was reached, and the evidence that it quoted was found.
    pub success: bool,
    /// Number of steps taken.
    pub steps: u32,
    /// Number of steps taken from memory, without asking the model.
    #[serde(default)]
    pub replayed: u32,
    /// Number of actions that failed or had no effect.
    pub errors: u32,
    /// Number of requests to the model that chooses the actions. Requests to the compressor are not counted.
    pub calls: u32,
    /// Numbers of tokens of all model calls together. For calls without a count from the provider, the numbers are
    /// estimated.
    pub usage: Usage,
    /// True if a part of `usage` is an estimate.
    pub estimated: bool,
    /// Duration of the run, with all waits. Unit: milliseconds.
    pub elapsed_ms: u64,
    /// The cost of the model calls; `None` if the prices are unknown.
    pub cost: Option<Money>,
}

impl RunSummary {
    /// Creates the key figures of a run. The cost is unknown, and the number of steps taken from memory is 0.
    pub const fn new(
        stop: StopReason,
        steps: u32,
        errors: u32,
        calls: u32,
        usage: Usage,
        estimated: bool,
        elapsed_ms: u64,
    ) -> Self {
        Self {
            stop,
            success: stop.is_success(),
            steps,
            replayed: 0,
            errors,
            calls,
            usage,
            estimated,
            elapsed_ms,
            cost: None,
        }
    }

    /// Sets the number of steps that were taken from memory.
    #[must_use]
    pub const fn with_replayed(mut self, replayed: u32) -> Self {
        self.replayed = replayed;
        self
    }

    /// Sets the cost of the model calls.
    pub fn with_cost(self, cost: Option<Money>) -> Self {
        Self { cost, ..self }
    }
}
