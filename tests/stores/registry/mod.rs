//! The register of runs: what it lists, who may go on with a run, and what a loop writes into it.
//!
//! ```text
//! listed    lists, statuses, lineages, bounds, forgetting
//! leases    who may write a run, with several stores over one folder and with two loops
//! looped    what a loop writes, and what a run that continues another reads
//! ```

mod leases;
mod listed;
mod looped;

use chrono::{DateTime, TimeDelta, Utc};
use webwise::{RunId, SessionId, registry::RunManifest};

const NOW: &str = "2026-01-02T03:04:05Z";

/// The time so many minutes after the beginning.
fn at(minutes: i64) -> DateTime<Utc> {
    NOW.parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minutes)
}

fn id(run: &str) -> RunId {
    RunId::parse(run).unwrap()
}

/// A run that begins at this minute.
fn begun(run: &str, minute: i64, url: &str, session: Option<&str>) -> RunManifest {
    let mut manifest = RunManifest::new(id(run), "Find the price", at(minute)).starting_at(url);
    manifest.session = session.map(|session| SessionId::parse(session).unwrap());
    manifest
}
