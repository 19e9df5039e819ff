//! The report of a run for its caller.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Cause, RunError};
use crate::{base::RunId, event::RunSummary, working::Step};

/// The report of a run: how it ended, and its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The run's id.
    pub run: RunId,
    /// The figures of the run, such as its steps and tokens, and the reason why it stopped.
    pub summary: RunSummary,
    /// The cause for which the run did not reach its goal; `None` if it did, and for a run of a
    /// [`GuardedBrowser`](crate::GuardedBrowser), of which the caller judges.
    pub cause: Option<Cause>,
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
            cause: None,
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

    /// Returns the answer as a value, for a task [`returning`](super::Task::returning) one.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use webwise::{RunReport, agent::{Cause, StartPage}};
    ///
    /// #[derive(Deserialize)]
    /// struct Created { number: u32 }
    ///
    /// fn number(report: RunReport) -> Option<u32> {
    ///     match report.into_result::<Created>() {
    ///         Ok(answer) if answer.unverified.is_empty() => Some(answer.value.number),
    ///         Ok(_) => None,
    ///         Err(error) => {
    ///             if let Cause::StartPage(StartPage::Status(404)) = error.cause {
    ///                 eprintln!("no such page");
    ///             }
    ///             None
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// Why the run did not reach its goal; [`Cause::Answer`] if it did, but its answer cannot be read as this type.
    pub fn into_result<T: DeserializeOwned>(self) -> Result<Answered<T>, RunError> {
        let text = self.answer.clone().unwrap_or_default();
        let read = || {
            let value = serde_json::from_str(&text).unwrap_or(Value::String(text.clone()));
            serde_json::from_value(value)
        };
        let cause = match (&self.cause, self.is_success()) {
            (Some(cause), _) => cause.clone(),
            (None, false) => Cause::Cancelled,
            (None, true) => match read() {
                Ok(value) => {
                    return Ok(Answered {
                        value,
                        evidence: self.evidence.unwrap_or_default(),
                        unverified: self.unverified,
                    });
                }
                Err(_) => Cause::Answer,
            },
        };
        Err(RunError {
            cause,
            stop: self.summary.stop,
            report: Box::new(self),
        })
    }

    /// Returns true if the model reported that the goal was reached, and the evidence for its answer was found in
    /// what the run read.
    pub const fn is_success(&self) -> bool {
        self.summary.success
    }
}

/// The answer of a run that reached its goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answered<T> {
    /// The answer.
    pub value: T,
    /// The words that the model quoted to support the answer.
    pub evidence: String,
    /// What the answer says and no page or quoted word supports. For a task [`returning`](super::Task::returning) a value: its
    /// fields, each as its path and its value, such as `items[2].price: 12.5`.
    pub unverified: Vec<String>,
}
