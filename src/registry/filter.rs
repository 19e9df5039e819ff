//! Selects runs from the register, for example by host or status.

use chrono::{DateTime, Utc};

use super::{RunManifest, RunStatus};
use crate::{
    base::{Host, SessionId},
    memory::Record,
};

/// A selection of runs. A field that is `None` does not restrict the selection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunFilter {
    /// Selects only runs that began on this host or on a subdomain of it.
    pub domain: Option<Host>,
    /// Selects only runs of this session.
    pub session: Option<SessionId>,
    /// Selects only runs with this status.
    pub status: Option<RunStatus>,
    /// Maximum number of runs; the newest are selected.
    pub limit: Option<usize>,
}

impl RunFilter {
    /// Returns the selected runs, newest first, each with its status at the time `now`. Records that are not manifests
    /// are left out.
    pub fn select(&self, records: &[Record], now: DateTime<Utc>) -> Vec<RunManifest> {
        let manifests = records
            .iter()
            .filter_map(|record| RunManifest::from_record(record).ok());
        let mut runs: Vec<RunManifest> = manifests
            .map(|run| run.at(now))
            .filter(|run| self.selects(run))
            .collect();
        runs.sort_by(|one, other| (other.started_at, &other.run).cmp(&(one.started_at, &one.run)));
        runs.truncate(self.limit.unwrap_or(usize::MAX));
        runs
    }

    fn selects(&self, run: &RunManifest) -> bool {
        let is_below = |host: &Host| {
            let own = run.domain.as_ref();
            own.is_some_and(|own| own.and_above().contains(host))
        };
        self.domain.as_ref().is_none_or(is_below)
            && (self.session.is_none() || self.session == run.session)
            && self.status.is_none_or(|status| status == run.status)
    }
}
