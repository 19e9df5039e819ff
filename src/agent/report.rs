//! The report of a run for its caller.

use std::collections::BTreeMap;

use crate::{base::RunId, event::RunSummary, working::Step};

/// The report of a run: how it ended, and its results.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunReport {
    /// The run's id.
    pub run: RunId,
    /// The figures of the run, such as its steps and tokens, and the reason why it stopped.
    pub summary: RunSummary,
    /// The model's answer, in which secrets are replaced; `None` if the model gave no answer.
    pub answer: Option<String>,
    /// The words that the model quoted to support the answer. `None` if they were found nowhere. They are searched for
    /// on the page shown at the end, in the texts that the run extracted or read on earlier pages, and in the results
    /// of [tools that may give evidence](super::Tool::is_evidence).
    pub evidence: Option<String>,
    /// Claims of the answer that have no support in what the run read. Only numbers and quoted names are checked. If
    /// the page was not read completely, a claim that something is missing is listed too. Always empty if the model
    /// reported failure, because such an answer is not checked.
    pub unverified: Vec<String>,
    /// Quoted texts, numbers, dates and names of the goal, and values of parameters, that no step typed, chose or clicked and that
    /// the last page does not have, at most 8. The model was told once and ended the run nevertheless. Always empty
    /// if the run has filled in nothing.
    pub unused: Vec<String>,
    /// The texts that the action `extract` kept. The keys are the names that the model gave to the texts. A failed
    /// run has them too.
    pub extracted: BTreeMap<String, String>,
    /// The steps in which an action was tried, oldest first. Their numbers may have gaps, because steps without an
    /// action are numbered too.
    pub steps: Vec<Step>,
    /// Addresses of the pages that the run was on, each once, in the order of the first visit.
    pub pages: Vec<String>,
    /// Address of the page that was shown when the run ended; `None` if the run observed no page.
    pub final_url: Option<String>,
    /// The error that ended the run; `None` if no error did. After a successful run: the error of the last look at the
    /// page, if that look failed. If a run with a model could open neither its start page nor any other page, and no
    /// error ended it, this says so. If the run ended while a person was asked something, the error contains the
    /// question.
    pub error: Option<String>,
    /// The first error of the memory store, and each error by which observations of the run were lost; empty if there
    /// were none. Events `memory_failed` report the same errors, and also those of the register of runs. If an error
    /// has a detail `lost`, the kind of memory that this detail names has lost its observations of the run. Otherwise
    /// memory learns from the observations at the next run at the latest.
    pub memory_errors: Vec<String>,
    /// What memory does not keep of a run that reached its goal, and why: for example the steps on a second site.
    pub not_kept: Vec<String>,
    /// The reason why the record of this run is incomplete; `None` if nothing was known to be missing when the run
    /// ended. The record consists of the events and the journal. A checkpoint that could not be written is reported
    /// only by an event `memory_failed`.
    pub recording: Option<String>,
}

impl RunReport {
    /// Makes a report that contains only the run's id and figures.
    pub const fn new(run: RunId, summary: RunSummary) -> Self {
        Self {
            run,
            summary,
            answer: None,
            evidence: None,
            unverified: Vec::new(),
            unused: Vec::new(),
            extracted: BTreeMap::new(),
            steps: Vec::new(),
            pages: Vec::new(),
            final_url: None,
            error: None,
            memory_errors: Vec::new(),
            not_kept: Vec::new(),
            recording: None,
        }
    }

    /// Returns true if the model reported that the goal was reached, and the evidence for its answer was found in
    /// what the run read.
    pub const fn is_success(&self) -> bool {
        self.summary.success
    }
}
