//! The history of a run as the prompt shows it: a view of its steps whose length is limited, however long the run is.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::{Pages, Place, Step, Visited};
use crate::{
    action::{Action, AgentAction, Effect, Outcome},
    page::PageTemplate,
};

/// Maximum number of steps that are shown one by one, each as a line. Source: chosen; about a quarter of a message of
/// 4,000 tokens.
pub const MAX_ENTRIES: usize = 50;
/// Maximum number of earlier steps that are still shown one by one because they cannot be undone. Source: chosen.
pub const MAX_LASTING: usize = 20;
/// Maximum number of groups of earlier steps. Source: chosen; each group takes one line of the prompt.
pub const MAX_GROUPS: usize = 12;
/// Maximum number of pages of earlier steps that are shown. Source: chosen.
pub const MAX_PAGES: usize = 20;
/// Number of the oldest steps that are dropped from the view together. Source: chosen; until the next steps are
/// dropped, the history only grows at its end, so that a provider can cache its beginning.
const DROPPED_AT_ONCE: usize = 10;

/// The steps of a run that a prompt shows. Steps with the action `finish` are left out: the prompt reports a refused
/// `finish` as a remark.
///
/// The last steps are shown one by one. Earlier steps that cannot be undone are shown one by one too, so that a model
/// does not repeat them. All other earlier steps are counted in groups of the same tool, outcome and kind of page.
#[derive(Debug, Clone, Copy, Default)]
pub struct History<'a> {
    steps: &'a [Step],
    /// Position of the first step that is shown one by one.
    shown: usize,
}

/// Earlier steps of the same tool with the same outcome on the same kind of page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group<'a> {
    /// The first of the steps.
    pub first: &'a Step,
    /// The kind of page on which the steps were taken; `None` for a page without an address.
    pub page: Option<&'a PageTemplate>,
    /// Number of steps.
    pub count: usize,
}

impl<'a> Group<'a> {
    fn of(step: &'a Step) -> Self {
        Self {
            first: step,
            page: step.before.template(),
            count: 1,
        }
    }
}

/// The steps that are no longer shown one by one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Earlier<'a> {
    /// The last steps that cannot be undone, oldest first.
    pub lasting: Vec<&'a Step>,
    /// The other steps, the largest group first.
    pub groups: Vec<Group<'a>>,
    /// Number of steps in no group, because there were too many groups.
    pub others: usize,
    /// The most recent pages of these steps, the last one at the end. Pages that a shown step led to are left out.
    pub pages: Vec<Visited<'a>>,
}

/// Returns true if the history contains the step: every step except `finish`.
fn is_told(step: &Step) -> bool {
    !matches!(step.action, Action::Agent(AgentAction::Finish(_)))
}

/// Returns true if the step did something that cannot be undone, or may have done it without a visible effect.
pub(crate) fn is_lasting(step: &Step) -> bool {
    step.effect == Effect::Irreversible && !matches!(step.outcome, Outcome::Failed(_))
}

impl<'a> History<'a> {
    /// Creates the view of these steps.
    pub fn of(steps: &'a [Step]) -> Self {
        let count = steps.iter().filter(|step| is_told(step)).count();
        let over = count.saturating_sub(MAX_ENTRIES);
        let kept = count - over.next_multiple_of(DROPPED_AT_ONCE);
        let mut newest = (0..steps.len()).rev().filter(|at| is_told(&steps[*at]));
        let shown = match over {
            0 => 0,
            _ => newest.nth(kept - 1).unwrap_or(0),
        };
        Self { steps, shown }
    }

    /// Returns the steps that are shown one by one, oldest first.
    pub fn entries(self) -> impl Iterator<Item = &'a Step> {
        self.steps[self.shown..].iter().filter(|step| is_told(step))
    }

    /// Returns a summary of the steps before those of [`entries`](Self::entries).
    pub fn earlier(self) -> Earlier<'a> {
        let mut earlier = Earlier::default();
        let dropped = || self.steps[..self.shown].iter().filter(|step| is_told(step));
        let lasting = dropped().filter(|step| is_lasting(step)).count();
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        let mut too_many = lasting.saturating_sub(MAX_LASTING);
        for step in dropped() {
            if is_lasting(step) && too_many == 0 {
                earlier.lasting.push(step);
                continue;
            }
            too_many -= usize::from(is_lasting(step));
            let kind = (
                step.action.tool_name(),
                step.outcome.as_str(),
                step.before.template(),
            );
            match known.entry(kind) {
                Entry::Occupied(at) => earlier.groups[*at.get()].count += 1,
                Entry::Vacant(free) => {
                    free.insert(earlier.groups.len());
                    earlier.groups.push(Group::of(step));
                }
            }
        }
        // The sort is stable, so of groups of the same size the older one is first.
        earlier
            .groups
            .sort_by_key(|group| std::cmp::Reverse(group.count));
        let rest = earlier.groups.iter().skip(MAX_GROUPS);
        earlier.others = rest.map(|group| group.count).sum();
        earlier.groups.truncate(MAX_GROUPS);
        earlier.pages = self.earlier_pages();
        earlier
    }

    fn earlier_pages(self) -> Vec<Visited<'a>> {
        if self.shown == 0 {
            return Vec::new();
        }
        let first = self.entries().next().map_or(0, |step| step.number);
        let shown = self.steps[self.shown..].iter().filter_map(Step::led_to);
        let shown: BTreeSet<&str> = shown.map(Place::url).collect();
        let now = self.steps.last().map(|step| step.after.url());
        let is_elsewhere = |page: &Visited<'_>| {
            page.first < first && !shown.contains(page.url) && Some(page.url) != now
        };
        let mut pages = Pages::of(self.steps).visited();
        pages.retain(is_elsewhere);
        pages.sort_by_key(|page| page.last);
        pages.split_off(pages.len().saturating_sub(MAX_PAGES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{BrowserAction, ErrorClass, NoArguments, Signature};

    fn step(number: u32) -> Step {
        let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
        let signature = Signature::of(&action, &[], "");
        Step::new(number, action, Outcome::Done, signature)
    }

    fn count(earlier: &Earlier<'_>) -> usize {
        let grouped: usize = earlier.groups.iter().map(|group| group.count).sum();
        earlier.lasting.len() + grouped + earlier.others
    }

    #[test]
    fn steps_leave_the_view_ten_at_a_time_and_are_counted() {
        let steps: Vec<Step> = (1..=61).map(step).collect();
        for (all, dropped) in [(0, 0), (50, 0), (51, 10), (60, 10), (61, 20)] {
            let history = History::of(&steps[..all]);
            assert_eq!(count(&history.earlier()), dropped, "{all}");
            let shown: Vec<u32> = history.entries().map(|step| step.number).collect();
            assert_eq!(shown.len(), all - dropped);
            assert!(
                shown
                    .first()
                    .is_none_or(|first| *first as usize == dropped + 1)
            );
        }
    }

    #[test]
    fn pages_that_no_shown_step_came_to_are_kept() {
        let mut steps: Vec<Step> = (1..=100).map(step).collect();
        for (at, step) in steps.iter_mut().enumerate() {
            let page = |n: usize| Place::of(format!("https://a.test/{}", n % 97));
            step.after = page(at);
            step.before = page(at.saturating_sub(1));
        }
        let earlier = History::of(&steps[..99]).earlier();
        let told: Vec<&str> = earlier.pages.iter().map(|page| page.url).collect();
        // Steps 1 to 50 are no longer shown. The pages 0 and 1 were opened again at the end.
        assert_eq!(told.len(), MAX_PAGES);
        assert_eq!(told[0], "https://a.test/30");
        assert_eq!(told[MAX_PAGES - 1], "https://a.test/49");
        assert!(History::of(&steps[..50]).earlier().pages.is_empty());
        // The run began on page 0, and step 1 stayed there.
        let few = History::of(&steps[..52]).earlier();
        assert_eq!(few.pages.len(), 10);
        assert_eq!(few.pages[0].url, "https://a.test/0");
    }

    #[test]
    fn earlier_steps_of_a_kind_are_one_group_and_none_vanishes() {
        let steps: Vec<Step> = (1..=300)
            .map(|number| {
                let mut step = step(number);
                step.before = Place::of(format!("https://a.test/item/{number}"));
                if number % 10 == 0 {
                    step.outcome = Outcome::failed(ErrorClass::Timeout, "late");
                }
                if number <= 40 {
                    let kind = char::from_u32(u32::from('a') + number / 2).unwrap();
                    step.before = Place::of(format!("https://a.test/{kind}"));
                }
                step
            })
            .collect();
        let earlier = History::of(&steps).earlier();
        assert_eq!(count(&earlier), 250);
        let largest = &earlier.groups[..2];
        let told = largest.iter().map(|group| {
            let page = group.page.unwrap().path();
            (group.first.outcome.as_str(), page, group.count)
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [("done", "/item/:n", 189), ("timeout", "/item/:n", 21)]
        );
        assert_eq!(earlier.groups.len(), MAX_GROUPS);
        assert!(earlier.others > 0);
    }

    #[test]
    fn a_step_that_cannot_be_undone_stays_whole_unless_twenty_later_ones_do() {
        let steps: Vec<Step> = (1..=650)
            .map(|number| {
                let mut step = step(number);
                if number % 8 == 0 {
                    step.effect = Effect::Irreversible;
                }
                if number % 16 == 0 {
                    step.outcome = Outcome::failed(ErrorClass::NotFound, "gone");
                }
                step
            })
            .collect();
        let numbers = |all: usize| -> Vec<u32> {
            let earlier = History::of(&steps[..all]).earlier();
            assert_eq!(count(&earlier), all - 50);
            earlier.lasting.iter().map(|step| step.number).collect()
        };
        assert_eq!(numbers(90), [8, 24, 40]);
        let last = numbers(250);
        assert_eq!(last.len(), 13);
        assert_eq!((last[0], last[12]), (8, 200));
        let last = numbers(650);
        assert_eq!(last.len(), MAX_LASTING);
        assert_eq!((last[0], last[19]), (296, 600));
    }
}
