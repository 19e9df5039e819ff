//! The plan of an evaluation: which runs are made, in which order, and with which memory.

use super::random::Random;

/// An arm of the evaluation: the memory with which a case is run. The arms of a case are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Arm {
    Off,
    /// The case is run with an empty memory.
    Cold,
    /// The case is run with the memory of earlier runs. [`Isolation`] decides which runs these are.
    Warm,
    /// The case is run with the same memory as in `Warm`, but all advice from this memory is withheld.
    Withheld,
}

impl Arm {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Withheld => "withheld",
        }
    }

    const fn needs_memory(self) -> bool {
        matches!(self, Self::Warm | Self::Withheld)
    }
}

/// The policy that decides which runs of the evaluation share a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// All runs that fill a memory, or need a filled one, use the user's own memory.
    None,
    /// Each combination of a case and a seed has a memory of its own.
    PerRun,
    /// Each seed has a memory of its own, which all cases share.
    Shared,
}

/// The number of a memory that exists only during the evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pool(pub(crate) usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryUse {
    Off,
    Empty,
    /// The run begins with the memory that has this number, and adds to it what the run learns.
    Fill(Pool),
    /// The run begins with a copy of the memory that has this number. The memory itself stays unchanged.
    Copy(Pool),
    Own,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planned {
    /// The index of the case in the case file.
    pub(crate) case: usize,
    /// The index of the set of values with which the case is run. Set 0 contains the case's own values; the sets of its
    /// variants follow.
    pub(crate) values: usize,
    /// The seed, from 1. Runs of the same case and seed are compared with each other.
    pub(crate) seed: u32,
    /// The number that replaces `{seed}` in addresses.
    pub(crate) number: u32,
    /// The arm; `None` for a run that only fills a memory.
    pub(crate) arm: Option<Arm>,
    pub(crate) memory: MemoryUse,
}

/// Returns the planned runs in the order in which they are made. `variants` contains the number of sets of values for each
/// case.
///
/// For each seed, the runs that fill memories come first. Then come the measured runs in random order, so that a slow minute
/// of the machine does not affect only one arm. With each seed, the measured runs of a case move on to the case's next set
/// of values. The run that fills their memory is one set ahead of them.
pub(crate) fn plan(
    variants: &[usize],
    arms: &[Arm],
    seeds: u32,
    isolation: Isolation,
) -> Vec<Planned> {
    let mut runs = Vec::new();
    for (nth, seed) in (1..=seeds).enumerate() {
        let pool = |case: usize| match isolation {
            Isolation::Shared => Pool(nth),
            Isolation::None | Isolation::PerRun => Pool(nth * variants.len() + case),
        };
        if arms.iter().any(|arm| arm.needs_memory()) {
            runs.extend(variants.iter().enumerate().map(|(case, count)| Planned {
                case,
                values: (nth + 1) % count,
                seed,
                number: seeds.saturating_add(seed),
                arm: None,
                memory: match isolation {
                    Isolation::None => MemoryUse::Own,
                    Isolation::PerRun | Isolation::Shared => MemoryUse::Fill(pool(case)),
                },
            }));
        }
        let mut measured = Vec::new();
        for (case, count) in variants.iter().enumerate() {
            measured.extend(arms.iter().map(|arm| Planned {
                case,
                values: nth % count,
                seed,
                number: seed,
                arm: Some(*arm),
                memory: match arm {
                    Arm::Off => MemoryUse::Off,
                    Arm::Cold => MemoryUse::Empty,
                    Arm::Warm | Arm::Withheld if isolation == Isolation::None => MemoryUse::Own,
                    Arm::Warm | Arm::Withheld => MemoryUse::Copy(pool(case)),
                },
            }));
        }
        Random::new(u64::from(seed)).shuffle(&mut measured);
        runs.extend(measured);
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ALL: [Arm; 4] = [Arm::Off, Arm::Cold, Arm::Warm, Arm::Withheld];

    #[test]
    fn each_case_is_measured_once_in_each_arm_and_seed() {
        for isolation in [Isolation::None, Isolation::PerRun, Isolation::Shared] {
            let runs = plan(&[1, 3], &ALL, 5, isolation);
            let measured: Vec<_> = runs
                .iter()
                .filter_map(|run| Some((run.case, run.seed, run.arm?)))
                .collect();
            let different: BTreeSet<_> = measured.iter().collect();
            assert_eq!((measured.len(), different.len()), (40, 40));
            assert_eq!(runs.len(), 50, "and each seed fills a memory by each case");
        }
    }

    #[test]
    fn a_memory_is_filled_before_it_is_used_and_by_no_measured_run() {
        for isolation in [Isolation::PerRun, Isolation::Shared] {
            let mut filled = BTreeSet::new();
            for run in plan(&[1, 1, 1], &ALL, 4, isolation) {
                match run.memory {
                    MemoryUse::Fill(pool) => {
                        assert_eq!(run.arm, None);
                        filled.insert(pool);
                    }
                    MemoryUse::Copy(pool) => assert!(filled.contains(&pool)),
                    MemoryUse::Off => assert_eq!(run.arm, Some(Arm::Off)),
                    MemoryUse::Empty => assert_eq!(run.arm, Some(Arm::Cold)),
                    MemoryUse::Own => panic!("the user's memory is used"),
                }
            }
            let pools = if isolation == Isolation::Shared {
                4
            } else {
                12
            };
            assert_eq!(filled.len(), pools);
        }
    }

    #[test]
    fn without_isolation_the_users_own_memory_is_used() {
        for run in plan(&[1], &ALL, 1, Isolation::None) {
            let own = run.arm.is_none_or(Arm::needs_memory);
            assert_eq!(run.memory == MemoryUse::Own, own);
        }
    }

    #[test]
    fn the_run_that_fills_a_memory_has_other_values_than_the_measured_ones() {
        for run in plan(&[2, 3], &ALL, 6, Isolation::PerRun) {
            let first = usize::try_from(run.seed - 1).unwrap() + usize::from(run.arm.is_none());
            assert_eq!(run.values, first % [2, 3][run.case]);
            assert_eq!(run.number, run.seed + if run.arm.is_none() { 6 } else { 0 });
        }
        let same = plan(&[1], &ALL, 2, Isolation::PerRun);
        assert!(same.iter().all(|run| run.values == 0));
    }

    #[test]
    fn without_an_arm_that_needs_it_no_memory_is_filled_and_the_order_differs_between_seeds() {
        let runs = plan(&[1], &[Arm::Cold, Arm::Off], 20, Isolation::PerRun);
        assert_eq!(runs.len(), 40);
        let first: BTreeSet<_> = runs.chunks(2).map(|of_seed| of_seed[0].arm).collect();
        assert_eq!(first.len(), 2);
        assert_eq!(
            runs,
            plan(&[1], &[Arm::Cold, Arm::Off], 20, Isolation::PerRun)
        );
    }
}
