//! `webwise memory export` and `import`.
//!
//! # Decisions
//!
//! - Files `memory.json` may be imported twice and in any order. If a lesson was imported before, it gets the earlier
//!   of the two days of creation and the later of the two days of last use. Only uses that no earlier import has
//!   counted are added.
//! - An exported document or a folder changes an item that memory already contains only with `--trust`. Then the two
//!   versions are merged.
//! - Words are imported in the form that a prompt shows, so that a person accepts exactly the bytes that will be shown.
//!   The original words of a `memory.json` are kept beside them.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::Path,
};

use chrono::Utc;
use serde::Deserialize;
use serde_json::json;

use super::{
    args::{ExportArgs, ImportArgs},
    cannot_be_read, folder,
};
use crate::{
    MemoryBackend,
    base::{Error, ErrorKind, text::counted},
    cli::{Refusal, memory_place::MemoryPlace, say, say::one_line, tell},
    memory::{
        Record, Shelf, UNVOUCHED, agent_memory,
        archive::{self, Restore},
        v1,
    },
    registry,
    store::Memory,
};

pub(super) async fn export<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &MemoryPlace,
    args: &ExportArgs,
) -> Result<(), Refusal> {
    // Export all namespaces, unless one was given.
    let (shelves, damaged) = keeper.read_intact(place.named()).await?;
    write(&shelves, args)?;
    // The shelves that can be read are exported even if others are damaged.
    if damaged.is_empty() {
        return Ok(());
    }
    let left: Vec<String> = damaged.iter().map(cannot_be_read).collect();
    Err(Refusal::failure(one_line(&format!(
        "the export is incomplete: {}",
        left.join(". ")
    ))))
}

fn write(shelves: &[(Shelf, Vec<Record>)], args: &ExportArgs) -> Result<(), Refusal> {
    let text = archive::export(shelves)?;
    let Some(path) = &args.output else {
        let written = io::stdout()
            .write_all(text.as_bytes())
            .and_then(|()| io::stdout().flush());
        return match written {
            // A reader that closed the output does not want the rest.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Refusal::failure(
                format!("the document cannot be written: {error}"),
            )),
            _ => Ok(()),
        };
    };
    let mut file = create(path).map_err(|error| {
        Refusal::usage(format!(
            "{} cannot be written ({error}): name a file that is not there yet",
            path.display()
        ))
    })?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|error| {
            Refusal::failure(format!(
                "{0} cannot be written ({error}): delete {0}, which is incomplete, before you export again",
                path.display()
            ))
        })
}

/// Creates a new file that only its owner can read.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    format: Option<serde_json::Value>,
}

pub(super) async fn import<M: MemoryBackend>(
    keeper: &Memory<M>,
    place: &MemoryPlace,
    args: &ImportArgs,
) -> Result<(), Refusal> {
    let wrong = |error: &Error| unreadable(&args.file, error, "imported");
    if args.file.is_dir() {
        let files = folder::read(&args.file)?;
        let read = agent_memory::parse(&files).map_err(|e| wrong(&e))?;
        let (namespace, now) = (place.namespace(), Utc::now());
        let mut archive = agent_memory::archive(&read, keeper.kinds(), &namespace, now);
        let runs = registry::archived(&read, &namespace, now);
        archive.problems.extend(runs.problems);
        archive.shelves.extend(runs.shelves);
        let done = archive::import(&archive, keeper.kinds(), None, args.trust);
        return take(keeper, done, args).await;
    }
    let bytes = read(&args.file)?;
    let is_archive = serde_json::from_slice::<Kind>(&bytes)
        .is_ok_and(|kind| kind.format.is_some_and(|f| f.is_string()));
    let done = if is_archive {
        let archive = archive::parse(&bytes).map_err(|e| wrong(&e))?;
        archive::import(&archive, keeper.kinds(), place.named(), args.trust)
    } else {
        let document = v1::parse(&bytes).map_err(|e| wrong(&e))?;
        let done = v1::import(&document, &place.namespace(), args.trust, Utc::now());
        Restore {
            edits: done.edits,
            taken: done.taken,
            waiting: done.waiting,
            problems: done.problems.iter().map(ToString::to_string).collect(),
        }
    };
    take(keeper, done, args).await
}

async fn take<M: MemoryBackend>(
    keeper: &Memory<M>,
    done: Restore,
    args: &ImportArgs,
) -> Result<(), Refusal> {
    let Restore {
        edits,
        taken,
        waiting,
        problems,
    } = done;
    let changed = keeper.apply(edits).await?;
    // The library does not know the flag, so its name is put into the message here.
    let problems: Vec<String> = problems
        .iter()
        .map(|problem| {
            problem.replace(
                UNVOUCHED,
                "is taken only if you vouch for the file (--trust)",
            )
        })
        .collect();
    if args.json {
        say(
            json!({ "taken": taken, "changed": changed, "waiting": waiting, "problems": problems }),
        );
        return Ok(());
    }
    for problem in &problems {
        tell(one_line(&format!("webwise: {problem}")));
    }
    say(format!(
        "Took {}; new or changed: {changed}.",
        counted(taken, "record")
    ));
    if waiting > 0 {
        let them = if waiting == 1 { "it" } else { "them" };
        say(format!(
            "{} must be reviewed by you before any prompt shows {them}: `webwise memory review`.",
            counted(waiting, "record")
        ));
    }
    Ok(())
}

/// Reads a file, but at most one byte more than a document may have, so that the parser refuses a larger file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    let fail =
        |error: io::Error| Refusal::usage(format!("{} cannot be read: {error}", path.display()));
    let file = File::open(path).map_err(fail)?;
    let mut bytes = Vec::new();
    file.take(archive::MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    Ok(bytes)
}

/// Returns the refusal for a file or folder that cannot be parsed. `used` completes the sentence "it cannot be ...", for
/// example with "compared". If the error names a file, the refusal is about that file inside the folder.
pub(super) fn unreadable(path: &Path, error: &Error, used: &str) -> Refusal {
    let path = error
        .said("file")
        .map_or_else(|| path.to_owned(), |file| path.join(file));
    let path = path.display();
    Refusal::usage(match error.kind() {
        ErrorKind::TooLarge => {
            format!(
                "{path} is too large: no more than {} bytes are read",
                error.said("most").unwrap_or("")
            )
        }
        ErrorKind::Unsupported => {
            format!(
                "{path} has version {}, and only version 1 is known here",
                error.said("version").unwrap_or("")
            )
        }
        _ => {
            let at = error
                .said("where")
                .map(|at| format!(", {at}"))
                .unwrap_or_default();
            format!(
                "{path} cannot be {used}: {}{at}",
                error.said("why").unwrap_or("it cannot be understood")
            )
        }
    })
}
