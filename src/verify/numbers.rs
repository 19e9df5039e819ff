//! Decides whether a number on the page changed because of an action, or whether it belongs to a clock.
//!
//! After an action, a page may show another number: the quantity of a stepper, the sum of a cart, the result of a
//! calculator, a score. Such a number answers the action: its change is the page's reaction. But the number of a clock
//! changes without an action: it ticks. In order to tell them apart, the page is observed a second time, with no action
//! in between. A number that did not change again has answered the action. A number that changed again ticks by itself.
//! There is one exception: if the number stood still during the previous action, the last action has started it, like a
//! stopwatch. So the number answers the last action.
//!
//! One case cannot be decided: a clock that shows minutes may happen to tick during the action. So a time of day that
//! has changed counts as an answer only if it is beside the target. In every other doubtful case, the number counts as
//! an answer, and the model is told which number has changed. This is the smaller error. If the number has nothing to
//! do with the action, the model can see that. But if an action that worked is reported as having no effect, the model
//! repeats the action.
//!
//! The page is observed a second time only if nothing but numbers changed. If anything else changed too, a number that
//! is not yet known counts as an answer only if it is beside the target.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::page::{Counted, NodeId, PageDiff, Tree};

/// Maximum height of the part of the page that counts as beside the target. Unit: levels above the target. Source:
/// chosen; enough for a button in a row of keys in a form.
const NEAR_LEVELS: usize = 4;
/// Maximum number of nodes of the part of the page around the target. A number in this part is beside the target.
/// Source: chosen; larger than any card or row.
const MAX_NEAR: usize = 80;

/// Knowledge about the numbers on the page: those that tick by themselves, and those that have answered an action.
/// A number is identified by [`Counted::slot`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Numbers {
    ticking: BTreeSet<u64>,
    answering: BTreeSet<u64>,
}

impl Numbers {
    pub(super) fn answers(&self, slot: u64) -> bool {
        self.answering.contains(&slot)
    }

    /// Returns true if only numbers changed during an action, and it is not yet known whether the action changed them.
    pub(super) fn is_open(&self, changes: &PageDiff) -> bool {
        let is_known = |counted: &Counted| {
            self.ticking.contains(&counted.slot) || self.answering.contains(&counted.slot)
        };
        changes.is_empty()
            && !changes.counted.iter().any(|c| self.answers(c.slot))
            && changes.counted.iter().any(|counted| !is_known(counted))
    }

    /// Returns true if a clock explains all changes during an action: only numbers that are known to tick have changed,
    /// and one of them is beside the target.
    pub(super) fn explain(
        &self,
        changes: &PageDiff,
        before: &Tree,
        target: Option<NodeId>,
    ) -> bool {
        let part = target.and_then(|target| part_around(before, target));
        let is_near = |counted: &Counted| part.is_some_and(|part| holds(before, part, counted.at));
        changes.is_empty()
            && changes
                .counted
                .iter()
                .all(|counted| self.ticking.contains(&counted.slot))
            && changes.counted.iter().any(is_near)
    }

    /// Returns true if a time of day changed during the action (`changes`) but not since then (`since`). It may belong
    /// to a clock that ticks late, so the page should be observed once more.
    pub(super) fn may_be_late(changes: &PageDiff, since: &PageDiff) -> bool {
        let moved = |slot| since.counted.iter().any(|counted| counted.slot == slot);
        let mut counted = changes.counted.iter();
        counted.any(|counted| is_time(counted) && !moved(counted.slot))
    }

    /// Learns from a second observation of the page which numbers tick, and which have answered an action. There was no
    /// action between the first observation and the second.
    ///
    /// `changes` contains the changes during the last action. `since` contains the changes between the two
    /// observations. `earlier` contains the changes during the action before the last one; it is `None` if that action
    /// was on another page, or took less time than a tick of a clock with seconds.
    pub(super) fn watched(
        &mut self,
        changes: &PageDiff,
        since: &PageDiff,
        earlier: Option<&PageDiff>,
    ) {
        let has = |diff: &PageDiff, slot| diff.counted.iter().any(|c| c.slot == slot);
        for counted in &changes.counted {
            let slot = counted.slot;
            let stood_still = || earlier.is_some_and(|earlier| !has(earlier, slot));
            if !has(since, slot) || (!self.ticking.contains(&slot) && stood_still()) {
                self.answering.insert(slot);
            }
        }
        for counted in &since.counted {
            if !self.answering.contains(&counted.slot) {
                self.ticking.insert(counted.slot);
            }
        }
    }

    /// Adds to the ordinary changes each changed number that counts as an answer to the action. Drops all other changed
    /// numbers.
    pub(super) fn credit(&self, changes: &mut PageDiff, before: &Tree, target: Option<NodeId>) {
        let part = target.and_then(|target| part_around(before, target));
        let counted = std::mem::take(&mut changes.counted);
        for counted in counted {
            let is_near = || part.is_some_and(|part| holds(before, part, counted.at));
            let counts = !self.ticking.contains(&counted.slot)
                && if self.answers(counted.slot) {
                    !is_time(&counted) || is_near()
                } else {
                    // A number beside the target is reported if anything else changed.
                    is_near() && !changes.is_empty()
                };
            if counts {
                changes.changed.push(counted.change);
            }
        }
    }
}

/// Returns the root of the part of the page that counts as beside the target: the largest part around the target within
/// [`MAX_NEAR`] and [`NEAR_LEVELS`]. Returns `None` if the target alone has more than [`MAX_NEAR`] nodes.
fn part_around(tree: &Tree, target: NodeId) -> Option<NodeId> {
    let size = |id: &NodeId| tree.descendants(*id).take(MAX_NEAR + 1).count() <= MAX_NEAR;
    std::iter::once(target)
        .chain(tree.ancestors(target))
        .take(NEAR_LEVELS + 1)
        .take_while(size)
        .last()
}

fn holds(tree: &Tree, part: NodeId, id: NodeId) -> bool {
    part == id || tree.ancestors(id).any(|above| above == part)
}

/// Returns true if the text of the number looks like a time of day or a duration, either before the change or after it.
fn is_time(counted: &Counted) -> bool {
    let text = counted.change.what.concat();
    let digits: Vec<char> = text.chars().collect();
    digits
        .windows(3)
        .any(|around| matches!(around, [a, ':', b] if a.is_numeric() && b.is_numeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{ElementRef, Node, PageHead, Role, diff};

    /// Returns a page with a quantity, a total in another part of the page, and a clock in the footer.
    fn page(quantity: u32, total: &str, clock: &str) -> Tree {
        let mut b = Tree::builder();
        b.open(Node::new(Role::Main, ""));
        b.open(Node::new(Role::Group, "Quantity"));
        b.leaf(Node::new(Role::Button, "+").with_ref(ElementRef::parse("e1").unwrap()));
        b.leaf(Node::text(format!("{quantity} pieces")));
        b.close();
        for n in 0..MAX_NEAR {
            b.leaf(Node::new(
                Role::Paragraph,
                format!("line {}", "x".repeat(n)),
            ));
        }
        b.leaf(Node::text(format!("Total: {total}")));
        b.close();
        b.leaf(Node::new(Role::ContentInfo, clock));
        b.finish()
    }

    fn between(old: &Tree, new: &Tree) -> PageDiff {
        let head = PageHead::new("https://x.example/", "");
        diff((&head, old), (&head, new))
    }

    fn credited(numbers: &Numbers, before: &Tree, mut changes: PageDiff) -> Vec<String> {
        numbers.credit(&mut changes, before, before.by_ref("e1"));
        changes.summary(9)
    }

    #[test]
    fn a_clock_explains_what_is_written_beside_it_and_nothing_elsewhere() {
        let mut numbers = Numbers::default();
        let before = page(1, "10", "9 s left");
        let changes = between(&before, &page(1, "10", "8 s left"));
        let clock = before
            .iter()
            .find(|(_, node)| node.role == Role::ContentInfo);
        let clock = clock.map(|(id, _)| id);
        assert!(
            !numbers.explain(&changes, &before, clock),
            "nothing ticks yet"
        );
        let since = between(&page(1, "10", "8 s left"), &page(1, "10", "7 s left"));
        numbers.watched(&changes, &since, None);
        assert!(numbers.explain(&changes, &before, clock));
        assert!(!numbers.explain(&changes, &before, before.by_ref("e1")));
        assert!(!numbers.explain(&changes, &before, None));
        let both = between(&before, &page(2, "10", "8 s left"));
        assert!(!numbers.explain(&both, &before, clock), "the amount is new");
        assert!(!numbers.explain(&PageDiff::default(), &before, clock));
    }

    #[test]
    fn a_number_that_stays_as_it_became_answers_and_one_that_moves_on_ticks() {
        let mut numbers = Numbers::default();
        let before = page(1, "10", "9 s left");
        let after = page(1, "20", "8 s left");
        let later = page(1, "20", "7 s left");
        let changes = between(&before, &after);
        assert!(changes.is_empty() && numbers.is_open(&changes));
        numbers.watched(&changes, &between(&after, &later), None);
        assert_eq!(
            credited(&numbers, &before, changes),
            [r#"~ text: "Total: 10" -> "Total: 20""#]
        );
        // No second look is needed from now on.
        let next = page(1, "30", "6 s left");
        assert!(!numbers.is_open(&between(&later, &next)));
        let dead = page(1, "20", "5 s left");
        let nothing = between(&later, &dead);
        assert!(!numbers.is_open(&nothing));
        assert!(credited(&numbers, &later, nothing).is_empty());
    }

    #[test]
    fn a_number_that_an_action_set_going_answers_it() {
        let mut numbers = Numbers::default();
        let (still, going, on) = (page(1, "0", "a"), page(1, "1", "a"), page(1, "2", "a"));
        let changes = between(&still, &going);
        let earlier = between(&still, &still);
        numbers.watched(&changes, &between(&going, &on), Some(&earlier));
        assert_eq!(credited(&numbers, &still, changes).len(), 1);
        // The number moved before as well, or that is unknown.
        for earlier in [None, Some(between(&page(1, "7", "a"), &still))] {
            let mut numbers = Numbers::default();
            let changes = between(&still, &going);
            numbers.watched(&changes, &between(&going, &on), earlier.as_ref());
            assert!(credited(&numbers, &still, changes).is_empty());
        }
    }

    #[test]
    fn a_time_of_day_counts_only_beside_the_target() {
        let mut numbers = Numbers::default();
        let (before, after) = (page(1, "10:59", "a"), page(1, "11:00", "a"));
        let changes = between(&before, &after);
        numbers.watched(&changes, &between(&after, &after), None);
        assert!(credited(&numbers, &before, changes).is_empty());

        let picker = |time: &str| {
            let mut b = Tree::builder();
            b.open(Node::new(Role::Group, ""));
            b.leaf(Node::new(Role::Button, "+").with_ref(ElementRef::parse("e1").unwrap()));
            b.leaf(Node::text(time));
            b.close();
            b.finish()
        };
        let (before, after) = (picker("10:59"), picker("11:00"));
        let changes = between(&before, &after);
        numbers.watched(&changes, &between(&after, &after), None);
        assert_eq!(credited(&numbers, &before, changes).len(), 1);
    }

    #[test]
    fn a_time_of_day_that_stands_still_after_a_change_may_be_a_clock_that_is_late() {
        let (before, after) = (page(1, "10", "12:00:01"), page(1, "20", "05:18:19"));
        let changes = between(&before, &after);
        let still = between(&after, &after);
        assert!(Numbers::may_be_late(&changes, &still));
        let ticked = between(&after, &page(1, "20", "05:18:20"));
        assert!(!Numbers::may_be_late(&changes, &ticked));
        let total = between(&before, &page(1, "20", "12:00:01"));
        assert!(
            !Numbers::may_be_late(&total, &still),
            "it is no time of day"
        );
    }

    #[test]
    fn beside_another_change_the_numbers_near_the_target_are_told() {
        let before = page(1, "10", "9 s left");
        let mut b = Tree::builder();
        b.leaf(Node::new(Role::Alert, "Added"));
        let numbers = Numbers::default();
        let mut changes = between(&before, &page(2, "20", "8 s left"));
        changes.added = between(&Tree::default(), &b.finish()).added;
        assert_eq!(
            credited(&numbers, &before, changes),
            [r#"+ alert "Added""#, r#"~ text: "1 pieces" -> "2 pieces""#]
        );
    }
}
