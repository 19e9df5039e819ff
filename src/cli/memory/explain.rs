//! `webwise memory explain`: why memory gave advice in a run, and what happened next.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use serde_json::json;

use super::args::ExplainArgs;
use crate::{
    cli::{
        Refusal,
        drive::words::{self, quoted},
        say,
        say::one_line,
    },
    event::Event,
    memory::Scope,
    report::explain::{Became, Credited, Item, Recalled, Why, explain},
};

/// Files of a run folder that concern memory.
const FILES: [&str; 3] = ["memory_events.jsonl", "actions.jsonl", "model.jsonl"];
/// The file that marks a folder as a run's.
const META: &str = "run_meta.json";
/// Most actions listed for an item. Source: chosen; an item in the system instruction has a part in every action.
const MAX_ACTIONS: usize = 6;
/// Longest lesson shown. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 300;

pub(super) fn run(args: &ExplainArgs) -> Result<(), Refusal> {
    let folder = folder(&args.run, &args.runs_dir)?;
    let (events, unreadable) = read(&folder)?;
    let mut items = explain(&events);
    if let Some(key) = &args.key {
        items.retain(|item| name(item).starts_with(key.as_str()));
        if items.is_empty() {
            return Err(Refusal::usage(format!(
                "memory did not speak of {key} in this run"
            )));
        }
    }
    if args.json {
        say(json!({ "folder": folder, "items": items, "unreadable": unreadable }));
        return Ok(());
    }
    if items.is_empty() {
        say("Memory said and learned nothing in this run.");
    }
    items
        .iter()
        .flat_map(lines)
        .for_each(|line| say(one_line(&line)));
    if unreadable > 0 {
        say(format!(
            "{unreadable} lines of the run folder cannot be read by this version."
        ));
    }
    Ok(())
}

/// The folder of a run, given its path, its id, or the beginning of its id.
fn folder(run: &str, runs_dir: &Path) -> Result<PathBuf, Refusal> {
    let is_run = |path: &Path| path.join(META).is_file();
    if run.contains(std::path::MAIN_SEPARATOR) && is_run(Path::new(run)) {
        return Ok(run.into());
    }
    let entries = fs::read_dir(runs_dir).map_err(|error| {
        Refusal::usage(format!(
            "no runs can be read in {} ({error}): name the folder with --runs-dir",
            runs_dir.display()
        ))
    })?;
    let mut found: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|id| id.starts_with(run) && is_run(&runs_dir.join(id)))
        .collect();
    found.sort();
    if found.iter().any(|id| id == run) {
        found = vec![run.to_owned()];
    }
    match found.as_slice() {
        [one] => Ok(runs_dir.join(one)),
        [] => Err(Refusal::usage(format!(
            "there is no run {run} in {}",
            runs_dir.display()
        ))),
        [first, second, ..] => Err(Refusal::usage(format!(
            "{run} could be {first} or {second}: give more of it"
        ))),
    }
}

/// The events of the run, file by file, and the number of unreadable lines.
fn read(folder: &Path) -> Result<(Vec<Event>, usize), Refusal> {
    let (mut events, mut unreadable) = (Vec::new(), 0);
    for name in FILES {
        let path = folder.join(name);
        let file = match File::open(&path) {
            Ok(file) => file,
            // A run that ended early does not have all files.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(Refusal::failure(format!(
                    "{} cannot be read: {error}",
                    path.display()
                )));
            }
        };
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(|error| {
                Refusal::failure(format!("{} cannot be read: {error}", path.display()))
            })?;
            match serde_json::from_slice(&line) {
                Ok(event) => events.push(event),
                Err(_) => unreadable += usize::from(!line.is_empty()),
            }
        }
    }
    Ok((events, unreadable))
}

/// The name of an item, as in `webwise memory list`.
fn name(item: &Item) -> String {
    match &item.id.shelf.scope {
        Scope::Global => item.id.key.clone(),
        Scope::Host(host) => format!("{}@{host}", item.id.key),
    }
}

/// One item, as lines.
fn lines(item: &Item) -> Vec<String> {
    let mut lines = vec![
        name(item),
        format!("    says      {}", quoted(&item.lesson, MAX_TEXT)),
    ];
    lines.extend(
        item.recalled
            .iter()
            .map(|recalled| format!("    recalled  {}", why(recalled))),
    );
    if !item.stood_in.is_empty() {
        lines.push(format!(
            "    stood in  the prompts of {}",
            steps(&item.stood_in)
        ));
    }
    for done in item.then.iter().take(MAX_ACTIONS) {
        let action = words::action(&done.action, &done.targets);
        lines.push(format!(
            "    then      step {}: {action} -> {}",
            done.step,
            words::outcome(&done.outcome)
        ));
    }
    if item.then.len() > MAX_ACTIONS {
        lines.push(format!(
            "    then      {} more actions",
            item.then.len() - MAX_ACTIONS
        ));
    }
    lines.extend(
        item.credited
            .iter()
            .map(|credited| format!("    credited  {}", credit(credited))),
    );
    if item.credited.is_empty() && !item.recalled.is_empty() {
        lines.push(
            "    credited  with nothing: it was shown, and no use of it was counted".to_owned(),
        );
    }
    for became in &item.became {
        lines.push(format!(
            "    became    {}",
            match became {
                Became::Recorded => "new: this run taught it",
                Became::Promoted => "advice for every run",
                Became::Demoted => "no longer advice for every run",
                Became::Retired => "retired: it harmed, and is no longer shown",
            }
        ));
    }
    lines
}

fn why(recalled: &Recalled) -> String {
    match &recalled.why {
        Why::RunStarted => "when the run started, into the system instruction".to_owned(),
        Why::CommandFailed { command, trouble } => {
            format!(
                "after step {}, because {command} ended with {}",
                recalled.step,
                trouble.replace('_', " ")
            )
        }
        Why::HostShown { host } => format!(
            "in step {}, because a page of {host} was shown",
            recalled.step
        ),
    }
}

fn credit(credited: &Credited) -> String {
    let site = credited
        .site
        .as_ref()
        .map(|site| format!(" on {site}"))
        .unwrap_or_default();
    let used = match (credited.used, credited.followed) {
        (true, _) => "its way out was taken",
        (false, true) => "its way out was taken before anything failed",
        (false, false) => "no use of it was counted",
    };
    let shown = if credited.followed {
        ", after it had been shown"
    } else {
        ", without having been shown"
    };
    let end = match (credited.helped, credited.harmed) {
        (true, _) => ", and helped",
        (_, true) => ", in vain",
        _ => "",
    };
    format!("{used}{site}{shown}{end}")
}

/// `step 3`, `steps 1 to 4, 7`.
fn steps(all: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for step in all {
        match parts.last_mut() {
            Some((_, last)) if *last == *step || last.checked_add(1) == Some(*step) => {
                *last = *step;
            }
            _ => parts.push((*step, *step)),
        }
    }
    let part = |(first, last): &(u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        }
    };
    let word = if all.len() == 1 { "step" } else { "steps" };
    format!(
        "{word} {}",
        parts.iter().map(part).collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_in_a_row_are_told_as_one() {
        assert_eq!(steps(&[3]), "step 3");
        assert_eq!(steps(&[1, 2, 3, 7, 9, 10]), "steps 1 to 3, 7, 9 to 10");
    }

    #[test]
    fn a_run_is_found_by_its_beginning_and_only_if_it_is_one() {
        let runs = tempfile::tempdir().unwrap();
        for id in ["run_1a", "run_1b", "run_2"] {
            fs::create_dir(runs.path().join(id)).unwrap();
            fs::write(runs.path().join(id).join(META), "{}").unwrap();
        }
        fs::create_dir(runs.path().join("run_3")).unwrap();
        assert_eq!(
            folder("run_2", runs.path()).unwrap(),
            runs.path().join("run_2")
        );
        assert_eq!(
            folder("run_1a", runs.path()).unwrap(),
            runs.path().join("run_1a")
        );
        let path = runs.path().join("run_2");
        assert_eq!(
            folder(path.to_str().unwrap(), Path::new("/nowhere")).unwrap(),
            path
        );
        for bad in ["run_1", "run_3", "x", "../run_2"] {
            assert_eq!(folder(bad, runs.path()).unwrap_err().code(), 2, "{bad}");
        }
    }
}
