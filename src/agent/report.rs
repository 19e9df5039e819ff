//! The report of a run for its caller.

use std::collections::BTreeMap;

use crate::{base::RunId, event::RunSummary};

/// The end of a run, with its results.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// The figures of the run, with the stop reason.
    pub summary: RunSummary,
    /// The model's answer, with secrets replaced.
    pub answer: Option<String>,
    /// The words on the page that show the answer; `None` if they were not there.
    pub evidence: Option<String>,
    /// Claims of the answer that no page of the run has shown: numbers, quoted names, and the absence of something from
    /// a page that was not shown whole.
    pub unverified: Vec<String>,
    /// Extracted data, by name. Kept even if the run failed.
    pub extracted: BTreeMap<String, String>,
    /// Address of the last page.
    pub final_url: Option<String>,
    /// The error, if one ended the run, or if the browser was gone at the end of a successful run.
    pub error: Option<String>,
    /// The reason why the record of this run is incomplete, as far as it was known when the run ended.
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

    /// Returns true if the goal was reached on positive evidence.
    pub const fn is_success(&self) -> bool {
        self.summary.success
    }
}
