//! Events of a run. Each is written as one JSON object and can be read back.

mod names;
mod summary;

pub use summary::RunSummary;

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    action::{Action, CallProblem, Effect, Outcome},
    base::{ErrorKind, Host, RunId, SessionId, Site, TokenCount},
    chat::ChatResponse,
    memory::{AdviceId, Committed, Shelf, StoreNotice},
    page::{Notice, Observation, PageView, TargetIdentity},
};

/// An event of a run: the kind of event with its data, the run and the step to which the event belongs, and the time.
///
/// An event that was written as JSON and read back equals the original, except for pictures, which are not part of the JSON.
///
/// ```
/// use webwise::event::{Event, EventKind};
///
/// let line = r#"{"event":"warned","guard":"stuck","text":"try another way","run":"run_1","step":3,"at":"2026-01-02T03:04:05Z"}"#;
/// let event: Event = serde_json::from_str(line)?;
/// assert!(matches!(&event.kind, EventKind::Warned { guard, .. } if guard == "stuck"));
/// assert_eq!(serde_json::to_string(&event)?, line);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// The kind of the event, with its data. The JSON field `event` contains the kind's name.
    #[serde(flatten)]
    pub kind: EventKind,
    /// The run that the event belongs to.
    pub run: RunId,
    /// The number of the run's step, counted from 1; 0 before the first step.
    pub step: u32,
    /// The time of the event.
    pub at: DateTime<Utc>,
}

impl Event {
    /// Creates an event. It belongs to the step with the number `step` of the run `run`.
    pub const fn new(kind: EventKind, run: RunId, step: u32, at: DateTime<Utc>) -> Self {
        Self {
            kind,
            run,
            step,
            at,
        }
    }
}

/// The kinds of events.
///
/// A lesson is advice about what to do when a command fails. An item is any record of memory that can be shown to the
/// model as advice.
///
/// The names and fields of the memory events `tier1_loaded`, `error_recall` and `domain_recall` are documented for other
/// programs and never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// The run starts.
    RunStarted {
        /// The goal of the task, with placeholders in place of secrets.
        goal: String,
        /// The address of the page to open first; `None` if the task has none.
        start_url: Option<String>,
        /// The id of the group of runs to which this run belongs; `None` if it belongs to no group.
        session: Option<SessionId>,
        /// Name of the browser driver.
        driver: String,
        /// True if the browser was already running before the run and stays open after it. Left out of the JSON if
        /// false. The browser's address is never written.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        attached: bool,
        /// Name of the model that chooses the actions; empty if your program chooses them.
        model: String,
        /// Seed of the run's random numbers, as 32 hexadecimal digits. A replay with the same seed and the same run id
        /// has the same random numbers in its prompts.
        seed: String,
        /// Names of the tools, in the order in which they are declared to the model.
        tools: Vec<String>,
        /// The format in which the model is asked for tool calls: `tools` or `json_schema`. Empty if your program
        /// chooses the actions.
        mode: String,
        /// Maximum number of steps in this run.
        max_steps: u32,
        /// The approval mode, which decides which actions need approval: `safe`, `hybrid` or `auto`.
        approval: String,
    },
    /// The run continues from a saved state. The steps before this event belong to the same run.
    RunResumed {},
    /// The user gave an instruction during the run.
    Instructed {
        /// The instruction, with placeholders in place of secrets.
        text: String,
    },
    /// The page in the browser was observed.
    Observed {
        /// The observation; its picture is not part of the JSON.
        observation: Arc<Observation>,
        /// Time taken by the observation. Unit: milliseconds.
        elapsed_ms: u64,
    },
    /// The observed page was interpreted: its type, its text and the elements on which actions can act were determined.
    Interpreted {
        /// The interpretation of the page.
        view: Arc<PageView>,
    },
    /// At the start of the run, memory was asked for advice for the whole run.
    #[serde(rename = "tier1_loaded")]
    Tier1Loaded {
        /// Number of lessons that memory found.
        count: usize,
        /// Texts of the lessons.
        lessons: Vec<String>,
        /// Ids of the lessons' records.
        #[serde(default)]
        items: Vec<AdviceId>,
        /// Time that memory took to answer. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// Memory was asked about a failed command.
    ErrorRecall {
        /// The command that failed: the name of the tool that was called.
        command: String,
        /// The class of the failure and the beginning of the browser's message about it.
        error_snippet: String,
        /// Number of lessons that match the failure.
        matched: usize,
        /// Texts of the lessons.
        lessons: Vec<String>,
        /// Ids of the lessons' records.
        #[serde(default)]
        items: Vec<AdviceId>,
        /// Time that memory took to answer. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// Memory was asked about the site of the current page. For a further observation of the same host, the
    /// event is emitted only if memory gave different advice.
    DomainRecall {
        /// The host of the page.
        domain: Host,
        /// Number of items that apply to the page.
        matched: usize,
        /// Texts of the items.
        lessons: Vec<String>,
        /// Ids of the items' records.
        #[serde(default)]
        items: Vec<AdviceId>,
        /// Time that memory took to answer. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// Advice was withheld from the prompt, so that runs with and without the advice can be compared. Each item is in at
    /// most one event of this kind in a run. The events `tier1_loaded`, `error_recall` and `domain_recall` do not contain
    /// withheld items.
    AdviceWithheld {
        /// Texts of the withheld items of memory.
        lessons: Vec<String>,
        /// Ids of the items' records.
        items: Vec<AdviceId>,
    },
    /// The action of this step does not come from the model. It repeats a step of an earlier run with a similar task,
    /// as recorded in memory.
    StepReplayed {
        /// Id of the memory item that contains the step.
        item: AdviceId,
        /// The position of the step among the task's steps in the earlier run, from 1.
        number: usize,
        /// Number of the earlier run's steps that this run's goal needs too, from the first on.
        of: usize,
    },
    /// The run asks the model for its next tool calls.
    ModelAsked {
        /// The system instruction. Present only in the run's first request, because the instruction does not change.
        #[serde(skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// The message that the model gets in this step, with the current page.
        message: String,
        /// Estimated size of the whole request, with the declarations of the tools. Unit: tokens.
        estimated_tokens: TokenCount,
        /// Ids of the memory items that were given for the message. An item for which the message had no room is among
        /// them. Those in the system instruction are not.
        offered: Vec<AdviceId>,
    },
    /// The model replied.
    ModelReplied {
        /// The reply, with placeholders in place of secrets.
        response: ChatResponse,
        /// Time taken by the model. Unit: milliseconds.
        elapsed_ms: u64,
    },
    /// A request to a model failed: there was no connection, the reply was an error, or the reply could not be used. The
    /// model is either the one that chooses the actions, or the compressor (a model that shortens long results).
    ModelFailed {
        /// The error's kind.
        kind: ErrorKind,
        /// The error, with placeholders in place of secrets.
        error: String,
    },
    /// A call in the model's reply was refused, because it could not be carried out as the model wrote it. Or the reply
    /// contained no call that could be read.
    CallRefused {
        /// The call's tool (`None` if there was no call), and the reason for the refusal.
        problem: CallProblem,
    },
    /// Calls of a reply, or actions that `go_back_to` had queued, were dropped before they were carried out. For
    /// example, an earlier call failed or another page appeared.
    CallsDropped {
        /// Number of dropped calls and actions.
        count: usize,
        /// The reason, in the crate's own words (not from a page).
        why: String,
    },
    /// A guard gave a warning. A guard is a check during the run, for example whether the run is stuck. Only warnings
    /// of the guards `repeat` and `stuck` are for the model, and only those after the last action before a message.
    Warned {
        /// Name of the guard.
        guard: String,
        /// The warning, in the crate's own words (not from a page). The guards `images` and `finish` add the browser's
        /// error.
        text: String,
    },
    /// An [`Approver`](crate::agent::Approver) (a person, or a policy in place of a person) decided whether an action
    /// may run. Also emitted if the action was refused because there is no approver.
    ApprovalDecided {
        /// The action to approve.
        action: Action,
        /// The worst effect that the action could have.
        effect: Effect,
        /// True if the action was approved. It can still be refused, for example because the page changed meanwhile.
        approved: bool,
        /// The reason for the decision, in the crate's own words (not from a page).
        why: String,
    },
    /// An action in the browser is about to be carried out. Calls of tools that your program adds have no event of this
    /// kind. If no [`ActionExecuted`](Self::ActionExecuted) follows, the process ended during the action, and the
    /// action may have had its effect. If only the run ended, an `ActionExecuted` follows, which says that the effect
    /// is not known.
    ActionStarted {
        /// The action, with placeholders in place of typed secrets.
        action: Action,
        /// The page elements on which the action acts.
        targets: Vec<TargetIdentity>,
    },
    /// An action has ended: it was carried out, was refused, or failed. A `finish` has the event
    /// [`FinishChecked`](Self::FinishChecked) instead.
    ActionExecuted {
        /// The action, with placeholders in place of typed secrets.
        action: Action,
        /// The page elements on which the action acts.
        targets: Vec<TargetIdentity>,
        /// The outcome of the action.
        outcome: Outcome,
        /// Address of the page before the action.
        url_before: String,
        /// Address of the page after the action.
        url_after: String,
        /// The changes of the page, each as a short line.
        changed: Vec<String>,
        /// Time taken by the action, including the wait for the page. Unit: milliseconds.
        elapsed_ms: u64,
    },
    /// A picture of the page was taken, either for the model (with marks on elements) or by an action.
    #[serde(rename = "pictured")]
    PictureTaken {
        /// The bytes of a PNG file; not part of the JSON.
        #[serde(skip)]
        png: Vec<u8>,
    },
    /// Data was extracted from a page and kept under a name.
    Extracted {
        /// The name under which the run's report contains the data.
        name: String,
        /// The extracted data, with placeholders in place of secrets.
        text: String,
    },
    /// The caller gave the run a text that the work needs but that no page shows, or took such a text back. At the start of
    /// every run, including a resumed run, there is one event of this kind for each text that the run has.
    Given {
        /// The name of the text.
        name: String,
        /// The text; `None` if it was taken back.
        text: Option<String>,
    },
    /// A model shortened a long result of a tool for the next message.
    ResultShortened {
        /// The label of the result: the name of the extraction or of the tool.
        label: String,
        /// Estimated size of the result before it was shortened. Unit: tokens.
        tokens_before: TokenCount,
        /// Estimated size of the shortened result. Unit: tokens.
        tokens_after: TokenCount,
        /// Number of different web addresses in the result before it was shortened.
        addresses: usize,
        /// Number of web addresses that the model left out, and that were then added to the shortened result again.
        recovered: usize,
        /// The model's own estimate of how complete its shortened text is, from 0 to 1.
        confidence: f64,
    },
    /// The driver reported something apart from an action's result, such as a new tab or a download.
    #[serde(rename = "noticed")]
    BrowserNoticed {
        /// The driver's notice.
        notice: Notice,
    },
    /// The model called `finish`, and the evidence that the model quoted was checked.
    FinishChecked {
        /// The model's answer.
        answer: String,
        /// The words of a page that the model quoted as evidence.
        evidence: String,
        /// True if the quoted words were found: on the current page, in a text that the run extracted or read
        /// before, or in the result of a [tool that may give evidence](crate::agent::Tool::is_evidence).
        verified: bool,
        /// True if the quoted words were found, but not on the current page.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        earlier: bool,
        /// Claims in the answer that nothing in the run supports. Always empty if the model reported failure, because
        /// such an answer is not checked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unverified: Vec<String>,
    },
    /// The model asked a person a question.
    HumanAsked {
        /// The model's question.
        question: String,
        /// The person's answer, with placeholders in place of secrets; `None` if no person was available.
        answer: Option<String>,
    },
    /// The model proposed a fact about the site. Prompts show the fact only after a person has accepted it or a second
    /// run has proposed the same fact.
    FactProposed {
        /// Name of the fact.
        key: String,
        /// Text of the fact.
        value: String,
    },
    /// An update of a shelf (a part of the store) was committed.
    MemoryUpdated {
        /// The shelf that was changed.
        shelf: Shelf,
        /// The store's acknowledgement, with the changes.
        committed: Committed,
        /// Time that the store took for the update. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// A kind of memory ([`MemoryKind`](crate::memory::MemoryKind)) changed one of its records. Changes of lessons have
    /// events of their own.
    MemoryChanged {
        /// Id of the record. The kind of memory is named in the field `collection` of the id's shelf.
        item: AdviceId,
        /// A word for the change, such as `recorded`. The kind of memory chose the word.
        what: String,
        /// The record's text.
        text: String,
        /// Further data that the kind of memory chose. Left out of the JSON if there is none.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        data: Value,
    },
    /// A new lesson was learned from a run.
    LessonRecorded {
        /// The lesson's text.
        lesson: String,
        /// The lesson's category.
        category: String,
        /// The name of the tool whose failure the lesson is about; `None` if the lesson names no tool.
        failed_command: Option<String>,
        /// The kind of failure to which the lesson applies: an error class, or `no_effect`. `None` if the lesson names
        /// no kind of failure.
        error_pattern: Option<String>,
        /// Id of the lesson's record.
        item: AdviceId,
    },
    /// A run learned or used a lesson that was already stored.
    LessonDeduplicated {
        /// The lesson's text.
        lesson: String,
        /// Number of uses of the lesson, including this one.
        new_use_count: u64,
        /// Id of the lesson's record.
        item: AdviceId,
    },
    /// A lesson became advice for every run.
    LessonPromoted {
        /// The lesson's text.
        lesson: String,
        /// Number of uses of the lesson.
        use_count: u64,
        /// The sites on which the lesson was used.
        triggered_domains: Vec<Site>,
        /// Id of the lesson's record.
        item: AdviceId,
    },
    /// A lesson is no longer advice for every run, because later runs do not support it.
    LessonDemoted {
        /// The lesson's text.
        lesson: String,
        /// Number of times that the lesson was used and helped.
        helped: u64,
        /// Number of times that the lesson was used and did not help.
        harmed: u64,
        /// Id of the lesson's record.
        item: AdviceId,
    },
    /// A lesson did harm and is no longer shown.
    LessonRetired {
        /// The lesson's text.
        lesson: String,
        /// Number of times that the lesson was used and helped.
        helped: u64,
        /// Number of times that the lesson was used and did not help.
        harmed: u64,
        /// Id of the lesson's record.
        item: AdviceId,
    },
    /// A lesson was used or followed, and its result was counted. This happened in this run, or in an earlier run from
    /// which memory learned only at the start of this run.
    LessonCredited {
        /// Id of the lesson's record.
        item: AdviceId,
        /// The site on which the lesson was used or followed. Never `None` in the events of a run.
        site: Option<Site>,
        /// True if this case counts as a use, as described for [`Counts::used`](crate::memory::lesson::Counts::used).
        used: bool,
        /// True if the model saw the lesson before the run began the recovery.
        followed: bool,
        /// True if the recovery worked: it restored the effect of the failed action, or it prevented the failure.
        helped: bool,
        /// True if the lesson was followed and did not help.
        harmed: bool,
    },
    /// Lessons that had not been used for a long time were removed from a shelf of memory.
    LessonsPruned {
        /// Number of lessons removed.
        pruned_count: usize,
        /// Number of lessons that remain on the shelf.
        remaining_count: usize,
    },
    /// The least proven lessons were removed from a full shelf of memory.
    LessonsCompacted {
        /// Number of lessons removed.
        removed_count: usize,
        /// Number of lessons that remain on the shelf.
        remaining_count: usize,
    },
    /// The store reported something without being asked, such as a repaired shelf.
    StoreNoticed {
        /// The notice; it names the shelf.
        notice: StoreNotice,
    },
    /// A part of memory or the register of runs failed, and the run goes on without it. Emitted for the first failure of
    /// memory and the first failure of the register in a run. Also emitted if a kind of memory could not store what it
    /// learned from the run; `error` then contains `lost` and the name of the kind.
    MemoryFailed {
        /// The name of the operation that failed.
        operation: String,
        /// The error, with placeholders in place of secrets.
        error: String,
    },
    /// An event sink lost events of this run, or the journal lost the [`Intent`](super::Intent) (the record of an
    /// action before it is carried out) of a reversible action. The run goes on. Emitted at most once for the sinks and
    /// once for the journal; after the run is resumed, it may be emitted again. If the journal fails for an
    /// irreversible action, the action is refused, and there is no such event.
    RecordingFailed {
        /// The error, with placeholders in place of secrets.
        error: String,
    },
    /// The run has ended.
    RunEnded {
        /// The model's answer; `None` if the model gave no answer.
        answer: Option<String>,
        /// The words that the model quoted as evidence; `None` if it quoted none, or if they were not found (see
        /// [`FinishChecked`](EventKind::FinishChecked)).
        evidence: Option<String>,
        /// The data that the run extracted. The keys are the names of the data.
        extracted: BTreeMap<String, String>,
        /// Address of the last page; `None` if the run saw no page.
        final_url: Option<String>,
        /// The error that ended the run, or the question to a person that was still unanswered when the run ended. Also
        /// set if the page could not be observed after the run had succeeded, or if the run never opened a page because
        /// its start page failed.
        error: Option<String>,
        /// The key figures of the run, such as its duration and the number of its steps.
        summary: RunSummary,
    },
}

#[cfg(test)]
mod tests;
