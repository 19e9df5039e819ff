//! The manifest of a run (its description in the register), and the record that stores the manifest.

use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use url::Url;

use super::ABANDONED_AFTER;
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, SessionId, fitting, text},
    memory::{MAX_RECORD_BYTES, Record},
    page::PageAddress,
};

/// Maximum size of the goal in a manifest; a longer goal is cut. Unit: bytes of a JSON string. Source: chosen; the
/// texts of a usual manifest together fit into one record.
const MAX_GOAL: usize = 300;
/// Maximum size of the answer in a manifest; a longer answer is cut. Unit: bytes of a JSON string. Source: chosen for
/// the same reason as [`MAX_GOAL`].
const MAX_RESULT: usize = 300;
/// Maximum size of each of these texts in a manifest: the summary of the costs, the reason why the run ended, and the
/// claims that were not proven. Unit: bytes of a JSON string. Source: chosen for the same reason as [`MAX_GOAL`].
const MAX_LINE: usize = 150;
/// Maximum length of the path of a folder or file of the run; a longer path is left out of the manifest. Unit: bytes.
/// Source: chosen for the same reason as [`MAX_GOAL`].
const MAX_PATH: usize = 200;
/// Maximum length of an address in a manifest. A longer address is shortened to the part before its query and fragment.
/// If this part is still too long, the address is left out. Unit: bytes. Source: chosen.
const MAX_URL: usize = 200;
/// Maximum length of an address's fragment, and of each value in its query. A longer one is removed from the address,
/// because it is often a secret token. Unit: bytes. Source: chosen.
const MAX_VALUE: usize = 40;

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// A process is carrying out the run.
    Running,
    /// The run ended with the report that its goal is reached. [`RunManifest::success`] says whether a page showed it.
    Completed,
    /// The run ended in another way. If the model gave up, [`RunManifest::result`] can still hold an answer.
    Failed,
    /// The run did not end, and its process has given no sign of life (heartbeat) for [`ABANDONED_AFTER`].
    Abandoned,
}

impl RunStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::Abandoned,
    ];

    /// Returns the word for the status in files and options, such as `completed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RunStatus {
    type Err = Error;

    /// Parses a word that [`as_str`](Self::as_str) returns.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for any other word.
    fn from_str(text: &str) -> Result<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|status| status.as_str() == text).ok_or_else(|| {
            Error::new(ErrorKind::InvalidInput, "run_status.parse")
                .with("expected", "running, completed, failed or abandoned")
        })
    }
}

/// The description of a run in the register: its goal, addresses, status and result.
///
/// In JSON, its fields have documented names, such as `runId`, so that other programs can read it.
///
/// ```
/// use webwise::{RunId, registry::{RunManifest, RunStatus}};
///
/// let now = "2026-01-02T03:04:05Z".parse().unwrap();
/// let run = RunManifest::new(RunId::parse("run_1")?, "Find the opening hours", now);
/// assert_eq!(run.status_at(now), RunStatus::Running);
/// assert_eq!(run.status_at(now + chrono::TimeDelta::minutes(2)), RunStatus::Abandoned);
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunManifest {
    /// The id of the run.
    #[serde(rename = "runId")]
    pub run: RunId,
    /// The session that the run belongs to.
    #[serde(rename = "sessionId", default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The id of the earlier run that this one continues.
    #[serde(
        rename = "parentRunId",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub parent: Option<RunId>,
    /// The status when the manifest was last written. [`status_at`](Self::status_at) returns the current one.
    pub status: RunStatus,
    /// The goal, without secrets.
    pub goal: String,
    /// The host on which the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Host>,
    /// The address at which the run began. All addresses in a manifest are stored without user name, password and long
    /// query values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_url: Option<String>,
    /// The last known address of the page while the run is going on; `None` once `final_url` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_url: Option<String>,
    /// The address of the page on which the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The time when the run began.
    pub started_at: DateTime<Utc>,
    /// The time of the process's last sign of life (heartbeat), or of the end of the run.
    pub updated_at: DateTime<Utc>,
    /// The time when the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<DateTime<Utc>>,
    /// True if the goal was reached and a page showed it; `None` before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// The cost of the run, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The folders and files that belong to the run. Only the first path of at most 200 bytes is stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifact_paths: Vec<String>,
    /// Number of calls of the model, including failed ones.
    #[serde(default)]
    pub turn_count: u32,
    /// Number of the last step in which an irreversible action was about to be carried out; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irreversible_step: Option<u32>,
    /// The answer, in the model's words. A run that gave up can have one too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The claims of the answer that no page of the run supports, as a list in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
    /// The reason why the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of the current lease. A lease is the right to write the run's data: only the process with this number may
    /// write. The number is 1 at the start and grows each time that a process resumes the run.
    pub lease: u32,
}

impl RunManifest {
    /// Creates the manifest of a run that begins at the time `now`. Secrets in the goal are not replaced.
    pub fn new(run: RunId, goal: &str, now: DateTime<Utc>) -> Self {
        Self {
            run,
            session: None,
            parent: None,
            status: RunStatus::Running,
            goal: line(goal, MAX_GOAL),
            domain: None,
            start_url: None,
            current_url: None,
            final_url: None,
            started_at: now,
            updated_at: now,
            completed_at: None,
            success: None,
            summary: None,
            artifact_paths: Vec::new(),
            turn_count: 0,
            irreversible_step: None,
            result: None,
            unverified: None,
            reason: None,
            lease: 1,
        }
    }

    /// Sets the address at which the run begins, and the host of that address.
    #[must_use]
    pub fn starting_at(self, url: &str) -> Self {
        Self {
            domain: Url::parse(url).ok().and_then(|url| Host::of(&url).ok()),
            start_url: plain(url),
            ..self
        }
    }

    /// Returns the status at the time `now`. A run that has not ended is abandoned if its process has given no sign of
    /// life (heartbeat) for longer than [`ABANDONED_AFTER`].
    pub fn status_at(&self, now: DateTime<Utc>) -> RunStatus {
        let silent = now - self.updated_at;
        match self.status {
            RunStatus::Running
                if silent > TimeDelta::from_std(ABANDONED_AFTER).unwrap_or_default() =>
            {
                RunStatus::Abandoned
            }
            status => status,
        }
    }

    pub(crate) fn at(self, now: DateTime<Utc>) -> Self {
        Self {
            status: self.status_at(now),
            ..self
        }
    }

    /// Returns the last known address of the run, from which another run or process can continue.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, in these cases:
    ///
    /// - No address of the run is known.
    /// - The last known address is not an http or https address.
    /// - That address has a user name or password.
    /// - That address is on another site than the one on which the run began.
    pub fn resume_url(&self) -> Result<Url> {
        let wrong = |why: &str| {
            Error::new(ErrorKind::InvalidInput, "run.place")
                .with("run", &self.run)
                .with("why", why)
        };
        let urls = [&self.final_url, &self.current_url, &self.start_url];
        let url = urls.into_iter().flatten().next();
        let url = url.ok_or_else(|| wrong("it has shown no page to go on from"))?;
        let url = Url::parse(url).map_err(|_| wrong("its last page has no address"))?;
        let host =
            Host::of(&url).map_err(|_| wrong("its last page is not an http or https one"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("the address of its last page has a user name"));
        }
        let is_own =
            |own: &Host| *own == host || (own.site().is_some() && own.site() == host.site());
        if self.domain.as_ref().is_some_and(|own| !is_own(own)) {
            return Err(wrong(
                "its last page is on another site than the one it began on",
            ));
        }
        Ok(url)
    }

    /// Reads a manifest from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not a manifest.
    pub fn from_record(record: &Record) -> Result<Self> {
        let read: serde_json::Result<Self> = serde_json::from_value(record.body.clone());
        let corrupt =
            || Error::new(ErrorKind::Corrupt, "run_manifest.read").with("key", &record.key);
        let manifest = read.map_err(|error| corrupt().with_source(error))?;
        if manifest.run.as_str() == record.key {
            Ok(manifest)
        } else {
            Err(corrupt().with("run", &manifest.run))
        }
    }

    /// Returns the record of the manifest. Texts are cut, and of the artifact paths only the first that is short enough
    /// is kept. If the record would be too large, the least important texts are left out.
    ///
    /// # Errors
    /// `Corrupt` if the manifest cannot be written as JSON.
    pub fn to_record(&self) -> Result<Record> {
        let mut kept = self.cut();
        let shed: [fn(&mut Self); 5] = [
            |kept| kept.summary = None,
            |kept| kept.reason = None,
            |kept| kept.artifact_paths.clear(),
            |kept| (kept.result, kept.unverified) = (None, None),
            |kept| kept.start_url = None,
        ];
        let mut shed = shed.into_iter();
        loop {
            let body = serde_json::to_value(&kept).map_err(|error| {
                Error::new(ErrorKind::Corrupt, "run_manifest.write").with_source(error)
            })?;
            let record = Record::new(kept.run.as_str(), &body);
            match shed.next() {
                Some(shed) if record.size() > MAX_RECORD_BYTES => shed(&mut kept),
                _ => return Ok(record),
            }
        }
    }

    fn cut(&self) -> Self {
        let cut = |said: &Option<String>, max| {
            let said = said.as_ref().map(|said| line(said, max));
            said.filter(|said| !said.is_empty())
        };
        let url = |url: &Option<String>| url.as_ref().and_then(|url| plain(url));
        let paths = self.artifact_paths.iter();
        Self {
            goal: line(&self.goal, MAX_GOAL),
            start_url: url(&self.start_url),
            current_url: url(&self.current_url),
            final_url: url(&self.final_url),
            summary: cut(&self.summary, MAX_LINE),
            artifact_paths: paths
                .filter(|path| path.len() <= MAX_PATH)
                .take(1)
                .cloned()
                .collect(),
            result: cut(&self.result, MAX_RESULT),
            unverified: cut(&self.unverified, MAX_LINE),
            reason: cut(&self.reason, MAX_LINE),
            ..self.clone()
        }
    }
}

/// Returns a text on one line, cut so that it takes at most `max` bytes as a JSON string.
fn line(words: &str, max: usize) -> String {
    fitting(&text::squeeze(&text::clean(words)), max)
}

/// Returns an http or https address without user name and password, and without a long fragment or long values in the
/// query. If the address is still too long, its query and fragment are removed. Returns `None` if the address is too
/// long even then, or if the text is not an http or https address.
fn plain(url: &str) -> Option<String> {
    let mut url = PageAddress::new(url).storable(|_, value| value.len() > MAX_VALUE)?;
    if url.fragment().is_some_and(|part| part.len() > MAX_VALUE) {
        url.set_fragment(None);
    }
    let whole = url.to_string();
    url.set_fragment(None);
    url.set_query(None);
    [whole, url.to_string()]
        .into_iter()
        .find(|url| url.len() <= MAX_URL)
}
