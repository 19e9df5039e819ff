//! `webwise runs show`: the report of one run.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::Args;

use super::{LAST, Register, one_of};
use crate::{
    cli::{Refusal, say},
    event::open_private,
    report::RunRecord,
};

/// Name of the report in a run's folder.
const REPORT: &str = "report.html";
/// Programs that open a file in the person's browser, by system.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The run: `last`, its id, an unambiguous beginning of the id, or its folder.
    #[arg(default_value = LAST)]
    run: String,
    /// The folder that contains the run folders.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs_dir: PathBuf,
    /// Open the report in your browser.
    #[arg(long)]
    open: bool,
}

pub(super) async fn run(runs: &Register, args: &ShowArgs) -> Result<(), Refusal> {
    let folder = match folder(&args.run, &args.runs_dir) {
        Ok(folder) => folder,
        Err(not_here) => elsewhere(runs, &args.run).await.ok_or(not_here)?,
    };
    let page = write_report(&folder).map_err(Refusal::failure)?;
    say(page.display());
    if args.open {
        open(&page)?;
    }
    Ok(())
}

/// Returns the folder of a run that the register knows.
async fn elsewhere(runs: &Register, run: &str) -> Option<PathBuf> {
    let known = runs.find(run).await.ok()?;
    let mut paths = known.artifact_paths.into_iter().map(PathBuf::from);
    paths.find(|path| RunRecord::is_at(path))
}

/// Writes the report of a run into its folder, readable by its owner only. Returns the path of the report, or the
/// reason why it was not written.
pub(in crate::cli) fn write_report(folder: &Path) -> Result<PathBuf, String> {
    let record = RunRecord::open(folder).map_err(|error| error.to_string())?;
    let page = folder.join(REPORT);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = open_private(&page, &mut options).map_err(|error| error.to_string())?;
    match file.write_all(record.to_html().as_bytes()) {
        Ok(()) => Ok(page),
        Err(error) => Err(format!("{} cannot be written: {error}", page.display())),
    }
}

fn open(page: &Path) -> Result<(), Refusal> {
    let status = Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Refusal::failure(format!(
            "{OPENER} could not open it: open the file yourself"
        ))),
    }
}

/// Returns the folder of a run, given by path, id, beginning of the id, or `last`.
pub(in crate::cli) fn folder(run: &str, runs_dir: &Path) -> Result<PathBuf, Refusal> {
    if run.contains(std::path::MAIN_SEPARATOR) && RunRecord::is_at(run) {
        return Ok(run.into());
    }
    let meant = one_of(found(run, runs_dir)?, run)?;
    meant.map(|id| runs_dir.join(id)).ok_or_else(|| {
        let which = if run == LAST {
            String::new()
        } else {
            format!(" {run}")
        };
        Refusal::usage(format!("there is no run{which} in {}", runs_dir.display()))
    })
}

/// Returns the ids of the run folders that are meant by an id, a beginning of it or `last`, newest first.
pub(super) fn found(run: &str, runs_dir: &Path) -> Result<Vec<String>, Refusal> {
    let entries = fs::read_dir(runs_dir).map_err(|error| {
        Refusal::usage(format!(
            "no runs can be read in {} ({error}): name the folder with --runs-dir",
            runs_dir.display()
        ))
    })?;
    let is_meant = |id: &String| run == LAST || id.starts_with(run);
    let mut found: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|id| is_meant(id) && RunRecord::is_at(runs_dir.join(id)))
        .collect();
    // An id begins with the time of its run.
    found.sort_by(|a, b| b.cmp(a));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_by_its_beginning_and_only_if_it_is_one() {
        let runs = tempfile::tempdir().unwrap();
        assert_eq!(folder(LAST, runs.path()).unwrap_err().code(), 2);
        for id in ["run_1a", "run_1b", "run_2"] {
            fs::create_dir(runs.path().join(id)).unwrap();
            fs::write(runs.path().join(id).join("run_meta.json"), "{}").unwrap();
        }
        fs::create_dir(runs.path().join("run_3")).unwrap();
        for (run, id) in [("run_2", "run_2"), ("run_1a", "run_1a"), (LAST, "run_2")] {
            assert_eq!(folder(run, runs.path()).unwrap(), runs.path().join(id));
        }
        let path = runs.path().join("run_2");
        assert_eq!(
            folder(path.to_str().unwrap(), Path::new("/nowhere")).unwrap(),
            path
        );
        for bad in ["run_1", "run_3", "x", "../run_2"] {
            assert_eq!(folder(bad, runs.path()).unwrap_err().code(), 2, "{bad}");
        }
    }

    #[test]
    fn a_report_is_for_its_owner_and_replaces_the_one_before() {
        let run = tempfile::tempdir().unwrap();
        assert!(write_report(run.path()).is_err());
        fs::write(run.path().join("run_meta.json"), "{}").unwrap();
        fs::write(run.path().join(REPORT), "x".repeat(100_000)).unwrap();
        let page = write_report(run.path()).unwrap();
        let text = fs::read_to_string(&page).unwrap();
        assert!(
            text.starts_with("<!doctype html>") && !text.contains("xxx"),
            "{text}"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::remove_file(&page).unwrap();
            let page = write_report(run.path()).unwrap();
            assert_eq!(
                fs::metadata(page).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
    }
}
