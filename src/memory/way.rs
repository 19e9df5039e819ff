//! The steps of a run as memory keeps them, without values of this run, such as a search term or a typed name.

use sha2::{Digest as _, Sha256};

use super::{RunLog, StoredStep, typed::Typed, value_trace::trace};
use crate::{base::Host, goal::compose, working::Step};

/// Steps that a run took on one host, with the run's goal and the values in the goal.
#[derive(Debug)]
pub(super) struct Way {
    /// The goal, in the normalised form to which the ranges in `slots` refer.
    pub(super) goal: String,
    /// The values of the goal that the steps use, as ranges of bytes of the goal.
    pub(super) slots: Vec<(usize, usize)>,
    /// The steps, without the names of elements that show values of the run, such as an item chosen from a list. A
    /// typed text is replaced by its source, such as the first value of the goal.
    pub(super) steps: Vec<StoredStep>,
}

impl Way {
    /// Converts the browser actions `taken` to the steps that memory keeps. `log` is the log of their run.
    pub(super) fn of(log: &RunLog, taken: &[&Step]) -> Self {
        let goal: String = compose(&log.about.goal);
        let typed = Typed::of(&log.steps);
        let stored = taken.iter().map(|step| StoredStep::of(step));
        let mut steps: Vec<StoredStep> = stored.flatten().collect();
        let slots = trace(&goal, taken, &mut steps);
        for step in &mut steps {
            step.hide(&typed, &goal);
        }
        Self { goal, slots, steps }
    }
}

/// Returns the only host of the run; `None` if it visited no host or more than one.
pub(super) fn only_host(log: &RunLog) -> Option<&Host> {
    let places = log
        .steps
        .iter()
        .flat_map(|step| [&step.before, &step.after]);
    let mut hosts = places.filter_map(|place| place.host());
    let host = hosts.next()?;
    let is_other = hosts.any(|other| other != host);
    let left = is_other || log.steps.iter().any(|step| step.left_scope);
    (!left).then_some(host)
}

/// Returns a hash of a goal without its values. `slots` are the values, as ranges of bytes of the goal.
pub(super) fn task_hash(goal: &str, slots: &[(usize, usize)]) -> String {
    // The hash is stored, so its form stays as it is, whatever the folding of texts becomes.
    let lower = |part: Option<&str>| part.unwrap_or_default().to_lowercase();
    let mut hash = Sha256::new();
    let mut from = 0;
    let mut slots = slots.to_vec();
    slots.sort_unstable();
    for (start, end) in slots {
        hash.update(lower(goal.get(from..start)));
        hash.update([0]);
        from = end;
    }
    hash.update(lower(goal.get(from..)));
    let digest = hash.finalize();
    let hex = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
    hex.collect()
}
