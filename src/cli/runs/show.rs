//! `webwise runs show`: the report of one run.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::Args;

use super::{LAST, Register};
use crate::{
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line, tell},
    event::open_private,
    report::RunRecord,
};

const REPORT: &str = "report.html";
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
    /// The folder that contains the run folders. Default: both `runs` and the run folders that this memory's register
    /// names. With `--memory-dir` or `--namespace`, `last` is the last run of that memory's register.
    #[arg(long, value_name = "DIR")]
    runs_dir: Option<PathBuf>,
    /// Open the report in your browser. If nothing can open it, a message says so, and the exit code is still 0.
    #[arg(long)]
    open: bool,
}

pub(super) async fn run(
    runs: &Register,
    place: &MemoryPlace,
    args: &ShowArgs,
) -> Result<(), Refusal> {
    let runs_dir = args.runs_dir.as_deref();
    // Without a named memory, the last run may be one without memory, or one of `webwise demo`.
    let folder = if place.is_chosen() {
        runs.own_folder(&args.run, runs_dir).await?
    } else {
        runs.folder(&args.run, runs_dir).await?
    };
    let page = write_report(&folder).map_err(Refusal::failure)?;
    say(page.display());
    // The report is written and its path is printed, so a machine without a desktop is no failure.
    if args.open && !is_opened(&page) {
        tell(one_line(&format!(
            "webwise: nothing on this machine could open the report ({OPENER} failed or is missing): open the file yourself"
        )));
    }
    Ok(())
}

/// Writes the HTML report of a run into the run's folder, readable by its owner only. Returns the path of the report, or the
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

fn is_opened(page: &Path) -> bool {
    let status = Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

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
