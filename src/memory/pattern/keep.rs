//! Changes of a host's patterns: after a finished run, when there are too many patterns, when a run is undone, when a person
//! accepts a pattern, and when patterns are imported.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::json;

use super::{
    Header, KEPT, MAX_PATTERNS, MAX_RECENT, MIN_STEPS, Pattern, PatternSource,
    common::{can_begin, contains, kept, pieces, signature, stretches},
    distill::Learned,
    record::{RECENT, Recent, key},
    rules::type_of,
};
use crate::{
    base::{Error, ErrorKind, Result, RunId},
    memory::{
        Advice, Change, Record, StoredStep, StoredText, UNVOUCHED, Use,
        step_records::{owner, removal, replacing},
    },
};

/// Maximum length of the key of an imported record. Unit: bytes. Source: chosen; some keys contain a run's id of up to 64
/// characters.
const MAX_KEY: usize = 80;

/// The patterns and the runs on a shelf. Records that cannot be read are left out.
#[derive(Debug, Clone)]
struct Known {
    patterns: BTreeMap<String, Pattern>,
    /// The last runs that reached their goals, by the key of their record.
    recent: BTreeMap<String, Recent>,
}

impl Known {
    fn of(records: &[Record]) -> Self {
        let recent = records.iter().filter_map(Recent::from_record);
        Self {
            patterns: Pattern::all(records).into_iter().collect(),
            recent: recent.map(|run| (run.key(), run)).collect(),
        }
    }

    fn credit(&mut self, learned: &Learned) {
        for (key, from) in &learned.offered {
            if let Some(pattern) = self.patterns.get_mut(key) {
                let result = used(pattern, learned, *from);
                pattern.header.count(&learned.run, result, learned.at);
            }
        }
    }

    /// Learns from a run that reached its goal. If the run took all steps of a pattern, the run becomes evidence for
    /// the pattern. The steps that the run shares with earlier runs with other goals become new patterns.
    fn add(&mut self, learned: &Learned) {
        let needed = learned.taken.iter().filter(|taken| taken.needed);
        let steps: Vec<Option<&StoredStep>> = needed.map(|taken| taken.step.as_ref()).collect();
        let signatures: Vec<Option<String>> =
            steps.iter().map(|step| signature((*step)?)).collect();
        let run = Recent {
            run: learned.run.clone(),
            goal: learned.goal.clone(),
            at: learned.at,
            steps: signatures,
        };
        if self.recent.contains_key(&run.key()) || run.steps.iter().flatten().count() < MIN_STEPS {
            return;
        }
        for pattern in self.patterns.values_mut() {
            if contains(&run.steps, &pattern.signatures()) {
                pattern.header.add(&run.run, &run.goal, run.at);
            }
        }
        let others = self.recent.values().filter(|other| other.goal != run.goal);
        let found: BTreeSet<(usize, usize)> = others
            .flat_map(|other| stretches(&run.steps, &other.steps))
            .flat_map(|stretch| pieces(stretch, |at| steps[at].is_some_and(can_begin), &run.steps))
            .collect();
        for (from, to) in found {
            let signatures = &run.steps[from..to];
            let key = key(signatures);
            let is_known = |known: &Pattern| known.header.source != PatternSource::Imported;
            if self.patterns.get(&key).is_some_and(is_known) {
                continue;
            }
            let steps = steps[from..to].iter().flatten().map(|step| (*step).clone());
            let mut pattern = learned_pattern(steps.collect(), &run);
            let all = self.recent.values().chain([&run]);
            let mut taken: Vec<&Recent> =
                all.filter(|one| contains(&one.steps, signatures)).collect();
            taken.sort_by_key(|one| (one.at, &one.run));
            for one in taken {
                pattern.header.add(&one.run, &one.goal, one.at);
            }
            self.patterns.insert(key, pattern);
        }
        self.recent.insert(run.key(), run);
        self.drop_contained();
        self.forget_old();
    }

    /// Removes each learned pattern that is part of a longer pattern with at least the same evidence.
    fn drop_contained(&mut self) {
        let all: Vec<(&String, Vec<Option<String>>, &Header)> = self
            .patterns
            .iter()
            .map(|(key, pattern)| (key, pattern.signatures(), &pattern.header))
            .collect();
        let is_part = |(_, part, header): &&(&String, Vec<Option<String>>, &Header)| {
            header.source == PatternSource::Learned
                && all.iter().any(|(_, whole, longer)| {
                    let is_of = |one| longer.evidence.contains(one);
                    whole.len() > part.len()
                        && longer.source != PatternSource::Imported
                        && header.evidence.iter().all(is_of)
                        && contains(whole, part)
                })
        };
        let gone: Vec<String> = all
            .iter()
            .filter(is_part)
            .map(|(key, _, _)| (*key).clone())
            .collect();
        self.patterns.retain(|key, _| !gone.contains(key));
    }

    /// Removes the oldest runs above [`MAX_RECENT`]. If there are more than [`MAX_PATTERNS`] patterns, also removes patterns
    /// until [`KEPT`] are left.
    ///
    /// Patterns with the lowest [`worth`] are removed first; among equals, those used longest ago. New patterns without
    /// results are removed last. Patterns that a person gave or accepted are never removed.
    fn forget_old(&mut self) {
        let mut runs: Vec<_> = self
            .recent
            .values()
            .map(|run| (run.at, run.key()))
            .collect();
        runs.sort();
        let excess = runs.len().saturating_sub(MAX_RECENT);
        for (_, key) in runs.drain(..excess) {
            self.recent.remove(&key);
        }
        if self.patterns.len() <= MAX_PATTERNS {
            return;
        }
        let since = runs.first().map(|(at, _)| *at);
        let is_new = |of: &Header| of.succeeded + of.failed == 0 && Some(of.created) >= since;
        let of_person = |of: &Header| of.source == PatternSource::User;
        let mut all: Vec<(&String, &Header)> = self
            .patterns
            .iter()
            .map(|(key, pattern)| (key, &pattern.header))
            .filter(|(_, header)| !of_person(header))
            .collect();
        all.sort_by(|(a, one), (b, other)| {
            is_new(one)
                .cmp(&is_new(other))
                .then_with(|| worth(one).total_cmp(&worth(other)))
                .then_with(|| (one.last_used, a).cmp(&(other.last_used, b)))
        });
        let excess = self.patterns.len() - KEPT;
        let gone: Vec<String> = all
            .iter()
            .take(excess)
            .map(|(key, _)| (*key).clone())
            .collect();
        self.patterns.retain(|key, _| !gone.contains(key));
    }

    fn changes(&self, before: &Self, records: &[Record]) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for key in before.patterns.keys() {
            if !self.patterns.contains_key(key) {
                changes.extend(removal(records, key));
            }
        }
        for (key, pattern) in &self.patterns {
            if before.patterns.get(key) != Some(pattern) {
                changes.extend(replacing(records, key, pattern.to_records()?));
            }
        }
        let gone = before
            .recent
            .keys()
            .filter(|key| !self.recent.contains_key(*key));
        changes.extend(gone.map(|key| Change::Remove(key.clone())));
        for (key, run) in &self.recent {
            if before.recent.get(key) != Some(run) {
                changes.push(Change::Put(run.to_record()?));
            }
        }
        Ok(changes)
    }
}

/// Returns the worth of a pattern: the share of runs in which it helped, among those in which it helped or failed. One
/// success and one failure are added first, so that an unused pattern ranks in the middle. Range: 0 to 1.
pub(super) fn worth(header: &Header) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "numbers of runs")]
    let (succeeded, failed) = (header.succeeded as f64, header.failed as f64);
    (succeeded + 1.0) / (succeeded + failed + 2.0)
}

/// Orders patterns by [`worth`], the highest first, then by the number of different goals in their evidence, the largest
/// first.
pub(super) fn best_first(one: &Header, other: &Header) -> Ordering {
    worth(other)
        .total_cmp(&worth(one))
        .then_with(|| other.goals().cmp(&one.goals()))
}

/// Creates a learned pattern from steps of a run. The values that the steps type are numbered 0, 1, 2 and so on.
fn learned_pattern(mut steps: Vec<StoredStep>, run: &Recent) -> Pattern {
    let texts = steps.iter_mut().filter_map(|step| step.text.as_mut());
    let values = texts.filter(|text| matches!(text, StoredText::Slot(_)));
    for (value, n) in values.zip(0..) {
        *value = StoredText::Slot(n);
    }
    let header = Header {
        kind: type_of(&steps),
        source: PatternSource::Learned,
        words: None,
        steps: steps.len(),
        evidence: Vec::new(),
        results: Vec::new(),
        shown: 0,
        succeeded: 0,
        failed: 0,
        created: run.at,
        last_used: run.at,
    };
    Pattern { header, steps }
}

/// Returns the result of a pattern in a run. `from` is the index of the first action that the run took after it was shown
/// the pattern.
///
/// - `Helped`: the run took all steps of the pattern in order, and took the last of them after it was shown the pattern.
/// - `Failed`: after the run was shown the pattern, a step of the pattern failed, and the run did not complete the pattern
///   afterwards. An interrupted run never counts as failed.
/// - `Ignored`: any other case.
fn used(pattern: &Pattern, learned: &Learned, from: usize) -> Use {
    let way = pattern.signatures();
    let (mut at, mut has_failed) = (0, false);
    for (taken, n) in learned.taken.iter().zip(0..) {
        if taken.step.as_ref().and_then(signature) != way[at] {
            continue;
        }
        if !taken.done {
            has_failed |= n >= from;
            continue;
        }
        at += 1;
        if at == way.len() {
            if n >= from {
                return Use::Helped;
            }
            at = 0;
        }
    }
    if has_failed && !learned.interrupted {
        Use::Failed
    } else {
        Use::Ignored
    }
}

pub(super) fn learn(records: &[Record], learned: &Learned) -> Result<Vec<Change>> {
    let before = Known::of(records);
    let mut now = before.clone();
    now.credit(learned);
    if learned.success {
        now.add(learned);
    }
    now.changes(&before, records)
}

/// Returns the changes that remove what was learned from a run. A learned pattern is removed if fewer than two different
/// goals remain in its evidence.
pub(super) fn undo(records: &[Record], run: &RunId) -> Result<Vec<Change>> {
    let before = Known::of(records);
    let mut now = before.clone();
    now.recent.retain(|_, known| known.run != *run);
    now.patterns.retain(|_, pattern| {
        let header = &mut pattern.header;
        !header.remove(run) || header.source != PatternSource::Learned || header.goals() > 1
    });
    now.changes(&before, records)
}

/// Returns the changes that store a pattern given by a person. If a pattern with the same steps is stored, its counts are
/// kept.
pub(super) fn put(records: &[Record], given: &Pattern) -> Result<Vec<Change>> {
    let before = Known::of(records);
    let mut now = before.clone();
    let key = given.key();
    let mut new = given.clone();
    if let Some(known) = before.patterns.get(&key) {
        new.header = Header {
            kind: given.header.kind,
            source: PatternSource::User,
            words: given.header.words.clone(),
            ..known.header.clone()
        };
    }
    now.patterns.insert(key, new);
    now.forget_old();
    now.changes(&before, records)
}

/// Returns the change by which a person accepts an imported pattern or makes a retired one active again. Fails if the
/// pattern's description has changed since the person saw it as `shown`.
pub(super) fn accept(records: &[Record], key: &str, shown: &str) -> Result<Vec<Change>> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "pattern.accept")
            .with("key", key)
            .with("why", why)
    };
    let mut known = Pattern::all(records).into_iter();
    let Some((_, mut pattern)) = known.find(|(known, _)| known == key) else {
        return Err(refuse("there is no such pattern with all of its steps"));
    };
    if Advice::shown(pattern.header.description()) != shown {
        return Err(refuse("it has another description now"));
    }
    let header = &mut pattern.header;
    if header.is_retired() {
        header.bring_back();
    } else {
        header.source = PatternSource::User;
    }
    Ok(vec![Change::Put(pattern.header.to_record(key)?)])
}

/// Returns the record to import, or an error with the reason for refusing it. If the importing person does not vouch for the
/// source, a pattern waits for review without its evidence and results, and the record of a single run is refused.
pub(super) fn admit(record: &Record, vouched: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "pattern.admit")
            .with("key", &record.key)
            .with("why", why)
    };
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !(1..=MAX_KEY).contains(&record.key.len()) || !record.key.chars().all(is_key) {
        return Err(refuse("has a key that is not ours"));
    }
    if record.key.starts_with(RECENT) {
        if !vouched {
            return Err(refuse(UNVOUCHED));
        }
        let run = Recent::from_record(record).filter(|run| run.key() == record.key);
        return run
            .map(|_| record.clone())
            .ok_or_else(|| refuse("is not the steps of a run"));
    }
    if owner(&record.key) != record.key {
        let step: StoredStep =
            serde_json::from_value(record.body.clone()).map_err(|_| refuse("is not a step"))?;
        let step = kept(&step).ok_or_else(|| refuse("is a step that no pattern can have"))?;
        return Ok(Record::new(&record.key, &json!(step)));
    }
    let mut header = Header::from_record(record).map_err(|_| refuse("is not a pattern"))?;
    header.words = header.words.map(|words| Advice::shown(&words));
    if header.words.as_deref() == Some("") {
        return Err(refuse("says nothing"));
    }
    if !vouched {
        header.source = PatternSource::Imported;
        header.evidence.clear();
        header.results.clear();
        (header.shown, header.succeeded, header.failed) = (0, 0, 0);
    }
    header.to_record(&record.key)
}
