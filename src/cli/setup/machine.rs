//! The state of the machine: facts that `setup` bases its plan on and `doctor` reports.
//!
//! This module changes nothing. To find the version of each program that the driver would use, it runs the program with
//! `--version`. The driver decides where to search for programs; `plan` decides what to do about the facts.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

use super::{choice::Facts, environment::allowed};
use crate::{
    base::text::{clean, truncate},
    browser::ProgramPlaces,
    cli::Refusal,
};

/// The release of playwright-cli that the driver is tested with.
pub(crate) const CLI_VERSION: Version = Version([0, 1, 22]);
/// The oldest Node.js that can run release [`CLI_VERSION`] of playwright-cli. Unit: major version. Source: this release
/// refuses to start on Node.js 18.
pub(crate) const MIN_NODE_MAJOR: u64 = 20;
/// Maximum time that a program may take to print its version. Source: chosen; a cold Chromium on a slow disk needs a few
/// seconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum length of a line that a message quotes from a program's output. Unit: characters. Source: chosen; about one long
/// line.
const MAX_SAID: usize = 200;
/// Names that Chromium-based browsers print with their version. The first is the name of the browser that webwise installs.
const FAMILY: [&str; 4] = ["Chromium", "Chrome", "Edge", "Brave"];

/// A version: major, minor and patch number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) [u64; 3]);

impl Version {
    /// Returns the version in a program's output, which is its first dotted number; `None` if there is none.
    pub(crate) fn find(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.')
            .find_map(|word| {
                let mut numbers = word.split('.').map(str::parse);
                let major = numbers.next()?.ok()?;
                let minor = numbers.next()?.ok()?;
                Some(Self([
                    major,
                    minor,
                    numbers.next().and_then(Result::ok).unwrap_or(0),
                ]))
            })
    }

    pub(crate) const fn major(self) -> u64 {
        self.0[0]
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tool {
    Missing,
    /// The program exists but did not print a version that is accepted. The text is the reason.
    Broken(PathBuf, String),
    Found(PathBuf, Version),
}

impl Tool {
    pub(crate) const fn version(&self) -> Option<Version> {
        match self {
            Self::Found(_, version) => Some(*version),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Installer {
    /// This user is root, so apt-get can be run directly.
    AptGet(PathBuf),
    /// This user can run apt-get through `sudo` without a password.
    Sudo { sudo: PathBuf, apt_get: PathBuf },
    /// apt-get exists, but this user is not root and cannot use `sudo` without a password.
    NotAllowed,
    /// There is no apt-get, so this is not a Debian-based system.
    NoAptGet,
}

/// The folders in which `setup` and `doctor` look for programs, and the rights of this user.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub(crate) places: ProgramPlaces,
    /// webwise's own folder, into which it installs playwright-cli.
    pub(crate) root: PathBuf,
    pub(crate) is_root: bool,
}

impl Surroundings {
    pub(crate) fn from_env() -> Result<Self, Refusal> {
        let places = ProgramPlaces::from_env();
        let root = places.installation_folder().map(Path::to_owned).ok_or_else(|| {
            Refusal::usage("neither HOME nor WEBWISE_HOME is set: set WEBWISE_HOME to a folder for the driver")
        })?;
        Ok(Self {
            places,
            root,
            is_root: is_root(),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine {
    /// webwise's own folder, into which it installs playwright-cli.
    pub(crate) root: PathBuf,
    /// The Node.js that runs playwright-cli: webwise's own, or else the one beside the program that
    /// `WEBWISE_PLAYWRIGHT_CLI` names, or else the one on `PATH`.
    pub(crate) node: Tool,
    pub(crate) npm: Option<PathBuf>,
    pub(crate) cli: Tool,
    /// True if `WEBWISE_PLAYWRIGHT_CLI` names the playwright-cli to use.
    pub(crate) cli_is_given: bool,
    pub(crate) chromium: Tool,
    /// True if `WEBWISE_CHROMIUM` names the Chromium to use.
    pub(crate) chromium_is_given: bool,
    pub(crate) installer: Installer,
}

/// True if the driver `cdp` can start a browser on this system. To start a browser, the driver needs pipes with fixed file
/// descriptor numbers.
pub(crate) const HAS_PIPES: bool = cfg!(unix);

impl Facts {
    /// Returns these facts without starting a program, unlike [`Machine::inspect`].
    pub(crate) fn of(places: &ProgramPlaces) -> Self {
        Self {
            cli_is_given: places.names_tool(),
            has_pipes: HAS_PIPES,
        }
    }
}

impl Machine {
    pub(crate) async fn inspect(around: &Surroundings) -> Self {
        let places = &around.places;
        let (node, cli, chromium, installer) = tokio::join!(
            version_of(places.node(), places),
            version_of(places.tool(), places),
            answer_of(places.chromium(), &["--version"], places, &FAMILY),
            installer(around)
        );
        Self {
            root: around.root.clone(),
            node,
            npm: places.on_path("npm"),
            cli,
            cli_is_given: places.names_tool(),
            chromium,
            chromium_is_given: places.names_chromium(),
            installer,
        }
    }

    pub(crate) const fn facts(&self) -> Facts {
        Facts {
            cli_is_given: self.cli_is_given,
            has_pipes: HAS_PIPES,
        }
    }

    pub(crate) fn node_is_fine(&self) -> bool {
        self.node
            .version()
            .is_some_and(|version| version.major() >= MIN_NODE_MAJOR)
    }

    /// Returns true if the playwright-cli of this machine is the tested release, or if the user named it.
    pub(crate) fn cli_is_fine(&self) -> bool {
        self.cli
            .version()
            .is_some_and(|version| self.cli_is_given || version == CLI_VERSION)
    }
}

async fn installer(around: &Surroundings) -> Installer {
    let Some(apt_get) = around.places.on_path("apt-get") else {
        return Installer::NoAptGet;
    };
    if around.is_root {
        return Installer::AptGet(apt_get);
    }
    if let Some(sudo) = around.places.on_path("sudo")
        && output(Command::new(&sudo).args(["-n", "true"]))
            .await
            .is_ok()
    {
        return Installer::Sudo { sudo, apt_get };
    }
    Installer::NotAllowed
}

/// Runs a program with `--version` to get its version. A script is run by the Node.js that the driver would use.
async fn version_of(program: Option<PathBuf>, places: &ProgramPlaces) -> Tool {
    answer_of(program, &["--version"], places, &[]).await
}

/// Runs a program with these arguments, which make it print its version. If `names` is not empty, the output must contain
/// one of the names.
async fn answer_of(
    program: Option<PathBuf>,
    question: &[&str],
    places: &ProgramPlaces,
    names: &[&str],
) -> Tool {
    let Some(path) = program else {
        return Tool::Missing;
    };
    let mut command = Command::new(&path);
    if let Ok(search) = std::env::join_paths(places.search_path()) {
        command.env("PATH", search);
    }
    match output(command.args(question)).await {
        Ok(text) => match Version::find(&text) {
            Some(_) if !names.is_empty() && !names.iter().any(|name| text.contains(name)) => {
                Tool::Broken(
                    path,
                    format!("it says {} and is no {}", first_line(&text), names[0]),
                )
            }
            Some(version) => Tool::Found(path, version),
            None => Tool::Broken(
                path,
                format!("it says {} and no version", first_line(&text)),
            ),
        },
        Err(reason) => Tool::Broken(path, reason),
    }
}

/// Returns the first non-blank line of a program's output, shortened and in quotes; the word `nothing` if all lines are
/// blank.
fn first_line(text: &str) -> String {
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("{:?}", truncate(&clean(line), MAX_SAID)),
        None => "nothing".to_owned(),
    }
}

/// Returns the output that a program writes to stdout, or a short reason why it did not succeed.
async fn output(command: &mut Command) -> Result<String, String> {
    // Do not pass keys of the user to this program either, although it only prints its version.
    let envs = command.as_std().get_envs();
    let own: Vec<(OsString, OsString)> = envs
        .filter_map(|(name, value)| Some((name.into(), value?.into())))
        .collect();
    command
        .env_clear()
        .envs(allowed(std::env::vars_os()))
        .envs(own);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = match timeout(PROBE_TIMEOUT, command.output()).await {
        Err(_) => {
            return Err(format!(
                "it did not answer in {} s",
                PROBE_TIMEOUT.as_secs()
            ));
        }
        Ok(Err(error)) => return Err(error.to_string()),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    Err(
        format!("{} {}", output.status, truncate(&clean(line), MAX_SAID))
            .trim()
            .to_owned(),
    )
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
const fn is_root() -> bool {
    false
}

#[cfg(test)]
impl Machine {
    pub(crate) fn bare(root: &str) -> Self {
        Self {
            root: root.into(),
            node: Tool::Missing,
            npm: None,
            cli: Tool::Missing,
            cli_is_given: false,
            chromium: Tool::Missing,
            chromium_is_given: false,
            installer: Installer::NoAptGet,
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
