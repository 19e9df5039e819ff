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
//! action is *frequent* if, three times among the last ten actions, it was done, did not change the address, and led to
//! the same state of the page. It is not frequent if, more than once, the action before it led to something new: a
//! dialog with new content, for example, is closed for a reason. A frequent action does not end the run.
//!
//! Actions that only look (`wait`, `snapshot`, `screenshot`, `tab_list`) are different, because a model that follows
//! a display repeats them for a reason: what changes may be in the pixels alone, so that no page counts as new, and all
//! looks of one reply were decided before the model saw the first result. A cycle of looks alone is no repetition, and
//! no look is frequent. Instead, replies with looks are counted, up to the next action of another kind or the next new
//! page. After five the model is warned, and after ten the run ends, because the model may be waiting for something
//! that never comes, and the budget alone would let it pay for that up to its last step.
//!
//! Two measures of "the same" are tracked side by side:
//!
//! - **exact**: the signatures are equal, and everything that the page shows was seen before. After three turns the
//!   model is warned; after five the run ends.
//! - **retyped**: the actions are equal except for typed text, at least one action of the turn types, and the page
//!   *without values of fields* was seen before. After three turns the model is warned. The run ends after five turns
//!   if one field is filled over and over. If other actions come in between, the run ends after eight turns, because a
//!   search by halving is a valid strategy.
//!
//! The agent's loop ends the run only after the last action of a reply, and only if the guard also warned in the two
//! replies before ([`WarnedTurns`](super::WarnedTurns)). Until then, it only warns the model.

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
/// Number of turns after which the run ends if each turn has several actions and the turns differ only in the typed text.
/// Source: chosen; finding one of a hundred numbers by halving takes 7 turns.
const STOP_RETYPED_TURNS: u32 = 8;
/// Number of replies in a row that look and see nothing new, after which the model is warned. Source: chosen; a reply
/// can follow a display for a minute, with several looks and waits.
const WARN_LOOKS: u32 = 5;
/// Number of replies in a row that look and see nothing new, after which the run ends. Source: chosen.
const STOP_LOOKS: u32 = 10;
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
    /// True if the action only looks.
    #[serde(default)]
    looks: bool,
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
            looks: matches!(action, Action::Browser(action) if action.tool().is_look()),
        }
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
    #[serde(default)]
    looks: bool,
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
    /// Number of replies in a row that look and see nothing new.
    #[serde(default)]
    looks: u32,
    /// The number of the last reply that is counted in `looks`.
    #[serde(default)]
    look_turn: Option<u32>,
}

impl RepeatGuard {
    /// Records an action that was carried out or failed, with the state of the page before and after the action. `turn`
    /// is the number of the model's reply that the action belongs to, or the number of the step if no model is asked.
    pub fn record(
        &mut self,
        key: ActionKey,
        before: PageState,
        after: PageState,
        turn: u32,
    ) -> Verdict {
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
        if !key.looks || !was_shown {
            (self.looks, self.look_turn) = (0, None);
        } else if self.look_turn.replace(turn) != Some(turn) {
            self.looks = self.looks.saturating_add(1);
        }
        self.last.push_front(Done {
            signature: key.exact.clone(),
            looks: key.looks,
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
        let newest = self.last.front();
        let newest = newest.filter(|done| done.shown.is_some() && !done.looks)?;
        let is_same =
            |done: &&Done| done.signature == newest.signature && done.shown == newest.shown;
        let same = || self.last.iter().filter(is_same);
        let times = u32::try_from(same().count()).ok()?;
        let first_looks = same().filter(|done| done.is_first_look).count();
        let last = u32::try_from(self.last.len()).ok()?;
        (times >= WARN_TURNS && first_looks <= 1).then_some(Warning::Frequent { times, last })
    }

    fn verdict(&self) -> Verdict {
        let cycles = (1..=4).zip(self.recent.iter().enumerate());
        let acts = |place: usize| self.recent.iter().take(place + 1).any(|key| !key.looks);
        let looked = Warning::Looked { times: self.looks };
        let found: Vec<_> = cycles
            .filter(|(_, (place, _))| acts(*place))
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
            .map(|(turns, stop, warning)| (turns, (WARN_TURNS, stop), warning))
            .chain([(self.looks, (WARN_LOOKS, STOP_LOOKS), looked)])
            .collect();
        let stop = found
            .iter()
            .find(|(turns, (_, stop), _)| turns >= stop)
            .map(|(.., warning)| Verdict::Stop(*warning));
        let warn = || {
            found
                .iter()
                .find(|(turns, (warn, _), _)| turns >= warn)
                .map(|(.., warning)| Verdict::Warn(*warning))
        };
        stop.or_else(warn).unwrap_or(Verdict::Go)
    }
}

#[cfg(test)]
mod tests;
