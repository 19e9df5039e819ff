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
    form: Form,
    files: &'static [File],
    /// A folder in the unpacked files that shows that they are there.
    mark: &'static str,
}

/// How the files are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Wheels, which hold what is to be imported.
    Wheels,
    /// A source archive, with everything in one folder of this name.
    Source(&'static str),
}

/// A file of the index that is unpacked as it is.
#[derive(Debug, PartialEq, Eq)]
struct File {
    /// The project and its release, as pip is asked for them.
    requirement: &'static str,
    /// The name under which pip saves the file.
    name: &'static str,
    /// SHA-256 of the file. Source: the file as the Python package index gives it.
    sha256: &'static str,
}

/// Everything that is brought, in this order.
pub(crate) const PACKAGES: [Package; 3] = [
    Package {
        name: "MiniWoB++",
        folder: "miniwob",
        release: "1.1.0",
        form: Form::Wheels,
        files: &[File {
            requirement: "miniwob==1.1.0",
            name: "miniwob-1.1.0-py3-none-any.whl",
            sha256: "297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9",
        }],
        mark: "miniwob/html/miniwob",
    },
    // With the two packages that it imports.
    Package {
        name: "Django",
        folder: "django",
        release: "5.2.19",
        form: Form::Wheels,
        files: &[
            File {
                requirement: "Django==5.2.19",
                name: "django-5.2.19-py3-none-any.whl",
                sha256: "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
            },
            File {
                requirement: "asgiref==3.13.0",
                name: "asgiref-3.13.0-py3-none-any.whl",
                sha256: "f9596a2434512686473d50f96ff6207fbba49ae1a785dfac614df4aeb085674d",
            },
            File {
                requirement: "sqlparse==0.6.1",
                name: "sqlparse-0.6.1-py3-none-any.whl",
                sha256: "3be5a72d04c873d690d7c6dedd33d6fae2ef82759881ceec02fc2efd0cba564f",
            },
        ],
        mark: "django/contrib/admin",
    },
    // There is no wheel of it. It runs from the unpacked source and finds its templates there; what else it would import is
    // optional.
    Package {
        name: "Roundup",
        folder: "roundup",
        release: "2.6.0",
        form: Form::Source("roundup-2.6.0"),
        files: &[File {
            requirement: "roundup==2.6.0",
            name: "roundup-2.6.0.tar.gz",
            sha256: "12fd8fb806047415f22131f965c6ab4026a28dc63f7054e055c8f891950591d4",
        }],
        mark: "share/roundup/templates/classic",
    },
];

/// The build system that pip finds for a source archive, instead of the archive's own.
const NO_BUILD: &str = include_str!("no_build.py");
/// The package under which pip looks for it. Source: PEP 517, for archives that name none.
const BUILD_PACKAGE: &str = "setuptools";
/// Its module.
const BUILD_MODULE: &str = "build_meta.py";

impl Form {
    fn unpack(self, file: &Path, to: &Path, python: &Path) -> Command {
        let (program, before, between) = match self {
            Self::Wheels => (python, "-m zipfile -e", None),
            // As root it would give the files to whoever has the numbers of those who packed them.
            Self::Source(_) => (Path::new("tar"), "--no-same-owner -xzf", Some("-C")),
        };
        let before = before.split(' ').map(OsString::from);
        Command::new(
            program,
            before
                .chain([file.into()])
                .chain(between.map(OsString::from))
                .chain([to.into()]),
        )
    }
}

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
        let mut acts = vec![Act::EmptyFolder(new.clone())];
        acts.extend(self.download(&new, python));
        acts.extend(self.files.iter().map(|file| Act::Verify {
            file: new.join(file.name),
            sha256: file.sha256,
        }));
        acts.push(Act::EmptyFolder(unpacked.clone()));
        acts.extend(
            self.files
                .iter()
                .map(|file| Act::Run(self.form.unpack(&new.join(file.name), &unpacked, python))),
        );
        let whole = match self.form {
            Form::Wheels => unpacked,
            Form::Source(top) => unpacked.join(top),
        };
        acts.extend([
            Act::Place {
                from: whole,
                to: folder.clone(),
            },
            Act::Remove(new),
        ]);
        let sentence = format!(
            "Get {} {} with pip into {}",
            self.name,
            self.release,
            folder.display()
        );
        Step { sentence, acts }
    }

    /// What has pip put the files into a folder, as the index has them.
    fn download(&self, new: &Path, python: &Path) -> Vec<Act> {
        let options = match self.form {
            Form::Wheels => "--only-binary :all:",
            Form::Source(_) => "--no-binary :all: --no-build-isolation",
        };
        let words = "-m pip download --no-deps --no-input --disable-pip-version-check"
            .split(' ')
            .chain(options.split(' '));
        let wanted = self.files.iter().map(|file| file.requirement);
        let args = words
            .map(OsString::from)
            .chain(["--dest".into(), new.into()])
            .chain(wanted.map(OsString::from));
        let pip = Command::new(python, args);
        if self.form == Form::Wheels {
            return vec![Act::Run(pip)];
        }
        let build = new.join("build");
        let package = build.join(BUILD_PACKAGE);
        let write = |name, text| Act::Write {
            file: package.join(name),
            text,
        };
        vec![
            Act::EmptyFolder(package.clone()),
            write("__init__.py", ""),
            write(BUILD_MODULE, NO_BUILD),
            Act::Run(pip.with_env("PYTHONPATH", build)),
        ]
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
        self.missing
            .iter()
            .map(|package| package.step(&self.home, python))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::machine::Version, *};

    const HOME: &str = "/home/a b/.cache/webwise";

    /// A machine that has none of them.
    fn packages(pip: Tool) -> Packages {
        Packages {
            home: HOME.into(),
            missing: PACKAGES.iter().collect(),
            pip,
        }
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
        step.acts
            .iter()
            .enumerate()
            .filter(|(_, act)| wanted(act))
            .map(|(at, _)| at)
            .collect()
    }

    #[test]
    fn packages_that_are_there_need_nothing_not_even_pip() {
        let there = Packages {
            missing: vec![],
            ..packages(Tool::Missing)
        };
        assert_eq!(there.steps(), []);
        assert!(!there.need_pip());
    }

    #[test]
    fn one_release_of_each_is_brought_as_the_index_has_it_and_nothing_with_it() {
        let steps = packages(Tool::Found("/usr/bin/python3".into(), Version([23, 0, 1]))).steps();
        assert_eq!(steps.len(), PACKAGES.len());
        for (step, package) in steps.iter().zip(&PACKAGES) {
            let download = commands(step)[0];
            assert_eq!(download.program, Path::new("/usr/bin/python3"));
            let asked = package.files.iter().map(|file| file.requirement);
            let only = if package.form == Form::Wheels {
                "--only-binary"
            } else {
                "--no-binary"
            };
            for word in ["--no-deps", only, ":all:"].into_iter().chain(asked) {
                assert!(download.args.iter().any(|arg| arg == word), "{word}");
            }
            assert!(
                package
                    .files
                    .iter()
                    .all(|file| file.requirement.contains("==") && file.sha256.len() == 64)
            );
        }
    }

    #[test]
    fn nothing_is_unpacked_before_all_is_verified_and_nothing_is_in_place_before_it_is_whole() {
        for (step, package) in packages(Tool::Missing).steps().iter().zip(&PACKAGES) {
            let verified = positions(step, |act| matches!(act, Act::Verify { .. }));
            let unpacked = positions(
                step,
                |act| matches!(act, Act::Run(command) if command.args.iter().any(|arg| arg == "zipfile" || arg == "-xzf")),
            );
            let placed = positions(step, |act| matches!(act, Act::Place { .. }));
            assert_eq!(
                (verified.len(), unpacked.len()),
                (package.files.len(), package.files.len())
            );
            assert!(verified.last() < unpacked.first() && unpacked.last() < placed.first());
            let Act::Place { from, to } = &step.acts[placed[0]] else {
                unreachable!("it is the place")
            };
            assert_eq!(
                *to,
                Path::new(HOME).join(package.folder).join(package.release)
            );
            // One rename within one file system.
            assert!(from.starts_with(to.parent().unwrap()));
        }
    }

    #[test]
    fn a_source_archive_is_never_asked_to_build_itself() {
        for (step, package) in packages(Tool::Missing).steps().iter().zip(&PACKAGES) {
            let isolated = commands(step)[0]
                .args
                .iter()
                .all(|arg| arg != "--no-build-isolation");
            let build = step.acts.iter().find_map(|act| match act {
                Act::Write { file, text } if *text == NO_BUILD => {
                    file.parent().and_then(Path::parent)
                }
                _ => None,
            });
            let found = commands(step)[0]
                .env
                .first()
                .map(|(name, folder)| (*name, Path::new(folder)));
            assert_eq!(isolated, package.form == Form::Wheels, "{}", package.name);
            assert_eq!(found, build.map(|build| ("PYTHONPATH", build)));
            assert_eq!(isolated, build.is_none());
        }
    }

    #[test]
    fn a_python_without_pip_needs_pip_and_is_then_looked_for_again() {
        for pip in [
            Tool::Missing,
            Tool::Broken("/usr/bin/python3".into(), "No module named pip".into()),
        ] {
            let packages = packages(pip);
            assert!(packages.need_pip());
            assert_eq!(
                commands(&packages.steps()[0])[0].program,
                Path::new("python3")
            );
        }
    }
}
