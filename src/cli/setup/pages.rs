//! What the tests of this crate need beside the driver: the pages of MiniWoB++, from the wheel of one release. Pure.
//!
//! The wheel is data to us: pip brings it, it is checked against the hash below, unpacked, and nothing of it is ever run
//! by Python.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{
    machine::Tool,
    plan::{Act, Command, Step},
};

/// The release of the package `miniwob` whose pages the tests know.
const RELEASE: &str = "1.1.0";
/// The name of its wheel.
const WHEEL: &str = "miniwob-1.1.0-py3-none-any.whl";
/// SHA-256 of that wheel. Source: the file as the Python package index gives it.
const WHEEL_SHA256: &str = "297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9";
/// The folder in the wheel that holds the pages.
const HTML: &str = "miniwob/html/miniwob";

/// The pages, where they are or should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pages {
    /// The unpacked wheel; the pages are below it.
    pub(crate) folder: PathBuf,
    /// Whether it is there. It comes into its place by one rename, so it is whole or not there.
    pub(crate) are_there: bool,
    /// The Python whose pip brings it, with pip's version.
    pub(crate) pip: Tool,
}

impl Pages {
    /// Where they belong, in webwise's own folder.
    pub(crate) fn folder_in(home: &Path) -> PathBuf {
        home.join("miniwob").join(RELEASE)
    }

    /// The folder that shows that an unpacked wheel is there.
    pub(crate) fn mark(folder: &Path) -> PathBuf {
        folder.join(HTML)
    }

    /// Whether pip must be installed first.
    pub(crate) const fn need_pip(&self) -> bool {
        !self.are_there && self.pip.version().is_none()
    }

    /// What brings them; nothing if they are there.
    pub(crate) fn step(&self) -> Option<Step> {
        if self.are_there {
            return None;
        }
        let python = match &self.pip {
            Tool::Found(python, _) => python.clone(),
            // On a bare machine it comes with the system's packages, and is found when this step's turn comes.
            Tool::Missing | Tool::Broken(..) => PathBuf::from("python3"),
        };
        let new = self.folder.with_file_name(format!(".{RELEASE}.new"));
        let (wheel, unpacked) = (new.join(WHEEL), new.join("unpacked"));
        let run = |words: &[&str], rest: &[OsString]| {
            let args = words.iter().map(OsString::from).chain(rest.iter().cloned()).collect();
            Act::Run(Command { program: python.clone(), args })
        };
        let download = "-m pip download --no-deps --only-binary :all: --no-input --disable-pip-version-check --dest";
        let download: Vec<&str> = download.split(' ').collect();
        Some(Step {
            sentence: format!("Get the pages of MiniWoB++ {RELEASE} with pip into {}", self.folder.display()),
            acts: vec![
                Act::EmptyFolder(new.clone()),
                run(&download, &[new.clone().into(), format!("miniwob=={RELEASE}").into()]),
                Act::Verify { file: wheel.clone(), sha256: WHEEL_SHA256 },
                run(&["-m", "zipfile", "-e"], &[wheel.into(), unpacked.clone().into()]),
                Act::Place { from: unpacked, to: self.folder.clone() },
                Act::Remove(new),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::machine::Version, *};

    fn pages(pip: Tool) -> Pages {
        Pages { folder: Pages::folder_in(Path::new("/home/a b/.cache/webwise")), are_there: false, pip }
    }

    fn commands(step: &Step) -> Vec<&Command> {
        let commands = step.acts.iter().filter_map(|act| match act {
            Act::Run(command) => Some(command),
            _ => None,
        });
        commands.collect()
    }

    #[test]
    fn pages_that_are_there_need_nothing_not_even_pip() {
        let there = Pages { are_there: true, ..pages(Tool::Missing) };
        assert_eq!(there.step(), None);
        assert!(!there.need_pip());
    }

    #[test]
    fn one_release_is_brought_as_a_wheel_alone() {
        let step = pages(Tool::Found("/usr/bin/python3".into(), Version([23, 0, 1]))).step().unwrap();
        let download = commands(&step)[0];
        assert_eq!(download.program, Path::new("/usr/bin/python3"));
        for word in ["--no-deps", "--only-binary", ":all:", "miniwob==1.1.0"] {
            assert!(download.args.iter().any(|arg| arg == word), "{word}");
        }
    }

    #[test]
    fn nothing_is_unpacked_before_it_is_verified_and_nothing_is_in_place_before_it_is_whole() {
        let step = pages(Tool::Missing).step().unwrap();
        let at = |wanted: fn(&Act) -> bool| step.acts.iter().position(wanted).unwrap();
        let is_unpacking =
            |act: &Act| matches!(act, Act::Run(command) if command.args.iter().any(|arg| arg == "zipfile"));
        let (verified, unpacked) = (at(|act| matches!(act, Act::Verify { .. })), at(is_unpacking));
        let placed = at(|act| matches!(act, Act::Place { .. }));
        assert!(verified < unpacked && unpacked < placed);
        let Act::Place { from, to } = &step.acts[placed] else { unreachable!("it is the place") };
        assert_eq!(to, Path::new("/home/a b/.cache/webwise/miniwob/1.1.0"));
        // One rename within one file system.
        assert_eq!(from.parent().and_then(Path::parent), to.parent());
    }

    #[test]
    fn a_python_without_pip_needs_pip_and_is_then_looked_for_again() {
        for pip in [Tool::Missing, Tool::Broken("/usr/bin/python3".into(), "No module named pip".into())] {
            let pages = pages(pip);
            assert!(pages.need_pip());
            assert_eq!(commands(&pages.step().unwrap())[0].program, Path::new("python3"));
        }
    }
}
