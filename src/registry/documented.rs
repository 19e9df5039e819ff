//! Runs from another program's memory folder, whose format is documented.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{MAX_RUNS, RunManifest, RunStatus, manifest_shelf};
use crate::{
    base::{Host, RunId, SessionId},
    memory::{
        Namespace, Record,
        agent_memory::{Folder, item, left_out, quoted},
        archive::Archive,
    },
};

/// The reason that is stored for a run whose file says that it is still going on.
const NOT_ENDED: &str = "it had not ended when it was imported";

/// A run in the format of the folder.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    run_id: RunId,
    #[serde(default)]
    session_id: Option<SessionId>,
    #[serde(default)]
    parent_run_id: Option<RunId>,
    status: String,
    goal: String,
    domain: String,
    #[serde(default)]
    start_url: Option<String>,
    #[serde(default)]
    final_url: Option<String>,
    #[serde(default)]
    current_url: Option<String>,
    started_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    #[serde(default)]
    completed_at: Option<DateTime<Utc>>,
    #[serde(default)]
    success: Option<bool>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    artifact_paths: Vec<String>,
    #[serde(default)]
    turn_count: u32,
    #[serde(default)]
    result: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// Converts the runs of a documented folder to an archive with the register's shelf of this namespace: at most [`MAX_RUNS`], the newest. A run that had not ended is taken as
/// failed, because no process of this program carries it out.
pub fn archived(folder: &Folder, namespace: &Namespace, now: DateTime<Utc>) -> Archive {
    let mut out = Archive::default();
    let mut runs = Vec::new();
    for (path, document) in &folder.runs {
        match item::<Entry>(document).map(|entry| entry.manifest(now)) {
            Ok(run) => runs.push(run),
            Err(why) => out.problems.push(format!("{}: {why}", quoted(path))),
        }
    }
    runs.sort_by(|one, other| (other.started_at, &other.run).cmp(&(one.started_at, &one.run)));
    runs.dedup_by(|one, other| one.run == other.run);
    let over = folder.runs.len() - out.problems.len() - runs.len().min(MAX_RUNS);
    let why = format!("it is there twice, or not among the newest {MAX_RUNS}");
    out.problems.extend(left_out(over, "run", &why));
    runs.truncate(MAX_RUNS);
    let records = runs.iter().filter_map(|run| run.to_record().ok());
    let mut records: Vec<Record> = records.collect();
    records.sort_by(|a, b| a.key.cmp(&b.key));
    if !records.is_empty() {
        out.shelves.push((manifest_shelf(namespace), records));
    }
    out
}

impl Entry {
    fn manifest(self, now: DateTime<Utc>) -> RunManifest {
        let status = match &*self.status {
            "completed" => RunStatus::Completed,
            _ => RunStatus::Failed,
        };
        let is_ended = matches!(&*self.status, "completed" | "failed");
        let started_at = self.started_at.min(now);
        let run = RunManifest::new(self.run_id, &self.goal, started_at);
        let of_address = self.start_url.or_else(|| self.final_url.clone());
        let run = match &of_address {
            Some(url) => run.starting_at(url),
            None => RunManifest {
                domain: Host::of_domain(&self.domain).ok(),
                ..run
            },
        };
        RunManifest {
            session: self.session_id,
            parent: self.parent_run_id,
            status,
            current_url: self.current_url.filter(|_| self.final_url.is_none()),
            final_url: self.final_url,
            updated_at: self.updated_at.min(now),
            completed_at: self.completed_at.map(|at| at.min(now)),
            success: self.success.filter(|_| is_ended),
            summary: self.summary,
            artifact_paths: self.artifact_paths,
            turn_count: self.turn_count,
            result: self.result,
            reason: self
                .reason
                .or_else(|| (!is_ended).then(|| NOT_ENDED.to_owned())),
            ..run
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::ErrorKind;

    #[test]
    fn a_run_of_the_folder_is_listed_and_another_run_can_go_on_from_its_page() {
        let now = "2026-03-11T00:00:00Z".parse().unwrap();
        let run = |id: &str, status: &str, at: &str| {
            json!({
                "runId": id, "sessionId": "proj_123", "status": status, "goal": "Build a todo app",
                "domain": "example.com", "startUrl": "https://example.com",
                "finalUrl": "https://example.com/project/123", "startedAt": at, "updatedAt": at,
                "success": true, "artifactPaths": [], "turnCount": 8
            })
        };
        let mut folder = Folder::default();
        let files = [
            ("a", run("run_1", "completed", "2026-03-10T00:00:00Z")),
            ("b", run("run_2", "running", "2027-01-01T00:00:00Z")),
            // A newer file of the same run.
            ("c", run("run_1", "failed", "2026-03-10T00:00:00Z")),
            ("d", json!({ "runId": "run 4" })),
        ];
        for (path, document) in files {
            folder.runs.insert(path.to_owned(), document);
        }
        let Archive { shelves, problems } = archived(&folder, &Namespace::default(), now);
        let [(_, records)] = &shelves[..] else {
            panic!("{shelves:?}")
        };
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("d: left out: "), "{problems:?}");
        let runs: Vec<RunManifest> = records
            .iter()
            .map(|record| RunManifest::from_record(record).unwrap())
            .collect();
        let [one, other] = &runs[..] else {
            panic!("{runs:?}")
        };
        assert_eq!(
            (one.status, one.success),
            (RunStatus::Completed, Some(true))
        );
        assert_eq!(
            one.resume_url().unwrap().path(),
            "/project/123",
            "a new run goes on there"
        );
        assert_eq!(
            one.may_resume(now).unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
        assert_eq!(
            (other.status, other.started_at, other.reason.as_deref()),
            (RunStatus::Failed, now, Some(NOT_ENDED))
        );
    }
}
