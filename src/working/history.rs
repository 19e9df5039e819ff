//! The history of a run as the prompt shows it. The history is a view of the run's steps. Its length is limited,
//! however long the run is.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{
    Place, Step, Visited,
    tally::{GroupCount, Tally, is_told},
};
use crate::{
    action::{Effect, Outcome},
    page::PageTemplate,
};

/// Maximum number of steps in [`History::entries`]: the last steps, which are shown one by one, each as a line. Source:
/// chosen; the lines fill about a quarter of a message of 4,000 tokens.
pub const MAX_ENTRIES: usize = 50;
/// Maximum number of steps in [`Earlier::lasting`]: earlier steps that are shown one by one because they cannot be undone.
/// Source: chosen.
pub const MAX_LASTING: usize = 20;
/// Maximum number of groups in [`Earlier::groups`]. Source: chosen; each group takes one line of the prompt.
pub const MAX_GROUPS: usize = 12;
/// Maximum number of pages in [`Earlier::pages`]. Source: chosen.
pub const MAX_PAGES: usize = 20;
/// The history of a run as a prompt shows it. Steps with the action `finish` are left out: the prompt reports a refused
/// `finish` as a remark.
///
/// The last steps are shown one by one. Earlier steps that cannot be undone are shown one by one too, up to
/// [`MAX_LASTING`], so that a model does not repeat them. All other earlier steps are counted in groups. A group
/// contains steps with equal tool, outcome and kind of page.
#[derive(Debug, Clone, Copy, Default)]
pub struct History<'a> {
    steps: &'a [Step],
    /// The counts of the run's steps; `None` if there are no steps.
    tally: Option<&'a Tally>,
}

/// A group of earlier steps that used the same tool on the same kind of page and had the same outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group<'a> {
    /// The first step of the group.
    pub first: &'a Step,
    /// The kind of page on which the steps were taken; `None` if its address is not an http or https URL.
    pub page: Option<&'a PageTemplate>,
    /// Number of steps in the group.
    pub count: usize,
}

/// A summary of the steps before those that [`History::entries`] returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Earlier<'a> {
    /// The steps of this summary that cannot be undone, oldest first. If there are more than [`MAX_LASTING`], only the
    /// last ones.
    pub lasting: Vec<&'a Step>,
    /// The other steps of this summary, in groups. The largest group comes first. There are at most [`MAX_GROUPS`]
    /// groups.
    pub groups: Vec<Group<'a>>,
    /// Number of steps in further groups, which were left out because of [`MAX_GROUPS`].
    pub others: usize,
    /// The page on which the run began and the pages that the steps of this summary led to, at most [`MAX_PAGES`], the
    /// most recent one last. The current page is left out, and so are pages that the steps after this summary led to.
    pub pages: Vec<Visited<'a>>,
}

/// Returns true if the step did something that cannot be undone, or may have done so although no effect was seen.
pub(crate) fn is_lasting(step: &Step) -> bool {
    let did_nothing = matches!(step.outcome, Outcome::Failed(_)) && !step.unseen;
    step.effect == Effect::Irreversible && !did_nothing
}

impl<'a> History<'a> {
    /// Creates the history of these steps. The tally must have counted all of these steps.
    pub(super) const fn new(steps: &'a [Step], tally: &'a Tally) -> Self {
        Self {
            steps,
            tally: Some(tally),
        }
    }

    /// Returns the steps that are shown one by one, oldest first.
    pub fn entries(self) -> impl DoubleEndedIterator<Item = &'a Step> {
        let shown = self.tally.map_or(0, |tally| tally.shown);
        self.steps[shown..].iter().filter(|step| is_told(step))
    }

    /// Returns the last [`MAX_ENTRIES`] steps that have a [`result`](Step::result), newest first. Some of them may be
    /// too old to be shown one by one.
    pub fn results(self) -> impl Iterator<Item = &'a Step> {
        let all = self.tally.map_or(&[][..], |tally| &tally.results);
        all.iter()
            .rev()
            .take(MAX_ENTRIES)
            .map(move |at| &self.steps[*at])
    }

    /// Returns a summary of the steps before those of [`entries`](Self::entries).
    pub fn earlier(self) -> Earlier<'a> {
        let Some(tally) = self.tally.filter(|tally| tally.dropped > 0) else {
            return Earlier::default();
        };
        // The largest groups first, and of groups of the same size the older one.
        let order = |group: &GroupCount| (Reverse(group.count), group.first);
        let mut groups = tally.groups.clone();
        if groups.len() > MAX_GROUPS {
            groups.select_nth_unstable_by_key(MAX_GROUPS, order);
            groups.truncate(MAX_GROUPS);
        }
        groups.sort_unstable_by_key(order);
        let counted: usize = groups.iter().map(|group| group.count).sum();
        let group = |group: GroupCount| {
            let first = &self.steps[group.first];
            Group {
                first,
                page: first.before.template(),
                count: group.count,
            }
        };
        Earlier {
            lasting: tally.lasting.iter().map(|at| &self.steps[*at]).collect(),
            groups: groups.into_iter().map(group).collect(),
            others: tally.dropped - tally.lasting.len() - counted,
            pages: self.earlier_pages(tally),
        }
    }

    fn earlier_pages(self, tally: &Tally) -> Vec<Visited<'a>> {
        let first = self.entries().next().map_or(0, |step| step.number);
        let shown = self.steps[tally.shown..].iter().filter_map(Step::led_to);
        let shown: BTreeSet<&str> = shown.map(Place::url).collect();
        let now = self.steps.last().map(|step| step.after.url());
        let newest_first = tally.by_last.iter().rev();
        let pages = newest_first.map(|(_, index)| tally.visited(self.steps, *index));
        let is_elsewhere = |page: &Visited<'_>| {
            page.first < first && !shown.contains(page.url) && Some(page.url) != now
        };
        let mut pages: Vec<_> = pages.filter(is_elsewhere).take(MAX_PAGES).collect();
        pages.reverse();
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Action, AgentAction, BrowserAction, ErrorClass, Finish, NoArguments, Signature},
        working::{Pages, WorkingMemory},
    };

    fn memory(steps: &[Step]) -> WorkingMemory {
        let mut memory = WorkingMemory::default();
        steps.iter().cloned().for_each(|step| memory.record(step));
        memory
    }

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
            let memory = memory(&steps[..all]);
            let history = memory.history();
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
        let all = memory(&steps[..99]);
        let earlier = all.history().earlier();
        let told: Vec<&str> = earlier.pages.iter().map(|page| page.url).collect();
        // Steps 1 to 50 are no longer shown. The pages 0 and 1 were opened again at the end.
        assert_eq!(told.len(), MAX_PAGES);
        assert_eq!(told[0], "https://a.test/30");
        assert_eq!(told[MAX_PAGES - 1], "https://a.test/49");
        assert!(memory(&steps[..50]).history().earlier().pages.is_empty());
        // The run began on page 0, and step 1 stayed there.
        let few = memory(&steps[..52]);
        let few = few.history().earlier();
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
        let memory = memory(&steps);
        let earlier = memory.history().earlier();
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
            let memory = memory(&steps[..all]);
            let earlier = memory.history().earlier();
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

    /// Computes the summary of the earlier steps from all steps at once. Tests compare it with the summary that is kept
    /// up to date step by step.
    fn read_at_once(steps: &[Step], shown: usize) -> Earlier<'_> {
        let dropped: Vec<&Step> = steps[..shown].iter().filter(|step| is_told(step)).collect();
        let (mut lasting, others): (Vec<&Step>, Vec<&Step>) =
            dropped.iter().partition(|step| is_lasting(step));
        let late = lasting.len().saturating_sub(MAX_LASTING);
        let mut others: Vec<&Step> = others.into_iter().chain(lasting.drain(..late)).collect();
        others.sort_by_key(|step| step.number);
        let mut groups: Vec<Group<'_>> = Vec::new();
        for step in others {
            let page = step.before.template();
            let is_alike = |group: &&mut Group<'_>| {
                group.page == page
                    && group.first.action.tool_name() == step.action.tool_name()
                    && group.first.outcome.as_str() == step.outcome.as_str()
            };
            match groups.iter_mut().find(is_alike) {
                Some(group) => group.count += 1,
                None => groups.push(Group {
                    first: step,
                    page,
                    count: 1,
                }),
            }
        }
        groups.sort_by_key(|group| Reverse(group.count));
        let rest = groups.split_off(groups.len().min(MAX_GROUPS));
        let first = steps[shown..]
            .iter()
            .find(|step| is_told(step))
            .map_or(0, |step| step.number);
        let shows = |url: &str| {
            steps[shown..]
                .iter()
                .filter_map(Step::led_to)
                .any(|place| place.url() == url)
        };
        let mut pages = Pages::of(steps).visited();
        pages.retain(|page| {
            page.first < first && !shows(page.url) && page.url != steps[steps.len() - 1].after.url()
        });
        pages.sort_by_key(|page| page.last);
        Earlier {
            lasting,
            groups,
            others: rest.iter().map(|group| group.count).sum(),
            pages: pages.split_off(pages.len().saturating_sub(MAX_PAGES)),
        }
    }

    #[test]
    fn steps_counted_one_by_one_give_what_all_steps_give_at_once() {
        // A linear congruential generator with a full period, so that the sequence is the same in every run.
        let mut random = 7_u32;
        let mut next = |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) % below
        };
        let page = |n: u32| {
            let kind = char::from_u32(u32::from('a') + n).unwrap();
            Place::of(format!("https://a.test/{kind}"))
        };
        let (mut memory, mut steps) = (WorkingMemory::default(), Vec::new());
        for number in 1..=400 {
            let mut step = step(number);
            step.before = page(next(26));
            step.after = page(next(26));
            step.outcome = match next(6) {
                0 => Outcome::failed(ErrorClass::Timeout, "late"),
                1 => Outcome::NoEffect,
                _ => Outcome::Done,
            };
            if next(5) == 0 {
                step.effect = Effect::Irreversible;
            }
            if next(2) == 0 {
                step.action = Action::Browser(BrowserAction::GoBack(NoArguments {}));
            }
            if next(9) == 0 {
                step.action = Action::Agent(AgentAction::Finish(Finish {
                    answer: String::new(),
                    evidence: String::new(),
                    success: true,
                }));
            }
            memory.record(step.clone());
            steps.push(step);
            let shown = memory
                .history()
                .entries()
                .next()
                .map_or(0, |step| step.number as usize - 1);
            let earlier = memory.history().earlier();
            if shown == 0 || count(&earlier) == 0 {
                assert_eq!(earlier, Earlier::default(), "{number}");
            } else {
                assert_eq!(earlier, read_at_once(&steps, shown), "{number}");
            }
        }
        assert!(count(&memory.history().earlier()) > 250);
        let stored = serde_json::to_string(&memory).unwrap();
        assert_eq!(
            serde_json::from_str::<WorkingMemory>(&stored).unwrap(),
            memory
        );
    }
}
