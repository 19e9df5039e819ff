//! The counts that the [history](super::History) of a run needs. They are kept up to date after each step. Without
//! them, all steps of the run would have to be read again for each prompt.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{By, Chosen, MAX_ENTRIES, MAX_LASTING, Place, Step, Visited, history::is_lasting};
use crate::{
    action::{Action, AgentAction},
    page::PageTemplate,
};

/// Number of steps that are dropped together from the steps that are shown one by one. Source: chosen; until the next
/// steps are dropped, the history only grows at its end, so that a provider can cache its beginning.
const DROPPED_AT_ONCE: usize = 10;

/// The tool, the outcome and the kind of page that all steps of a group have in common.
type GroupKey = (String, &'static str, Option<PageTemplate>);

/// A group of steps that are no longer shown one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupCount {
    /// Position (index) of the group's first step among the steps of the run.
    pub(super) first: usize,
    pub(super) count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageCount {
    /// Position (index among the steps of the run) of the first step that led to the page; `None` if the run began on
    /// the page.
    pub(super) came: Option<usize>,
    /// Number of the last step after which the run was on the page.
    pub(super) last: u32,
    pub(super) visits: usize,
}

/// The counts of the steps of a run, from the first step on. A position is an index into the list of these
/// steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally {
    steps: usize,
    /// Number of counted steps that belong to the history. `finish` steps do not.
    told: usize,
    /// Position of the first step that is shown one by one.
    pub(super) shown: usize,
    /// Number of steps before `shown` that belong to the history. `finish` steps do not.
    pub(super) dropped: usize,
    /// Positions of the steps that have a result: see [`Step::result`].
    pub(super) results: Vec<usize>,
    /// Positions of the last steps before `shown` that did something that cannot be undone, oldest first.
    pub(super) lasting: VecDeque<usize>,
    /// The steps that come before `shown` and are not in `lasting`, counted in groups.
    pub(super) groups: Vec<GroupCount>,
    group_of: HashMap<GroupKey, usize>,
    /// The pages that the run was on, in the order of their first visits.
    pub(super) pages: Vec<PageCount>,
    page_of: HashMap<String, usize>,
    /// The pages, ordered by the number of the last step after which the run was on the page. Each entry has this
    /// number, and the page's index in `pages`.
    pub(super) by_last: BTreeSet<(u32, usize)>,
}

/// Returns true if the step belongs to the history. Every step does, except `finish`, and the steps of a recipe that are done and
/// can be undone: if the model chose the recipe, the line of its call tells what came of them.
pub(super) fn is_told(step: &Step) -> bool {
    let by_call = matches!(
        step.by,
        By::Recipe {
            chosen: Chosen::Model,
            ..
        }
    );
    let is_followed = by_call && step.outcome.is_done() && !is_lasting(step);
    !is_followed && !matches!(step.action, Action::Agent(AgentAction::Finish(_)))
}

impl Tally {
    pub(super) fn of(steps: &[Step]) -> Self {
        let mut tally = Self::default();
        (1..=steps.len()).for_each(|count| tally.add_last(&steps[..count]));
        tally
    }

    /// Counts the last of these steps. All steps before it must have been counted already.
    pub(super) fn add_last(&mut self, steps: &[Step]) {
        let Some(step) = steps.last() else {
            return;
        };
        debug_assert_eq!(self.steps + 1, steps.len());
        self.steps = steps.len();
        if self.pages.is_empty() && steps.len() == 1 {
            self.start(&step.before);
        }
        self.visit(step, steps.len() - 1);
        self.told += usize::from(is_told(step));
        self.results.extend(step.result().map(|_| steps.len() - 1));
        let over = self.told.saturating_sub(MAX_ENTRIES);
        while self.dropped < over.next_multiple_of(DROPPED_AT_ONCE) {
            self.drop_first(steps);
        }
    }

    /// Returns the page at this index. `steps` are the counted steps.
    pub(super) fn visited<'a>(&self, steps: &'a [Step], index: usize) -> Visited<'a> {
        let page = &self.pages[index];
        let came = page.came.map(|at| &steps[at]);
        let (url, title, summary, first) = match came {
            Some(step) => (step.after.url(), &*step.title, &*step.summary, step.number),
            None => (steps[0].before.url(), "", "", 0),
        };
        Visited {
            url,
            title,
            summary,
            first,
            last: page.last,
            visits: page.visits,
        }
    }

    fn start(&mut self, page: &Place) {
        let url = page.url();
        if !url.is_empty() && url != "about:blank" {
            self.add_page(url, None, 0);
        }
    }

    fn visit(&mut self, step: &Step, at: usize) {
        let has_come = step.led_to().is_some();
        let url = step.after.url();
        match self.page_of.get(url) {
            Some(&index) => {
                let page = &mut self.pages[index];
                self.by_last.remove(&(page.last, index));
                page.last = step.number;
                page.visits += usize::from(has_come);
                self.by_last.insert((step.number, index));
            }
            None if has_come => self.add_page(url, Some(at), step.number),
            None => {}
        }
    }

    fn add_page(&mut self, url: &str, came: Option<usize>, number: u32) {
        let index = self.pages.len();
        self.page_of.insert(url.to_owned(), index);
        self.by_last.insert((number, index));
        self.pages.push(PageCount {
            came,
            last: number,
            visits: 1,
        });
    }

    /// Drops the first of the steps that are shown one by one: adds it to `lasting` if it cannot be undone, otherwise
    /// to a group.
    fn drop_first(&mut self, steps: &[Step]) {
        let step = &steps[self.shown];
        if is_told(step) {
            self.dropped += 1;
            if is_lasting(step) {
                self.lasting.push_back(self.shown);
                if self.lasting.len() > MAX_LASTING
                    && let Some(oldest) = self.lasting.pop_front()
                {
                    self.group(steps, oldest);
                }
            } else {
                self.group(steps, self.shown);
            }
        }
        self.shown += 1;
    }

    fn group(&mut self, steps: &[Step], at: usize) {
        let step = &steps[at];
        let key = (
            step.action.tool_name().to_owned(),
            step.outcome.as_str(),
            step.before.template().cloned(),
        );
        let next = self.groups.len();
        let index = *self.group_of.entry(key).or_insert(next);
        if index == next {
            self.groups.push(GroupCount {
                first: at,
                count: 0,
            });
        }
        let group = &mut self.groups[index];
        // A step that could not be undone joins its group late.
        group.first = group.first.min(at);
        group.count += 1;
    }
}
