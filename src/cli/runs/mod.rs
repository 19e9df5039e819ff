//! `webwise runs`: lists past runs, and shows what happened in one.
//!
//! The list comes from the register of runs, which is stored with memory. The steps of a run are read from its run folder.

mod list;
mod show;

use std::{
    cmp::Reverse,
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use chrono::Utc;
use clap::{Args, Subcommand};

pub(super) use self::show::write_report;
use super::{Refusal, memory_place::MemoryPlace};
use crate::{
    Error, MemoryBackend,
    base::{RunId, text::counted},
    registry::{RunFilter, RunManifest},
    report::RunRecord,
    store::RunRegistry,
};

/// The word that selects the newest run in place of an id.
pub(super) const LAST: &str = "last";
/// The folder that contains the run folders, unless the person names another one.
pub(super) const RUNS_DIR: &str = "runs";
/// Words that mean the register of runs, for messages about runs that the register does not contain.
pub(super) const REGISTER: &str = "this memory's register, which keeps the last 100 runs";
/// Maximum number of runs that an error lists if a beginning of an id fits several runs. Source: chosen.
const MAX_LISTED: usize = 5;

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
    /// List runs, newest first, as `runs` alone does.
    List(list::ListArgs),
    /// Write the report of a run as one HTML file in the run's folder, and print its path.
    Show(show::ShowArgs),
}

pub(super) async fn run(args: &RunsArgs) -> Result<(), Refusal> {
    let runs = Register::open(&args.place, args.place.open()?);
    match &args.command {
        None => list::run(&runs, &args.place, &args.list).await,
        Some(RunsCommand::List(own)) => list::run(&runs, &args.place, own).await,
        Some(RunsCommand::Show(own)) => {
            args.place.checked(show::run(&runs, &args.place, own).await)
        }
    }
}

#[derive(Debug)]
pub(super) struct Register(RunRegistry<Arc<dyn MemoryBackend>>);

impl Register {
    pub(super) fn open(place: &MemoryPlace, store: impl MemoryBackend + 'static) -> Self {
        Self(RunRegistry::new(Arc::new(store), place.namespace()))
    }

    /// Looks up a run in the register. `run` is the id of the run, an unambiguous beginning of the id, or `last`.
    pub(super) async fn find(&self, run: &str) -> Result<RunManifest, Refusal> {
        let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
        named(known, run)
    }

    /// Returns the id of the run that `run` names: an id, an unambiguous beginning of one, or `last`. Searches the register
    /// and the run folders. `last` is the last run in `runs_dir`; if `runs_dir` is `None`, the last run of the register.
    /// If an id is not found, returns it all the same, because memory may contain items from runs that are no longer recorded.
    pub(super) async fn meant(&self, run: &str, runs_dir: Option<&Path>) -> Result<RunId, Refusal> {
        let mut ids: Vec<String> = Vec::new();
        if run != LAST || runs_dir.is_none() {
            let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
            ids.extend(known.iter().map(|known| known.run.as_str().to_owned()));
        }
        // If nobody named the folder, its last run may be a run of another memory.
        if run != LAST || runs_dir.is_some() {
            let here = folders_in(runs_dir.unwrap_or(Path::new(RUNS_DIR)));
            ids.extend(here.iter().flatten().map(|folder| name(folder)));
        }
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

    /// Returns the folder of the run that `run` names: a path, an id, an unambiguous beginning of one, or `last`.
    /// Searches for the run in the folders that [`folders`](Self::folders) returns. If `runs_dir` contains no run with
    /// the id, uses the folder that the register names for this run.
    pub(super) async fn folder(
        &self,
        run: &str,
        runs_dir: Option<&Path>,
    ) -> Result<PathBuf, Refusal> {
        if run.contains(std::path::MAIN_SEPARATOR) && RunRecord::is_at(run) {
            return Ok(absolute(Path::new(run)));
        }
        let mut all = self.folders(runs_dir).await?;
        let mut meant = one_of(all.iter().map(|folder| name(folder)).collect(), run)?;
        if meant.is_none() && runs_dir.is_some() && run != LAST {
            all = self.registered().await?;
            meant = one_of(all.iter().map(|folder| name(folder)).collect(), run)?;
        }
        let folder = all
            .into_iter()
            .find(|folder| meant.as_deref() == Some(&name(folder)));
        folder.ok_or_else(|| {
            let which = if run == LAST {
                String::new()
            } else {
                format!(" {run}")
            };
            Refusal::usage(format!("there is no run{which} in {}", looked_in(runs_dir)))
        })
    }

    /// Returns the same folder as [`folder`](Self::folder), except that `last` is the last run of the register if `runs_dir`
    /// is `None`.
    pub(super) async fn own_folder(
        &self,
        run: &str,
        runs_dir: Option<&Path>,
    ) -> Result<PathBuf, Refusal> {
        if run != LAST {
            return self.folder(run, runs_dir).await;
        }
        match self.own_folders(runs_dir).await? {
            (own, left_out) if own.is_empty() && left_out > 0 => Err(Refusal::usage(format!(
                "{REGISTER}, has none of the {} in {RUNS_DIR}: give the id of one",
                counted(left_out, "run folder")
            ))),
            (own, _) if own.is_empty() => self.folder(run, runs_dir).await,
            (mut own, _) => Ok(own.swap_remove(0)),
        }
    }

    /// Returns the folders of all runs in `runs_dir`, newest run first. If `runs_dir` is `None`, returns the run folders
    /// that the register names and those in [`RUNS_DIR`].
    pub(super) async fn folders(&self, runs_dir: Option<&Path>) -> Result<Vec<PathBuf>, Refusal> {
        let mut all = match runs_dir {
            Some(_) => Vec::new(),
            None => self.registered().await?,
        };
        match folders_in(runs_dir.unwrap_or(Path::new(RUNS_DIR))) {
            Ok(here) => all.extend(here),
            Err(error) if all.is_empty() => {
                return Err(Refusal::usage(format!(
                    "no runs can be read in {} ({error}): name the folder with --runs-dir",
                    looked_in(runs_dir)
                )));
            }
            Err(_) => {}
        }
        newest_first(&mut all);
        all.dedup_by_key(|folder| name(folder));
        Ok(all)
    }

    /// Returns the folders of the runs that are in the register, newest first, and the number of other run folders in
    /// [`RUNS_DIR`]. If `runs_dir` names a folder, returns all run folders in it, and 0.
    pub(super) async fn own_folders(
        &self,
        runs_dir: Option<&Path>,
    ) -> Result<(Vec<PathBuf>, usize), Refusal> {
        let all = self.folders(runs_dir).await?;
        if runs_dir.is_some() {
            return Ok((all, 0));
        }
        let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
        let is_own = |folder: &PathBuf| {
            let id = name(folder);
            known.iter().any(|known| known.run.as_str() == id)
        };
        let (own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_own);
        Ok((own, others.len()))
    }

    /// Returns true if the register contains the run of this record. Takes the run's id from the first event, because the
    /// folder may be a copy with another name.
    pub(super) async fn has(&self, folder: &Path, record: &RunRecord) -> Result<bool, Refusal> {
        let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
        let event = record.events.first();
        let id = event.map_or_else(|| name(folder), |event| event.run.as_str().to_owned());
        Ok(known.iter().any(|known| known.run.as_str() == id))
    }

    /// Returns the run folders that the register names and that still exist.
    async fn registered(&self) -> Result<Vec<PathBuf>, Refusal> {
        let known = self.0.list(&RunFilter::default(), Utc::now()).await?;
        let paths = known.into_iter().flat_map(|run| run.artifact_paths);
        let paths = paths.map(PathBuf::from);
        Ok(paths.filter(|path| RunRecord::is_at(path)).collect())
    }

    pub(super) const fn runs(&self) -> &RunRegistry<Arc<dyn MemoryBackend>> {
        &self.0
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the run folders in a folder. The folder of the newest run comes first.
fn folders_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(absolute(dir))?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders: Vec<PathBuf> = paths.filter(|path| RunRecord::is_at(path)).collect();
    newest_first(&mut folders);
    Ok(folders)
}

/// Sorts run folders so that the folder of the newest run comes first. The name of a run folder is the id of the run, and
/// the id begins with the time at which the run started.
fn newest_first(folders: &mut [PathBuf]) {
    folders.sort_by_key(|folder| Reverse(name(folder)));
}

/// Returns the name of a run folder, which is the id of its run.
fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the folders in which [`Register::folders`] looks, worded as the end of a sentence such as "there is no such run
/// in ...".
pub(super) fn looked_in(runs_dir: Option<&Path>) -> String {
    let dir = runs_dir.unwrap_or(Path::new(RUNS_DIR));
    let dir = absolute(dir);
    match runs_dir {
        Some(_) => dir.display().to_string(),
        None => format!(
            "{}, nor in a folder that the register of runs names",
            dir.display()
        ),
    }
}

/// Returns the id that `run` names among `ids`, which are sorted newest first; `None` if `run` names none of them. Fails if
/// `run` is the beginning of several ids.
fn one_of(mut ids: Vec<String>, run: &str) -> Result<Option<String>, Refusal> {
    ids.retain(|id| run == LAST || id.starts_with(run));
    if run == LAST {
        ids.truncate(1);
    }
    if let Some(exact) = ids.iter().position(|id| id == run) {
        return Ok(Some(ids.swap_remove(exact)));
    }
    let mut listed = BTreeSet::new();
    ids.retain(|id| listed.insert(id.clone()));
    if ids.len() < 2 {
        return Ok(ids.pop());
    }
    let more = ids.len().saturating_sub(MAX_LISTED);
    ids.truncate(MAX_LISTED);
    let last = if more > 0 {
        format!("{more} more")
    } else {
        ids.pop().unwrap_or_default()
    };
    Err(Refusal::usage(format!(
        "{run} could be {} or {last}: give more of it",
        ids.join(", ")
    )))
}

/// Returns the run that `run` names among `known`, which are sorted newest first. Fails if `run` names none of them or is
/// the beginning of several ids.
fn named(mut known: Vec<RunManifest>, run: &str) -> Result<RunManifest, Refusal> {
    let ids = known.iter().map(|known| known.run.as_str().to_owned());
    let meant = one_of(ids.collect(), run)?;
    let at = known
        .iter()
        .position(|known| meant.as_deref() == Some(known.run.as_str()));
    at.map(|at| known.swap_remove(at)).ok_or_else(|| {
        Refusal::usage(if run == LAST {
            "no run is known here: `webwise runs` lists the runs of a memory folder".to_owned()
        } else {
            format!("no run {run} is known: `webwise runs` lists them")
        })
    })
}

pub(super) fn cannot_go_on(run: &RunId, error: Error) -> Refusal {
    match error.said("why") {
        Some(why) => Refusal::usage(format!("{run} cannot be continued: {why}")),
        None => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{registry::MAX_RUNS, store::InMemory};

    #[test]
    fn a_message_about_the_register_tells_its_real_size() {
        assert!(REGISTER.contains(&format!("last {MAX_RUNS} runs")));
    }

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

    #[test]
    fn the_runs_that_a_beginning_could_mean_are_listed_each_once() {
        let refused = |ids: &[&str]| {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            one_of(ids, "r").unwrap_err().sentence().to_owned()
        };
        assert_eq!(
            refused(&["r3", "r2", "r3", "r1"]),
            "r could be r3, r2 or r1: give more of it"
        );
        assert_eq!(
            refused(&["r8", "r7", "r6", "r5", "r4", "r3", "r2"]),
            "r could be r8, r7, r6, r5, r4 or 2 more: give more of it"
        );
    }

    #[tokio::test]
    async fn the_last_run_of_a_named_folder_is_not_the_last_of_the_register() {
        let dir = tempfile::tempdir().unwrap();
        let runs = Register::open(&MemoryPlace::default(), InMemory::new());
        let known = RunManifest::new(RunId::parse("run_1").unwrap(), "x", Utc::now());
        runs.runs().start(&known).await.unwrap();
        let last = async |dir: Option<&Path>| Some(runs.meant(LAST, dir).await.ok()?.to_string());
        assert_eq!(last(None).await.as_deref(), Some("run_1"));
        assert_eq!(last(Some(dir.path())).await, None);
        fs::create_dir(dir.path().join("run_2")).unwrap();
        fs::write(dir.path().join("run_2/run_meta.json"), "{}").unwrap();
        assert_eq!(last(Some(dir.path())).await.as_deref(), Some("run_2"));
    }

    #[tokio::test]
    async fn a_folder_is_found_by_its_beginning_here_or_where_the_register_says() {
        let root = tempfile::tempdir().unwrap();
        let [here, there] = ["here", "there"].map(|name| root.path().join(name));
        let runs = Register::open(&MemoryPlace::default(), InMemory::new());
        let folder = async |run: &str, dir: Option<&Path>| {
            let found = runs.folder(run, dir).await;
            found.map_err(|refusal| (refusal.code(), refusal.sentence().to_owned()))
        };
        assert_eq!(folder(LAST, Some(&here)).await.unwrap_err().0, 2);
        let all = [
            (&here, "run_1a"),
            (&here, "run_1b"),
            (&here, "run_2"),
            (&there, "run_9"),
        ];
        for (dir, id) in all {
            fs::create_dir_all(dir.join(id)).unwrap();
            fs::write(dir.join(id).join("run_meta.json"), "{}").unwrap();
        }
        fs::create_dir(here.join("run_3")).unwrap();
        let mut elsewhere = RunManifest::new(RunId::parse("run_9").unwrap(), "x", Utc::now());
        elsewhere.artifact_paths = vec![there.join("run_9").display().to_string()];
        runs.runs().start(&elsewhere).await.unwrap();
        for (run, dir, id) in [
            ("run_2", Some(&*here), here.join("run_2")),
            ("run_1a", Some(&*here), here.join("run_1a")),
            (LAST, Some(&*here), here.join("run_2")),
            ("run_9", Some(&*here), there.join("run_9")),
            ("run_9", None, there.join("run_9")),
            (LAST, None, there.join("run_9")),
        ] {
            assert_eq!(folder(run, dir).await, Ok(id), "{run}");
        }
        let path = here.join("run_2");
        assert_eq!(folder(path.to_str().unwrap(), Some(&there)).await, Ok(path));
        for bad in ["run_1", "run_3", "x", "../run_2"] {
            let (code, said) = folder(bad, Some(&here)).await.unwrap_err();
            let names = said.contains(here.to_str().unwrap()) || said.contains("run_1b or run_1a");
            assert!(code == 2 && names, "{bad}: {said}");
        }
    }
}
