//! Repetition: the same action, the same cycle of actions, or the same actions with other text, again and again without
//! a result.
//!
//! # The rule
//! An action *repeats* an earlier action, `length` places before it (1 to 4), if both are the same **and** the page
//! after the later action was seen before in this run. So pressing "Next" ten times is not a repetition as long as each
//! page is new.
//!
//! A turn is one pass through a cycle: `length` repeating actions in a row. The first pass, which the other passes
//! repeat, counts as a turn although its pages may have been new.
//!
//! The actions A B A C A do not pass through a cycle twice, because B and C differ. This is how a run works through a
//! list, with "Back" (A) between the items. But if A stays on its page, as when it opens a menu, the model is warned: an
//! action is *frequent* if it was done three times among the last ten actions and each time led to the same page in the
//! same state. It is not frequent if, more than once, something new was on the page before the action, because a dialog
//! with new content is closed for a reason. A frequent action does not end the run.
//!
//! Two measures of "the same" are tracked side by side:
//!
//! - **exact**: the signatures are equal, and everything that the page shows was seen before. After three turns the
//!   model is warned; after five the run ends.
//! - **retyped**: the actions are equal except for typed text, at least one action of the turn types, and the page
//!   *without values of fields* was seen before. After three turns the model is warned. The run ends after five turns
//!   if one field is filled over and over. If other actions come in between, the run ends after eight turns, because a
//!   search by halving is a valid strategy.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{PageState, Verdict, Warning};
use crate::{
    action::{Action, BrowserAction, DialogAccept, Fill, Select, Signature, TextValue, Type},
    page::TargetIdentity,
};

/// Number of turns after which the model is warned. Source: chosen.
const WARN_TURNS: u32 = 3;
/// Number of turns through a repeated cycle after which the run ends. Source: chosen.
const STOP_TURNS: u32 = 5;
/// Number of turns after which the run ends if each turn has several actions and the typed text differs. Source: chosen;
/// finding one of a hundred numbers by halving takes 7 turns.
const STOP_RETYPED_TURNS: u32 = 8;
/// Longest cycle that is detected. Unit: actions. Source: chosen.
const MAX_CYCLE: usize = 4;

/// Number of most recent actions that are searched for a frequent action. Source: a requirement of the project.
const LAST: usize = 10;

/// The key by which [`RepeatGuard`] recognises repeated actions. It consists of two signatures of an action, one with and
/// one without the text that the action types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionKey {
    exact: Signature,
    near: Signature,
    types: bool,
}

impl ActionKey {
    /// Returns the key of an action with these targets. `template` is the text of the
    /// [`PageTemplate`](crate::page::PageTemplate) of the page on which the action is carried out.
    pub fn of(action: &Action, targets: &[TargetIdentity], template: &str) -> Self {
        let blank = without_text(action);
        Self {
            exact: Signature::of(action, targets, template),
            near: Signature::of(blank.as_ref().unwrap_or(action), targets, template),
            types: blank.is_some(),
        }
    }

    /// Returns the signature of the action, including its typed text.
    pub const fn signature(&self) -> &Signature {
        &self.exact
    }
}

/// Returns the action without its typed text; `None` if the action types nothing.
fn without_text(action: &Action) -> Option<Action> {
    let Action::Browser(action) = action else {
        return None;
    };
    let mut action = action.clone();
    match &mut action {
        BrowserAction::Fill(Fill { text, .. })
        | BrowserAction::Type(Type { text, .. })
        | BrowserAction::DialogAccept(DialogAccept { text: Some(text) }) => {
            *text = TextValue::Literal(String::new());
        }
        BrowserAction::Select(Select { values, .. }) => values.clear(),
        _ => return None,
    }
    Some(Action::Browser(action))
}

/// An action that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Done {
    signature: Signature,
    /// A hash of what the page showed after the action; `None` if the action led to another page.
    shown: Option<u64>,
    /// True if something new was on the page before the action.
    is_first_look: bool,
}

/// A guard that finds repeated actions in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatGuard {
    recent: VecDeque<ActionKey>,
    shown: BTreeSet<u64>,
    frames: BTreeSet<u64>,
    exact: [u32; MAX_CYCLE],
    near: [u32; MAX_CYCLE],
    /// The last actions, the newest first.
    #[serde(default)]
    last: VecDeque<Done>,
    /// True if the last action led to something that was not seen before.
    #[serde(default)]
    is_new: bool,
}

impl RepeatGuard {
    /// Records an action that was carried out or failed, with the state of the page before and after the action.
    pub fn record(&mut self, key: ActionKey, before: PageState, after: PageState) -> Verdict {
        self.shown.insert(before.shown);
        self.frames.insert(before.frame);
        let was_shown = !self.shown.insert(after.shown);
        let was_frame = !self.frames.insert(after.frame);
        for (place, (exact, near)) in self.exact.iter_mut().zip(&mut self.near).enumerate() {
            let earlier = self.recent.get(place);
            let repeats = |same: bool, count: u32| if same { count.saturating_add(1) } else { 0 };
            *exact = repeats(
                was_shown && earlier.is_some_and(|e| e.exact == key.exact),
                *exact,
            );
            *near = repeats(
                was_frame && earlier.is_some_and(|e| e.near == key.near),
                *near,
            );
        }
        self.last.push_front(Done {
            signature: key.exact.clone(),
            shown: (before.url == after.url).then_some(after.shown),
            is_first_look: self.is_new,
        });
        self.is_new = !was_shown;
        self.last.truncate(LAST);
        self.recent.push_front(key);
        self.recent.truncate(MAX_CYCLE);
        match self.verdict() {
            Verdict::Go => self.frequent().map_or(Verdict::Go, Verdict::Warn),
            verdict => verdict,
        }
    }

    /// Returns a warning if the last action is frequent. An action in a cycle gets none here, because the model is warned
    /// of the cycle after more turns.
    fn frequent(&self) -> Option<Warning> {
        if self.exact.iter().any(|repeated| *repeated > 1) {
            return None;
        }
        let newest = self.last.front().filter(|done| done.shown.is_some())?;
        let is_same =
            |done: &&Done| done.signature == newest.signature && done.shown == newest.shown;
        let same = || self.last.iter().filter(is_same);
        let times = u32::try_from(same().count()).ok()?;
        let first_looks = same().filter(|done| done.is_first_look).count();
        let last = u32::try_from(self.last.len()).ok()?;
        (times >= WARN_TURNS && first_looks <= 1).then_some(Warning::Frequent { times, last })
    }

    fn verdict(&self) -> Verdict {
        let found: Vec<_> = (1..=4)
            .zip(self.recent.iter().enumerate())
            .flat_map(|(length, (place, _))| {
                let turns = |count: u32| count / length + 1;
                let types = self.recent.iter().take(place + 1).any(|key| key.types);
                let (exact, near) = (turns(self.exact[place]), turns(self.near[place]));
                let exactly = match length {
                    1 => Warning::Repeated { times: exact },
                    _ => Warning::Cycle {
                        length,
                        times: exact,
                    },
                };
                let near_stop = if length == 1 {
                    STOP_TURNS
                } else {
                    STOP_RETYPED_TURNS
                };
                let nearly = types.then_some((
                    near,
                    near_stop,
                    Warning::Retyped {
                        length,
                        times: near,
                    },
                ));
                std::iter::once((exact, STOP_TURNS, exactly)).chain(nearly)
            })
            .collect();
        let stop = found
            .iter()
            .find(|(turns, stop, _)| turns >= stop)
            .map(|(.., warning)| Verdict::Stop(*warning));
        let warn = || {
            found
                .iter()
                .find(|(turns, ..)| *turns >= WARN_TURNS)
                .map(|(.., warning)| Verdict::Warn(*warning))
        };
        stop.or_else(warn).unwrap_or(Verdict::Go)
    }
}

#[cfg(test)]
mod tests;
