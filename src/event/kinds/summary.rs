//! How a run went.

use serde::{Deserialize, Serialize};

use crate::{chat::Usage, guard::Money, working::StopReason};

/// How a run went, in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// Why it ended.
    pub stop: StopReason,
    /// Whether the goal was reached on positive evidence.
    pub success: bool,
    /// Steps taken.
    pub steps: u32,
    /// Actions that failed or had no effect.
    pub errors: u32,
    /// Model calls.
    pub calls: u32,
    /// Tokens as reported by the provider, else as estimated.
    pub usage: Usage,
    /// Whether any of `usage` is an estimate.
    pub estimated: bool,
    /// Wall time. Unit: milliseconds.
    pub elapsed_ms: u64,
    /// What the model calls cost; `None` when nobody said what they cost.
    pub cost: Option<Money>,
}

impl RunSummary {
    /// Figures of a run whose cost nobody knows.
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
            errors,
            calls,
            usage,
            estimated,
            elapsed_ms,
            cost: None,
        }
    }

    /// The same with what the model calls cost.
    pub fn with_cost(self, cost: Option<Money>) -> Self {
        Self { cost, ..self }
    }
}
