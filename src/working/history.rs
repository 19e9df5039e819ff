//! The history of a run as the prompt shows it: a view of the last steps.

use super::Step;
use crate::action::{Action, AgentAction};

/// Maximum number of steps shown. Source: chosen; each is one line of the prompt.
pub const MAX_ENTRIES: usize = 50;
/// Number of the oldest steps that leave the view at once. Source: chosen; between two such cuts the history only grows
/// at its end, so a provider can cache its beginning.
const DROPPED_AT_ONCE: usize = 10;

/// The steps of a run that a prompt shows, oldest first. A `finish` is not among them: the prompt reports a refused
/// `finish` as a remark.
#[derive(Debug, Clone, Copy, Default)]
pub struct History<'a>(&'a [Step]);

impl<'a> History<'a> {
    /// Creates the view of these steps.
    pub const fn of(steps: &'a [Step]) -> Self {
        Self(steps)
    }

    fn all(self) -> impl Iterator<Item = &'a Step> {
        let is_finish = |step: &&Step| matches!(step.action, Action::Agent(AgentAction::Finish(_)));
        self.0.iter().filter(move |step| !is_finish(step))
    }

    /// Returns the steps that are shown, oldest first.
    pub fn entries(self) -> impl Iterator<Item = &'a Step> {
        self.all().skip(self.dropped())
    }

    /// Returns the number of earlier steps that are not shown.
    pub fn dropped(self) -> usize {
        let over = self.all().count().saturating_sub(MAX_ENTRIES);
        over.next_multiple_of(DROPPED_AT_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{BrowserAction, NoArguments, Outcome, Signature};

    #[test]
    fn steps_leave_the_view_ten_at_a_time_and_are_counted() {
        let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
        let signature = Signature::of(&action, &[], "");
        let steps: Vec<Step> = (1..=61)
            .map(|number| Step::new(number, action.clone(), Outcome::Done, signature.clone()))
            .collect();
        for (count, dropped) in [(0, 0), (50, 0), (51, 10), (60, 10), (61, 20)] {
            let history = History::of(&steps[..count]);
            assert_eq!(history.dropped(), dropped, "{count}");
            let shown: Vec<u32> = history.entries().map(|step| step.number).collect();
            assert_eq!(shown.len(), count - dropped);
            assert!(
                shown
                    .first()
                    .is_none_or(|first| *first as usize == dropped + 1)
            );
        }
    }
}
