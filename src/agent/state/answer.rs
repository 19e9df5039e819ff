//! What a run answers, and what the page says for it.

use serde::{Deserialize, Serialize};

/// The end of a run in the model's words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Answer {
    text: Option<String>,
    evidence: Option<String>,
    unverified: Vec<String>,
    /// What the goal names and no step used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unused: Vec<String>,
    /// True if the model was told what is unused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_asked: bool,
    /// True if the last answer had another form than the task asks for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_misshapen: bool,
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

    /// Forgets what was said, but not what the model was told about a `finish`.
    pub(in crate::agent) fn take_back(&mut self) {
        *self = Self {
            is_refused: self.is_refused,
            is_asked: self.is_asked,
            ..Self::default()
        };
    }

    /// Keeps what the goal names and no step used. Returns true if the model was not told before.
    pub(in crate::agent) fn miss(&mut self, unused: Vec<String>) -> bool {
        self.unused = unused;
        !self.unused.is_empty() && !std::mem::replace(&mut self.is_asked, true)
    }

    /// Returns what the goal names and no step used.
    pub(in crate::agent) fn unused(&self) -> &[String] {
        &self.unused
    }

    /// Records whether the last answer had another form than the task asks for.
    pub(in crate::agent) const fn shape(&mut self, is_misshapen: bool) {
        self.is_misshapen = is_misshapen;
    }

    pub(in crate::agent) const fn is_misshapen(&self) -> bool {
        self.is_misshapen
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
            unused: self.unused.into_iter().map(&clean).collect(),
            unverified: self.unverified.into_iter().map(clean).collect(),
            ..self
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
