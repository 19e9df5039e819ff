//! `webwise memory scan`: a search for secrets in everything that memory keeps.

use std::{fs, io, path::Path};

use serde_json::{Value, json};

use super::args::ScanArgs;
use crate::{
    MemoryBackend,
    base::text::counted,
    cli::{Refusal, memory::MEND, memory_place::MemoryPlace, say, say::one_line, tell, values},
    memory::{self, Record, Shelf, ShelfFilter, waiting},
    registry::is_registry,
    secret::Redactor,
    store::Memory,
};

/// Number and total size of the files that were searched, and the names of those that contain a secret. Unit of the size:
/// bytes.
#[derive(Debug, Default)]
struct Files {
    count: usize,
    bytes: usize,
    hits: Vec<String>,
}

/// Searches memory for secrets, and fails if it finds a secret or if a part of memory cannot be read.
///
/// First searches the records of all namespaces. These include the register of runs, and the runs from which memory has not
/// learned yet. Then searches the bytes of all files in the folder of memory, because backups and quarantined files are not
/// records.
pub(super) async fn run<M: MemoryBackend>(
    store: &M,
    keeper: &Memory<&M>,
    place: &MemoryPlace,
    args: &ScanArgs,
) -> Result<(), Refusal> {
    let secrets = values::redactor(&args.secrets, &args.variables, |name| std::env::var(name))?;
    for name in secrets.too_short() {
        tell(format!(
            "webwise: the secret {name} has fewer than 6 characters, so it is found only where a value stands"
        ));
    }
    let (shelves, damaged) = load(store, &secrets).await?;
    let found = memory::scan(&shelves, keeper.kinds(), &secrets);
    let mut files = Files::default();
    let dir = place.dir()?;
    search(&dir, "", &secrets, &mut files)
        .map_err(|error| Refusal::failure(format!("{} cannot be read: {error}", dir.display())))?;
    // If a name itself contains a secret, the secret is removed from the printed name.
    let hits: Vec<String> = found
        .hits
        .iter()
        .map(|hit| {
            let namespace = hit.shelf.namespace.as_str();
            let name = hit.shelf.item_name(&hit.key);
            secrets.text(&format!("{name} ({namespace}/{})", hit.shelf.collection))
        })
        .collect();
    let is_clean = hits.is_empty() && files.hits.is_empty();
    if args.json {
        let damaged = damaged.iter();
        let damaged: Vec<Value> = damaged
            .map(|(shelf, why)| {
                let shelf = secrets.text(&json!(shelf).to_string());
                json!({ "shelf": serde_json::from_str(&shelf).unwrap_or(Value::String(shelf)), "why": why })
            })
            .collect();
        say(json!({
            "items": found.items, "bytes": found.bytes, "files": files.count, "file_bytes": files.bytes,
            "encodings": Redactor::FORMS, "hits": hits, "file_hits": files.hits,
            "damaged": damaged,
        }));
    } else {
        say(format!(
            "Searched {} ({} bytes) and {} ({} bytes) for each secret:",
            counted(found.items, "item"),
            found.bytes,
            counted(files.count, "file"),
            files.bytes
        ));
        for form in Redactor::FORMS {
            say(format!("    {form}"));
        }
        for (what, names) in [("item", &hits), ("file", &files.hits)] {
            for name in names {
                say(one_line(&format!("Found in the {what} {name}")));
            }
        }
        for (shelf, why) in &damaged {
            let shelf = secrets.text(&shelf.to_string());
            say(one_line(&format!(
                "{shelf} cannot be read ({why}). {MEND}."
            )));
        }
        if is_clean && damaged.is_empty() {
            say("No secret was found.");
        }
    }
    if !is_clean {
        let of_runs = found.hits.iter().filter(|hit| is_registry(&hit.shelf));
        return Err(leak(hits.len(), of_runs.count(), files.hits.len()));
    }
    if damaged.is_empty() {
        return Ok(());
    }
    Err(Refusal::failure(format!(
        "no secret was found in what can be read, but {} of memory cannot be read",
        counted(damaged.len(), "file")
    )))
}

/// Returns the records of all shelves, and the shelves that cannot be read, with the reasons. Of these only the bytes of
/// their files can be searched.
async fn load<M: MemoryBackend>(
    store: &M,
    secrets: &Redactor,
) -> Result<(Vec<(Shelf, Vec<Record>)>, Vec<(Shelf, String)>), Refusal> {
    let (mut shelves, mut damaged) = (Vec::new(), Vec::new());
    for shelf in store.shelves(&ShelfFilter::default()).await? {
        match store.load(&shelf).await {
            Ok(state) => shelves.push((shelf, state.records)),
            Err(error) => {
                let why = error
                    .said("why")
                    .map_or_else(|| error.to_string(), str::to_owned);
                damaged.push((shelf, secrets.text(&why)));
            }
        }
    }
    Ok((shelves, damaged))
}

/// Returns the refusal that names the ways to remove the secrets: of items, among them those of runs, and of files.
fn leak(items: usize, of_runs: usize, files: usize) -> Refusal {
    let mut ways = Vec::new();
    if of_runs < items || items == 0 {
        ways.push("`webwise memory forget KEY` removes an item");
    }
    if of_runs > 0 {
        ways.push(
            "`webwise memory forget --host URL`, with the host where a run began, or `--all` removes the entry of a run",
        );
    }
    Refusal::failure(format!(
        "a secret is in {} and {} of memory: {}",
        counted(items, "item"),
        counted(files, "file"),
        ways.join("; ")
    ))
}

/// Searches the names and contents of the files in a folder and its subfolders, and adds the results to `files`. Finds
/// nothing if the folder does not exist. `prefix` is the path that precedes the names in the results.
fn search(dir: &Path, prefix: &str, secrets: &Redactor, files: &mut Files) -> io::Result<()> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            search(&entry.path(), &format!("{name}/"), secrets, files)?;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path())?;
            files.count += 1;
            files.bytes += bytes.len();
            if secrets.contains(&name)
                || secrets.bytes(&bytes) != bytes
                || is_in_run(&bytes, secrets)
            {
                files.hits.push(secrets.text(&name));
            }
        }
    }
    Ok(())
}

/// Returns true if a file with this content contains a recorded run with a secret in it. A run is stored in parts; a secret
/// that begins in one part and ends in the next is found too.
fn is_in_run(bytes: &[u8], secrets: &Redactor) -> bool {
    let file: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let records = file["records"].as_object().into_iter().flatten();
    let records: Vec<Record> = records.map(|(key, body)| Record::new(key, body)).collect();
    let mut texts = waiting::texts(&records).into_iter();
    texts.any(|(_, text)| secrets.contains(&text))
}
