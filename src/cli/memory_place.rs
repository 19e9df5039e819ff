//! The folder that contains memory. Every command chooses it here.
//!
//! # Decisions
//!
//! - Memory is in the user's data folder, not in the cache or the working folder: it must not be deleted as temporary data,
//!   and it belongs to no project.

use std::{
    env,
    ffi::OsString,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{Refusal, say::one_line, tell};
use crate::{memory::Namespace, store::JsonFiles};

/// The memory to use.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct MemoryPlace {
    /// Folder of memory. Default: `dir` of the configuration file, else `memory` in `WEBWISE_HOME`, else `webwise/memory` in the
    /// user's data folder.
    #[arg(long, value_name = "DIR", global = true)]
    memory_dir: Option<PathBuf>,
    /// Namespace that separates tenants or experiments. Default: `default`.
    #[arg(long, value_name = "NAME", global = true, value_parser = namespace)]
    namespace: Option<Namespace>,
}

fn namespace(text: &str) -> Result<Namespace, String> {
    Namespace::parse(text).map_err(|_| "use 1 to 64 letters, digits, `_` or `-`".to_owned())
}

impl MemoryPlace {
    /// Returns the memory in the folder `memory_dir`, or in the default folder if `memory_dir` is `None`. The namespace is
    /// the default one.
    pub(super) const fn of(memory_dir: Option<PathBuf>) -> Self {
        Self {
            memory_dir,
            namespace: None,
        }
    }

    /// Returns the folder of memory. Fails if no folder is given and no environment variable leads to the default folder.
    pub(super) fn dir(&self) -> Result<PathBuf, Refusal> {
        folder(self.memory_dir.as_deref(), |name| env::var_os(name)).ok_or_else(|| {
            Refusal::usage(
                "memory has no folder, because HOME is not set: set WEBWISE_HOME or name one with --memory-dir",
            )
        })
    }

    /// Opens the memory, but does not read or create any file yet.
    pub(super) fn open(&self) -> Result<JsonFiles, Refusal> {
        let dir = self.dir()?;
        // If the folder cannot be checked here, the store reports the reason later.
        if dir.metadata().is_ok_and(|data| !data.is_dir()) {
            return Err(Refusal::usage(format!(
                "memory cannot be kept in {}, which is a file and no folder: move it away, or name a folder with \
                 --memory-dir or WEBWISE_HOME",
                dir.display()
            )));
        }
        // Memory of this program has a folder of locks as soon as anything is in it.
        if dir.join("domains").is_dir() && !dir.join("locks").exists() {
            return Err(Refusal::usage(format!(
                "{0} is another program's memory, in which nothing is written: import it with `webwise memory import {0}`, \
                 and name another folder with --memory-dir",
                dir.display()
            )));
        }
        Ok(JsonFiles::open(dir))
    }

    /// Returns a sentence that says that the folder of memory does not exist; `None` if it exists or cannot be checked.
    pub(super) fn missing(&self) -> Option<String> {
        let dir = self.dir().ok()?;
        let gone = fs::metadata(&dir).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        gone.then(|| format!("there is no folder {}", dir.display()))
    }

    /// Returns `done`, the result of a command that never creates the folder of memory. If `--memory-dir` names a missing
    /// folder, says so: in the refusal if the command failed, otherwise on stderr.
    pub(super) fn checked(&self, done: Result<(), Refusal>) -> Result<(), Refusal> {
        let Some(missing) = self.memory_dir.as_ref().and_then(|_| self.missing()) else {
            return done;
        };
        if done.is_ok() {
            tell(one_line(&format!("webwise: {missing}")));
        }
        done.map_err(|refusal| refusal.because(&missing))
    }

    /// Returns true if a flag chose the memory: its folder or its namespace.
    pub(super) const fn is_chosen(&self) -> bool {
        self.memory_dir.is_some() || self.namespace.is_some()
    }

    pub(super) const fn named(&self) -> Option<&Namespace> {
        self.namespace.as_ref()
    }

    pub(super) fn namespace(&self) -> Namespace {
        self.namespace.clone().unwrap_or_default()
    }
}

/// Returns the folder `named`, or else the default folder of memory, as an absolute path; `None` if no environment variable
/// leads to a default folder. An empty variable counts as unset.
fn folder(named: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(named) = named {
        return std::path::absolute(named).ok();
    }
    if let Some(home) = set("WEBWISE_HOME") {
        return std::path::absolute(home.join("memory")).ok();
    }
    // The cache folder is not used, because it may be emptied at any time. A relative path is ignored, as the XDG base
    // directory specification requires.
    let data = set("XDG_DATA_HOME").filter(|data| data.is_absolute());
    let of_user = || {
        set("HOME")
            .or_else(|| set("USERPROFILE"))
            .map(|home| home.join(".local").join("share"))
    };
    let data = data.or_else(of_user).filter(|data| data.is_absolute())?;
    Some(data.join("webwise").join("memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_named_one_else_webwises_else_the_users() {
        let with = |named: Option<&str>, variables: &[(&str, &str)]| {
            let get = |name: &str| {
                variables
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.into())
            };
            folder(named.map(Path::new), get)
        };
        let all = [
            ("WEBWISE_HOME", "/w"),
            ("XDG_DATA_HOME", "/d"),
            ("HOME", "/h"),
        ];
        assert_eq!(with(Some("/m"), &all), Some("/m".into()));
        assert_eq!(with(None, &all), Some("/w/memory".into()));
        assert_eq!(with(None, &all[1..]), Some("/d/webwise/memory".into()));
        assert_eq!(
            with(None, &all[2..]),
            Some("/h/.local/share/webwise/memory".into())
        );
        assert_eq!(
            with(None, &[("XDG_DATA_HOME", "d"), ("HOME", "/h")]),
            Some("/h/.local/share/webwise/memory".into())
        );
        assert_eq!(
            with(None, &[("WEBWISE_HOME", ""), ("HOME", "h")]),
            None,
            "never the working folder"
        );
    }
}
