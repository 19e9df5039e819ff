//! The built program in a place of its own: working folder, runs and temporary files.
#![allow(dead_code, reason = "each target uses its own part")]

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// Variables of this machine that would choose another model.
const MODEL_VARIABLES: [&str; 8] = [
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "WEBWISE_LLM_BASE_URL",
    "WEBWISE_LLM_API_KEY",
    "WEBWISE_LLM_MODE",
    "WEBWISE_MODEL",
    "WEBWISE_CONTEXT_WINDOW",
];

/// A folder that a program runs in and that is removed with everything in it.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        // Short, because sockets of the browser are in it.
        std::fs::create_dir(place.dir.path().join("t")).unwrap();
        place
    }

    /// The program with these arguments. It finds the browser as the person's own would.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.without_memory(args);
        // Memory of this place, and never the person's own.
        command
            .arg("--memory-dir")
            .arg(self.dir.path().join("memory"));
        command
    }

    /// The program with these arguments, for a command that uses no memory.
    pub(crate) fn without_memory(&self, args: &[&str]) -> Command {
        // What starts the tests in the background may have them ignore signals, and the program would go on ignoring them.
        let mut command = Command::new("/usr/bin/env");
        command
            .arg("--default-signal=HUP,INT,QUIT,TERM")
            .arg(env!("CARGO_BIN_EXE_webwise"));
        for name in MODEL_VARIABLES {
            command.env_remove(name);
        }
        command
            .current_dir(self.dir.path())
            .env("TMPDIR", self.dir.path().join("t"))
            .args(args)
            .stdin(Stdio::null());
        command
    }

    /// A file or folder of this place.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The folder of the one run that was made here.
    pub(crate) fn only_run(&self) -> PathBuf {
        let runs: Vec<_> = self
            .dir
            .path()
            .join("runs")
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        let [run] = runs.as_slice() else {
            panic!("one run, not {runs:?}")
        };
        run.clone()
    }

    /// Whether a browser is left: each has a private folder that goes with it.
    pub(crate) fn has_browser(&self) -> bool {
        self.dir
            .path()
            .join("t")
            .read_dir()
            .unwrap()
            .next()
            .is_some()
    }

    /// Whether a browser of this place runs: its arguments name the folder it lives in.
    pub(crate) fn has_process(&self) -> bool {
        let folder = self
            .dir
            .path()
            .join("t")
            .into_os_string()
            .into_encoded_bytes();
        let names_it =
            |arguments: Vec<u8>| arguments.windows(folder.len()).any(|part| part == folder);
        let processes = Path::new("/proc")
            .read_dir()
            .expect("/proc is there: this test needs Linux");
        // One that ended meanwhile has none.
        processes
            .flatten()
            .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
            .any(names_it)
    }

    pub(crate) fn assert_no_browser(&self) {
        let left: Vec<_> = self
            .dir
            .path()
            .join("t")
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The lines of a file, each an object.
pub(crate) fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .inspect(|v| assert!(v.is_object()))
        .collect()
}
