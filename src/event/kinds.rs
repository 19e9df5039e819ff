//! The events: one JSON object each, and the same event read back.

mod names;
mod summary;

pub use summary::RunSummary;

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, CallProblem, Effect, Outcome},
    base::{ErrorKind, Host, RunId, SessionId, Site, TokenCount},
    chat::ChatResponse,
    memory::{AdviceId, Committed, Shelf, StoreNotice},
    page::{Notice, Observation, PageView, TargetIdentity},
};

/// Something that happened in a run.
///
/// What was written as JSON reads back equal, all but pictures, which are not part of the JSON.
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
    /// What happened; its name is the field `event`.
    #[serde(flatten)]
    pub kind: EventKind,
    /// In which run.
    pub run: RunId,
    /// In which step, from 1; 0 before the first.
    pub step: u32,
    /// When.
    pub at: DateTime<Utc>,
}

impl Event {
    /// An event.
    pub const fn new(kind: EventKind, run: RunId, step: u32, at: DateTime<Utc>) -> Self {
        Self {
            kind,
            run,
            step,
            at,
        }
    }
}

/// What happened.
///
/// The memory events `tier1_loaded`, `error_recall` and `domain_recall` keep the names and fields of the first
/// requirements document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// The run starts.
    RunStarted {
        /// The goal, secrets replaced.
        goal: String,
        /// Where it starts.
        start_url: Option<String>,
        /// Groups runs that belong together.
        session: Option<SessionId>,
        /// Name of the driver.
        driver: String,
        /// Whether the browser was there before, and goes on. Left out where it does not; where it is reached is never told.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        attached: bool,
        /// Name of the model.
        model: String,
        /// Seed of the nonces, as 32 hexadecimal digits: with it, the run makes the same prompts again.
        seed: String,
        /// Names of the tools, in the order in which the model is told of them.
        tools: Vec<String>,
        /// How the model is asked for calls: `tools` or `json_schema`.
        mode: String,
        /// Most steps.
        max_steps: u32,
        /// Which actions need approval: `safe`, `hybrid` or `auto`.
        approval: String,
    },
    /// The page was observed.
    Observed {
        /// The observation; its picture is not part of the JSON.
        observation: Arc<Observation>,
        /// Unit: milliseconds.
        elapsed_ms: u64,
    },
    /// The page was interpreted.
    Interpreted {
        /// The meaning.
        view: Arc<PageView>,
    },
    /// Memory spoke at the start of the run.
    #[serde(rename = "tier1_loaded")]
    Tier1Loaded {
        /// How many lessons.
        count: usize,
        /// Their texts.
        lessons: Vec<String>,
        /// Which records they are.
        #[serde(default)]
        items: Vec<AdviceId>,
        /// How long memory took. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// Memory was asked about a failed command.
    ErrorRecall {
        /// The command.
        command: String,
        /// The failure's class and the beginning of its detail.
        error_snippet: String,
        /// How many lessons matched.
        matched: usize,
        /// Their texts.
        lessons: Vec<String>,
        /// Which records they are.
        #[serde(default)]
        items: Vec<AdviceId>,
        /// How long memory took. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// Memory was asked about a site.
    DomainRecall {
        /// The site's host.
        domain: Host,
        /// How many items matched.
        matched: usize,
        /// Their texts.
        lessons: Vec<String>,
        /// Which records they are.
        #[serde(default)]
        items: Vec<AdviceId>,
        /// How long memory took. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// The model is asked.
    ModelAsked {
        /// The system instruction, in the run's first call only: it does not change.
        #[serde(skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// The message.
        message: String,
        /// Estimated size of the request, tools included.
        estimated_tokens: TokenCount,
        /// Memory items that stand in the prompt.
        offered: Vec<AdviceId>,
    },
    /// The model answered.
    ModelReplied {
        /// The answer, secrets replaced.
        response: ChatResponse,
        /// Unit: milliseconds.
        elapsed_ms: u64,
    },
    /// The model could not be reached or answered with an error.
    ModelFailed {
        /// The error's kind.
        kind: ErrorKind,
        /// The error, secrets replaced.
        error: String,
    },
    /// A call could not be carried out as it was made.
    CallRefused {
        /// What is wrong with it.
        problem: CallProblem,
    },
    /// Calls of a reply were dropped, because one before them failed or changed the page.
    CallsDropped {
        /// How many.
        count: usize,
        /// Why, in our words.
        why: String,
    },
    /// A guard warned the model.
    Warned {
        /// Which guard.
        guard: String,
        /// The warning, in our words.
        text: String,
    },
    /// Somebody was asked whether an action may run.
    ApprovalDecided {
        /// The action.
        action: Action,
        /// How bad it could be.
        effect: Effect,
        /// Whether it may.
        approved: bool,
        /// Why, in our words.
        why: String,
    },
    /// An action is about to be carried out. One without an [`ActionExecuted`](Self::ActionExecuted) after it may have had
    /// its effect: the run ended meanwhile.
    ActionStarted {
        /// The action, typed secrets as placeholders.
        action: Action,
        /// What it is aimed at.
        targets: Vec<TargetIdentity>,
    },
    /// An action ran.
    ActionExecuted {
        /// The action, typed secrets as placeholders.
        action: Action,
        /// What it was aimed at.
        targets: Vec<TargetIdentity>,
        /// How it ended.
        outcome: Outcome,
        /// Address of the page before it.
        url_before: String,
        /// Address of the page after it.
        url_after: String,
        /// What changed, in short lines.
        changed: Vec<String>,
        /// Unit: milliseconds, waiting for the page included.
        elapsed_ms: u64,
    },
    /// An action brought a picture.
    Pictured {
        /// The bytes of a PNG file; not part of the JSON.
        #[serde(skip)]
        png: Vec<u8>,
    },
    /// Data was read under a name.
    Extracted {
        /// The name.
        name: String,
        /// The data, secrets replaced.
        text: String,
    },
    /// The driver saw something beside the action.
    Noticed {
        /// What.
        notice: Notice,
    },
    /// The model said it is done.
    FinishChecked {
        /// The answer.
        answer: String,
        /// The words it quoted.
        evidence: String,
        /// True if they are on the page, or were read from a page of this run.
        verified: bool,
        /// True if they were read from an earlier page and are not on this one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        earlier: bool,
        /// Claims of the answer that no page of the run has shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unverified: Vec<String>,
    },
    /// The model asked a person.
    HumanAsked {
        /// The question.
        question: String,
        /// The answer, secrets replaced; `None` when nobody was there.
        answer: Option<String>,
    },
    /// The model proposed a fact. It is kept with the run, for a person to review.
    FactProposed {
        /// Its name.
        key: String,
        /// The fact.
        value: String,
    },
    /// Memory was changed.
    MemoryUpdated {
        /// Which shelf.
        shelf: Shelf,
        /// The acknowledgement.
        committed: Committed,
        /// How long the store took. Unit: milliseconds.
        #[serde(default)]
        elapsed_ms: u64,
    },
    /// A run taught a new lesson.
    LessonRecorded {
        /// What it says.
        lesson: String,
        /// What it is about.
        category: String,
        /// The command that fails.
        failed_command: Option<String>,
        /// How it fails.
        error_pattern: Option<String>,
        /// Which record it is.
        item: AdviceId,
    },
    /// A lesson that was known already was found or used again.
    LessonDeduplicated {
        /// What it says.
        lesson: String,
        /// Its uses now.
        new_use_count: u64,
        /// Which record it is.
        item: AdviceId,
    },
    /// A recovery became advice for every run.
    LessonPromoted {
        /// What it says.
        lesson: String,
        /// Its uses.
        use_count: u64,
        /// Where it was used.
        triggered_domains: Vec<Site>,
        /// Which record it is.
        item: AdviceId,
    },
    /// A lesson is no longer advice for every run: what followed no longer proves it.
    LessonDemoted {
        /// What it says.
        lesson: String,
        /// How often it helped.
        helped: u64,
        /// How often it was followed in vain.
        harmed: u64,
        /// Which record it is.
        item: AdviceId,
    },
    /// A lesson harmed and is no longer shown.
    LessonRetired {
        /// What it says.
        lesson: String,
        /// How often it helped.
        helped: u64,
        /// How often it was followed in vain.
        harmed: u64,
        /// Which record it is.
        item: AdviceId,
    },
    /// What came of a lesson in this run.
    LessonCredited {
        /// Which record it is.
        item: AdviceId,
        /// Where.
        site: Option<Site>,
        /// Its way out was taken.
        used: bool,
        /// It had been shown before.
        followed: bool,
        /// That restored the effect.
        helped: bool,
        /// It did not.
        harmed: bool,
    },
    /// Stale lessons were removed.
    LessonsPruned {
        /// How many.
        pruned_count: usize,
        /// How many are left on their shelf.
        remaining_count: usize,
    },
    /// The least proven lessons made room on a full shelf.
    LessonsCompacted {
        /// How many.
        removed_count: usize,
        /// How many are left on their shelf.
        remaining_count: usize,
    },
    /// The store did or found something of its own accord.
    StoreNoticed {
        /// What, and of which shelf.
        notice: StoreNotice,
    },
    /// Memory failed; the run goes on without that part of it.
    MemoryFailed {
        /// What was tried.
        operation: String,
        /// The error, secrets replaced.
        error: String,
    },
    /// A sink lost events of this run. The run goes on; told once.
    RecordingFailed {
        /// The error, secrets replaced.
        error: String,
    },
    /// The run is over.
    RunEnded {
        /// The answer, if the model gave one.
        answer: Option<String>,
        /// The words on the page that show it; `None` when they were not there.
        evidence: Option<String>,
        /// Data that was read, by name.
        extracted: BTreeMap<String, String>,
        /// Address of the last page.
        final_url: Option<String>,
        /// What broke, if the run ended because something did.
        error: Option<String>,
        /// The figures.
        summary: RunSummary,
    },
}

#[cfg(test)]
mod tests;
