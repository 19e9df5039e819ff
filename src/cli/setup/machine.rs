//! What the machine has: the facts that `setup` plans from and `doctor` reports.
//!
//! Only looks: starts the programs that the driver would start with `--version` and changes nothing. Where they are is
//! decided by the driver, what to do about the facts in `plan`.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

use super::{
    choice::Facts,
    environment::allowed,
    packages::{PACKAGES, Packages},
};
use crate::{browser::ProgramPlaces, cli::Refusal};

/// The release of playwright-cli that the driver is tested with.
pub(crate) const CLI_VERSION: Version = Version([0, 1, 22]);
/// The oldest Node.js that this release runs on. Unit: major version. Source: its own refusal to start on 18.
pub(crate) const MIN_NODE_MAJOR: u64 = 20;
/// How long a program may take to say its version. Source: chosen; a cold Chromium on a slow disk needs a few seconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(30);

/// Major, minor and patch number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) [u64; 3]);

impl Version {
    /// The first dotted number in what a program printed.
    pub(crate) fn find(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
            let mut numbers = word.split('.').map(str::parse);
            let major = numbers.next()?.ok()?;
            let minor = numbers.next()?.ok()?;
            Some(Self([major, minor, numbers.next().and_then(Result::ok).unwrap_or(0)]))
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

/// One program as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tool {
    Missing,
    /// It is there, but it did not say a version; the text is what it said instead.
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

/// How system packages can be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Installer {
    /// This user is root.
    AptGet(PathBuf),
    /// `sudo` works without a password.
    Sudo { sudo: PathBuf, apt_get: PathBuf },
    /// There is apt-get, but this user may not use it.
    NotAllowed,
    /// This is no Debian.
    NoAptGet,
}

/// Where to look, and as whom.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// Where the driver looks.
    pub(crate) places: ProgramPlaces,
    /// Our own folder for playwright-cli.
    pub(crate) root: PathBuf,
    pub(crate) is_root: bool,
    /// Whether what the tests of this crate need is wanted too.
    pub(crate) for_tests: bool,
}

impl Surroundings {
    /// Reads the environment.
    pub(crate) fn from_env() -> Result<Self, Refusal> {
        let places = ProgramPlaces::from_env();
        let root = places.installation_folder().map(Path::to_owned).ok_or_else(|| {
            Refusal::usage("neither HOME nor WEBWISE_HOME is set: set WEBWISE_HOME to a folder for the driver")
        })?;
        Ok(Self { places, root, is_root: is_root(), for_tests: false })
    }

    /// The same with or without what the tests of this crate need.
    pub(crate) fn for_tests(self, for_tests: bool) -> Self {
        Self { for_tests, ..self }
    }
}

/// Everything that matters for the drivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Our own folder for playwright-cli.
    pub(crate) root: PathBuf,
    /// The Node.js that runs playwright-cli: ours, or the one on `PATH`.
    pub(crate) node: Tool,
    pub(crate) npm: Option<PathBuf>,
    pub(crate) cli: Tool,
    /// Whether `WEBWISE_PLAYWRIGHT_CLI` named it.
    pub(crate) cli_is_given: bool,
    pub(crate) chromium: Tool,
    /// Whether `WEBWISE_CHROMIUM` named it.
    pub(crate) chromium_is_given: bool,
    pub(crate) installer: Installer,
    /// The packages of the tests, if they are wanted.
    pub(crate) packages: Option<Packages>,
    /// What the tests of the store stop and disturb its system calls with, if it is wanted.
    pub(crate) strace: Option<Tool>,
}

/// Whether the native driver can start a browser: it talks by pipes with fixed numbers.
pub(crate) const HAS_PIPES: bool = cfg!(unix);

impl Facts {
    /// Looks only for what decides between the drivers.
    pub(crate) async fn inspect(places: &ProgramPlaces) -> Self {
        let (node, cli) = tokio::join!(version_of(places.node(), places), version_of(places.tool(), places));
        Self { node, cli, cli_is_given: places.names_tool(), has_pipes: HAS_PIPES }
    }
}

impl Machine {
    /// Looks at the machine.
    pub(crate) async fn inspect(around: &Surroundings) -> Self {
        let places = &around.places;
        let (node, cli, chromium, installer, packages, strace) = tokio::join!(
            version_of(places.node(), places),
            version_of(places.tool(), places),
            version_of(places.chromium(), places),
            installer(around),
            packages(around),
            strace(around)
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
            packages,
            strace,
        }
    }

    /// What decides between the drivers.
    pub(crate) fn facts(&self) -> Facts {
        let (node, cli) = (self.node.clone(), self.cli.clone());
        Facts { node, cli, cli_is_given: self.cli_is_given, has_pipes: HAS_PIPES }
    }
}

async fn strace(around: &Surroundings) -> Option<Tool> {
    if !around.for_tests {
        return None;
    }
    Some(version_of(around.places.on_path("strace"), &around.places).await)
}

async fn packages(around: &Surroundings) -> Option<Packages> {
    let home = around.root.parent().filter(|_| around.for_tests)?;
    let missing = PACKAGES.iter().filter(|package| !package.mark_in(home).is_dir()).collect();
    let pip = answer_of(around.places.on_path("python3"), &["-m", "pip", "--version"], &around.places).await;
    Some(Packages { home: home.to_owned(), missing, pip })
}

async fn installer(around: &Surroundings) -> Installer {
    let Some(apt_get) = around.places.on_path("apt-get") else { return Installer::NoAptGet };
    if around.is_root {
        return Installer::AptGet(apt_get);
    }
    if let Some(sudo) = around.places.on_path("sudo")
        && output(Command::new(&sudo).args(["-n", "true"])).await.is_ok()
    {
        return Installer::Sudo { sudo, apt_get };
    }
    Installer::NotAllowed
}

/// Asks a program for its version; a script is run by the Node.js that the driver's would be.
async fn version_of(program: Option<PathBuf>, places: &ProgramPlaces) -> Tool {
    answer_of(program, &["--version"], places).await
}

/// Asks a program something that it answers with a version.
async fn answer_of(program: Option<PathBuf>, question: &[&str], places: &ProgramPlaces) -> Tool {
    let Some(path) = program else { return Tool::Missing };
    let mut command = Command::new(&path);
    if let Ok(search) = std::env::join_paths(places.search_path()) {
        command.env("PATH", search);
    }
    match output(command.args(question)).await {
        Ok(text) => match Version::find(&text) {
            Some(version) => Tool::Found(path, version),
            None => Tool::Broken(path, "it does not say its version".to_owned()),
        },
        Err(reason) => Tool::Broken(path, reason),
    }
}

/// What a program printed, or why there is nothing to read, in a few words.
async fn output(command: &mut Command) -> Result<String, String> {
    // A program that is only asked its version sees no key of the person's either.
    let envs = command.as_std().get_envs();
    let own: Vec<(OsString, OsString)> = envs.filter_map(|(name, value)| Some((name.into(), value?.into()))).collect();
    command.env_clear().envs(allowed(std::env::vars_os())).envs(own);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = match timeout(PROBE_TIMEOUT, command.output()).await {
        Err(_) => return Err(format!("it did not answer in {} s", PROBE_TIMEOUT.as_secs())),
        Ok(Err(error)) => return Err(error.to_string()),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    Err(format!("{} {}", output.status, crate::base::text::truncate(&crate::base::text::clean(line), 200))
        .trim()
        .to_owned())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
const fn is_root() -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A folder with programs that say what they are told to say.
    fn folder(programs: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, script) in programs {
            put(&dir.path().join(name), script);
        }
        dir
    }

    /// Written by a child: a file that this process holds open for writing, also through the fork of another test, cannot
    /// be started.
    fn put(path: &Path, script: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let write = "printf '%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
        let script = if script.starts_with("#!") { script.to_owned() } else { format!("#!/bin/sh\n{script}") };
        let mut sh = std::process::Command::new("sh");
        assert!(sh.args(["-c", write, "sh"]).arg(path).arg(script).status().unwrap().success());
    }

    fn around(bin: &Path, home: &Path) -> Surroundings {
        named(bin, home, &[])
    }

    /// Surroundings in which variables name programs.
    fn named(bin: &Path, home: &Path, variables: &[(&str, &Path)]) -> Surroundings {
        let places = ProgramPlaces::new(|name| match name {
            "PATH" => Some(bin.into()),
            "WEBWISE_HOME" => Some(home.into()),
            _ => variables.iter().find(|(known, _)| *known == name).map(|(_, path)| path.into()),
        });
        let root = places.installation_folder().unwrap().to_owned();
        Surroundings { root, places, is_root: false, for_tests: false }
    }

    #[test]
    fn versions_are_found_in_what_programs_really_print() {
        for (text, version) in [
            ("v18.20.4\n", [18, 20, 4]),
            ("0.1.22", [0, 1, 22]),
            ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)", [156, 0, 8078]),
            ("tool 12 release 1.2", [1, 2, 0]),
        ] {
            assert_eq!(Version::find(text), Some(Version(version)), "{text}");
        }
        assert_eq!(Version::find("no. version 7"), None);
        assert_eq!(Version::find("99999999999999999999999.1"), None);
    }

    #[tokio::test]
    async fn our_own_newer_node_is_preferred_to_an_old_one_on_the_path() {
        let (bin, root) = (folder(&[("node", "echo v18.20.4")]), tempfile::tempdir().unwrap());
        let old = Machine::inspect(&around(bin.path(), root.path())).await;
        assert_eq!(old.node, Tool::Found(bin.path().join("node"), Version([18, 20, 4])));
        let own = root.path().join("playwright-cli/node_modules/.bin/node");
        put(&own, "echo v22.1.0");
        let new = Machine::inspect(&around(bin.path(), root.path())).await;
        assert_eq!(new.node, Tool::Found(own, Version([22, 1, 0])));
    }

    #[tokio::test]
    async fn a_broken_program_is_not_a_missing_one() {
        let bin = folder(&[("chromium", "echo 'cannot open display' >&2; exit 3"), ("node", "echo hello")]);
        let machine = Machine::inspect(&around(bin.path(), bin.path())).await;
        let Tool::Broken(_, reason) = machine.chromium else { panic!("{machine:?}") };
        assert!(reason.contains("cannot open display"), "{reason}");
        assert!(matches!(machine.node, Tool::Broken(..)));
        assert_eq!(machine.cli, Tool::Missing);
    }

    #[tokio::test]
    async fn a_program_that_the_environment_names_is_taken_as_it_is() {
        let bin = folder(&[("chromium", "echo 1.0"), ("mine", "echo Chromium 150.2"), ("cli", "echo 0.1.22")]);
        let (mine, cli) = (bin.path().join("mine"), bin.path().join("cli"));
        let variables = [("WEBWISE_CHROMIUM", &*mine), ("WEBWISE_PLAYWRIGHT_CLI", &*cli)];
        let machine = Machine::inspect(&named(bin.path(), bin.path(), &variables)).await;
        assert_eq!(machine.chromium.version(), Some(Version([150, 2, 0])));
        assert_eq!(machine.cli.version(), Some(CLI_VERSION));
        assert!(machine.cli_is_given && machine.chromium_is_given);
    }

    #[tokio::test]
    async fn what_the_tests_need_is_looked_for_only_when_it_is_wanted() {
        let bin = folder(&[
            ("python3", "test \"$*\" = '-m pip --version' && echo pip 23.0.1 from /usr/lib"),
            ("strace", "echo strace -- version 6.1"),
        ]);
        let around = around(bin.path(), bin.path());
        let machine = Machine::inspect(&around).await;
        assert_eq!((machine.packages, machine.strace), (None, None));
        let around = around.for_tests(true);
        let machine = Machine::inspect(&around).await;
        assert_eq!(machine.strace.unwrap().version(), Some(Version([6, 1, 0])));
        let packages = machine.packages.unwrap();
        assert_eq!(packages.missing, PACKAGES.iter().collect::<Vec<_>>());
        assert_eq!(packages.pip.version(), Some(Version([23, 0, 1])));
        assert_eq!(PACKAGES[0].folder_in(&packages.home), bin.path().join("miniwob/1.1.0"));
        std::fs::create_dir_all(PACKAGES[0].mark_in(&packages.home)).unwrap();
        assert_eq!(Machine::inspect(&around).await.packages.unwrap().missing, packages.missing[1..]);
    }

    #[tokio::test]
    async fn a_script_for_node_runs_through_the_node_that_was_chosen() {
        let bin = folder(&[("node", "if [ $# = 2 ]; then echo 0.1.22; else echo v20.1.0; fi")]);
        let script = bin.path().join("playwright-cli");
        put(&script, "#!/usr/bin/env node");
        let machine = Machine::inspect(&around(bin.path(), bin.path())).await;
        assert_eq!(machine.cli, Tool::Found(script, CLI_VERSION));
    }

    #[tokio::test]
    async fn who_may_install_is_found_out_without_a_password() {
        let refused = folder(&[("apt-get", "exit 0"), ("sudo", "exit 1")]);
        assert_eq!(Machine::inspect(&around(refused.path(), refused.path())).await.installer, Installer::NotAllowed);
        let mut around = around(refused.path(), refused.path());
        around.is_root = true;
        let apt_get = refused.path().join("apt-get");
        assert_eq!(Machine::inspect(&around).await.installer, Installer::AptGet(apt_get.clone()));
        put(&refused.path().join("sudo"), "test \"$*\" = '-n true'");
        around.is_root = false;
        let sudo = refused.path().join("sudo");
        assert_eq!(Machine::inspect(&around).await.installer, Installer::Sudo { sudo, apt_get });
        std::fs::remove_file(refused.path().join("apt-get")).unwrap();
        assert_eq!(Machine::inspect(&around).await.installer, Installer::NoAptGet);
    }
}
