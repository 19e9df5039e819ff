//! Releases from the Python and the npm package index that the tests use, and how they come into webwise's own folder.
//!
//! pip and npm bring the files, each is checked against the hash below and unpacked, and nothing here runs any of them.
//! What the tests do with them is the tests' business.
//!
//! # Decisions
//!
//! - Roundup exists only as a source archive, so `test_beds` gives pip a build system of ours for its metadata: pip
//!   would run the archive's code before its hash is known; applications run from unpacked files, nothing is
//!   installed.

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use sha2::{Digest as _, Sha256};

/// One release, made of one or more files.
#[derive(Debug)]
pub(crate) struct Bed {
    /// Its folder in webwise's own: its name and its release.
    pub(crate) folder: &'static str,
    pub(crate) form: Form,
    pub(crate) files: &'static [File],
    /// A folder in the unpacked files that shows that they are there.
    pub(crate) mark: &'static str,
}

/// How the files are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Wheels, which hold what is to be imported.
    Wheels,
    /// A source archive, with everything in one folder of this name.
    Source(&'static str),
    /// Packages of npm, each of which comes into a folder of its name.
    Npm,
}

/// A file of the index that is unpacked as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File {
    /// The project and its release, as pip or npm is asked for them.
    pub(crate) requirement: &'static str,
    /// The name under which pip or npm saves the file.
    pub(crate) name: &'static str,
    /// SHA-256 of the file. Source: the file as the package index gives it.
    pub(crate) sha256: &'static str,
}

/// Everything that is brought, in this order.
pub(crate) const BEDS: [Bed; 4] = [
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
    // With the two packages that it imports.
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
    // There is no wheel of it. It runs from the unpacked source and finds its templates there; what else it would import is
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
    // Libraries of widgets, as they stand in a page without a bundler.
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
];

/// The build system that pip finds for a source archive, instead of the archive's own. Under this name pip looks for it where
/// an archive names none. Source: PEP 517.
const NO_BUILD: (&str, &str) = ("setuptools", include_str!("no_build.py"));

/// Why something failed, in a sentence.
pub(crate) type Failed = String;

/// A command that finds only these variables in its environment.
pub(crate) fn command(program: impl Into<OsString>, env: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new(program.into());
    command.env_clear().envs(env.iter().cloned());
    command.stdin(Stdio::null());
    command
}

/// Runs a command and waits for its end.
pub(crate) fn run(command: &mut Command) -> Result<(), Failed> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` failed ({status})")),
        Err(error) => Err(format!("`{name}` cannot be started: {error}")),
    }
}

impl Bed {
    /// Reports whether its files are in webwise's own folder. They come there by one rename, so they are whole or not there.
    pub(crate) fn is_in(&self, home: &Path) -> bool {
        home.join(self.folder).join(self.mark).is_dir()
    }

    /// Brings its files into webwise's own folder.
    pub(crate) fn bring(&self, home: &Path, env: &[(OsString, OsString)]) -> Result<(), Failed> {
        let folder = home.join(self.folder);
        // One rename within one file system, and nothing of another process in it.
        let new = folder.with_file_name(format!(".new.{}", std::process::id()));
        let brought = self
            .unpack(&new, env)
            .and_then(|whole| match place(&whole, &folder) {
                // Another process was quicker.
                Err(_) if self.is_in(home) => Ok(()),
                done => done.map_err(|error| told(&folder, &error)),
            });
        fs::remove_dir_all(&new).map_err(|error| told(&new, &error))?;
        brought
    }

    /// Downloads, verifies and then unpacks the files, and returns where they are.
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
                    // As root it would give the files to whoever has the numbers of those who packed them.
                    tar.args(["--no-same-owner", "-xzf"]);
                    tar.arg(new.join(file.name));
                    tar.arg("-C").arg(&unpacked);
                    tar
                }
                Form::Npm => {
                    let folder = unpacked.join(file.package());
                    fs::create_dir_all(&folder).map_err(|error| told(&folder, &error))?;
                    let mut tar = command("tar", env);
                    // Everything is in one folder, which each package calls as it likes.
                    tar.args(["--no-same-owner", "--strip-components=1", "-xzf"]);
                    tar.arg(new.join(file.name)).arg("-C").arg(folder);
                    tar
                }
            };
            run(&mut unpack)?;
        }
        Ok(match self.form {
            Form::Wheels | Form::Npm => unpacked,
            Form::Source(top) => unpacked.join(top),
        })
    }

    /// Has npm put the files into a folder, as the index has them.
    fn download_packages(&self, new: &Path, env: &[(OsString, OsString)]) -> Result<(), Failed> {
        let mut npm = command("npm", env);
        npm.args(["pack", "--silent", "--ignore-scripts"]);
        // It lists the files.
        npm.stdout(Stdio::null());
        npm.arg("--pack-destination").arg(new);
        run(npm.args(self.files.iter().map(|file| file.requirement)))
    }

    /// Has pip or npm put the files into a folder, as the index has them.
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
    /// The name of a package of npm, which its release follows.
    fn package(&self) -> &'static str {
        let release = self.requirement.rfind('@').unwrap_or_default();
        &self.requirement[..release]
    }

    /// Fails unless the file in this folder is exactly the expected one.
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

/// Puts a finished folder into its place by one rename, instead of what is left of an earlier one.
fn place(whole: &Path, folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::rename(whole, folder),
    }
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
