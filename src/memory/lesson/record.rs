//! A lesson as it is stored.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Counted, FailureKind, SiteRecovery, Template};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site, Trust, canonical, short_hash},
    memory::{Advice, Record, Uses},
    page::PageTemplate,
};

/// Maximum number of entries of evidence that one lesson keeps, and of sites that it lists. Source: chosen; promotion
/// needs 5 runs and 3 sites, and a record may have 2 KiB.
pub const MAX_EVIDENCE: usize = 12;

/// The kind of advice that a lesson gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Another tool to use in place of the tool that fails.
    ToolFallback,
    /// Advice for every run.
    BestPractice,
    /// A recovery from one kind of failure.
    ErrorRecovery,
    /// Advice for one site.
    SiteSpecific,
}

impl Credit {
    /// Returns true if the lesson was used or followed, and false if it was only shown.
    pub const fn tells(self) -> bool {
        self.used || self.followed
    }
}

impl Category {
    /// Every category of lessons.
    pub const ALL: [Self; 4] = [
        Self::ToolFallback,
        Self::BestPractice,
        Self::ErrorRecovery,
        Self::SiteSpecific,
    ];

    /// Returns the word that events and files use for the category.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolFallback => "tool_fallback",
            Self::BestPractice => "best_practice",
            Self::ErrorRecovery => "error_recovery",
            Self::SiteSpecific => "site_specific",
        }
    }

    /// Returns true if lessons of this category are part of the system instruction, unless they apply to one domain
    /// only.
    pub const fn is_tier_1(self) -> bool {
        matches!(self, Self::ToolFallback | Self::BestPractice)
    }
}

/// Origin of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonSource {
    /// The lesson is shipped with the crate. It is kept even if it is unused or the shelf is full.
    Seed,
    /// The lesson was learned from runs.
    Learned,
    /// A person wrote or accepted the lesson.
    User,
    /// The lesson was imported, and no person has accepted it since.
    Imported,
}

impl LessonSource {
    /// Returns the word that files use for the source.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Learned => "learned",
            Self::User => "user",
            Self::Imported => "imported",
        }
    }
}

/// The text of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonText {
    /// A sentence that this crate builds from fixed sets of words.
    Template(Template),
    /// A sentence that this crate builds for one host. It contains names that the host's pages wrote.
    Site(SiteRecovery),
    /// Free text that a person wrote or accepted, or that was imported. Imported text is cut to the form that a prompt
    /// shows.
    Words(String),
}

impl LessonText {
    /// Returns the text that a prompt shows.
    pub fn render(&self) -> String {
        match self {
            Self::Template(template) => template.render(),
            Self::Site(recovery) => recovery.render(),
            Self::Words(text) => text.clone(),
        }
    }

    /// Returns a key that is computed from the text. Equal texts have equal keys.
    pub fn key(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("lesson-{}", short_hash(canonical(&value)))
    }
}

/// The counts of a lesson. All counts except `offered` are numbers of cases. A case is one run on one site, however
/// often the run used the lesson there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Number of runs in which the lesson was shown.
    pub offered: u64,
    /// Number of cases in which the failure happened and the run then carried out the lesson's recovery, or began it
    /// after the lesson was shown. For a lesson that names no failure: number of cases in which it was followed. For a
    /// lesson in free text: number of cases in which the text was shown after a failure of its command.
    pub used: u64,
    /// Number of cases in which the lesson was shown and the run then began its recovery after the failure, or tried to
    /// prevent the failure by it.
    pub followed: u64,
    /// Number of cases in which the lesson's recovery restored the effect of the failed action, or prevented the
    /// failure.
    pub helped: u64,
    /// Number of cases in which the lesson was followed and did not help.
    pub harmed: u64,
    /// Fields of the stored counts that a newer version of this crate wrote. They are kept unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Counts {
    /// Returns the counts in the form that all kinds of memory share. In this form, `used` also counts the cases in which
    /// the recovery was carried out in advance, to prevent the failure.
    pub fn uses(&self) -> Uses {
        Uses {
            shown: self.offered,
            // Each use either helped or harmed, except for a person's words, of which the result is unknown.
            used: self.used.max(self.helped.saturating_add(self.harmed)),
            helped: self.helped,
            harmed: self.harmed,
        }
    }
}

/// Evidence for a lesson: what one run on one site adds to the lesson's counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The run.
    pub run: RunId,
    /// The time when the run ended.
    #[serde(default)]
    pub at: DateTime<Utc>,
    /// The site on which the evidence was found; `None` if the lesson was only shown in the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Site>,
    /// The hosts of the site on which the evidence was found; empty if unknown, as in records of earlier versions.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<Host>,
    /// The amounts that the run adds to the lesson's counts.
    #[serde(flatten)]
    pub credit: Credit,
}

/// The amounts by which one run raises a lesson's counts on one site. A field that is true raises its count by 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent counts of at most one"
)]
pub struct Credit {
    /// True if the lesson was shown in the run. It is true for at most one site of a run, so that a run adds at most 1 to
    /// [`Counts::offered`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offered: bool,
    /// True if the run adds 1 to [`Counts::used`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub used: bool,
    /// True if the run adds 1 to [`Counts::followed`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub followed: bool,
    /// True if the run adds 1 to [`Counts::helped`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub helped: bool,
    /// True if the run adds 1 to [`Counts::harmed`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub harmed: bool,
}

/// The run, host and page from which a lesson was learned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The run that taught the lesson; `None` if no run taught it, or if that run was undone or its site
    /// forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The host on which the lesson was learned; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// The kind of page on which the lesson was learned; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// Fields of the stored value that a newer version of this crate wrote. They are kept unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A lesson as it is stored, with its counts and the evidence for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lesson {
    /// The text of the lesson.
    pub text: LessonText,
    /// The category of the lesson.
    pub category: Category,
    /// The origin of the lesson.
    pub source: LessonSource,
    /// The command that the lesson is about. Only used if the lesson's text is [`LessonText::Words`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// The text that the error message must contain, ignoring case. Only used if the lesson's text is [`LessonText::Words`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// The domain to which the lesson applies, with its subdomains. Only used if the lesson's text is [`LessonText::Words`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The time when the lesson was created. For a learned lesson, this is the end of the run that taught it. For an
    /// imported lesson, it is the time that the imported file states, if any.
    pub created_at: DateTime<Utc>,
    /// The time when the lesson was last used, or when it was created or a person accepted it, if that is later. Being
    /// shown is not a use.
    pub last_used: DateTime<Utc>,
    /// The counts of the lesson: how often it was shown, used and followed, and how often it helped and harmed.
    #[serde(default)]
    pub counts: Counts,
    /// Number of runs in which the lesson was used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs: u64,
    /// Sites where the lesson was used, at most [`MAX_EVIDENCE`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub triggered_domains: BTreeSet<Site>,
    /// The latest evidence for the counts, at most one entry for each pair of run and site.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// The run, host and page from which the lesson was learned.
    #[serde(default)]
    pub provenance: Provenance,
    /// The latest runs that the lesson has counted and whose evidence was dropped. They are not counted again.
    #[serde(default, skip_serializing_if = "Counted::is_empty")]
    pub counted: Counted,
    /// The end of the latest run that has been dropped from both `evidence` and `counted`. A run that ended at that
    /// time or earlier is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_until: Option<DateTime<Utc>>,
    /// The run that led to the promotion of the lesson to the system instruction; `None` if the lesson is not promoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_by: Option<RunId>,
    /// The run that led to the lesson's demotion from the system instruction; `None` if the lesson was never demoted,
    /// or was promoted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demoted_by: Option<RunId>,
    /// The run after which the lesson was retired; `None` if it is not retired. A retired lesson is not shown, because it
    /// did harm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_by: Option<RunId>,
    /// The original values of the lesson's entry in a file `memory.json`; `None` if the lesson was not imported from such a
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Original>,
    /// Fields of the stored lesson that a newer version of this crate wrote. They are kept unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The values of an imported entry that the lesson's other fields do not keep in their original form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Original {
    /// The text of the imported entry, if it differs from the text of this lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The command that fails, as the entry names it. Stored only for a seed (a lesson that ships with this crate).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// The text that the error message must contain, as the entry states it. Stored only for a seed (a lesson that
    /// ships with this crate).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// The source that the entry states: `seed`, `learned` or `user`.
    pub source: String,
    /// The number of uses that the file states; for several files, the largest. The lesson's own count includes these
    /// uses.
    pub use_count: u64,
    /// The domains where the lesson was useful, in the spelling and order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggered_domains: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Lesson {
    /// Creates a lesson with all counts at zero.
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
            counted: Counted::default(),
            counted_until: None,
            promoted_by: None,
            demoted_by: None,
            retired_by: None,
            original: None,
            extra: Map::new(),
        }
    }

    /// Creates a lesson in the words of a person, for one host or for all sites.
    ///
    /// # Errors
    /// `InvalidInput` if a prompt could not show the words as they are.
    pub fn of_user(words: &str, host: Option<&Host>, now: DateTime<Utc>) -> Result<Self> {
        if words.is_empty() || Advice::shown(words) != words {
            return Err(Error::new(ErrorKind::InvalidInput, "lesson.of_user")
                .with("why", "a prompt cannot show these words as they are")
                .with("words", words));
        }
        let category = match host {
            Some(_) => Category::SiteSpecific,
            None => Category::BestPractice,
        };
        let text = LessonText::Words(words.to_owned());
        Ok(Self {
            domain: host.map(|host| host.name().to_owned()),
            ..Self::new(text, category, LessonSource::User, now)
        })
    }

    /// Reads a stored lesson.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`], with the key, if the body is not a lesson.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|e| {
            Error::new(ErrorKind::Corrupt, "lesson.read")
                .with("key", &record.key)
                .with_source(e)
        })
    }

    /// Returns the lesson as a record.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if the lesson cannot be written as JSON.
    pub fn to_record(&self, key: impl Into<String>) -> Result<Record> {
        let body = serde_json::to_value(self)
            .map_err(|e| Error::new(ErrorKind::Corrupt, "lesson.write").with_source(e))?;
        Ok(Record::new(key, &body))
    }

    /// Returns the trust class of the lesson's text. A template is this crate's own text. Free text is the user's if a
    /// person wrote or accepted it. All other text counts as a page's.
    pub const fn trust(&self) -> Trust {
        match (&self.text, self.source) {
            (LessonText::Template(_), _) => Trust::Code,
            (LessonText::Words(_), LessonSource::User) => Trust::User,
            _ => Trust::Page,
        }
    }

    /// Returns true if the lesson waits for review: it is free text that no person has accepted, or an imported recovery
    /// that names elements of pages.
    pub const fn needs_review(&self) -> bool {
        match self.text {
            LessonText::Words(_) => !matches!(self.source, LessonSource::User),
            LessonText::Site(_) => matches!(self.source, LessonSource::Imported),
            LessonText::Template(_) => false,
        }
    }

    /// Returns the command that the lesson is about; `None` for free text that was stored without a command.
    pub fn command(&self) -> Option<&str> {
        match &self.text {
            LessonText::Template(template) => Some(template.command.as_str()),
            LessonText::Site(recovery) => Some(recovery.command.as_str()),
            LessonText::Words(_) => self.failed_command.as_deref(),
        }
    }

    /// Returns the kind of failure that the lesson is about; `None` for free text.
    pub const fn trouble(&self) -> Option<FailureKind> {
        match &self.text {
            LessonText::Template(template) => Some(template.trouble),
            LessonText::Site(recovery) => Some(recovery.trouble),
            LessonText::Words(_) => None,
        }
    }
}
