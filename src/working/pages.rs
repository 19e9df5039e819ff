//! The pages of a run: a view of its steps.

use std::collections::BTreeMap;

use super::{Step, tally::Tally};

/// The pages that a run's steps led to. A page counts by the address that the browser showed after a step. An address
/// that could not be loaded does not count, and neither does a page that was left again because it is outside the run's
/// scope.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pages<'a>(&'a [Step]);

/// A page that a run was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visited<'a> {
    /// The address.
    pub url: &'a str,
    /// Number of the step that first led to the page; 0 if the run began there.
    pub first: u32,
    /// Number of the last step after which the run was on the page.
    pub last: u32,
    /// Number of times that the run came to the page.
    pub visits: usize,
}

impl<'a> Pages<'a> {
    /// Creates the view of these steps.
    pub const fn of(steps: &'a [Step]) -> Self {
        Self(steps)
    }

    /// Returns the address of the page that was open when the run began; `None` if the run's first step opened the
    /// first page.
    fn start(self) -> Option<&'a str> {
        let url = self.0.first()?.before.url();
        (!url.is_empty() && url != "about:blank").then_some(url)
    }

    /// Returns the steps that led to another page.
    fn moves(self) -> impl Iterator<Item = &'a Step> {
        self.0.iter().filter(|step| step.led_to().is_some())
    }

    /// Returns the addresses in the order in which the run came to them. An address appears once for each time that the
    /// run came to it.
    pub fn path(self) -> impl Iterator<Item = &'a str> {
        let moved = self.moves().map(|step| step.after.url());
        self.start().into_iter().chain(moved)
    }

    /// Returns each page once, in the order of the first visit.
    pub fn visited(self) -> Vec<Visited<'a>> {
        let tally = Tally::of(self.0);
        let pages = 0..tally.pages.len();
        pages.map(|index| tally.visited(self.0, index)).collect()
    }

    /// Returns the transitions between pages: pairs of the addresses before and after a step, each with the number of
    /// times that the run made this transition.
    pub fn transitions(self) -> BTreeMap<(&'a str, &'a str), usize> {
        let mut ways = BTreeMap::new();
        let between = self.moves().filter(|step| !step.before.url().is_empty());
        for step in between {
            *ways
                .entry((step.before.url(), step.after.url()))
                .or_default() += 1;
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Action, BrowserAction, ErrorClass, NoArguments, Outcome, Signature},
        working::Place,
    };

    fn steps(between: &[(&str, &str)]) -> Vec<Step> {
        let step = |(at, (before, after)): (usize, &(&str, &str))| {
            let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
            let signature = Signature::of(&action, &[], "");
            let number = u32::try_from(at).unwrap() + 1;
            let mut step = Step::new(number, action, Outcome::Done, signature);
            (step.before, step.after) = (Place::of(*before), Place::of(*after));
            step
        };
        between.iter().enumerate().map(step).collect()
    }

    #[test]
    fn pages_are_told_in_the_order_of_the_first_visit() {
        let steps = steps(&[("", "a"), ("a", "a"), ("a", "b"), ("b", "a"), ("a", "b")]);
        let pages = Pages::of(&steps);
        assert_eq!(pages.path().collect::<Vec<_>>(), ["a", "b", "a", "b"]);
        let visited = |url, first, last, visits| Visited {
            url,
            first,
            last,
            visits,
        };
        assert_eq!(
            pages.visited(),
            [visited("a", 1, 4, 2), visited("b", 3, 5, 2)]
        );
        let ways: Vec<_> = pages.transitions().into_iter().collect();
        assert_eq!(ways, [(("a", "b"), 2), (("b", "a"), 1)]);
        // The same run, without the step that opened the first page.
        let later = Pages::of(&steps[1..]);
        assert_eq!(later.path().collect::<Vec<_>>(), ["a", "b", "a", "b"]);
        assert_eq!(later.visited()[0], visited("a", 0, 4, 2));
    }

    #[test]
    fn a_page_that_was_left_or_not_reached_is_none() {
        let mut steps = steps(&[("", "a"), ("a", "b"), ("a", "c")]);
        steps[1].left_scope = true;
        steps[2].outcome = Outcome::failed(ErrorClass::NavigationFailed, "refused");
        let pages = Pages::of(&steps);
        assert_eq!(pages.path().collect::<Vec<_>>(), ["a"]);
        assert_eq!(pages.visited().len(), 1);
    }
}
