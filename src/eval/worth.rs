//! Computes the worth of each item of memory, by comparing the runs that showed the item with the runs that withheld it.

use std::collections::BTreeMap;

use super::{
    Figures, Metric,
    compare::{Difference, SEED, interval_of_two, mean},
};
use crate::memory::AdviceId;

/// The part that an item of memory played in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as they are counted"
)]
pub(crate) struct ItemFacts {
    pub(crate) id: AdviceId,
    pub(crate) text: String,
    /// True if a prompt of the run contained the item, or if the run replayed a step from it without asking the model.
    pub(crate) offered: bool,
    /// True if the run withheld the item from its prompts, so that runs with and without the item can be compared.
    pub(crate) withheld: bool,
    /// True if the run did what the item advises, whether the model was shown the item or not.
    pub(crate) used: bool,
    /// True if the run did what the item advises after the model was shown the lesson. For an item that is no lesson,
    /// equal to `used`, even if the steps were replayed without the model.
    pub(crate) followed: bool,
    pub(crate) helped: bool,
    pub(crate) harmed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunFacts {
    pub(crate) items: Vec<ItemFacts>,
    pub(crate) figures: Figures,
}

/// The worth of an item of memory over several runs. Each number is the number of runs for which the field of
/// [`ItemFacts`] with the same name is true. A run that both offered and withheld the item counts only as one that
/// offered it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Worth {
    pub(crate) id: AdviceId,
    pub(crate) text: String,
    pub(crate) offered: usize,
    pub(crate) withheld: usize,
    pub(crate) used: usize,
    pub(crate) followed: usize,
    pub(crate) helped: usize,
    pub(crate) harmed: usize,
    /// The differences between the runs that offered the item and the runs that withheld it. Empty if no run offered
    /// the item, or if no run withheld it.
    pub(crate) differences: Vec<Difference>,
}

/// Returns the worth of each item that was offered or withheld in these runs. The items that were offered or withheld
/// in the most runs come first.
pub(crate) fn worth(runs: &[RunFacts]) -> Vec<Worth> {
    let mut by_item: BTreeMap<&AdviceId, Vec<(&ItemFacts, Figures)>> = BTreeMap::new();
    for run in runs {
        for item in &run.items {
            by_item
                .entry(&item.id)
                .or_default()
                .push((item, run.figures));
        }
    }
    let mut all: Vec<Worth> = by_item.into_values().filter_map(|of| item(&of)).collect();
    // The sort is stable, so items with equally many runs stay in the order of their ids.
    all.sort_by_key(|item| std::cmp::Reverse(item.offered + item.withheld));
    all
}

fn item(runs: &[(&ItemFacts, Figures)]) -> Option<Worth> {
    let is_compared = |item: &ItemFacts| item.offered || item.withheld;
    let (newest, _) = runs.iter().rfind(|(item, _)| is_compared(item))?;
    let count = |holds: fn(&ItemFacts) -> bool| runs.iter().filter(|(item, _)| holds(item)).count();
    let compared = runs.iter().filter(|(item, _)| is_compared(item));
    let (with, without): (Vec<_>, Vec<_>) = compared.partition(|(item, _)| item.offered);
    let difference = |metric: Metric| {
        let values = |of: &[&(&ItemFacts, Figures)]| -> Vec<f64> {
            of.iter().map(|(_, figures)| figures.of(metric)).collect()
        };
        let (before, after) = (values(&without), values(&with));
        Difference {
            metric,
            before: mean(&before),
            after: mean(&after),
            interval: interval_of_two(&before, &after, SEED),
        }
    };
    let has_both = !with.is_empty() && !without.is_empty();
    Some(Worth {
        id: newest.id.clone(),
        text: newest.text.clone(),
        offered: with.len(),
        withheld: without.len(),
        used: count(|item| item.used),
        followed: count(|item| item.followed),
        helped: count(|item| item.helped),
        harmed: count(|item| item.harmed),
        differences: if has_both {
            Metric::ALL.map(difference).to_vec()
        } else {
            Vec::new()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Namespace, Shelf};

    fn facts(key: &str, offered: bool, helped: bool) -> ItemFacts {
        ItemFacts {
            id: AdviceId {
                shelf: Shelf::global(&Namespace::default(), "lessons"),
                key: key.to_owned(),
            },
            text: format!("says {key}"),
            offered,
            withheld: !offered,
            used: helped,
            followed: helped,
            helped,
            harmed: false,
        }
    }

    fn run(items: &[ItemFacts], steps: f64) -> RunFacts {
        RunFacts {
            items: items.to_vec(),
            figures: Figures([1.0, steps, 0.0, 2.0, 1_000.0, 10.0, 0.5]),
        }
    }

    #[test]
    fn an_item_is_compared_between_the_runs_that_showed_it_and_those_that_held_it_back() {
        let runs = [
            run(&[facts("a", true, true), facts("b", true, false)], 4.0),
            run(&[facts("a", true, false)], 6.0),
            run(&[facts("a", false, false)], 9.0),
            run(&[facts("a", false, false), facts("b", true, false)], 11.0),
            run(&[], 100.0),
        ];
        let [a, b] = &worth(&runs)[..] else {
            panic!("two items");
        };
        assert_eq!((a.id.key.as_str(), a.text.as_str()), ("a", "says a"));
        assert_eq!(
            (a.offered, a.withheld, a.followed, a.helped, a.harmed),
            (2, 2, 1, 1, 0)
        );
        let steps = &a.differences[Metric::Steps as usize];
        assert!((steps.before - 10.0).abs() < 1e-9 && (steps.after - 5.0).abs() < 1e-9);
        // The means of two draws are 4, 5, 6 and 9, 10, 11, the ends with 1/4 each; both ends meet in 1/16 = 6.3 %.
        let (from, to) = steps.interval.unwrap();
        assert!(
            (from + 7.0).abs() < 1e-9 && (to + 3.0).abs() < 1e-9,
            "{steps:?}"
        );
        assert_eq!((b.offered, b.withheld, b.differences.len()), (2, 0, 0));
    }
}
