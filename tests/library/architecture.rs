//! The house keeps its plan: imports point one way, pure rooms stay pure, and the default build stays light.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{profile, random};

/// What each room may import. A room that is not here is a mistake in this table or in the house.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("page", &["base"]),
    ("secret", &["base", "page"]),
    ("action", &["base", "page", "secret"]),
    ("chat", &["base", "page", "secret", "action"]),
    ("working", &["base", "page", "secret", "action", "chat"]),
    (
        "memory",
        &["base", "page", "secret", "action", "chat", "working"],
    ),
    (
        "guard",
        &["base", "page", "secret", "action", "chat", "working"],
    ),
    ("explore", &["base", "page", "working"]),
    (
        "verify",
        &[
            "base", "page", "secret", "action", "chat", "memory", "working", "guard",
        ],
    ),
    ("vision", &["base", "page", "action"]),
    ("browser", &["base", "page", "secret", "action"]),
    (
        "prompt",
        &[
            "base", "page", "secret", "action", "chat", "memory", "working",
        ],
    ),
    ("llm", &["base", "page", "secret", "action", "chat"]),
    ("registry", &["base", "page", "memory"]),
    ("store", &["base", "memory", "registry"]),
    (
        "event",
        &[
            "base", "page", "secret", "action", "chat", "memory", "working", "guard",
        ],
    ),
    ("demo", &["base"]),
    ("eval", &["base", "page", "action", "memory"]),
    (
        "stand_in",
        &["base", "page", "secret", "action", "chat", "prompt", "llm"],
    ),
];
/// Rooms that hold no await, no file, no socket, no environment, no clock and no chance.
const PURE: &[&str] = &[
    "base", "page", "secret", "action", "chat", "memory", "registry", "working", "prompt", "guard",
    "explore", "verify", "vision", "eval",
];
/// What is pure inside a port: decided from what was told, so that it is tested with values.
const PURE_INSIDE: &[&str] = &[
    "browser/rules.rs",
    "browser/cdp/state.rs",
    "browser/cdp/state",
];
/// Words that make a room impure.
const IMPURE: &[&str] = &[
    "async fn",
    "async move",
    ".await",
    "tokio::",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "Instant",
    "SystemTime",
    "::now()",
    "now_v7",
    "new_v4",
    "rand::",
    "thread::",
];
/// Rooms that may import every room: the shell, its door, and the parts for tests.
const SHELL: &[&str] = &["agent", "cli", "testing", "report"];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            files.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
    files.sort();
    files
}

/// The source without comments, strings' content kept, and without its test modules at the end of a file.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap()
        .to_owned();
    text.lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_test_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs")
        || path.iter().any(|part| part == "tests")
}

/// The rooms of the crate with their files.
fn rooms() -> BTreeMap<String, Vec<PathBuf>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut rooms: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in sources(&src) {
        let inside = file.strip_prefix(&src).unwrap();
        let room = inside
            .iter()
            .next()
            .unwrap()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_owned();
        if inside.iter().count() > 1 && room != "bin" {
            rooms.entry(room).or_default().push(file);
        }
    }
    rooms
}

/// The rooms that a text names: `crate::architecture::room`, `use crate::architecture::{room::..., room}`, and what is re-exported at the root.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let flat: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
    for (at, _) in flat.match_indices("crate::architecture::") {
        let rest = &flat[at + "crate::architecture::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(top_level_names(group));
        } else {
            found.extend(first_name(rest));
        }
    }
    found.iter().map(|name| room_of(name)).collect()
}

fn first_name(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn top_level_names(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut names) = (0_i32, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.extend(first_name(group[start..at].trim()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.extend(first_name(group[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}

/// Names at the crate's root and the room each one lives in.
fn room_of(name: &str) -> String {
    let home = match name {
        "Error" | "ErrorKind" | "Host" | "Nonce" | "Origin" | "Result" | "RunId" | "SessionId"
        | "Site" | "Trust" | "TokenCount" => "base",
        "BrowserDriver" => "browser",
        "LlmClient" => "llm",
        "MemoryBackend" => "store",
        "EventSink" => "event",
        "DecisionLoop" | "Task" | "RunReport" | "Options" => "agent",
        other => other,
    };
    home.to_owned()
}

#[test]
fn imports_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.iter().copied().collect();
    let rooms = rooms();
    let mut wrong = Vec::new();
    for (room, files) in &rooms {
        if SHELL.contains(&room.as_str()) {
            continue;
        }
        let Some(allowed) = allowed.get(room.as_str()) else {
            wrong.push(format!("room {room} has no line in MAY_IMPORT"));
            continue;
        };
        for file in files.iter().filter(|file| !is_test_file(file)) {
            for import in imports(&code(file)) {
                if import != *room
                    && rooms.contains_key(&import)
                    && !allowed.contains(&import.as_str())
                {
                    wrong.push(format!("{} imports {import}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_path_upwards_never_leaves_its_room() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (room, files) in rooms() {
        for file in files {
            // A file at depth n below its room may climb n times and still be inside.
            let inside = file.strip_prefix(src.join(&room)).unwrap();
            let own = usize::from(inside.file_name().unwrap() != "mod.rs");
            let depth = inside.iter().count() - 1 + own;
            let climbs = "super::".repeat(depth + 1);
            let text = fs::read_to_string(&file).unwrap();
            let inline_tests = usize::from(text.contains("mod tests {"));
            let climbs = format!("{}{}", "super::".repeat(inline_tests), climbs);
            assert!(
                !text.contains(&climbs),
                "{} climbs out of {room}",
                file.display()
            );
        }
    }
}

#[test]
fn adapters_do_not_know_each_other_or_the_loop() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for port in ["browser", "llm", "store", "event"] {
        let adapters: Vec<String> = fs::read_dir(src.join(port))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|name| !["mod", "port", "kinds", "chromium", "rules"].contains(&name.as_str()))
            .collect();
        for file in sources(&src.join(port)) {
            let code = code(&file);
            assert!(
                !code.contains("crate::architecture::agent"),
                "{} knows the loop",
                file.display()
            );
            let own = file
                .strip_prefix(src.join(port))
                .unwrap()
                .iter()
                .next()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let own = own.trim_end_matches(".rs").to_owned();
            for other in adapters
                .iter()
                .filter(|other| **other != own && own != "mod")
            {
                // Two sinks share one writer thread: `run_folder` is the folder form of `jsonl`.
                if (own.as_str(), other.as_str()) == ("run_folder", "jsonl") {
                    continue;
                }
                let path = format!("{port}::{other}::");
                assert!(!code.contains(&path), "{} knows {other}", file.display());
            }
        }
    }
}

#[test]
fn the_door_to_the_browser_knows_no_model_and_no_memory() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/agent/executor"));
    assert!(files.len() > 10, "{}", files.len());
    for file in files {
        for path in used_paths(&code(&file)) {
            let mut parts = path.split("::");
            let foreign = ["llm", "memory", "store", "LlmClient", "MemoryBackend"];
            assert!(
                !parts.any(|part| foreign.contains(&part)),
                "{} uses {path}",
                file.display()
            );
        }
    }
}

/// The list of kinds, the names under which the crate knows what is in them, and what a person adds to a kind.
const MAY_NAME_A_KIND: [&str; 3] = ["memory/kind.rs", "memory/mod.rs", "store/memory/using.rs"];

#[test]
fn nothing_outside_a_kind_of_memory_knows_it_from_another() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let memory = src.join("memory");
    let kinds: Vec<String> = fs::read_dir(&memory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(kinds.contains(&"lesson".to_owned()));
    let may = MAY_NAME_A_KIND.map(|file| src.join(file));
    for file in sources(&src).iter().filter(|file| !is_test_file(file)) {
        if may.contains(file) {
            continue;
        }
        let code = code(file);
        for kind in kinds
            .iter()
            .filter(|kind| !file.starts_with(memory.join(kind)))
        {
            let own = format!("{kind}::");
            let is_named = code.contains(&own)
                || used_paths(&code)
                    .iter()
                    .any(|path| format!("{path}::").contains(&format!("::{own}")));
            assert!(!is_named, "{} knows the kind {kind}", file.display());
        }
    }
}

/// Every path that a `use` names, groups expanded: `use std::{fs, io::{self, Read}}` names `std::fs`, `std::io` and
/// `std::io::Read`.
fn used_paths(code: &str) -> Vec<String> {
    let flat: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paths = Vec::new();
    for (at, _) in flat.match_indices("use ") {
        let starts_a_word = !flat[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(end) = flat[at..].find(';').filter(|_| starts_a_word) {
            expand("", &flat[at + "use ".len()..at + end], &mut paths);
        }
    }
    paths
}

fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, group)) = tree.split_once('{') else {
        // `x as y` names `x`, `a::self` names `a`.
        let name = tree.split(" as ").next().unwrap().replace(' ', "");
        let path = format!("{prefix}{}", name.trim_start_matches("::"));
        paths.push(path.strip_suffix("::self").unwrap_or(&path).to_owned());
        return;
    };
    let prefix = format!("{prefix}{}", head.replace(' ', "").trim_start_matches("::"));
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 0 => {
                expand(&prefix, &group[start..at], paths);
                start = at + 1;
            }
            '}' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    expand(&prefix, &group[start..at], paths);
                }
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
}

/// The words of [`IMPURE`] that a room's code holds, spelled out or imported in a group.
fn impure_words(code: &str) -> Vec<&'static str> {
    let paths: Vec<String> = used_paths(code)
        .into_iter()
        .map(|path| format!("{path}::"))
        .collect();
    let is_in =
        |word: &&&str| code.contains(**word) || paths.iter().any(|path| path.contains(**word));
    IMPURE.iter().filter(is_in).copied().collect()
}

#[test]
fn pure_rooms_hold_nothing_impure() {
    let rooms = rooms();
    let mut wrong = Vec::new();
    for room in PURE {
        for file in rooms[*room].iter().filter(|file| !is_test_file(file)) {
            wrong.extend(
                impure_words(&code(file))
                    .iter()
                    .map(|word| format!("{}: {word}", file.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_port_decides_from_what_it_was_told_holds_nothing_impure() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for place in PURE_INSIDE.iter().map(|place| src.join(place)) {
        let files = if place.is_dir() {
            sources(&place)
        } else {
            vec![place]
        };
        for file in files.iter().filter(|file| !is_test_file(file)) {
            let code = code(file);
            assert!(code.lines().count() > 10, "{} was read", file.display());
            wrong.extend(
                impure_words(&code)
                    .iter()
                    .map(|word| format!("{}: {word}", file.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_grouped_import_is_as_impure_as_a_plain_one() {
    for (code, words) in [
        ("use std::fs;", &["std::fs"][..]),
        ("use std::{fmt, fs, net};", &["std::fs", "std::net"]),
        (
            "use std::{\n    collections::{BTreeMap, btree_map::Entry},\n    env::{self, args},\n};",
            &["std::env"],
        ),
        ("use {std::fmt, ::std::{process as p}};", &["std::process"]),
        ("pub(crate) use tokio;", &["tokio::"]),
        ("use std :: { thread };", &["thread::"]),
        (
            "use std::{collections::BTreeMap, fmt::{self, Write as _}, sync::Arc,};\nfn reuse {}",
            &[],
        ),
        ("fn f() { std::env::var(); }", &["std::env"]),
    ] {
        assert_eq!(impure_words(code), words, "{code}");
    }
}

#[test]
fn groups_of_imports_are_expanded_to_paths() {
    let code = "use a::{b, c::{self, d as e}, };\nlet because = 1; use f;";
    assert_eq!(used_paths(code), ["a::b", "a::c", "a::c::d", "f"]);
}

#[test]
fn one_file_reads_the_size_of_the_suite_and_takes_no_other_word_for_it() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (here, one) = (tests.join("library/architecture.rs"), "support/profile.rs");
    let readers: Vec<PathBuf> = sources(&tests)
        .into_iter()
        .filter(|file| *file != here && fs::read_to_string(file).unwrap().contains("WEBWISE_TESTS"))
        .collect();
    assert_eq!(readers, [tests.join(one)]);

    let full = |size: Option<&'static str>| {
        std::panic::catch_unwind(move || profile::is_full(size.map(OsStr::new))).ok()
    };
    assert_eq!(full(None), Some(false));
    assert_eq!(full(Some("quick")), Some(false));
    assert_eq!(full(Some("full")), Some(true));
    for wrong in ["", "Full", "all", "1"] {
        assert_eq!(full(Some(wrong)), None, "{wrong}");
    }
}

#[test]
fn a_seed_that_was_printed_and_is_given_again_makes_the_same_cases() {
    const NAME: &str =
        "architecture::a_seed_that_was_printed_and_is_given_again_makes_the_same_cases";
    const CHILD: &str = "WEBWISE_ARCHITECTURE_CHILD";
    let cases = || {
        let mut random = random::Random::told("the cases");
        (0..100).map(|_| random.below(1_000)).collect::<Vec<_>>()
    };
    if std::env::var_os(CHILD).is_some() {
        println!("cases: {:?}", cases());
        return;
    }
    // This test again, as a program of its own. Returns the seed that it printed, and its cases.
    let run = |size: &str, seed: Option<&str>| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1");
        child.env("WEBWISE_TESTS", size).env_remove("WEBWISE_SEED");
        child.envs(seed.map(|seed| ("WEBWISE_SEED", seed)));
        let output = child.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let (cases, printed) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "{printed}");
        let seed = printed
            .split_once("WEBWISE_SEED=")
            .and_then(|(_, rest)| rest.split(' ').next())
            .map(str::to_owned);
        let cases = cases
            .lines()
            .find_map(|line| line.split_once("cases: "))
            .map(|(_, cases)| cases.to_owned());
        (seed.unwrap(), cases.unwrap())
    };
    let quick = run("quick", None);
    assert_eq!(run("quick", None), quick, "the quick suite has one seed");
    let full = run("full", None);
    assert_ne!(full, quick, "the full suite makes a new one");
    for (size, made) in [("quick", &full), ("full", &full), ("full", &quick)] {
        assert_eq!(run(size, Some(&made.0)), *made);
    }
    let chosen = |given: &'static str| {
        std::panic::catch_unwind(move || random::chosen(Some(OsStr::new(given)), 0)).ok()
    };
    assert_eq!(chosen("7"), Some(7));
    for wrong in ["", "-1", "x", "1.5"] {
        assert_eq!(chosen(wrong), None, "{wrong}");
    }
}

#[test]
fn the_default_build_has_no_http_client_no_tls_and_no_database() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree", "--edges", "normal", "--prefix", "none", "--format", "{p}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tree = String::from_utf8(output.stdout).unwrap();
    let names: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.contains(&"serde_json"), "the tree was read");
    for heavy in [
        "reqwest",
        "hyper",
        "rustls",
        "native-tls",
        "openssl",
        "ring",
        "aws-lc-rs",
        "genai",
        "sqlx",
        "rusqlite",
        "clap",
    ] {
        assert!(
            !names.contains(&heavy),
            "{heavy} is in the default build:\n{tree}"
        );
    }
}
