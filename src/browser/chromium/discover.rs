//! Discovery of programs: those that the environment names, those that `webwise setup` installed, and those on `PATH`.
//!
//! Only this module decides which programs are used. It starts none of them.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::absolute;
use crate::base::{Error, ErrorKind, Result};

const OPERATION: &str = "browser.discover";
/// Names of the Chromium program, in the order of the search.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const TOOL: &str = if cfg!(windows) {
    "playwright-cli.cmd"
} else {
    "playwright-cli"
};
const NODE: &str = if cfg!(windows) { "node.exe" } else { "node" };
const TOOL_VARIABLE: &str = "WEBWISE_PLAYWRIGHT_CLI";
const CHROMIUM_VARIABLE: &str = "WEBWISE_CHROMIUM";

/// The places where the drivers look for three programs: playwright-cli, the Node.js that runs it, and Chromium.
///
/// | program | places, in the order of the search |
/// | --- | --- |
/// | playwright-cli | `WEBWISE_PLAYWRIGHT_CLI`, the installation folder, `PATH` |
/// | Node.js | the installation folder, the folder of `WEBWISE_PLAYWRIGHT_CLI`, `PATH` |
/// | Chromium | `WEBWISE_CHROMIUM`, `PATH` |
///
/// The installation folder is `$WEBWISE_HOME/playwright-cli`, or `.cache/webwise/playwright-cli` in the user's home.
/// The command `webwise setup --driver playwright-cli` installs playwright-cli there, and Node.js if the one on the
/// machine does not suit. A missing Chromium is installed as a package of the system. Relative folders in `PATH` are
/// ignored.
///
/// ```
/// use webwise::browser::ProgramPlaces;
///
/// let places = ProgramPlaces::new(|name| (name == "WEBWISE_HOME").then(|| "/opt/webwise".into()));
/// assert_eq!(places.installation_folder().unwrap(), std::path::Path::new("/opt/webwise/playwright-cli"));
/// assert_eq!(places.chromium(), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramPlaces {
    installation: Option<PathBuf>,
    path: Vec<PathBuf>,
    tool: Option<PathBuf>,
    chromium: Option<PathBuf>,
}

impl ProgramPlaces {
    /// Returns the places that this process's environment variables give.
    pub fn from_env() -> Self {
        Self::new(|name| env::var_os(name))
    }

    /// Returns the places that the given environment variables lead to. `variable` returns the value of a variable by
    /// its name. An empty value counts as unset.
    pub fn new(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let named = |name: &str| set(name).map(PathBuf::from);
        let user = || {
            named("HOME")
                .or_else(|| named("USERPROFILE"))
                .map(|home| home.join(".cache").join("webwise"))
        };
        let home = named("WEBWISE_HOME")
            .or_else(user)
            .and_then(|home| std::path::absolute(home).ok());
        let path = set("PATH").map(|path| {
            env::split_paths(&path)
                .filter(|folder| folder.is_absolute())
                .collect()
        });
        Self {
            installation: home.map(|home| home.join("playwright-cli")),
            path: path.unwrap_or_default(),
            tool: named(TOOL_VARIABLE).map(absolute),
            chromium: named(CHROMIUM_VARIABLE).map(absolute),
        }
    }

    /// Returns the installation folder; `None` if neither `WEBWISE_HOME` nor the user's home folder is known.
    pub fn installation_folder(&self) -> Option<&Path> {
        self.installation.as_deref()
    }

    /// Returns true if the environment variable `WEBWISE_PLAYWRIGHT_CLI` is set.
    pub const fn names_tool(&self) -> bool {
        self.tool.is_some()
    }

    /// Returns true if the environment variable `WEBWISE_CHROMIUM` is set.
    pub const fn names_chromium(&self) -> bool {
        self.chromium.is_some()
    }

    /// Returns the folders that playwright-cli must search before those of `PATH`, so that it finds the right Node.js.
    pub fn front(&self) -> Vec<PathBuf> {
        let own = self
            .installation
            .as_ref()
            .map(|folder| folder.join("node_modules").join(".bin"));
        let beside = self
            .tool
            .as_deref()
            .and_then(Path::parent)
            .filter(|folder| folder.is_absolute());
        own.into_iter().chain(beside.map(Path::to_owned)).collect()
    }

    /// Returns the folders in which playwright-cli looks for programs: those of [`front`](Self::front), then those of
    /// `PATH`.
    pub fn search_path(&self) -> Vec<PathBuf> {
        self.front()
            .into_iter()
            .chain(self.path.iter().cloned())
            .collect()
    }

    /// Returns the path of the first program with this file name in the folders of `PATH`; `None` if there is none.
    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        first(&self.path, name)
    }

    /// Returns the path of playwright-cli; `None` if it is not found. A path from `WEBWISE_PLAYWRIGHT_CLI` is not
    /// checked.
    pub fn tool(&self) -> Option<PathBuf> {
        self.tool
            .clone()
            .or_else(|| first(&self.search_path(), TOOL))
    }

    /// Returns the path of the Node.js that runs playwright-cli; `None` if it is not found.
    pub fn node(&self) -> Option<PathBuf> {
        first(&self.search_path(), NODE)
    }

    /// Returns the path of Chromium; `None` if it is not found. A path from `WEBWISE_CHROMIUM` is not checked.
    pub fn chromium(&self) -> Option<PathBuf> {
        self.chromium
            .clone()
            .or_else(|| CHROMIUM.iter().find_map(|name| self.on_path(name)))
    }

    /// Returns the path of playwright-cli, if it exists and can be executed.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if there is none; the error says what is missing and what to do.
    #[cfg(any(test, feature = "playwright-cli"))]
    pub(in crate::browser) fn tool_program(&self) -> Result<PathBuf> {
        checked(
            self.tool(),
            TOOL,
            TOOL_VARIABLE,
            "webwise setup --driver playwright-cli",
        )
    }

    /// Returns the path of Chromium, if it exists and can be executed.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if there is none; the error says what is missing and what to do.
    pub(in crate::browser) fn chromium_program(&self) -> Result<PathBuf> {
        checked(
            self.chromium(),
            CHROMIUM[0],
            CHROMIUM_VARIABLE,
            "webwise setup",
        )
    }
}

fn checked(found: Option<PathBuf>, name: &str, variable: &str, setup: &str) -> Result<PathBuf> {
    match found {
        Some(file) if is_program(&file) => Ok(file),
        Some(file) => Err(missing()
            .with("variable", variable)
            .with("no_program", file.display())),
        None => Err(missing()
            .with("program", name)
            .with("help", format!("run `{setup}`, or set {variable}"))),
    }
}

fn missing() -> Error {
    Error::new(ErrorKind::Unavailable, OPERATION)
}

fn first(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    folders
        .iter()
        .map(|folder| folder.join(name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let executable = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let executable = true;
    metadata.is_file() && executable
}

#[cfg(all(test, unix))]
mod tests {
    use std::{collections::BTreeMap, os::unix::fs::PermissionsExt as _};

    use super::*;

    fn program(file: &Path) -> PathBuf {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file.to_owned()
    }

    fn places(variables: &[(&str, &Path)]) -> ProgramPlaces {
        let variables: BTreeMap<_, _> = variables
            .iter()
            .map(|(k, v)| (*k, v.as_os_str().to_owned()))
            .collect();
        ProgramPlaces::new(|name| variables.get(name).cloned())
    }

    fn programs(places: &ProgramPlaces) -> Result<(PathBuf, PathBuf)> {
        Ok((places.tool_program()?, places.chromium_program()?))
    }

    #[test]
    fn the_environment_wins_over_the_installation_and_that_over_the_path() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| root.path().join(name);
        let (bin, home) = (file("bin"), file("home"));
        let on_path = (
            program(&bin.join("playwright-cli")),
            program(&bin.join("chromium-browser")),
        );
        let path = ("PATH", &*bin);
        assert_eq!(programs(&places(&[path])).unwrap(), on_path);

        let installed =
            program(&home.join(".cache/webwise/playwright-cli/node_modules/.bin/playwright-cli"));
        assert_eq!(
            programs(&places(&[path, ("HOME", &home)])).unwrap(),
            (installed, on_path.1)
        );

        let own = (program(&file("own/tool")), program(&file("own/browser")));
        let named = [
            path,
            ("HOME", &home),
            (TOOL_VARIABLE, &own.0),
            (CHROMIUM_VARIABLE, &own.1),
        ];
        assert_eq!(programs(&places(&named)).unwrap(), own);
    }

    #[test]
    fn the_tool_finds_the_node_that_is_reported() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| root.path().join(name);
        let old = program(&file("bin/node"));
        let beside = program(&file("own/node"));
        program(&file("own/tool"));
        let (bin, tool, home) = (file("bin"), file("own/tool"), file("home"));
        assert_eq!(
            places(&[("PATH", &bin), ("WEBWISE_HOME", &home)]).node(),
            Some(old)
        );
        let named = places(&[
            ("PATH", &bin),
            ("WEBWISE_HOME", &home),
            (TOOL_VARIABLE, &tool),
        ]);
        assert_eq!(named.node(), Some(beside));
        // The Node.js that `setup` installed because others are too old comes before them.
        let installed = program(&home.join("playwright-cli/node_modules/.bin/node"));
        assert_eq!(named.node(), Some(installed.clone()));
        assert_eq!(
            named.search_path().first().map(PathBuf::as_path),
            installed.parent()
        );
    }

    #[test]
    fn programs_of_the_working_folder_are_not_taken() {
        let places = places(&[("PATH", Path::new(".:relative:/absolute"))]);
        assert_eq!(places.search_path(), [Path::new("/absolute")]);
    }

    #[test]
    fn a_named_program_is_meant_from_the_working_folder() {
        let places = places(&[
            (TOOL_VARIABLE, Path::new("own/tool")),
            (CHROMIUM_VARIABLE, Path::new("browser")),
        ]);
        let here = env::current_dir().unwrap();
        assert_eq!(
            (places.tool(), places.chromium()),
            (Some(here.join("own/tool")), Some(here.join("browser")))
        );
        assert_eq!(places.front(), [here.join("own")]);
    }

    #[test]
    fn a_missing_program_is_named_with_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        let error = programs(&places(&[("PATH", root.path())]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("playwright-cli") && error.contains("webwise setup"),
            "{error}"
        );
        let tool = program(&root.path().join("playwright-cli"));
        let nowhere = root.path().join("none");
        let error = programs(&places(&[
            (TOOL_VARIABLE, &tool),
            (CHROMIUM_VARIABLE, &nowhere),
        ]))
        .unwrap_err();
        assert!(error.to_string().contains("WEBWISE_CHROMIUM"), "{error}");
    }
}
