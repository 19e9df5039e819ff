//! Patterns in prompts. A pattern is shown if its next step can be taken on the page.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    Pattern, PatternSource, PatternType,
    common::{Taken, contains, plain},
    distill::{MAX_TAKEN, acts},
    keep::best_first,
};
use crate::{
    base::{Trust, text::counted},
    memory::{
        Advice, AdviceId, Aim, Cue, Index, Lasts, Moment, PageName, Piece, Record, Section, Shelf,
        StoredStep, StoredText,
        step_words::{slot_name, words},
    },
    page::{PageTemplate, Role, Tree, sketch},
};

/// The prompt section for patterns. Source of its priority: chosen; below trajectories, which say more, and above facts,
/// which say less.
pub(super) const SECTION: Section = Section::custom("Patterns of this site", 35, Lasts::Page);

/// The patterns of a host that may be shown.
#[derive(Debug)]
pub(super) struct PatternIndex(Vec<Known>);

/// A pattern and the [`plain`] form of its steps, which is used for comparison.
#[derive(Debug)]
struct Known {
    id: AdviceId,
    pattern: Pattern,
    plain: Vec<StoredStep>,
}

/// A pattern whose next step can be taken on the page. `from` is the index of this step.
#[derive(Debug)]
struct Fitting<'a> {
    known: &'a Known,
    from: usize,
}

impl PatternIndex {
    pub(super) fn new(shelf: &Shelf, records: &[Record]) -> Self {
        let all = Pattern::all(records).into_iter();
        let all = all.filter(|(_, one)| {
            !one.header.is_retired() && one.header.source != PatternSource::Imported
        });
        let all = all.map(|(key, pattern)| Known {
            id: AdviceId {
                shelf: shelf.clone(),
                key,
            },
            plain: pattern.steps.iter().filter_map(plain).collect(),
            pattern,
        });
        Self(all.collect())
    }

    /// Returns the patterns whose next step can be taken on the page. Patterns that the run has begun come first, then those
    /// with the most steps left.
    fn fitting(
        &self,
        taken: &[Taken],
        page: Option<&PageTemplate>,
        seen: &Tree,
    ) -> Vec<Fitting<'_>> {
        let open = self.0.iter().filter(|one| !one.is_behind(taken));
        let near: Vec<Fitting<'_>> = open
            .flat_map(|known| {
                let begun = known.begun(taken);
                let starts = [begun, 0].into_iter().take(1 + usize::from(begun > 0));
                starts.map(move |from| Fitting { known, from })
            })
            .filter(|one| is_on(one.next(), page))
            .collect();
        if near.is_empty() {
            return near;
        }
        let targets = near.iter().filter_map(|one| one.next().target.as_ref());
        let roles: HashSet<&Role> = targets.map(|target| &target.role).collect();
        let here: Vec<Aim> = sketch(seen, |role| roles.contains(role))
            .iter()
            .map(Aim::of)
            .collect();
        let mut fitting: Vec<Fitting<'_>> = Vec::new();
        for one in near {
            let is_new = fitting.iter().all(|other| other.known.id != one.known.id);
            if is_new && is_here(one.next(), &here) {
                fitting.push(one);
            }
        }
        fitting.sort_by(|one, other| {
            let rank = |of: &Fitting<'_>| (of.from == 0, Reverse(of.left().len()));
            let [a, b] = [one, other].map(|of| &of.known.pattern.header);
            rank(one)
                .cmp(&rank(other))
                .then_with(|| best_first(a, b))
                .then_with(|| one.known.id.cmp(&other.known.id))
        });
        fitting
    }
}

impl Known {
    /// Returns true if the run has taken all steps of the pattern without a gap.
    fn is_behind(&self, taken: &[Taken]) -> bool {
        taken
            .windows(self.plain.len())
            .any(|window| self.begins_with(window))
    }

    /// Returns how many steps of the pattern the run has just taken; 0 if the run has not begun the pattern.
    fn begun(&self, taken: &[Taken]) -> usize {
        let is_last = |count: &usize| {
            let from = taken.len().checked_sub(*count);
            from.is_some_and(|from| self.begins_with(&taken[from..]))
        };
        (1..self.plain.len()).rev().find(is_last).unwrap_or(0)
    }

    fn begins_with(&self, taken: &[Taken]) -> bool {
        let mut steps = self.plain.iter().zip(taken);
        steps.all(|(own, step)| step.is(own))
    }
}

impl<'a> Fitting<'a> {
    fn next(&self) -> &'a StoredStep {
        &self.known.pattern.steps[self.from]
    }

    fn left(&self) -> &'a [StoredStep] {
        &self.known.plain[self.from..]
    }
}

impl Index for PatternIndex {
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice> {
        let Cue::PageShown { page, seen, .. } = moment.cue else {
            return Vec::new();
        };
        if above || self.0.is_empty() {
            return Vec::new();
        }
        let actions = moment.steps.iter().filter(|step| acts(step));
        let done = actions.filter(|step| step.outcome.is_done());
        let last = done.rev().take(MAX_TAKEN).filter_map(StoredStep::of);
        let mut taken: Vec<Taken> = last.map(|step| Taken::of(&step)).collect();
        taken.reverse();
        let mut shown: Vec<Fitting<'_>> = Vec::new();
        for one in self.fitting(&taken, page.as_ref(), &seen.tree) {
            let is_part = |longer: &Fitting<'_>| contains(longer.left(), one.left());
            if !shown.iter().any(is_part) {
                shown.push(one);
            }
        }
        let advice = shown.iter().filter_map(|one| {
            let Known { id, pattern, .. } = one.known;
            let lines = lines(pattern, one.from);
            Advice::with_lines(id.clone(), lines, trust(pattern), SECTION)
        });
        advice.collect()
    }
}

pub(super) fn trust(pattern: &Pattern) -> Trust {
    match pattern.header.words {
        Some(_) => Trust::User,
        None => Trust::Code,
    }
}

/// Returns true if the step belongs to pages of this template. A step without a template belongs to every page.
fn is_on(step: &StoredStep, page: Option<&PageTemplate>) -> bool {
    step.page.is_none() || step.page.as_ref() == page
}

/// Returns true if the target of the step is among these elements of the page, or if the step has no target.
fn is_here(step: &StoredStep, here: &[Aim]) -> bool {
    let Some(target) = &step.target else {
        return true;
    };
    here.iter().any(|aim| match &target.aim {
        Some(own) => own.is_called(aim),
        None => aim.role == target.role,
    })
}

pub(super) fn lines(pattern: &Pattern, from: usize) -> Vec<Vec<Piece>> {
    let (header, left) = (&pattern.header, &pattern.steps[from..]);
    let shared = match header.goals() {
        0 | 1 => String::new(),
        goals => format!(", {}", counted(goals, "task")),
    };
    let head = format!(
        "{}{} ({}{shared}). Follow it if your task needs it{}.",
        header.description(),
        if goes_on(pattern) {
            ", and went on"
        } else {
            ""
        },
        counted(pattern.steps.len(), "step"),
        own_values(left)
    );
    let mut out = vec![vec![Piece::Words(head)]];
    for (step, n) in left.iter().zip(from..) {
        let mut line = vec![Piece::Words(format!("{}. ", n + 1))];
        line.extend(words(step, &[]));
        out.push(line);
    }
    out
}

/// Returns true if the pattern is a login followed by further steps, and no person or program gave it a description.
fn goes_on(pattern: &Pattern) -> bool {
    let is_login = pattern.header.words.is_none() && pattern.header.kind == PatternType::LoginFlow;
    let is_secret = |step: &StoredStep| matches!(step.text, Some(StoredText::Secret(_)));
    let last = pattern.steps.iter().rposition(is_secret);
    last.is_some_and(|at| {
        let after = &pattern.steps[at..];
        let leads_on = |step: &StoredStep| step.submit || step.leads_to.is_some();
        let end = after.iter().position(leads_on).unwrap_or(1);
        is_login && end + 1 < after.len()
    })
}

/// Returns the request to replace the numbered values of the steps by values of the model's own task; empty if the steps
/// have no numbered values.
fn own_values(steps: &[StoredStep]) -> String {
    let mut names: Vec<String> = Vec::new();
    for step in steps {
        if let Some(StoredText::Slot(slot)) = &step.text
            && !names.contains(&slot_name(*slot))
        {
            names.push(slot_name(*slot));
        }
    }
    match names.split_last() {
        None => String::new(),
        Some((one, [])) => format!(", with your own value for {one}"),
        Some((last, others)) => {
            format!(
                ", with your own values for {} and {last}",
                others.join(", ")
            )
        }
    }
}

/// Returns true if every step in `own` that names an element is also in `other`, with the same verb and the same name.
/// Returns false if no step in `own` names an element.
pub(super) fn is_said(own: &Advice, other: &Advice) -> bool {
    let named = |(verb, name): (String, Option<PageName>)| Some((verb, name?));
    let said: Vec<(String, PageName)> = steps(other).filter_map(named).collect();
    let mut own = steps(own).filter_map(named).peekable();
    own.peek().is_some() && own.all(|step| said.contains(&step))
}

/// Returns true if the advice shows steps and the first of them names an element.
pub(super) fn names_first_step(advice: &Advice) -> bool {
    steps(advice).next().is_some_and(|(_, name)| name.is_some())
}

/// Returns the verb and the first name of each numbered line.
fn steps(advice: &Advice) -> impl Iterator<Item = (String, Option<PageName>)> {
    advice.lines().iter().filter_map(|line| {
        let (mut before, mut name) = (String::new(), None);
        for piece in line.pieces() {
            match piece {
                Piece::Words(words) => before.push_str(words),
                Piece::Name(first) => {
                    name = Some(first.clone());
                    break;
                }
            }
        }
        let (number, words) = before.split_once(". ")?;
        number.parse::<u32>().ok()?;
        Some((words.split(' ').next()?.to_owned(), name))
    })
}
