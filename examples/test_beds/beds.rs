//! Releases from the Python package index that the tests use, and how they come into webwise's own folder.
//!
//! pip brings the files, each is checked against the hash below and unpacked, and nothing here lets Python run any of them.
//! What the tests do with them is the tests' business.

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
}

/// A file of the index that is unpacked as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File {
    /// The project and its release, as pip is asked for them.
    pub(crate) requirement: &'static str,
    /// The name under which pip saves the file.
    pub(crate) name: &'static str,
    /// SHA-256 of the file. Source: the file as the Python package index gives it.
    pub(crate) sha256: &'static str,
}

/// Everything that is brought, in this order.
pub(crate) const BEDS: [Bed; 3] = [
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
            let file = new.join(file.name);
            let mut unpack = match self.form {
                Form::Wheels => {
                    let mut python = command("python3", env);
                    python
                        .args(["-m", "zipfile", "-e"])
                        .arg(file)
                        .arg(&unpacked);
                    python
                }
                Form::Source(_) => {
                    let mut tar = command("tar", env);
                    // As root it would give the files to whoever has the numbers of those who packed them.
                    tar.args(["--no-same-owner", "-xzf"]).arg(file);
                    tar.arg("-C").arg(&unpacked);
                    tar
                }
            };
            run(&mut unpack)?;
        }
        Ok(match self.form {
            Form::Wheels => unpacked,
            Form::Source(top) => unpacked.join(top),
        })
    }

    /// Has pip put the files into a folder, as the index has them.
    fn download(&self, new: &Path, env: &[(OsString, OsString)]) -> Result<(), Failed> {
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
            Form::Wheels => {
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
