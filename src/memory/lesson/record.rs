//! One lesson as it is stored.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Original, SiteRecovery, Template, Trouble};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site, Trust, canonical, short_hash},
    memory::Record,
    page::PageTemplate,
};

/// Most runs and sites kept as evidence of one lesson. Source: chosen; promotion asks for 5 runs and 3 sites, and a record
/// has 2 KiB.
pub const MAX_EVIDENCE: usize = 12;

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

impl Credit {
    /// Whether it says something of what the lesson does, and not only that it was shown.
    pub const fn tells(self) -> bool {
        self.used || self.followed
    }
}

impl Category {
    /// Every category.
    pub const ALL: [Self; 4] = [
        Self::ToolFallback,
        Self::BestPractice,
        Self::ErrorRecovery,
        Self::SiteSpecific,
    ];

    /// As events and files write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolFallback => "tool_fallback",
            Self::BestPractice => "best_practice",
            Self::ErrorRecovery => "error_recovery",
            Self::SiteSpecific => "site_specific",
        }
    }

    /// Whether its lessons stand in the system instruction.
    pub const fn is_tier_1(self) -> bool {
        matches!(self, Self::ToolFallback | Self::BestPractice)
    }
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
    /// Written by another program; a person has not accepted it yet.
    Imported,
}

impl LessonSource {
    /// As files write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Learned => "learned",
            Self::User => "user",
            Self::Imported => "imported",
        }
    }
}

/// What a lesson says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonText {
    /// Our sentence over closed vocabularies.
    Template(Template),
    /// Our sentence with names of one host's pages.
    Site(SiteRecovery),
    /// The exact text that a person wrote or accepted, or that another program stored.
    Words(String),
}

impl LessonText {
    /// The sentence for the prompt.
    pub fn render(&self) -> String {
        match self {
            Self::Template(template) => template.render(),
            Self::Site(recovery) => recovery.render(),
            Self::Words(text) => text.clone(),
        }
    }

    /// A key that is the same for the same lesson in every process: how equal recoveries find each other.
    pub fn key(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("lesson-{}", short_hash(canonical(&value)))
    }
}

/// What was counted, each at most once a run and site. Offered is not used, and used is not helped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Runs in which it was shown.
    pub offered: u64,
    /// Its failure happened and its way out was taken.
    pub used: u64,
    /// Its way out was taken when it had been shown, after the failure or before it could happen.
    pub followed: u64,
    /// Its way out restored the effect.
    pub helped: u64,
    /// It was followed and did not help.
    pub harmed: u64,
    /// Fields of a newer version, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What one run on one site says about a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The run.
    pub run: RunId,
    /// When it ended.
    #[serde(default)]
    pub at: DateTime<Utc>,
    /// The site; none for a run in which it was only shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Site>,
    /// What it added to the counts.
    #[serde(flatten)]
    pub credit: Credit,
}

/// What a run adds to a lesson's counts on one site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent counts of at most one"
)]
pub struct Credit {
    /// It was shown. At most once a run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offered: bool,
    /// See [`Counts::used`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub used: bool,
    /// See [`Counts::followed`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub followed: bool,
    /// See [`Counts::helped`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub helped: bool,
    /// See [`Counts::harmed`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub harmed: bool,
}

/// Where a lesson was first learned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// In which run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// On which host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// On which kind of page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// Fields of a newer version, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
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
    /// The command it is about, for words; templates say it themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// Part of the error it is about, matched without regard to case; kept for words only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// The domain it is for, subdomains included; kept for words only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// When it was first stored.
    pub created_at: DateTime<Utc>,
    /// When it was last used; being shown is no use.
    pub last_used: DateTime<Utc>,
    /// How often it was shown, used, followed, and what came of it.
    #[serde(default)]
    pub counts: Counts,
    /// Runs in which it was used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs: u64,
    /// Sites where it was used.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub triggered_domains: BTreeSet<Site>,
    /// The last runs that counted for it: a run counts once, however often its changes arrive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Where it was first learned.
    #[serde(default)]
    pub provenance: Provenance,
    /// Up to when runs may have counted that are no longer among the evidence: none of before counts again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_until: Option<DateTime<Utc>>,
    /// The run that promoted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_by: Option<RunId>,
    /// The run after which it was no longer promoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demoted_by: Option<RunId>,
    /// The run after which it was no longer shown, because it harmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_by: Option<RunId>,
    /// What it was in the file it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Original>,
    /// Fields of a newer version, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Lesson {
    /// A lesson that nobody has seen yet.
    pub fn new(
        text: LessonText,
        category: Category,
        source: LessonSource,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            text,
            category,
            source,
            failed_command: None,
            error_pattern: None,
            domain: None,
            created_at: now,
            last_used: now,
            counts: Counts::default(),
            runs: 0,
            triggered_domains: BTreeSet::new(),
            evidence: Vec::new(),
            provenance: Provenance::default(),
            counted_until: None,
            promoted_by: None,
            demoted_by: None,
            retired_by: None,
            original: None,
            extra: Map::new(),
        }
    }

    /// Reads a stored lesson.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] naming the key.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|e| {
            Error::new(ErrorKind::Corrupt, "lesson.read")
                .with("key", &record.key)
                .with_source(e)
        })
    }

    /// The lesson as it is stored.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it cannot be written as JSON.
    pub fn to_record(&self, key: impl Into<String>) -> Result<Record> {
        let body = serde_json::to_value(self)
            .map_err(|e| Error::new(ErrorKind::Corrupt, "lesson.write").with_source(e))?;
        Ok(Record::new(key, &body))
    }

    /// Who vouches for its words. Free text that says it was learned or shipped is not what we write.
    pub const fn trust(&self) -> Trust {
        match (&self.text, self.source) {
            (LessonText::Template(_), _) => Trust::Code,
            (LessonText::Words(_), LessonSource::User) => Trust::User,
            _ => Trust::Page,
        }
    }

    /// Whether it waits for a person: words that nobody vouches for.
    pub const fn needs_review(&self) -> bool {
        matches!(self.text, LessonText::Words(_)) && !matches!(self.source, LessonSource::User)
    }

    /// The command it is about.
    pub fn command(&self) -> Option<&str> {
        match &self.text {
            LessonText::Template(template) => Some(template.command.as_str()),
            LessonText::Site(recovery) => Some(recovery.command.as_str()),
            LessonText::Words(_) => self.failed_command.as_deref(),
        }
    }

    /// How that goes wrong.
    pub const fn trouble(&self) -> Option<Trouble> {
        match &self.text {
            LessonText::Template(template) => Some(template.trouble),
            LessonText::Site(recovery) => Some(recovery.trouble),
            LessonText::Words(_) => None,
        }
    }
}
