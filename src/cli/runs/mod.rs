//! `webwise runs`: lists past runs, and shows what happened in one.
//!
//! The list comes from the register of runs, which is kept beside memory. What happened in a run is in its folder.

mod list;
mod show;

use std::{path::Path, sync::Arc};

use chrono::Utc;
use clap::{Args, Subcommand};

pub(super) use self::show::{folder, write_report};
use super::{Refusal, memory_place::MemoryPlace};
use crate::{
    Error, MemoryBackend,
    base::RunId,
    registry::{RunFilter, RunManifest},
    store::RunRegistry,
};

/// The word that selects the newest run.
pub(super) const LAST: &str = "last";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct RunsArgs {
    #[command(subcommand)]
    command: Option<RunsCommand>,
    #[command(flatten)]
    list: list::ListArgs,
    #[command(flatten)]
    place: MemoryPlace,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// Write the report of a run as one HTML file in the run's folder, and print its path.
    Show(show::ShowArgs),
}

pub(super) async fn run(args: &RunsArgs) -> Result<(), Refusal> {
    let runs = Register::open(&args.place, args.place.open()?);
    match &args.command {
        None => list::run(&runs, &args.list).await,
        Some(RunsCommand::Show(own)) => show::run(&runs, own).await,
    }
}

/// The register of runs beside memory.
#[derive(Debug)]
pub(super) struct Register(RunRegistry<Arc<dyn MemoryBackend>>);

impl Register {
    /// Opens the register in a store of memory.
    pub(super) fn open(place: &MemoryPlace, store: impl MemoryBackend + 'static) -> Self {
        Self(RunRegistry::new(Arc::new(store), place.namespace()))
    }

    /// Returns the run that is meant by its id, an unambiguous beginning of it, or `last`.
    pub(super) async fn find(&self, run: &str) -> Result<RunManifest, Refusal> {
        let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
        named(known, run)
    }

    /// Returns the id of the run that is meant by its id, an unambiguous beginning of it, or `last`. Looks in the
    /// register and among the run folders. Returns the given id itself if it is in neither, because memory may know
    /// such runs.
    pub(super) async fn meant(&self, run: &str, runs_dir: &Path) -> Result<RunId, Refusal> {
        let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
        let mut ids: Vec<String> = known
            .into_iter()
            .map(|known| known.run.as_str().to_owned())
            .collect();
        ids.extend(show::found(run, runs_dir).unwrap_or_default());
        let id = one_of(ids, run)?;
        if id.is_none() && run == LAST {
            return Err(Refusal::usage("no run is known: give its id"));
        }
        RunId::parse(id.as_deref().unwrap_or(run)).map_err(|_| {
            Refusal::usage(format!(
                "{run} is no run: use `last`, or an id of 1 to 64 letters, digits, `_` or `-`"
            ))
        })
    }

    /// Returns the register itself.
    pub(super) const fn runs(&self) -> &RunRegistry<Arc<dyn MemoryBackend>> {
        &self.0
    }
}

/// Returns the id that is meant among these, newest first; `None` if there is none.
fn one_of(mut ids: Vec<String>, run: &str) -> Result<Option<String>, Refusal> {
    ids.retain(|id| run == LAST || id.starts_with(run));
    if run == LAST {
        ids.truncate(1);
    }
    if let Some(exact) = ids.iter().position(|id| id == run) {
        return Ok(Some(ids.swap_remove(exact)));
    }
    let first = ids.first().cloned();
    match ids.iter().find(|id| Some(*id) != first.as_ref()) {
        Some(second) => Err(Refusal::usage(format!(
            "{run} could be {} or {second}: give more of it",
            first.unwrap_or_default()
        ))),
        None => Ok(first),
    }
}

/// Returns the run that is meant among these, newest first.
fn named(mut known: Vec<RunManifest>, run: &str) -> Result<RunManifest, Refusal> {
    let ids = known.iter().map(|known| known.run.as_str().to_owned());
    let meant = one_of(ids.collect(), run)?;
    let at = known
        .iter()
        .position(|known| meant.as_deref() == Some(known.run.as_str()));
    at.map(|at| known.swap_remove(at))
        .ok_or_else(|| Refusal::usage(format!("no run {run} is known: `webwise runs` lists them")))
}

/// Returns the error of a run that cannot be resumed or continued, as one sentence.
pub(super) fn cannot_go_on(run: &RunId, error: Error) -> Refusal {
    match error.said("why") {
        Some(why) => Refusal::usage(format!("{run} cannot be continued: {why}")),
        None => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_meant_by_its_id_its_beginning_or_as_the_last_one() {
        let known = || {
            let ids = ["run_2", "run_1b", "run_1a", "run_1"];
            let at = "2026-01-02T03:04:05Z".parse().unwrap();
            ids.map(|id| RunManifest::new(RunId::parse(id).unwrap(), "x", at))
                .to_vec()
        };
        for (run, id) in [
            (LAST, "run_2"),
            ("run_2", "run_2"),
            ("run_1", "run_1"),
            ("run_1a", "run_1a"),
        ] {
            assert_eq!(named(known(), run).unwrap().run.as_str(), id);
        }
        for bad in ["run_", "run_3", ""] {
            assert_eq!(named(known(), bad).unwrap_err().code(), 2, "{bad}");
        }
        assert_eq!(named(Vec::new(), LAST).unwrap_err().code(), 2);
    }
}
