//! The folder `.agent-memory/`, in which another program keeps its memory of what worked on a site. This crate calls
//! this folder the documented folder, because the other program documents the folder's format.
//!
//! ```text
//! domains/HOST/knowledge.json          facts and sessions of a host
//! domains/HOST/selectors.json          elements, and the selectors by which they were found
//! domains/HOST/trajectories/traj_*     one file for each run that reached its goal: the steps of the run
//! agent-runs/run_*                     one file for each run: its goal, addresses and result
//! hints.json                           advice for every site, one sentence a line
//! runs/                                results of suites: counted, but not imported
//! ```
//!
//! This module does no input or output: files are passed in and returned as texts with their paths. Each kind of memory
//! converts its own items, with [`MemoryKind::read_domain`].
//!
//! # Decisions
//!
//! - The folder is converted to an [`Archive`], so that it is imported by the same rules as any archive. No item
//!   reaches a prompt before a person has accepted the item or has trusted the whole folder.
//! - A file that does not have the documented form is an error, so that no part of a damaged folder is imported. If a
//!   single item cannot be kept, it is reported as a problem, and the other items are kept.
//! - References to elements, such as `@s3f51`, are never kept, because they belong to one load of one page.
//! - The name of a host's folder does not contain the scheme (http or https). The scheme is taken from the addresses in
//!   the folder's files. If the files contain no address, it is http for this machine and https for all other hosts.
//! - The lines of `hints.json` become lessons, and a person reviews them like all imported words. The format of the
//!   file is not documented: it is `{"hints": TEXT}`, as the other program's source writes it.
//! - The runs of the folder become runs of the [register](crate::registry), if the importing person trusts the folder. They have no checkpoint (a saved
//!   state), so a new run can go on from the page of such a run, but the run itself cannot be resumed.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use url::Url;

use super::{MemoryKind, Namespace, Record, Shelf, archive::Archive};
use crate::base::{
    Error, ErrorKind, Host, Result,
    text::{self, counted},
};

/// Maximum size of a file that is read. Unit: bytes. Source: chosen, the same as for every file of memory.
pub const MAX_BYTES: usize = 8 * 1_024 * 1_024;
/// Maximum number of files in a folder. Source: chosen; enough for more than 400 hosts.
pub const MAX_FILES: usize = 10_000;
/// Maximum number of problems listed one by one. Source: chosen; as many as a person will read.
const MAX_PROBLEMS: usize = 100;
/// Maximum length of a text that a problem or an error quotes from a file. Unit: characters. Source: chosen.
const MAX_QUOTED: usize = 80;
/// Maximum length of a path in an error. Unit: characters. Source: chosen; enough for two of the longest file names.
const MAX_PATH: usize = 512;
const PARSE: &str = "agent_memory.parse";

/// The items of one host in the folder `.agent-memory/`, as JSON in the form of the folder's files.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Domain {
    /// The host.
    pub host: Host,
    /// The facts about the host.
    pub facts: Vec<Value>,
    /// The sessions: goals and results of earlier runs on the host.
    pub sessions: Vec<Value>,
    /// The selectors by which page elements were found. The keys are names of elements, such as `button "Send"`.
    pub selectors: Map<String, Value>,
    /// The trajectories: the recorded steps of runs that reached their goals. The keys are the names of the files,
    /// without `.json`.
    pub trajectories: BTreeMap<String, Value>,
}

/// The items of one kind of memory in a domain, converted to records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Converted {
    /// The records, in the form in which an import of a trusted folder stores them.
    pub records: Vec<Record>,
    /// The items that were left out or changed, described for a person.
    pub problems: Vec<String>,
}

/// A parsed folder `.agent-memory/`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Folder {
    /// The domains, ordered by host.
    pub domains: Vec<Domain>,
    /// The runs. The keys are the paths of the files.
    pub runs: BTreeMap<String, Value>,
    /// The lines of `hints.json`, without list marks.
    pub hints: Vec<String>,
    /// Lines for a person about the files that are not imported, one for each kind of file.
    pub left_out: Vec<String>,
}

/// The kind of a file in the folder `.agent-memory/`, recognised by the file's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place<'p> {
    Knowledge(&'p str),
    Selectors(&'p str),
    Trajectory(&'p str, &'p str),
    Run,
    Suite,
    Hints,
    Other,
}

impl<'p> Place<'p> {
    fn of(path: &'p str) -> Self {
        let parts: Vec<&str> = path.split('/').collect();
        match parts[..] {
            ["domains", host, "knowledge.json"] => Self::Knowledge(host),
            ["domains", host, "selectors.json"] => Self::Selectors(host),
            ["domains", host, "trajectories", file] => match file.strip_suffix(".json") {
                Some(name) => Self::Trajectory(host, name),
                None => Self::Other,
            },
            ["agent-runs", _] => Self::Run,
            ["runs", _] => Self::Suite,
            ["hints.json"] => Self::Hints,
            _ => Self::Other,
        }
    }
}

/// Returns true if [`parse`] needs the content of this file. The path is relative to the folder and has `/` as
/// separator.
pub fn is_read(path: &str) -> bool {
    matches!(
        Place::of(path),
        Place::Knowledge(_)
            | Place::Selectors(_)
            | Place::Trajectory(..)
            | Place::Run
            | Place::Hints
    )
}

#[derive(Debug, Default)]
struct Files {
    /// The host as named in `knowledge.json`.
    domain: Option<String>,
    facts: Vec<Value>,
    sessions: Vec<Value>,
    selectors: Map<String, Value>,
    trajectories: BTreeMap<String, Value>,
}

/// Parses a folder `.agent-memory/`. `files` has the contents of the folder's files by path. If [`is_read`] is false
/// for a file, its content may be empty.
///
/// # Errors
/// - [`ErrorKind::InvalidInput`] if there is no domain, if a file does not have the documented form, or if a folder is
///   not named after a host. The context gives the reason as `why`, and the file or folder at fault as `file`.
/// - [`ErrorKind::TooLarge`] if there are more than [`MAX_FILES`] files, or if a file for which [`is_read`] is true
///   is larger than [`MAX_BYTES`].
pub fn parse(files: &BTreeMap<String, Vec<u8>>) -> Result<Folder> {
    if files.len() > MAX_FILES {
        return Err(Error::new(ErrorKind::TooLarge, PARSE)
            .with("files", files.len())
            .with("most", MAX_FILES));
    }
    let mut folder = Folder::default();
    let mut hosts: BTreeMap<&str, Files> = BTreeMap::new();
    let (mut suites, mut others) = (0, 0);
    for (path, bytes) in files {
        match Place::of(path) {
            Place::Knowledge(host) => {
                let mut map = object(path, bytes)?;
                let files = hosts.entry(host).or_default();
                files.domain = map.get("domain").and_then(Value::as_str).map(str::to_owned);
                files.facts = list(path, &mut map, "facts")?;
                files.sessions = list(path, &mut map, "sessions")?;
            }
            Place::Selectors(host) => {
                let mut map = object(path, bytes)?;
                hosts.entry(host).or_default().selectors = match map.remove("entries") {
                    Some(Value::Object(entries)) => entries,
                    _ => return Err(wrong(path, "its entries are missing or not an object")),
                };
            }
            Place::Trajectory(host, name) => {
                let document = Value::Object(object(path, bytes)?);
                let files = hosts.entry(host).or_default();
                files.trajectories.insert(name.to_owned(), document);
            }
            Place::Run => {
                let run = Value::Object(object(path, bytes)?);
                folder.runs.insert(path.clone(), run);
            }
            Place::Hints => match object(path, bytes)?.remove("hints") {
                Some(Value::String(text)) => folder.hints = text.lines().filter_map(hint).collect(),
                _ => return Err(wrong(path, "its hints are missing or not a text")),
            },
            Place::Suite => suites += 1,
            Place::Other => others += 1,
        }
    }
    if hosts.is_empty() {
        return Err(Error::new(ErrorKind::InvalidInput, PARSE)
            .with("why", "it has no folder `domains` with files of a host"));
    }
    for (name, files) in hosts {
        folder.domains.push(Domain {
            host: host_of(name, &files)
                .ok_or_else(|| wrong(&format!("domains/{name}"), "it is not named after a host"))?,
            facts: files.facts,
            sessions: files.sessions,
            selectors: files.selectors,
            trajectories: files.trajectories,
        });
    }
    folder.domains.sort_by(|a, b| a.host.cmp(&b.host));
    let left_out = [
        (suites, "suite", "runs"),
        (others, "file", "places that are not documented"),
    ];
    let left_out = left_out.iter().filter(|(count, ..)| *count > 0);
    folder.left_out = left_out
        .map(|(count, what, place)| {
            let verb = if *count == 1 { "is" } else { "are" };
            format!("{} in {place} {verb} left out", counted(*count, what))
        })
        .collect();
    Ok(folder)
}

/// Returns a line of `hints.json` without its list mark; `None` if it is empty or a heading.
fn hint(line: &str) -> Option<String> {
    let line = text::squeeze(&text::clean(line));
    let mark = |c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '.' | ')');
    let words = match line.split_once(' ') {
        Some((first, rest)) if first.chars().all(mark) => rest,
        _ => &line,
    };
    let is_said = words.chars().any(char::is_alphabetic) && !words.starts_with('#');
    is_said.then(|| words.to_owned())
}

fn wrong(path: &str, why: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, PARSE)
        .with("file", text::truncate(&text::clean(path), MAX_PATH))
        .with("why", why)
}

pub(crate) fn quoted(said: &str) -> String {
    text::truncate(&text::squeeze(&text::clean(said)), MAX_QUOTED)
}

/// Returns one line that says how many items are left out and why; none if `count` is 0.
pub(crate) fn left_out(count: usize, what: &str, why: &str) -> Vec<String> {
    let line = || format!("{} left out: {why}", counted(count, what));
    (count > 0).then(line).into_iter().collect()
}

/// Reads an item of a file from the documented folder.
///
/// # Errors
/// The reason, in words for a person.
pub(crate) fn item<T: DeserializeOwned>(value: &Value) -> std::result::Result<T, String> {
    // The error of a date says nothing of its field.
    let is_date = |said: &str| said.parse::<DateTime<Utc>>().is_ok();
    let no_date = ["lastSeen", "timestamp", "startedAt", "updatedAt"]
        .iter()
        .find_map(|field| {
            let said = value[*field].as_str().filter(|said| !is_date(said))?;
            Some(format!("left out: its {field} {said:?} is no date"))
        });
    T::deserialize(value).map_err(|error| {
        no_date.unwrap_or_else(|| format!("left out: {}", quoted(&error.to_string())))
    })
}

fn object(path: &str, bytes: &[u8]) -> Result<Map<String, Value>> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::new(ErrorKind::TooLarge, PARSE)
            .with("file", text::truncate(&text::clean(path), MAX_PATH))
            .with("bytes", bytes.len())
            .with("most", MAX_BYTES));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(wrong(path, "it is not an object")),
        Err(error) => {
            Err(wrong(path, "it cannot be read as JSON").with("where", error.to_string()))
        }
    }
}

fn list(path: &str, map: &mut Map<String, Value>, name: &str) -> Result<Vec<Value>> {
    match map.remove(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(wrong(path, &format!("its {name} are not a list"))),
    }
}

/// Returns the name of a host's folder: the host's name and port, with `_` for every character that is not a letter, a
/// digit, a dot or a hyphen.
fn folder_name(host: &Host) -> String {
    let bare = bare(host).chars();
    bare.map(|c| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') => c,
        _ => '_',
    })
    .collect()
}

/// Returns a host without its scheme.
fn bare(host: &Host) -> &str {
    host.as_str()
        .strip_prefix("http://")
        .unwrap_or(host.as_str())
}

/// Returns the host that a folder with this name belongs to; `None` if there is no such host.
fn host_of(name: &str, files: &Files) -> Option<Host> {
    let of_trajectories = files.trajectories.values().flat_map(|document| {
        let steps = document["steps"].as_array().into_iter().flatten();
        std::iter::once(&document["origin"]).chain(steps.map(|step| &step["url"]))
    });
    let of_sessions = files.sessions.iter().map(|session| &session["finalUrl"]);
    let addresses = of_trajectories.chain(of_sessions);
    let domain = files.domain.as_deref();
    let with_port = name
        .rsplit_once('_')
        .filter(|(_, port)| !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()));
    let of_name = match with_port {
        Some((name, port)) => format!("{name}:{port}"),
        None => name.to_owned(),
    };
    let told = domain
        .into_iter()
        .chain(addresses.filter_map(Value::as_str))
        .filter_map(|url| Host::of(&Url::parse(url).ok()?).ok());
    let guessed = domain.into_iter().chain([&*of_name]).filter_map(guess);
    let mut hosts = told.chain(guessed);
    hosts.find(|host| folder_name(host) == name && host.site().is_some())
}

/// Returns the host with this name and port, and with the usual scheme: http for this machine, https otherwise.
fn guess(named: &str) -> Option<Host> {
    let host = |scheme| Host::of(&Url::parse(&format!("{scheme}://{named}/")).ok()?).ok();
    let plain: Host = host("http")?;
    if plain.site()?.is_loopback() {
        return Some(plain);
    }
    // A name without a port must not be a public suffix.
    match Host::of_domain(named) {
        Err(_) if plain.name() == bare(&plain) => None,
        _ => host("https"),
    }
}

/// Returns the items of a folder `.agent-memory/` as an archive, to be imported with
/// [`archive::import`](super::archive::import).
pub fn archive(
    folder: &Folder,
    kinds: &[Arc<dyn MemoryKind>],
    namespace: &Namespace,
    now: DateTime<Utc>,
) -> Archive {
    let mut archive = Archive::default();
    let mut more = 0;
    for kind in kinds {
        let Converted { records, problems } = kind.read_hints(&folder.hints, now);
        if !records.is_empty() {
            let shelf = Shelf::global(namespace, kind.name());
            archive.shelves.push((shelf, records));
        }
        archive.problems.extend(problems);
    }
    for domain in &folder.domains {
        for kind in kinds {
            let Converted {
                mut records,
                problems,
            } = kind.read_domain(domain, now);
            let shelf = Shelf::host(namespace, kind.name(), &kind.home(&domain.host));
            let mut shelves = archive.shelves.iter_mut();
            // Several hosts of a site may have one shelf.
            if let Some((_, known)) = shelves.find(|(known, _)| *known == shelf) {
                known.append(&mut records);
                known.sort_by(|a, b| a.key.cmp(&b.key));
            } else if !records.is_empty() {
                records.sort_by(|a, b| a.key.cmp(&b.key));
                archive.shelves.push((shelf, records));
            }
            for problem in problems {
                if archive.problems.len() < MAX_PROBLEMS {
                    let problem = format!("{}: {problem}", domain.host);
                    archive.problems.push(problem);
                } else {
                    more += 1;
                }
            }
        }
    }
    if more > 0 {
        archive
            .problems
            .push(format!("there are {more} more problems"));
    }
    archive.problems.extend(folder.left_out.iter().cloned());
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        let files = files.iter();
        files
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    fn hosts(of: &[(&str, &str)]) -> Vec<String> {
        let folder = parse(&files(of)).unwrap();
        let hosts = folder.domains.iter();
        hosts.map(|domain| domain.host.to_string()).collect()
    }

    #[test]
    fn a_host_is_the_name_of_its_folder_with_the_scheme_of_its_files() {
        let plain = [
            ("domains/www.example.com/knowledge.json", "{}"),
            ("domains/localhost_5173/knowledge.json", "{}"),
            ("domains/shop.example_8443/knowledge.json", "{}"),
        ];
        assert_eq!(
            hosts(&plain),
            [
                "http://localhost:5173",
                "shop.example:8443",
                "www.example.com"
            ]
        );
        let told = [
            (
                "domains/a.example/knowledge.json",
                r#"{"domain":"http://a.example"}"#,
            ),
            (
                "domains/b.example/trajectories/traj_1.json",
                r#"{"origin":"http://b.example"}"#,
            ),
            // The address of another host says nothing of this one.
            (
                "domains/c.example/trajectories/traj_1.json",
                r#"{"origin":"http://b.example"}"#,
            ),
            (
                "domains/___1__8080/knowledge.json",
                r#"{"domain":"[::1]:8080"}"#,
            ),
        ];
        assert_eq!(
            hosts(&told),
            [
                "c.example",
                "http://[::1]:8080",
                "http://a.example",
                "http://b.example"
            ]
        );
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_an_error_that_names_the_file() {
        let fine = ("domains/a.example/knowledge.json", "{}");
        for (path, text, why) in [
            ("domains/b.example/knowledge.json", "{", "JSON"),
            ("domains/b.example/knowledge.json", "[]", "not an object"),
            (
                "domains/b.example/knowledge.json",
                r#"{"facts":{}}"#,
                "facts are not a list",
            ),
            (
                "domains/b.example/selectors.json",
                "{}",
                "entries are missing",
            ),
            (
                "domains/b.example/trajectories/traj_1.json",
                "7",
                "not an object",
            ),
            ("domains/co.uk/knowledge.json", "{}", "named after a host"),
            ("domains/a b/knowledge.json", "{}", "named after a host"),
        ] {
            let error = parse(&files(&[fine, (path, text)])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{path}");
            assert!(error.said("why").unwrap().contains(why), "{error:?}");
            let file = error.said("file").unwrap();
            assert!(path.starts_with(file), "{error:?}");
        }
        for (path, text) in [("hints.json", "{}"), ("agent-runs/run_1.json", "")] {
            assert!(parse(&files(&[fine, (path, text)])).is_err());
        }
        assert!(parse(&files(&[("hints.json", r#"{"hints":""}"#)])).is_err());
    }

    #[test]
    fn hints_are_split_and_files_that_are_not_imported_are_counted() {
        let folder = parse(&files(&[
            ("domains/a.example/knowledge.json", "{}"),
            ("agent-runs/run_1.json", "{}"),
            ("runs/run_1.json", ""),
            (
                "hints.json",
                r##"{"hints":"# Speed\n\n- Prefer the search box.\n2. Skip the tour.\n---"}"##,
            ),
            ("domains/a.example/notes.txt", ""),
        ]))
        .unwrap();
        assert_eq!(folder.hints, ["Prefer the search box.", "Skip the tour."]);
        assert!(folder.runs.contains_key("agent-runs/run_1.json"));
        assert_eq!(
            folder.left_out,
            [
                "1 suite in runs is left out",
                "1 file in places that are not documented is left out"
            ]
        );
    }
}
