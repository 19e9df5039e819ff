//! The events: one JSON object each, and the same event read back.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, CallProblem, Effect, Outcome},
    base::{ErrorKind, Host, RunId, SessionId, TokenCount},
    chat::{ChatResponse, Usage},
    guard::Money,
    memory::{AdviceId, Committed, Shelf},
    page::{Notice, Observation, PageView, TargetIdentity},
    working::StopReason,
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
        Self { kind, run, step, at }
    }
}

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
        Self { stop, success: stop.is_success(), steps, errors, calls, usage, estimated, elapsed_ms, cost: None }
    }

    /// The same with what the model calls cost.
    pub fn with_cost(self, cost: Option<Money>) -> Self {
        Self { cost, ..self }
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
    },
    /// Memory was asked about a site.
    DomainRecall {
        /// The site's host.
        domain: Host,
        /// How many items matched.
        matched: usize,
        /// Their texts.
        lessons: Vec<String>,
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
        /// Whether they are on the page.
        verified: bool,
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

impl EventKind {
    /// The name, as the field `event` has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::Observed { .. } => "observed",
            Self::Interpreted { .. } => "interpreted",
            Self::Tier1Loaded { .. } => "tier1_loaded",
            Self::ErrorRecall { .. } => "error_recall",
            Self::DomainRecall { .. } => "domain_recall",
            Self::ModelAsked { .. } => "model_asked",
            Self::ModelReplied { .. } => "model_replied",
            Self::ModelFailed { .. } => "model_failed",
            Self::CallRefused { .. } => "call_refused",
            Self::CallsDropped { .. } => "calls_dropped",
            Self::Warned { .. } => "warned",
            Self::ApprovalDecided { .. } => "approval_decided",
            Self::ActionStarted { .. } => "action_started",
            Self::ActionExecuted { .. } => "action_executed",
            Self::Pictured { .. } => "pictured",
            Self::Extracted { .. } => "extracted",
            Self::Noticed { .. } => "noticed",
            Self::FinishChecked { .. } => "finish_checked",
            Self::HumanAsked { .. } => "human_asked",
            Self::FactProposed { .. } => "fact_proposed",
            Self::MemoryUpdated { .. } => "memory_updated",
            Self::MemoryFailed { .. } => "memory_failed",
            Self::RecordingFailed { .. } => "recording_failed",
            Self::RunEnded { .. } => "run_ended",
        }
    }
}

#[cfg(test)]
mod tests;
