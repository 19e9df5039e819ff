//! What a run leaves for its caller.

use std::collections::BTreeMap;

use crate::{base::RunId, event::RunSummary};

/// How a run ended and what it brought.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// Figures, with the stop reason.
    pub summary: RunSummary,
    /// What the model answered, secrets replaced.
    pub answer: Option<String>,
    /// The words on the page that show it; `None` when they were not there.
    pub evidence: Option<String>,
    /// Claims of the answer that no page of the run has shown: numbers, quoted names, and that something is missing from a page
    /// that was not shown whole.
    pub unverified: Vec<String>,
    /// Data that was read, by name; kept also when the run failed.
    pub extracted: BTreeMap<String, String>,
    /// Address of the last page.
    pub final_url: Option<String>,
    /// What broke, if the run ended because something did, or if the browser was gone by the end of one that succeeded.
    pub error: Option<String>,
    /// Why the record of this run is not complete, as far as it was known when it ended.
    pub recording: Option<String>,
}

impl RunReport {
    /// A report with figures and nothing else.
    pub const fn new(run: RunId, summary: RunSummary) -> Self {
        Self {
            run,
            summary,
            answer: None,
            evidence: None,
            unverified: Vec::new(),
            extracted: BTreeMap::new(),
            final_url: None,
            error: None,
            recording: None,
        }
    }

    /// Whether the goal was reached on positive evidence.
    pub const fn is_success(&self) -> bool {
        self.summary.success
    }
}
