//! The state of a run: everything that changes during the run and that its next request to the model depends on.
//! Pictures are not part of it, and neither are the options, the tools, and those parts of the task that [`State`]
//! does not keep.
//!
//! The state is JSON with a version. [`Run::state`](super::Run::state) returns it, and
//! [`DecisionLoop::resume`](super::DecisionLoop::resume) continues a run from it.

mod answer;
mod offered;
mod progress;

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use answer::Answer;
pub(super) use offered::Offered;
pub(super) use progress::Progress;

use super::{executor::Guards, pictures::Pictures, reading::LinesRead};
use crate::{
    action::{Action, BrowserAction, CallProblem, Outcome},
    base::{Error, ErrorKind, Result, RunId, tokens::Calibration},
    guard::Spent,
    page::{ElementRef, TargetIdentity},
    prompt::{LastFailure, quoted},
    verify::{CallMade, KnownNumbers, PageNow, Seen},
    working::{About, By, Memory, Step, StopReason},
};

/// Version of the JSON format. A run is resumed only from the same version.
const VERSION: u32 = 3;

/// The beginning of the line that is put below the lines found or read on a page when the run leaves this page.
const LEFT: &str = "(all above is of page";
/// Maximum length of a page's title in a line that names the page of the lines above or below it. Unit: characters.
/// Source: chosen.
pub(super) const MAX_TITLE: usize = 60;

/// An action in the queue, with its targets as they were when the action was decided on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Queued {
    pub(super) action: Action,
    pub(super) by: By,
    /// The identities of the targets, in the order of the action's references; `None` if one of the targets was not on
    /// the page for which the action was decided.
    pub(super) targets: Option<Vec<TargetIdentity>>,
    /// The address of an earlier page, if `go_back_to` queued this action to open that page again or to restore its
    /// state; otherwise `None`. An action that restores the state is carried out only on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) restores: Option<String>,
    /// The points that the model chose in the picture of the window. Given only if they were replaced in the action by
    /// points of an element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) picked: Vec<(u32, u32)>,
}

/// Results, refusals, notes and warnings since the last message to the model. The next message reports them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Remarks {
    pub(super) calls: Vec<CallMade>,
    pub(super) last_failure: Option<LastFailure>,
    pub(super) found: Vec<String>,
    pub(super) read: Vec<String>,
    /// Lines of the last reads, to be kept in the run's memory as facts.
    pub(super) facts: Vec<String>,
    pub(super) results: Vec<(String, String)>,
    pub(super) answers: Vec<(String, String)>,
    pub(super) refused: Vec<CallProblem>,
    /// Pictures that the model asked for. They are not stored, because the model can ask again.
    #[serde(skip)]
    pub(super) pictures: Pictures,
    pub(super) notes: Vec<String>,
    /// Warnings of the guards after the last call. Those after earlier calls are dropped, because they may no longer be
    /// true.
    pub(super) warnings: Vec<String>,
    /// Number of steps that were taken from memory since the model last decided.
    #[serde(default)]
    pub(super) replayed: usize,
}

impl Remarks {
    /// Returns true if the remarks contain anything that the model must read before the next action.
    pub(super) fn is_unread(&self) -> bool {
        let lines = [&self.found, &self.read, &self.notes, &self.warnings];
        let said = [&self.results, &self.answers];
        self.last_failure.is_some()
            || !self.refused.is_empty()
            || lines.iter().any(|lines| !lines.is_empty())
            || said.iter().any(|said| !said.is_empty())
    }

    /// Marks the lines that were found and read so far as lines of a page that the run has left. `title` is the title
    /// of that page.
    pub(super) fn leave(&mut self, title: &str) {
        for lines in [&mut self.found, &mut self.read] {
            if lines.last().is_some_and(|last| !last.starts_with(LEFT)) {
                let title = quoted(title, MAX_TITLE);
                lines.push(format!(
                    "{LEFT} {title}, which was left: its refs and lines are void)"
                ));
            }
        }
    }
}

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
    /// Time that the run took before it was last resumed. Unit: milliseconds.
    pub(super) before_ms: u64,

    pub(super) page: Option<PageNow>,
    /// Number of observations of pages so far in the run.
    pub(super) looks: u64,
    pub(super) seen: Seen,
    /// Numbers on the current page that are known to be clocks, or known to respond to actions.
    #[serde(flatten)]
    pub(super) numbers: KnownNumbers,
    /// True if an action was started, a step was given up, or the run was resumed, after the last observation.
    pub(super) stale: bool,
    /// True if an action opened a page that no message has shown to the model.
    #[serde(default)]
    pub(super) unseen: bool,
    pub(super) queue: VecDeque<Queued>,
    pub(super) remarks: Remarks,
    pub(super) lines_read: Option<LinesRead>,
    pub(super) memory: Memory,
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
    /// Fields of the current page into which a secret was typed.
    pub(super) typed_into: BTreeSet<ElementRef>,

    pub(super) answer: Answer,
    pub(super) error: Option<String>,
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
            before_ms: 0,
            page: None,
            looks: 0,
            seen: Seen::default(),
            numbers: KnownNumbers::default(),
            stale: false,
            unseen: false,
            queue: VecDeque::new(),
            remarks: Remarks::default(),
            lines_read: None,
            memory: Memory::default(),
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
            typed_into: BTreeSet::new(),
            answer: Answer::default(),
            error: None,
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
    pub const fn memory(&self) -> &Memory {
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
