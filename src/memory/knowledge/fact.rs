//! A fact about a host, as it is stored.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::slot::{DROP, Held, SHOWN, Slot};
use crate::{
    base::{Error, ErrorKind, Result, RunId, canonical, fitting, short_hash, text},
    memory::{Aim, MAX_RECORD_BYTES, Record},
};

/// Time after which the confidence in a fact is halved if no run observes the fact. Unit: days. Source: chosen; the
/// same as the time after which an unused lesson is removed.
pub const HALF_LIFE_DAYS: f64 = 90.0;
/// Maximum number of runs in [`Fact::sources`]. The observations of older runs are summed up in [`Fact::before`].
/// Source: chosen.
pub const MAX_SOURCES: usize = 12;
/// Maximum length of the name that a model gives to a fact; a longer name is cut. Unit: bytes of a JSON string. Source:
/// chosen.
const MAX_NAME: usize = 60;
/// Maximum length of the free text that a model proposes as the value of a fact; a longer text is cut. Unit: bytes of a JSON
/// string. Source: chosen; two lines of a prompt.
const MAX_WORDS: usize = 200;
/// Number of runs that must propose the same words for a fact before prompts show them. Source: chosen.
const RUNS_THAT_AGREE: usize = 2;
/// Maximum number of runs in [`Fact::contradicted`]. Source: chosen; enough for a person to see that a fact is out of date.
const MAX_CONTRADICTED: usize = 5;

/// The kind of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FactKind {
    /// The time that something takes.
    Timing,
    /// The way in which an element is found.
    Selector,
    /// The way in which something is done.
    Pattern,
    /// An unexpected behaviour.
    Quirk,
    /// An element that is in the way, and the action that removes it.
    Obstacle,
}

impl FactKind {
    /// Every kind of fact.
    pub const ALL: [Self; 5] = [
        Self::Timing,
        Self::Selector,
        Self::Pattern,
        Self::Quirk,
        Self::Obstacle,
    ];

    /// Returns the word that files use for the kind, such as `timing`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timing => "timing",
            Self::Selector => "selector",
            Self::Pattern => "pattern",
            Self::Quirk => "quirk",
            Self::Obstacle => "obstacle",
        }
    }

    /// Returns the kind of a fact from the name that a model gave to it: the name begins with the kind's word, such as
    /// `timing`. If it begins with no such word, returns `Quirk`.
    pub(super) fn of_name(name: &str) -> Self {
        let name = text::Folded::of(name);
        let mut all = Self::ALL.into_iter();
        all.find(|kind| name.as_str().starts_with(kind.as_str()))
            .unwrap_or(Self::Quirk)
    }
}

/// The value of a fact: what the fact says about its subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Claim {
    /// The element covers other elements until it is clicked.
    Covers,
    /// Other elements can be used while the element is there.
    CoversNothing,
    /// The field has an effect only after Enter.
    NeedsEnter,
    /// The field has an effect without Enter.
    NeedsNoEnter,
    /// The field reacts to keystrokes, but not to a text that is set as a whole.
    NeedsKeys,
    /// The field reacts to a text that is set as a whole.
    TakesText,
    /// The page responds late to an action on the element.
    AnswersLate,
    /// The page responds at once to an action on the element.
    AnswersAtOnce,
    /// Free text, usually proposed by a model.
    Words(String),
}

impl Claim {
    pub(super) fn words(words: &str) -> Self {
        Self::Words(fitting(&text::squeeze(&text::clean(words)), MAX_WORDS))
    }

    /// Returns true if both values say the same about the subject of the fact. Free text is compared without regard to case.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Words(own), Self::Words(other)) => {
                text::Folded::of(own) == text::Folded::of(other)
            }
            _ => self == other,
        }
    }

    /// Returns true if the value is worth showing to a run, as [`Claim::Covers`] is. Values that are not, such as
    /// [`Claim::CoversNothing`], are kept only to contradict values that are.
    pub const fn tells(&self) -> bool {
        !matches!(
            self,
            Self::CoversNothing | Self::NeedsNoEnter | Self::TakesText | Self::AnswersAtOnce
        )
    }

    /// Returns the kind of fact that has this value. Free text fits every kind, so the result is `None`.
    pub const fn kind(&self) -> Option<FactKind> {
        match self {
            Self::Covers | Self::CoversNothing => Some(FactKind::Obstacle),
            Self::NeedsEnter | Self::NeedsNoEnter => Some(FactKind::Pattern),
            Self::NeedsKeys | Self::TakesText => Some(FactKind::Quirk),
            Self::AnswersLate | Self::AnswersAtOnce => Some(FactKind::Timing),
            Self::Words(_) => None,
        }
    }
}

/// The subject of a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// An element of the host's pages.
    Element(Aim),
    /// Something other than an element. The text is the name that a model gave to the fact.
    Name(String),
}

impl About {
    pub(super) fn name(name: &str) -> Self {
        Self::Name(fitting(&text::squeeze(&text::clean(name)), MAX_NAME))
    }

    /// Returns the key of the fact of this kind about this subject. If the subject is a [`Name`](Self::Name), the key is
    /// the same for every kind.
    pub(super) fn key(&self, kind: FactKind) -> String {
        let (kind, named) = match self {
            Self::Element(aim) => (kind.as_str(), json!(aim)),
            Self::Name(name) => ("said", json!(text::Folded::of(name).as_str())),
        };
        format!("{kind}-{}", short_hash(canonical(&named)))
    }
}

/// The origin of a fact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactSource {
    /// Runs of this program observed the fact.
    #[default]
    Learned,
    /// A person accepted the fact.
    User,
    /// The fact was imported, and no person has accepted it since.
    Imported,
}

/// The observation of a fact by one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The run.
    pub run: RunId,
    /// The time when the run ended.
    pub at: DateTime<Utc>,
    /// The value that the run observed; `None` if the run acted on the fact but neither proved nor contradicted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
}

/// A fact about a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fact {
    /// The kind of the fact.
    pub kind: FactKind,
    /// The subject of the fact.
    pub about: About,
    /// The origin of the fact.
    #[serde(default)]
    pub source: FactSource,
    /// The latest runs that observed the fact, oldest first, at most [`MAX_SOURCES`]. After a person has accepted the
    /// fact, no run is added.
    pub sources: Vec<Source>,
    /// The value and the confidence from the observations of all runs before those in `sources`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Slot>,
    /// Number of runs that are summed up in `before`. The number is too low in records that are older than this field.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs_before: u64,
    /// The latest runs that observed another value than the one that a person accepted, oldest first, at most 5. They change
    /// nothing but what a description tells the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicted: Vec<Source>,
    /// The latest time at which a run that observed the fact ended, or at which a person accepted the fact.
    pub last_seen: DateTime<Utc>,
    /// Fields of the stored fact that a newer version of this crate wrote. They are kept unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Fact {
    pub(super) fn new(kind: FactKind, about: About, source: Source) -> Self {
        Self {
            kind,
            about,
            source: FactSource::Learned,
            last_seen: source.at,
            sources: vec![source],
            before: None,
            runs_before: 0,
            contradicted: Vec::new(),
            extra: Map::new(),
        }
    }

    /// Creates a fact in the words of a person. Its confidence is 1.
    ///
    /// # Errors
    /// `InvalidInput` if a text is empty.
    pub fn of_user(kind: FactKind, name: &str, words: &str, now: DateTime<Utc>) -> Result<Self> {
        Self::told(kind, (name, words), 1.0, 0, now).ok_or_else(|| {
            Error::new(ErrorKind::InvalidInput, "knowledge.fact")
                .with("why", "it has no name or no words")
        })
    }

    /// Creates a fact that a person vouches for, with the number of runs that observed it elsewhere; `None` if it has no name or no
    /// words.
    pub(super) fn told(
        kind: FactKind,
        (name, words): (&str, &str),
        confidence: f64,
        runs: u64,
        last_seen: DateTime<Utc>,
    ) -> Option<Self> {
        let (about, claim) = (About::name(name), Claim::words(words));
        if about == About::name("") || claim == Claim::words("") {
            return None;
        }
        let value = Held { claim, confidence };
        let challenger = None;
        Some(Self {
            kind,
            about,
            source: FactSource::User,
            sources: Vec::new(),
            before: Some(Slot { value, challenger }),
            runs_before: runs,
            contradicted: Vec::new(),
            last_seen,
            extra: Map::new(),
        })
    }

    /// Returns the fact's current value, and another observed value that contradicts it, if any. Returns `None` if no
    /// run observed a value.
    pub fn slot(&self) -> Option<Slot> {
        let observed = self.sources.iter().filter_map(|one| one.claim.as_ref());
        Slot::of(self.before.clone(), observed)
    }

    /// Returns the number of runs that observed the fact, without those after a person had accepted it.
    pub fn runs(&self) -> u64 {
        self.runs_before.saturating_add(self.sources.len() as u64)
    }

    /// Returns the confidence in the current value of `slot` at the time `now`. It halves with every [`HALF_LIFE_DAYS`]
    /// without an observation. For a fact that a person accepted, it is always 1.
    pub fn confidence(&self, slot: &Slot, now: DateTime<Utc>) -> f64 {
        if self.source == FactSource::User {
            return 1.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "an age in seconds")]
        let days = (now - self.last_seen).num_seconds().max(0) as f64 / 86_400.0;
        slot.value.confidence * 0.5_f64.powf(days / HALF_LIFE_DAYS)
    }

    /// Returns true if prompts may show the fact at the time `now`.
    pub fn is_shown(&self, now: DateTime<Utc>) -> bool {
        !self.waits()
            && self.slot().is_some_and(|slot| {
                slot.value.claim.tells() && self.confidence(&slot, now) >= SHOWN
            })
    }

    /// Returns true if prompts may not show the fact yet. An imported fact waits until a person accepts it. Words that
    /// only one run has proposed wait until a person accepts them or another run proposes them.
    pub fn waits(&self) -> bool {
        match (self.source, &self.about) {
            (FactSource::User, _) | (FactSource::Learned, About::Element(_)) => false,
            (FactSource::Imported, _) => true,
            (FactSource::Learned, About::Name(_)) => !self.is_agreed(),
        }
    }

    pub(super) fn can_be(&self, claim: &Claim) -> bool {
        match (&self.about, claim.kind()) {
            (About::Element(_), Some(kind)) => kind == self.kind,
            (About::Name(_), None) => true,
            _ => false,
        }
    }

    /// Returns true if at least [`RUNS_THAT_AGREE`] runs have proposed the fact's current value. All runs in
    /// [`Fact::before`] count as one.
    fn is_agreed(&self) -> bool {
        let Some(slot) = self.slot() else {
            return false;
        };
        let agree = self.sources.iter().filter(|one| {
            let claim = one.claim.as_ref();
            claim.is_some_and(|claim| claim.is_same(&slot.value.claim))
        });
        let runs: BTreeSet<&RunId> = agree.map(|one| &one.run).collect();
        let earlier = self.before.as_ref();
        let earlier =
            earlier.is_some_and(|slot_before| slot_before.value.claim.is_same(&slot.value.claim));
        runs.len() + usize::from(earlier) >= RUNS_THAT_AGREE
    }

    pub(super) fn is_stale(&self, now: DateTime<Utc>) -> bool {
        let slot = self.slot();
        self.source != FactSource::User
            && slot.is_none_or(|slot| self.confidence(&slot, now) < DROP)
    }

    /// Adds the observation of a run, unless [`Fact::sources`] already names the run, or [`Fact::before`] may contain
    /// it. The value of a fact that a person accepted stays: another value is added to [`Fact::contradicted`]. Returns true
    /// if the fact changed.
    pub(super) fn observe(&mut self, source: Source) -> bool {
        if !self.is_new(&source) {
            return false;
        }
        let seen = self.last_seen.max(source.at);
        let is_newer = std::mem::replace(&mut self.last_seen, seen) != seen;
        if self.source == FactSource::User {
            let differs = source.claim.as_ref().is_some_and(|claim| {
                let slot = self.slot();
                !slot.is_some_and(|slot| slot.value.claim.is_same(claim))
            });
            if differs {
                self.contradict([source]);
            }
            return differs || is_newer;
        }
        self.sources.push(source);
        self.sources
            .sort_by(|one, other| (one.at, &one.run).cmp(&(other.at, &other.run)));
        self.fold(self.sources.len().saturating_sub(MAX_SOURCES));
        true
    }

    fn contradict(&mut self, sources: impl IntoIterator<Item = Source>) {
        self.contradicted.extend(sources);
        self.contradicted
            .sort_by(|one, other| (one.at, &one.run).cmp(&(other.at, &other.run)));
        let count = self.contradicted.len().saturating_sub(MAX_CONTRADICTED);
        self.contradicted.drain(..count);
    }

    /// Removes the observation of a run. A fact that a person accepted keeps its current value, whatever the other runs
    /// observed. Returns true if the fact changed.
    pub(super) fn undo(&mut self, run: &RunId) -> bool {
        let held = self.slot();
        let (count, contradicted) = (self.sources.len(), self.contradicted.len());
        self.sources.retain(|source| source.run != *run);
        self.contradicted.retain(|source| source.run != *run);
        if self.sources.len() == count {
            return self.contradicted.len() != contradicted;
        }
        if self.source == FactSource::User {
            self.runs_before = self.runs_before.saturating_add(self.sources.len() as u64);
            self.sources.clear();
            self.before = held.map(|slot| Slot {
                challenger: None,
                ..slot
            });
        } else if let Some(last) = self.sources.last() {
            self.last_seen = last.at;
        }
        true
    }

    /// Returns true if the run of an observation is neither in [`Fact::sources`] nor can be in [`Fact::before`]: all
    /// runs there ended before the first of `sources`.
    fn is_new(&self, source: &Source) -> bool {
        let first = self.sources.first().filter(|_| self.before.is_some());
        first.is_none_or(|first| (source.at, &source.run) > (first.at, &first.run))
            && self
                .sources
                .iter()
                .chain(&self.contradicted)
                .all(|known| known.run != source.run)
    }

    /// Returns the fact with the observations of `other`, another version of the same fact. Each run counts once. A
    /// version that a person accepted is kept, and only its [`Fact::last_seen`] and [`Fact::contradicted`] may change.
    ///
    /// [`Fact::before`] is a sum of runs that cannot be told apart, so two sums are never added. The version whose sum
    /// covers more runs is the base. If the base has a sum, a run in the `sources` of the other version is added only
    /// if it ended after the first run in the `sources` of the base. Otherwise every run is added.
    #[must_use]
    pub(super) fn merged(&self, other: &Self) -> Self {
        let seen = self.last_seen.max(other.last_seen);
        let is_accepted = |fact: &Self| fact.source == FactSource::User;
        // Older records have a sum but no number of runs, so having a sum is compared first.
        let summed_up = |fact: &Self| (fact.before.is_some(), fact.runs_before);
        let (base, added) = match (is_accepted(self), is_accepted(other)) {
            (true, _) => (self, None),
            (false, true) => (other, None),
            _ if summed_up(other) > summed_up(self) => (other, Some(self)),
            _ => (self, Some(other)),
        };
        let mut fact = base.clone();
        fact.last_seen = seen;
        let others = [self, other].into_iter().flat_map(|one| &one.contradicted);
        let new = others.filter(|source| base.is_new(source)).cloned();
        fact.contradict(new.collect::<Vec<_>>());
        let Some(added) = added else {
            return fact;
        };
        if added.source == FactSource::Learned {
            fact.source = FactSource::Learned;
        }
        let new = added.sources.iter().filter(|source| base.is_new(source));
        fact.sources.extend(new.cloned());
        fact.sources
            .sort_by(|one, other| (one.at, &one.run).cmp(&(other.at, &other.run)));
        fact.fold(fact.sources.len().saturating_sub(MAX_SOURCES));
        fact
    }

    fn fold(&mut self, count: usize) {
        let old: Vec<Source> = self.sources.drain(..count).collect();
        self.runs_before = self.runs_before.saturating_add(old.len() as u64);
        let claims = old.iter().filter_map(|one| one.claim.as_ref());
        self.before = Slot::of(self.before.take(), claims);
    }

    /// Reads a fact from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not a fact.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "knowledge.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns the record of the fact. If it would be too large, the oldest observations are summed up in
    /// [`Fact::before`].
    ///
    /// # Errors
    /// `Corrupt` if the fact cannot be written as JSON.
    pub fn to_record(&self) -> Result<Record> {
        let mut fact = self.clone();
        loop {
            let body = serde_json::to_value(&fact).map_err(|error| {
                Error::new(ErrorKind::Corrupt, "knowledge.write").with_source(error)
            })?;
            let record = Record::new(fact.key(), &body);
            if record.size() <= MAX_RECORD_BYTES || fact.sources.len() <= 1 {
                return Ok(record);
            }
            fact.fold(1);
        }
    }

    /// Returns the key of the fact's record. It depends only on the kind and the element, or on the name that a model
    /// gave.
    pub fn key(&self) -> String {
        self.about.key(self.kind)
    }
}
