//! `webwise runs`: lists past runs, and shows what happened in one.
//!
//! The list comes from the register of runs, which is kept beside memory. What happened in a run is in its folder.

mod list;
mod show;

use std::sync::Arc;

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
const LAST: &str = "last";

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

    /// Returns the register itself.
    pub(super) const fn runs(&self) -> &RunRegistry<Arc<dyn MemoryBackend>> {
        &self.0
    }
}

/// Returns the run that is meant among these, newest first.
fn named(known: Vec<RunManifest>, run: &str) -> Result<RunManifest, Refusal> {
    let is_meant = |known: &RunManifest| run == LAST || known.run.as_str().starts_with(run);
    let mut found: Vec<RunManifest> = known.into_iter().filter(is_meant).collect();
    if run == LAST {
        found.truncate(1);
    }
    if let Some(exact) = found.iter().position(|known| known.run.as_str() == run) {
        return Ok(found.swap_remove(exact));
    }
    match found.as_slice() {
        [_] => Ok(found.swap_remove(0)),
        [] => Err(Refusal::usage(format!(
            "no run {run} is known: `webwise runs` lists them"
        ))),
        [first, second, ..] => Err(Refusal::usage(format!(
            "{run} could be {} or {}: give more of it",
            first.run, second.run
        ))),
    }
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
