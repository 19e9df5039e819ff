//! One lesson as it is stored.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Template;
use crate::{
    action::ErrorClass,
    base::{Error, ErrorKind, Result, RunId, Site},
    memory::{Cue, Record, RunLog},
};

/// Most runs kept as evidence of one lesson. Unit: run ids. Source: chosen; promotion asks for 5.
const MAX_EVIDENCE: usize = 20;
/// Most sites kept for one lesson. Source: chosen; promotion asks for 3.
const MAX_SITES: usize = 20;

/// What a lesson is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Another tool for the one that fails.
    ToolFallback,
    /// Advice for every run.
    BestPractice,
    /// A way out of one kind of failure.
    ErrorRecovery,
    /// True on one site.
    SiteSpecific,
}

/// Where a lesson comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonSource {
    /// Shipped with the crate; never pruned.
    Seed,
    /// Learned from runs.
    Learned,
    /// Written or accepted by a person.
    User,
}

/// What a lesson says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonText {
    /// Our sentence over closed vocabularies.
    Template(Template),
    /// The exact text that a person wrote or accepted.
    User(String),
}

impl LessonText {
    /// The sentence for the prompt.
    pub fn render(&self) -> String {
        match self {
            Self::Template(template) => template.render(),
            Self::User(text) => text.clone(),
        }
    }
}

/// How often it was shown and how often its failure happened. Offered is not used: both are counted apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Runs in which it was shown.
    pub offered: u64,
    /// Runs and sites in which its failure happened and it was shown for that.
    pub used: u64,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lesson {
    /// What it says.
    pub text: LessonText,
    /// What it is about.
    pub category: Category,
    /// Where it comes from.
    pub source: LessonSource,
    /// When it was first stored.
    pub created_at: DateTime<Utc>,
    /// When it was last shown.
    pub last_used: DateTime<Utc>,
    /// How often it was shown and needed.
    #[serde(default)]
    pub counts: Counts,
    /// Sites where its failure happened.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub triggered_domains: BTreeSet<Site>,
    /// The last runs that counted for it: a run counts once, however often its changes arrive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<RunId>,
    /// Fields of a newer version, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Lesson {
    /// A lesson that nobody has seen yet.
    pub fn new(text: LessonText, category: Category, source: LessonSource, now: DateTime<Utc>) -> Self {
        Self {
            text,
            category,
            source,
            created_at: now,
            last_used: now,
            counts: Counts::default(),
            triggered_domains: BTreeSet::new(),
            evidence: Vec::new(),
            extra: Map::new(),
        }
    }

    /// Reads a stored lesson.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] naming the key.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone())
            .map_err(|e| Error::new(ErrorKind::Corrupt, "lesson.read").with("key", &record.key).with_source(e))
    }

    /// The lesson as it is stored.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it cannot be written as JSON.
    pub fn to_record(&self, key: impl Into<String>) -> Result<Record> {
        let body =
            serde_json::to_value(self).map_err(|e| Error::new(ErrorKind::Corrupt, "lesson.write").with_source(e))?;
        Ok(Record::new(key, &body))
    }

    /// Whether it has something to say for a cue.
    pub(super) fn answers(&self, cue: &Cue) -> bool {
        match cue {
            Cue::RunStarted => matches!(self.category, Category::ToolFallback | Category::BestPractice),
            Cue::CommandFailed { command, class, .. } => self.matches(command, *class),
            Cue::SiteChanged { .. } => false,
        }
    }

    /// The command alone is not a match: the class must be the lesson's.
    fn matches(&self, command: &str, class: Option<ErrorClass>) -> bool {
        match self.text {
            LessonText::Template(template) => {
                template.command.as_str() == command && template.class.is_some() && template.class == class
            }
            LessonText::User(_) => false,
        }
    }

    /// Counts a run in which it was shown; false when that run was counted already.
    pub(super) fn credit(&mut self, log: &RunLog) -> bool {
        if self.evidence.contains(&log.run) {
            return false;
        }
        self.counts.offered += 1;
        let needed: BTreeSet<&Site> = log
            .steps
            .iter()
            .filter(|step| !step.left_site && self.matches(step.action.tool_name(), step.outcome.class()))
            .filter_map(|step| step.site.as_ref())
            .collect();
        self.counts.used += u64::try_from(needed.len()).unwrap_or(u64::MAX);
        for site in needed.into_iter().take(MAX_SITES.saturating_sub(self.triggered_domains.len())) {
            self.triggered_domains.insert(site.clone());
        }
        self.last_used = self.last_used.max(log.ended_at);
        self.evidence.push(log.run.clone());
        let excess = self.evidence.len().saturating_sub(MAX_EVIDENCE);
        self.evidence.drain(..excess);
        true
    }
}
