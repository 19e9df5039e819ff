//! Standstill: actions that should change the page leave it unchanged.

use serde::{Deserialize, Serialize};

use super::{PageState, Verdict, Warning};

/// Number of actions in a row that must leave the page unchanged before the model is warned. Source: chosen.
const WARN_UNCHANGED: u32 = 2;
/// Number of actions in a row that must leave the page unchanged before the run ends. Source: chosen.
const STOP_UNCHANGED: u32 = 4;

/// Counts actions in a row that left the page unchanged.
///
/// Counts only actions of tools that should change the page ([`BrowserTool::should_change_page`]). A change of the page
/// during any recorded action resets the count, even a change that no action caused.
///
/// [`BrowserTool::should_change_page`]: crate::action::BrowserTool::should_change_page
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckGuard {
    unchanged: u32,
}

impl StuckGuard {
    /// Records an action that was carried out or failed, with the state of the page before and after it.
    /// `should_change` is true if the action should have changed the page. The agent's loop passes false for most
    /// actions whose outcome is `Done`, because they may have changed something that the page's tree does not show.
    ///
    /// ```
    /// use webwise::guard::{PageState, StuckGuard, Verdict, Warning};
    ///
    /// let mut guard = StuckGuard::default();
    /// let page = PageState::new("https://shop.example/", &1, &1);
    /// assert_eq!(guard.record(true, page, page), Verdict::Go);
    /// assert_eq!(guard.record(true, page, page), Verdict::Warn(Warning::Unchanged { times: 2 }));
    /// ```
    pub fn record(&mut self, should_change: bool, before: PageState, after: PageState) -> Verdict {
        if before.shown != after.shown {
            self.unchanged = 0;
        } else if should_change {
            self.unchanged = self.unchanged.saturating_add(1);
            let warning = Warning::Unchanged {
                times: self.unchanged,
            };
            return match self.unchanged {
                STOP_UNCHANGED.. => Verdict::Stop(warning),
                WARN_UNCHANGED.. => Verdict::Warn(warning),
                _ => Verdict::Go,
            };
        }
        Verdict::Go
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Passes actions to the guard. Each action is a pair: whether it should change the page, and the page that is
    /// shown after it. The first page is 0.
    fn run(actions: &[(bool, u8)]) -> Vec<Verdict> {
        let state = |page: u8| PageState::new("u", &page, &page);
        let mut guard = StuckGuard::default();
        let mut page = 0;
        actions
            .iter()
            .map(|(should, next)| {
                let verdict = guard.record(*should, state(page), state(*next));
                page = *next;
                verdict
            })
            .collect()
    }

    #[test]
    fn two_unchanged_pages_warn_and_four_stop() {
        let warn = |times| Verdict::Warn(Warning::Unchanged { times });
        let stop = Verdict::Stop(Warning::Unchanged { times: 4 });
        assert_eq!(run(&[(true, 0); 4]), [Verdict::Go, warn(2), warn(3), stop]);
    }

    #[test]
    fn looking_neither_counts_nor_clears() {
        let verdicts = run(&[
            (true, 0),
            (false, 0),
            (true, 0),
            (false, 0),
            (true, 0),
            (false, 0),
            (true, 0),
        ]);
        assert_eq!(verdicts.iter().filter(|v| **v == Verdict::Go).count(), 4);
        assert!(verdicts[6].is_stop());
    }

    #[test]
    fn any_change_starts_anew_even_if_it_came_while_looking() {
        assert!(
            !run(&[
                (true, 0),
                (true, 0),
                (true, 0),
                (false, 1),
                (true, 1),
                (true, 2)
            ])
            .iter()
            .any(|v| v.is_stop())
        );
    }

    proptest! {
        #[test]
        fn a_run_stops_only_after_four_unchanged_pages(actions in proptest::collection::vec((any::<bool>(), 0_u8..3), 0..40)) {
            let first = run(&actions).iter().position(|v| v.is_stop());
            let mut page = 0;
            let mut count = 0;
            let expected = actions.iter().position(|(should, next)| {
                count = if *next == page { count + u32::from(*should) } else { 0 };
                page = *next;
                *should && count >= 4
            });
            prop_assert_eq!(first, expected);
        }
    }
}
