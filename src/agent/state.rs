//! The state of a run: everything that changes during the run and that its next request to the model depends on.
//! Pictures are not part of it, and neither are the options, the tools, and those parts of the task that [`State`]
//! does not keep.
//!
//! The state is JSON with a version. [`Run::state`](super::Run::state) returns it, and
//! [`DecisionLoop::resume`](super::DecisionLoop::resume) continues a run from it.

mod answer;
mod offered;
mod page_state;
mod progress;
mod queue;
mod remarks;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use answer::Answer;
pub(super) use offered::Offered;
pub(super) use page_state::PageState;
pub(super) use progress::Progress;
pub(super) use queue::{Queue, Queued};
pub(super) use remarks::{MAX_TITLE, Remarks};

use super::{executor::Guards, reading::LinesRead};
use crate::{
    action::{Action, BrowserAction, Outcome},
    base::{Error, ErrorKind, Result, RunId, tokens::Calibration},
    guard::Spent,
    memory::Following,
    verify::Seen,
    working::{About, By, Step, StopReason, WorkingMemory},
};

/// Version of the JSON format. A run is resumed only from the same version.
const VERSION: u32 = 5;

/// The state of a run: everything that changes during the run, except pictures, an action in progress, and the
/// connections to the browser, the model and memory.
///
/// A run creates the state. Its fields are private, but callers can store it, read it back, and pass it to
/// [`DecisionLoop::resume`](super::DecisionLoop::resume).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a run, each asked on its own"
)]
pub struct State {
    version: u32,
    pub(super) run: RunId,
    pub(super) about: About,
    /// Random number from which the run's [nonces](crate::base::Nonce) are derived.
    pub(super) seed: [u8; 16],
    pub(super) system: String,
    /// The user's instructions since the run began, with secrets replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) instructed: Vec<String>,
    /// Time that the run took before it was last resumed. Unit: milliseconds.
    pub(super) before_ms: u64,

    pub(super) page: PageState,
    pub(super) seen: Seen,
    pub(super) queue: Queue,
    /// The recipe that the run follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) following: Option<Following>,
    pub(super) remarks: Remarks,
    pub(super) lines_read: Option<LinesRead>,
    pub(super) memory: WorkingMemory,
    pub(super) offered: Offered,
    /// True if a checkpoint had no room for the first steps, so that `memory` lacks them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) cut: bool,
    /// The reasoning in the model's last reply, until a step records it.
    #[serde(default)]
    pub(super) thought: Option<String>,
    /// The text that the current action returned, until its step records it.
    #[serde(default)]
    pub(super) gave: Option<String>,

    pub(super) guards: Guards,
    pub(super) spent: Spent,
    pub(super) progress: Progress,
    pub(super) estimated: bool,
    /// The correction of token estimates by the numbers that the provider reported in this run.
    #[serde(default)]
    pub(super) calibration: Calibration,
    /// True if the current action led out of the run's scope, or if the page itself did since the action before.
    /// Memory does not learn from the current action then.
    pub(super) left_scope: bool,
    /// True if the target of the current action was found through elements that earlier runs used and not by its name.
    #[serde(default)]
    pub(super) healed: bool,
    /// True if a secret was typed by the run or shown by a page. From then on, no picture is taken.
    pub(super) secret_seen: bool,

    pub(super) answer: Answer,
    pub(super) error: Option<String>,
    /// The kind of the error of the model or the browser that ended the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<ErrorKind>,
    pub(super) stopped: Option<StopReason>,
    /// The reason why an action that was carried out is missing from the journal; `None` if none is missing.
    pub(super) unrecorded: Option<String>,
    /// The number of the step in which an irreversible action was interrupted and may have been carried out. While this
    /// is set, every irreversible action needs approval. The first approval clears it.
    #[serde(default)]
    pub(super) doubt: Option<u32>,
}

impl State {
    pub(super) fn new(run: RunId, about: About, seed: u128, guards: Guards) -> Self {
        Self {
            version: VERSION,
            run,
            about,
            seed: seed.to_le_bytes(),
            system: String::new(),
            instructed: Vec::new(),
            before_ms: 0,
            page: PageState::default(),
            seen: Seen::default(),
            queue: Queue::default(),
            following: None,
            remarks: Remarks::default(),
            lines_read: None,
            memory: WorkingMemory::default(),
            thought: None,
            gave: None,
            offered: Offered::default(),
            cut: false,
            guards,
            spent: Spent::default(),
            progress: Progress::default(),
            estimated: false,
            calibration: Calibration::default(),
            left_scope: false,
            healed: false,
            secret_seen: false,
            answer: Answer::default(),
            error: None,
            failed: None,
            stopped: None,
            unrecorded: None,
            doubt: None,
        }
    }

    /// Returns the run's id.
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns the run's task as memory uses it: without secrets, parameters and given texts.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// Returns the steps so far.
    pub fn steps(&self) -> &[Step] {
        self.memory.steps()
    }

    /// Returns the reason why the run could not open its start page; `None` if the run has opened a page or did not
    /// begin with a start page.
    pub(super) fn never_opened(&self) -> Option<String> {
        let opens = |step: &&Step| matches!(step.action, Action::Browser(BrowserAction::Goto(_)));
        let first = self.steps().first().filter(opens)?;
        let Outcome::Failed(failure) = &first.outcome else {
            return None;
        };
        let is_opened = self.steps().iter().any(|step| step.after.host().is_some());
        (first.by == By::Task && !is_opened)
            .then(|| format!("the start page could not be opened: {}", failure.detail))
    }

    /// Returns the run's own memory: its steps, its notes, and the texts that it read, extracted or was given.
    pub const fn memory(&self) -> &WorkingMemory {
        &self.memory
    }

    /// Returns the reason why the run stopped; `None` if it has not stopped.
    pub const fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Returns an error if the state has another version of the format.
    pub(super) fn check(&self) -> Result<()> {
        Self::check_version(Some(&self.version.into()))
    }

    /// Returns an error unless the version is the version of this format. The version of a checkpoint is checked
    /// before its other fields are parsed.
    pub(super) fn check_version(version: Option<&Value>) -> Result<()> {
        if version.and_then(Value::as_u64) == Some(VERSION.into()) {
            return Ok(());
        }
        let version = version.unwrap_or(&Value::Null);
        Err(Error::new(ErrorKind::Unsupported, "run.continue")
            .with("why", "another version of webwise wrote this state")
            .with("version", version))
    }
}
