//! What a run answers, and what the page says for it.

use serde::{Deserialize, Serialize};

/// The end of a run in the model's words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Answer {
    text: Option<String>,
    evidence: Option<String>,
    unverified: Vec<String>,
    /// True if a `finish` was refused. The next one ends the run.
    is_refused: bool,
}

impl Answer {
    /// Records what a `finish` said. `evidence` is `None` if no page showed it; `unverified` are the claims of the text that
    /// the evidence does not contain.
    pub(in crate::agent) fn give(
        &mut self,
        text: String,
        evidence: Option<String>,
        unverified: Vec<String>,
    ) {
        (self.text, self.evidence, self.unverified) = (Some(text), evidence, unverified);
    }

    /// Forgets what was said, but not that a `finish` was refused.
    pub(in crate::agent) fn take_back(&mut self) {
        *self = Self {
            is_refused: self.is_refused,
            ..Self::default()
        };
    }

    pub(in crate::agent) const fn refuse(&mut self) {
        self.is_refused = true;
    }

    pub(in crate::agent) const fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Returns the answer with each text rewritten.
    pub(in crate::agent) fn map(self, clean: impl Fn(String) -> String) -> Self {
        Self {
            text: self.text.map(&clean),
            evidence: self.evidence.map(&clean),
            unverified: self.unverified.into_iter().map(clean).collect(),
            is_refused: self.is_refused,
        }
    }

    pub(in crate::agent) const fn text(&self) -> Option<&String> {
        self.text.as_ref()
    }

    pub(in crate::agent) fn unverified(&self) -> &[String] {
        &self.unverified
    }

    /// Returns the text, the evidence and the unverified claims.
    pub(in crate::agent) fn into_parts(self) -> (Option<String>, Option<String>, Vec<String>) {
        (self.text, self.evidence, self.unverified)
    }
}
