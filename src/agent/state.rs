//! A run as a value: everything that its next request depends on, without connections.
//!
//! It is JSON with a version. [`Run::state`](super::Run::state) gives it after any step, and
//! [`DecisionLoop::resume`](super::DecisionLoop::resume) makes a run of it that asks the model the same. It stands in the
//! shell's room because it holds types of every pure one; nothing in it waits, asks or knows the time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{executor::Guards, reading::LinesRead};
use crate::{
    action::{Action, CallProblem},
    base::{Error, ErrorKind, Host, Result, RunId},
    guard::Spent,
    memory::{Advice, AdviceId},
    page::{ElementRef, TargetIdentity},
    prompt::LastFailure,
    verify::{CallMade, Numbers, PageNow, Seen},
    working::{About, By, Step, StopReason},
};

/// The version of the form. A run is continued only from the same one.
const VERSION: u32 = 1;

/// An action in the queue, with its targets as they were when it was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Queued {
    pub(super) action: Action,
    pub(super) by: By,
    /// The targets, in the order of the references; `None` if one of them was not on the page that the action was
    /// decided for.
    pub(super) targets: Option<Vec<TargetIdentity>>,
}

/// Everything that the next message tells besides the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Remarks {
    pub(super) calls: Vec<CallMade>,
    pub(super) last_failure: Option<LastFailure>,
    pub(super) found: Vec<String>,
    pub(super) read: Vec<String>,
    /// Lines of a reading that should be kept.
    pub(super) facts: Vec<String>,
    pub(super) results: Vec<(String, String)>,
    pub(super) answers: Vec<(String, String)>,
    pub(super) refused: Vec<CallProblem>,
    /// Pictures of elements that were asked for. Not kept in JSON: the page is there, and the model may ask again.
    #[serde(skip)]
    pub(super) pictures: Vec<Vec<u8>>,
    /// The picture of the window, if it was asked for. Not kept in JSON either.
    #[serde(skip)]
    pub(super) window: Option<Vec<u8>>,
    pub(super) notes: Vec<String>,
    /// Warnings of the guards after the last call: an earlier one's may not be true any more.
    pub(super) warnings: Vec<String>,
}

/// Everything that changes in a run, but for its connections.
///
/// Its content is private: it is made by a run, written, read, and given to a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a run, each asked on its own"
)]
pub struct State {
    version: u32,
    pub(super) run: RunId,
    pub(super) about: About,
    /// Random number from which the nonces of the run are made.
    pub(super) seed: [u8; 16],
    pub(super) system: String,
    /// Time that the run took so far, in the runs that it was continued from. Unit: milliseconds.
    pub(super) before_ms: u64,

    pub(super) page: Option<PageNow>,
    /// The page before the last action, if it was the same page, and the duration of that action. Unit: milliseconds.
    pub(super) earlier: Option<(PageNow, u64)>,
    /// Number of looks at pages.
    pub(super) looks: u64,
    /// Texts that the pages of this run have shown.
    pub(super) seen: Seen,
    /// Numbers on this page that are known to tick or to answer actions.
    pub(super) numbers: Numbers,
    /// True if an action was begun since the page was observed.
    pub(super) stale: bool,
    /// The host and the look that memory was asked about last.
    pub(super) asked_for: Option<(Host, u64)>,
    pub(super) queue: VecDeque<Queued>,
    pub(super) remarks: Remarks,
    /// The lines of the last page that were read.
    pub(super) lines_read: Option<LinesRead>,
    /// Findings that matter for the goal, in lines of page data.
    pub(super) known: Vec<String>,
    /// Notes of the model.
    pub(super) notes: Vec<String>,
    pub(super) advice: Vec<Advice>,
    /// Positions in `offered` of what stands in the current prompt.
    pub(super) offered_now: Vec<usize>,
    /// Number of the items in the system instruction, which are the first of `offered`.
    pub(super) standing: usize,
    /// All advice that was shown, in the order in which it first was.
    pub(super) offered: Vec<AdviceId>,
    pub(super) steps: Vec<Step>,

    pub(super) guards: Guards,
    pub(super) spent: Spent,
    pub(super) estimated: bool,
    pub(super) errors: u32,
    pub(super) errors_in_row: u32,
    /// The model call whose reply had the last error, because one reply counts once.
    pub(super) error_call: Option<u32>,
    pub(super) unusable_in_row: u32,
    pub(super) finish_refused: bool,
    /// True if the current action led to a page that had to be left. Nothing is learned from it.
    pub(super) left_scope: bool,
    /// True if a secret was typed, or shown by a page. No picture is taken after that.
    pub(super) secret_seen: bool,
    /// Fields of this page that a secret was typed into.
    pub(super) typed_into: BTreeSet<ElementRef>,

    pub(super) answer: Option<String>,
    pub(super) evidence: Option<String>,
    /// Claims of the answer that its evidence does not support.
    pub(super) unverified: Vec<String>,
    pub(super) extracted: BTreeMap<String, String>,
    pub(super) error: Option<String>,
    pub(super) stopped: Option<StopReason>,
    /// The reason why an intent was not recorded.
    pub(super) unrecorded: Option<String>,
}

impl State {
    /// The state of a run before its first step.
    pub(super) fn new(run: RunId, about: About, seed: u128, guards: Guards) -> Self {
        Self {
            version: VERSION,
            run,
            about,
            seed: seed.to_le_bytes(),
            system: String::new(),
            before_ms: 0,
            page: None,
            earlier: None,
            looks: 0,
            seen: Seen::default(),
            numbers: Numbers::default(),
            stale: false,
            asked_for: None,
            queue: VecDeque::new(),
            remarks: Remarks::default(),
            lines_read: None,
            known: Vec::new(),
            notes: Vec::new(),
            advice: Vec::new(),
            offered_now: Vec::new(),
            standing: 0,
            offered: Vec::new(),
            steps: Vec::new(),
            guards,
            spent: Spent::default(),
            estimated: false,
            errors: 0,
            errors_in_row: 0,
            error_call: None,
            unusable_in_row: 0,
            finish_refused: false,
            left_scope: false,
            secret_seen: false,
            typed_into: BTreeSet::new(),
            answer: None,
            evidence: None,
            unverified: Vec::new(),
            extracted: BTreeMap::new(),
            error: None,
            stopped: None,
            unrecorded: None,
        }
    }

    /// The run's id.
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// The task, as the run understood it.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The reason why the run stopped; `None` while it can go on.
    pub const fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Refuses what another version of this crate wrote.
    pub(super) fn check(&self) -> Result<()> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unsupported, "run.continue")
            .with("why", "another version of webwise wrote this state")
            .with("version", self.version))
    }
}
