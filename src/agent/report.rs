//! The report of a run for its caller.

use std::collections::BTreeMap;

use crate::{base::RunId, event::RunSummary, working::Step};

/// The report of a run: how it ended, and its results.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The run's id.
    pub run: RunId,
    /// The figures of the run, including the stop reason.
    pub summary: RunSummary,
    /// The model's answer, with secrets replaced.
    pub answer: Option<String>,
    /// The words that the model quoted from a page to support the answer; `None` if no page of the run contained them.
    pub evidence: Option<String>,
    /// Claims of the answer that no page of the run supports: numbers and quoted names. If the page was not read
    /// completely, a statement that something is missing is also such a claim.
    pub unverified: Vec<String>,
    /// Extracted data, by name. Present even if the run failed.
    pub extracted: BTreeMap<String, String>,
    /// The steps, oldest first, one for each action that was tried. A number is missing if no action was tried in that
    /// step, for example because no call of the reply could be used.
    pub steps: Vec<Step>,
    /// Addresses of the pages that the run was on, each once, in the order of the first visit.
    pub pages: Vec<String>,
    /// Address of the last page.
    pub final_url: Option<String>,
    /// The error that ended the run. Also set if the browser was lost after the run had succeeded.
    pub error: Option<String>,
    /// The errors of the memory store, as in the events `memory_failed`; empty if memory was read and written without
    /// an error. If an error says `lost`, the observations for that kind of memory are lost. Otherwise they are stored,
    /// and memory learns from them at the next run.
    pub memory_errors: Vec<String>,
    /// The reason why the record of this run is incomplete; `None` if nothing was known to be missing when the run ended.
    pub recording: Option<String>,
}

impl RunReport {
    /// Makes a report that contains only the figures.
    pub const fn new(run: RunId, summary: RunSummary) -> Self {
        Self {
            run,
            summary,
            answer: None,
            evidence: None,
            unverified: Vec::new(),
            extracted: BTreeMap::new(),
            steps: Vec::new(),
            pages: Vec::new(),
            final_url: None,
            error: None,
            memory_errors: Vec::new(),
            recording: None,
        }
    }

    /// Returns true if the goal was reached and evidence for it was found on a page.
    pub const fn is_success(&self) -> bool {
        self.summary.success
    }
}
