//! Computes the mean figures of each arm (all runs that use memory in the same way), and the differences between arms
//! with their 95 % confidence intervals.

use std::collections::BTreeMap;

use super::{Arm, random::Random};

/// Number of bootstrap samples for one confidence interval. Source: chosen; Efron and Tibshirani, "An Introduction to
/// the Bootstrap", 1993, ask for 1,000 or more for percentiles.
const SAMPLES: usize = 2_000;
/// Number of bootstrap samples that lie below a 95 % interval. As many lie above it.
const TAIL: usize = SAMPLES / 40;
/// Seed of the random samples. It is fixed, so that equal figures always get equal intervals.
pub(super) const SEED: u64 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    Success,
    Steps,
    FailedActions,
    ModelCalls,
    TokensIn,
    TokensOut,
    Seconds,
}

impl Metric {
    pub(crate) const ALL: [Self; 7] = [
        Self::Success,
        Self::Steps,
        Self::FailedActions,
        Self::ModelCalls,
        Self::TokensIn,
        Self::TokensOut,
        Self::Seconds,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Steps => "steps",
            Self::FailedActions => "failed_actions",
            Self::ModelCalls => "model_calls",
            Self::TokensIn => "tokens_in",
            Self::TokensOut => "tokens_out",
            Self::Seconds => "seconds",
        }
    }
}

/// The figures of a run, such as its number of steps: one number for each metric, in the order of [`Metric::ALL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures(pub(crate) [f64; 7]);

impl Figures {
    pub(crate) const fn of(self, metric: Metric) -> f64 {
        self.0[metric as usize]
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) case: String,
    pub(crate) seed: u32,
    pub(crate) arm: Arm,
    pub(crate) figures: Figures,
}

/// The difference in one figure between two sets of runs: between two arms, or between runs that withheld an item of memory
/// and runs that offered it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    pub(crate) metric: Metric,
    /// The mean of the figure in the first set: in the baseline arm [`Comparison::with`], or in the runs that withheld the
    /// item.
    pub(crate) before: f64,
    /// The mean of the figure in the second set: in the compared arm [`Comparison::of`], or in the runs that offered the
    /// item.
    pub(crate) after: f64,
    /// The 95 % interval of the mean difference; `None` if there are too few runs.
    pub(crate) interval: Option<(f64, f64)>,
}

impl Difference {
    pub(crate) const fn mean(&self) -> f64 {
        self.after - self.before
    }

    /// Returns the mean difference as a share of `before`; `None` if `before` is 0.
    pub(crate) fn share(&self) -> Option<f64> {
        (self.before.abs() > f64::EPSILON).then(|| self.mean() / self.before)
    }
}

/// A comparison of two arms. Each run of one arm is paired with the run of the other arm that has the same case and
/// seed. A run without such a partner is left out. The arm `of` is compared with the baseline arm `with`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) of: Arm,
    pub(crate) with: Arm,
    pub(crate) pairs: usize,
    pub(crate) differences: Vec<Difference>,
}

/// The figures of the runs of one case, or of all cases together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// The name of the case; `None` for all cases together.
    pub(crate) case: Option<String>,
    /// For each arm, the number of its runs and their mean figures.
    pub(crate) arms: Vec<(Arm, usize, Figures)>,
    pub(crate) comparisons: Vec<Comparison>,
}

/// Returns one group of runs for each case, in the order in which the cases first appear. If there are several cases, a
/// group of all runs comes last.
pub(crate) fn groups(runs: &[Measured]) -> Vec<Group> {
    let mut names: Vec<&String> = Vec::new();
    for run in runs {
        if !names.contains(&&run.case) {
            names.push(&run.case);
        }
    }
    let mut groups: Vec<Group> = names
        .iter()
        .map(|name| {
            let own = runs.iter().filter(|run| run.case == **name);
            group(Some((*name).clone()), &own.collect::<Vec<_>>())
        })
        .collect();
    if groups.len() > 1 {
        groups.push(group(None, &runs.iter().collect::<Vec<_>>()));
    }
    groups
}

fn group(case: Option<String>, runs: &[&Measured]) -> Group {
    let mut by_arm: BTreeMap<Arm, Vec<&Measured>> = BTreeMap::new();
    for run in runs {
        by_arm.entry(run.arm).or_default().push(run);
    }
    let means = |runs: &[&Measured]| {
        Figures(Metric::ALL.map(|metric| {
            let all: Vec<f64> = runs.iter().map(|run| run.figures.of(metric)).collect();
            mean(&all)
        }))
    };
    let arms = by_arm
        .iter()
        .map(|(arm, runs)| (*arm, runs.len(), means(runs)))
        .collect();
    let pairs = [
        (Arm::Cold, Arm::Off),
        (Arm::Warm, Arm::Cold),
        (Arm::Warm, Arm::Withheld),
        (Arm::Withheld, Arm::Cold),
    ];
    let comparisons = pairs
        .iter()
        .filter_map(|(of, with)| compare(by_arm.get(of)?, by_arm.get(with)?))
        .collect();
    Group {
        case,
        arms,
        comparisons,
    }
}

/// Compares the runs of two arms in pairs of the same case and seed; `None` if there is no such pair.
fn compare(of: &[&Measured], with: &[&Measured]) -> Option<Comparison> {
    let partner = |run: &Measured| {
        let mut others = with.iter();
        others.find(|other| (&other.case, other.seed) == (&run.case, run.seed))
    };
    let pairs: Vec<(Figures, Figures)> = of
        .iter()
        .filter_map(|run| Some((partner(run)?.figures, run.figures)))
        .collect();
    let difference = |metric: Metric| {
        let (before, after): (Vec<f64>, Vec<f64>) = pairs
            .iter()
            .map(|(before, after)| (before.of(metric), after.of(metric)))
            .unzip();
        let each: Vec<f64> = before.iter().zip(&after).map(|(b, a)| a - b).collect();
        Difference {
            metric,
            before: mean(&before),
            after: mean(&after),
            interval: interval(&each, SEED),
        }
    };
    let (of, with) = (of.first()?.arm, with.first()?.arm);
    (!pairs.is_empty()).then(|| Comparison {
        of,
        with,
        pairs: pairs.len(),
        differences: Metric::ALL.map(difference).to_vec(),
    })
}

/// Returns the mean of the values; 0 if there are none.
pub(super) fn mean(values: &[f64]) -> f64 {
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
    values.iter().sum::<f64>() / f64::from(count.max(1))
}

/// Returns the 95 % interval of the mean of `values` by bootstrap percentiles; `None` if there are fewer than two values.
fn interval(values: &[f64], seed: u64) -> Option<(f64, f64)> {
    let mut random = Random::new(seed);
    (values.len() > 1).then(|| ends(|| drawn_mean(values, &mut random)))
}

/// Returns the 95 % bootstrap interval of the mean of `after` minus the mean of `before`; `None` if one of the lists has
/// fewer than two values.
pub(super) fn interval_of_two(before: &[f64], after: &[f64], seed: u64) -> Option<(f64, f64)> {
    let mut random = Random::new(seed);
    let mut draw = || drawn_mean(after, &mut random) - drawn_mean(before, &mut random);
    (before.len() > 1 && after.len() > 1).then(|| ends(&mut draw))
}

/// Returns the mean of one bootstrap sample of `values`.
fn drawn_mean(values: &[f64], random: &mut Random) -> f64 {
    let drawn: Vec<f64> = (0..values.len())
        .map(|_| values[random.below(values.len())])
        .collect();
    mean(&drawn)
}

/// Calls `draw` [`SAMPLES`] times, and returns the smallest and the largest of the middle 95 % of the results.
fn ends(draw: impl FnMut() -> f64) -> (f64, f64) {
    let mut samples: Vec<f64> = std::iter::repeat_with(draw).take(SAMPLES).collect();
    samples.sort_by(f64::total_cmp);
    (samples[TAIL], samples[SAMPLES - 1 - TAIL])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(case: &str, seed: u32, arm: Arm, steps: f64) -> Measured {
        let figures = Figures([1.0, steps, 0.0, 2.0, 1_000.0, 10.0, 0.5]);
        Measured {
            case: case.to_owned(),
            seed,
            arm,
            figures,
        }
    }

    fn steps(comparison: &Comparison) -> &Difference {
        let mut all = comparison.differences.iter();
        all.find(|of| of.metric == Metric::Steps).unwrap()
    }

    fn same(one: Option<(f64, f64)>, other: (f64, f64)) -> bool {
        one.is_some_and(|one| (one.0 - other.0).abs() < 1e-9 && (one.1 - other.1).abs() < 1e-9)
    }

    #[test]
    fn intervals_are_those_that_can_be_computed_by_hand() {
        // Each mean of the samples with its probability; the ends leave out at most 2.5 % on each side.
        for (values, ends) in [
            // 0, 5 and 10 in 1/4, 1/2 and 1/4 of the samples.
            (&[0.0, 10.0][..], (0.0, 10.0)),
            // Always 3.
            (&[3.0, 3.0, 3.0], (3.0, 3.0)),
            // 0 and 3 in 1/16 = 6.3 % each.
            (&[0.0, 0.0, 3.0, 3.0], (0.0, 3.0)),
            // 4 in 1/256 = 0.4 %, and 3 or more in 13/256 = 5.1 %.
            (&[0.0, 0.0, 0.0, 4.0], (0.0, 3.0)),
            // -1 in 1/4, 0 in 1/2, 1 in 1/4.
            (&[-1.0, 1.0], (-1.0, 1.0)),
        ] {
            for seed in 1..20 {
                let found = interval(values, seed);
                assert!(same(found, ends), "{values:?} with {seed}: {found:?}");
            }
        }
        assert_eq!(interval(&[1.0], 1), None);
        assert_eq!(interval(&[], 1), None);
    }

    #[test]
    fn an_interval_is_the_same_each_time_and_holds_the_mean() {
        let values: Vec<f64> = (0..30_u32).map(|n| f64::from(n * n % 17)).collect();
        let found = interval(&values, SEED).unwrap();
        assert_eq!(interval(&values, SEED), Some(found));
        let middle = mean(&values);
        assert!(found.0 < middle && middle < found.1, "{found:?}");
        // The standard error of the mean is 1.03; a normal distribution has 3.92 of them in 95 %.
        let errors = (found.1 - found.0) / 1.03;
        assert!((3.5..=4.3).contains(&errors), "{errors}: {found:?}");
    }

    #[test]
    fn arms_are_compared_by_the_runs_of_the_same_case_and_seed() {
        let runs = [
            run("a", 1, Arm::Cold, 10.0),
            run("a", 2, Arm::Cold, 20.0),
            run("a", 2, Arm::Warm, 15.0),
            run("a", 1, Arm::Warm, 5.0),
            run("a", 3, Arm::Warm, 100.0),
        ];
        let groups = groups(&runs);
        assert_eq!(groups.len(), 1, "one case is the whole");
        let [comparison] = &groups[0].comparisons[..] else {
            panic!("two arms: {groups:?}");
        };
        assert_eq!(
            (comparison.of, comparison.with, comparison.pairs),
            (Arm::Warm, Arm::Cold, 2)
        );
        let steps = steps(comparison);
        assert!((steps.before - 15.0).abs() < 1e-9 && (steps.after - 10.0).abs() < 1e-9);
        assert!((steps.share().unwrap() + 1.0 / 3.0).abs() < 1e-9);
        assert!(same(steps.interval, (-5.0, -5.0)), "{steps:?}");
        let warm = groups[0].arms.iter().find(|(arm, ..)| *arm == Arm::Warm);
        let (_, count, figures) = warm.unwrap();
        assert_eq!(*count, 3);
        assert!((figures.of(Metric::Steps) - 40.0).abs() < 1e-9);
    }

    #[test]
    fn several_cases_have_a_group_each_and_one_of_all() {
        let runs = [
            run("b", 1, Arm::Cold, 4.0),
            run("a", 1, Arm::Cold, 8.0),
            run("b", 1, Arm::Off, 2.0),
            run("a", 1, Arm::Off, 8.0),
        ];
        let groups = groups(&runs);
        let names: Vec<Option<&str>> = groups.iter().map(|group| group.case.as_deref()).collect();
        assert_eq!(names, [Some("b"), Some("a"), None]);
        assert_eq!(steps(&groups[0].comparisons[0]).interval, None, "one pair");
        let all = &groups[2].comparisons[0];
        assert_eq!((all.of, all.with, all.pairs), (Arm::Cold, Arm::Off, 2));
        assert!((steps(all).mean() - 1.0).abs() < 1e-9);
        assert!(same(steps(all).interval, (0.0, 2.0)), "{all:?}");
    }

    #[test]
    fn a_share_of_nothing_is_none() {
        let none = Difference {
            metric: Metric::FailedActions,
            before: 0.0,
            after: 1.0,
            interval: None,
        };
        assert_eq!(none.share(), None);
    }
}
