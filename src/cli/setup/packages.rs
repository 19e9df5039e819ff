//! What the tests of this crate need beside the driver and find in the Python package index: one release of each. Pure.
//!
//! pip brings the files, each is checked against the hash below and unpacked, and `setup` never lets Python run any of
//! them. What the tests do with them is the tests' business.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{
    machine::Tool,
    plan::{Act, Command, Step},
};

/// One release of something that the tests use, made of one or more files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// What a person calls it.
    pub(crate) name: &'static str,
    /// Its folder in webwise's own; the release is a folder in that.
    folder: &'static str,
    release: &'static str,
    wheels: &'static [Wheel],
    /// A folder in the unpacked files that shows that they are there.
    mark: &'static str,
}

/// A file of the index that is unpacked as it is.
#[derive(Debug, PartialEq, Eq)]
struct Wheel {
    /// The project and its release, as pip is asked for them.
    requirement: &'static str,
    /// The name under which pip saves the file.
    file: &'static str,
    /// SHA-256 of the file. Source: the file as the Python package index gives it.
    sha256: &'static str,
}

/// Everything that is brought, in this order.
pub(crate) const PACKAGES: [Package; 2] = [
    Package {
        name: "MiniWoB++",
        folder: "miniwob",
        release: "1.1.0",
        wheels: &[Wheel {
            requirement: "miniwob==1.1.0",
            file: "miniwob-1.1.0-py3-none-any.whl",
            sha256: "297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9",
        }],
        mark: "miniwob/html/miniwob",
    },
    // With the two packages that it imports.
    Package {
        name: "Django",
        folder: "django",
        release: "5.2.19",
        wheels: &[
            Wheel {
                requirement: "Django==5.2.19",
                file: "django-5.2.19-py3-none-any.whl",
                sha256: "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
            },
            Wheel {
                requirement: "asgiref==3.13.0",
                file: "asgiref-3.13.0-py3-none-any.whl",
                sha256: "f9596a2434512686473d50f96ff6207fbba49ae1a785dfac614df4aeb085674d",
            },
            Wheel {
                requirement: "sqlparse==0.6.1",
                file: "sqlparse-0.6.1-py3-none-any.whl",
                sha256: "3be5a72d04c873d690d7c6dedd33d6fae2ef82759881ceec02fc2efd0cba564f",
            },
        ],
        mark: "django/contrib/admin",
    },
];

impl Package {
    /// Where the unpacked files belong, in webwise's own folder. They come there by one rename, so they are whole or not
    /// there.
    pub(crate) fn folder_in(&self, home: &Path) -> PathBuf {
        home.join(self.folder).join(self.release)
    }

    /// The folder that shows that they are there.
    pub(crate) fn mark_in(&self, home: &Path) -> PathBuf {
        self.folder_in(home).join(self.mark)
    }

    /// What brings them.
    fn step(&self, home: &Path, python: &Path) -> Step {
        let folder = self.folder_in(home);
        let new = folder.with_file_name(format!(".{}.new", self.release));
        let unpacked = new.join("unpacked");
        let run = |words: &[&str], rest: &[OsString]| {
            let args = words.iter().map(OsString::from).chain(rest.iter().cloned()).collect();
            Act::Run(Command { program: python.to_owned(), args })
        };
        let download = "-m pip download --no-deps --only-binary :all: --no-input --disable-pip-version-check --dest";
        let download: Vec<&str> = download.split(' ').collect();
        let wanted = self.wheels.iter().map(|wheel| OsString::from(wheel.requirement));
        let wanted: Vec<OsString> = [new.clone().into()].into_iter().chain(wanted).collect();
        let verify = |wheel: &Wheel| Act::Verify { file: new.join(wheel.file), sha256: wheel.sha256 };
        let unpack =
            |wheel: &Wheel| run(&["-m", "zipfile", "-e"], &[new.join(wheel.file).into(), unpacked.clone().into()]);
        let mut acts = vec![Act::EmptyFolder(new.clone()), run(&download, &wanted)];
        acts.extend(self.wheels.iter().map(verify));
        acts.extend(self.wheels.iter().map(unpack));
        acts.extend([Act::Place { from: unpacked.clone(), to: folder.clone() }, Act::Remove(new.clone())]);
        let sentence = format!("Get {} {} with pip into {}", self.name, self.release, folder.display());
        Step { sentence, acts }
    }
}

/// The packages as they are on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packages {
    /// webwise's own folder.
    pub(crate) home: PathBuf,
    /// Those that are not there, in the order of [`PACKAGES`].
    pub(crate) missing: Vec<&'static Package>,
    /// The Python whose pip brings them, with pip's version.
    pub(crate) pip: Tool,
}

impl Packages {
    /// Whether pip must be installed first.
    pub(crate) const fn need_pip(&self) -> bool {
        !self.missing.is_empty() && self.pip.version().is_none()
    }

    /// What brings the missing ones, a step each.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let python = match &self.pip {
            Tool::Found(python, _) => python,
            // On a bare machine it comes with the system's packages, and is found when this step's turn comes.
            Tool::Missing | Tool::Broken(..) => Path::new("python3"),
        };
        self.missing.iter().map(|package| package.step(&self.home, python)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::machine::Version, *};

    const HOME: &str = "/home/a b/.cache/webwise";

    /// A machine that has none of them.
    fn packages(pip: Tool) -> Packages {
        Packages { home: HOME.into(), missing: PACKAGES.iter().collect(), pip }
    }

    fn commands(step: &Step) -> Vec<&Command> {
        let commands = step.acts.iter().filter_map(|act| match act {
            Act::Run(command) => Some(command),
            _ => None,
        });
        commands.collect()
    }

    /// Where the acts of this kind are in a step.
    fn positions(step: &Step, wanted: fn(&Act) -> bool) -> Vec<usize> {
        step.acts.iter().enumerate().filter(|(_, act)| wanted(act)).map(|(at, _)| at).collect()
    }

    #[test]
    fn packages_that_are_there_need_nothing_not_even_pip() {
        let there = Packages { missing: vec![], ..packages(Tool::Missing) };
        assert_eq!(there.steps(), []);
        assert!(!there.need_pip());
    }

    #[test]
    fn one_release_of_each_is_brought_as_wheels_alone() {
        let steps = packages(Tool::Found("/usr/bin/python3".into(), Version([23, 0, 1]))).steps();
        assert_eq!(steps.len(), PACKAGES.len());
        for (step, package) in steps.iter().zip(&PACKAGES) {
            let download = commands(step)[0];
            assert_eq!(download.program, Path::new("/usr/bin/python3"));
            let asked = package.wheels.iter().map(|wheel| wheel.requirement);
            for word in ["--no-deps", "--only-binary", ":all:"].into_iter().chain(asked) {
                assert!(download.args.iter().any(|arg| arg == word), "{word}");
            }
            assert!(package.wheels.iter().all(|wheel| wheel.requirement.contains("==") && wheel.sha256.len() == 64));
        }
    }

    #[test]
    fn nothing_is_unpacked_before_all_is_verified_and_nothing_is_in_place_before_it_is_whole() {
        for (step, package) in packages(Tool::Missing).steps().iter().zip(&PACKAGES) {
            let verified = positions(step, |act| matches!(act, Act::Verify { .. }));
            let unpacked = positions(
                step,
                |act| matches!(act, Act::Run(command) if command.args.iter().any(|arg| arg == "zipfile")),
            );
            let placed = positions(step, |act| matches!(act, Act::Place { .. }));
            assert_eq!((verified.len(), unpacked.len()), (package.wheels.len(), package.wheels.len()));
            assert!(verified.last() < unpacked.first() && unpacked.last() < placed.first());
            let Act::Place { from, to } = &step.acts[placed[0]] else { unreachable!("it is the place") };
            assert_eq!(*to, Path::new(HOME).join(package.folder).join(package.release));
            // One rename within one file system.
            assert!(from.starts_with(to.parent().unwrap()));
        }
    }

    #[test]
    fn a_python_without_pip_needs_pip_and_is_then_looked_for_again() {
        for pip in [Tool::Missing, Tool::Broken("/usr/bin/python3".into(), "No module named pip".into())] {
            let packages = packages(pip);
            assert!(packages.need_pip());
            assert_eq!(commands(&packages.steps()[0])[0].program, Path::new("python3"));
        }
    }
}
