//! The options of a browser, and the configuration of playwright-cli that is made from them.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::{downloads, launch};
use crate::{
    base::Result,
    browser::{
        ProgramPlaces,
        chromium::{self, Choices, Folder},
    },
};

/// Size of the tool's output folder above which the tool removes the oldest files in it. Unit: bytes. Source: chosen.
const MAX_OUTPUT: u64 = 256 << 20;
/// Chromium features that the tool switches off. They are repeated here because Chromium obeys only the last
/// `--disable-features`, which is this driver's and not the tool's.
/// Source: `chromiumSwitches` of playwright 1.64, without the entries for other browsers and `AutoDeElevate`, which
/// concerns Windows only.
const FEATURES: &str = "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,DialMediaRouteProvider,\
GlobalMediaControls,HttpsUpgrades,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,\
BlockOriginHeaderModificationOnRedirect,Translate,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled";

/// The transport: the way in which commands are sent to playwright-cli.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportChoice {
    /// Sends commands through the socket of playwright-cli's daemon. After anything unusual, starts a process of
    /// playwright-cli for each further command.
    #[default]
    Auto,
    /// Starts a process of playwright-cli for each command.
    Process,
    /// Like [`Auto`](Self::Auto), but launching fails if the socket of playwright-cli's daemon cannot be used.
    Socket,
}

/// Options of a browser that the driver [`PlaywrightCli`](super::PlaywrightCli) controls.
///
/// ```no_run
/// # async fn example() -> webwise::Result<()> {
/// use webwise::browser::{BrowserDriver, PlaywrightCli, PlaywrightCliOptions};
///
/// let options = PlaywrightCliOptions::from_env()?.with_viewport(1024, 768);
/// let browser = PlaywrightCli::launch(&options).await?;
/// println!("{}", browser.observe(&Default::default()).await?.url);
/// browser.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PlaywrightCliOptions {
    pub(super) common: Choices,
    pub(super) program: PathBuf,
    /// Folders that the tool searches before those of `PATH`, so that it finds the right Node.js.
    pub(super) front: Vec<PathBuf>,
    pub(super) transport: TransportChoice,
}

impl PlaywrightCliOptions {
    /// Returns the default options, with the paths of playwright-cli (`program`) and Chromium. A `program` without a
    /// folder is searched for in `PATH`; a path of Chromium without a folder means a file in the working directory.
    pub fn new(program: impl Into<PathBuf>, chromium: impl Into<PathBuf>) -> Self {
        Self {
            common: Choices::new(chromium.into(), Duration::from_millis(500)),
            program: on_path_or_absolute(program.into()),
            front: Vec::new(),
            transport: TransportChoice::Auto,
        }
    }

    /// Returns the default options for the programs that [`ProgramPlaces`] finds.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if a program is missing; the error says what is
    /// missing and what to do.
    pub fn from_env() -> Result<Self> {
        let places = ProgramPlaces::from_env();
        let options = Self::new(places.tool_program()?, places.chromium_program()?);
        Ok(Self {
            front: places.front(),
            ..options
        })
    }

    /// Sets the path of playwright-cli. A program name without a folder is searched for in `PATH`.
    pub fn with_program(self, program: impl Into<PathBuf>) -> Self {
        Self {
            program: on_path_or_absolute(program.into()),
            ..self
        }
    }

    chromium::choosing!();

    /// Sets the size of the visible page area. Unit: CSS pixels. Default: 1280 x 800.
    pub fn with_viewport(mut self, width: u32, height: u32) -> Self {
        self.common.viewport = (width, height);
        self
    }

    /// Sets the transport of commands. Default: [`TransportChoice::Auto`].
    pub fn with_transport(self, transport: TransportChoice) -> Self {
        Self { transport, ..self }
    }

    /// Sets the longest time for starting the browser. Default: 60 s.
    pub fn with_launch_timeout(mut self, timeout: Duration) -> Self {
        self.common.launch_timeout = chromium::bounded(timeout);
        self
    }

    /// Sets how long the driver waits for the effect of an action such as a click, a drag, the Enter key or a scroll.
    /// Default: 500 ms, as in playwright-cli itself.
    pub fn with_settle(mut self, settle: Duration) -> Self {
        self.common.settle = chromium::bounded(settle);
        self
    }

    /// Keeps downloaded files in this folder, under names that the driver chooses. Default: downloads are refused.
    ///
    /// A file of more than 100 MiB is dropped. All incomplete files are dropped if together they exceed 100 MiB.
    pub fn with_downloads(mut self, folder: impl Into<PathBuf>) -> Self {
        self.common.downloads = Some(chromium::absolute(folder.into()));
        self
    }

    /// Allows the actions `eval`, which runs a script in the page, and `run_code`, which runs a script in
    /// playwright-cli. Default: not allowed.
    ///
    /// Both scripts can read typed text and send it anywhere. A script of `run_code` can do whatever this user can do
    /// on this machine.
    pub fn with_scripts(mut self, scripts: bool) -> Self {
        self.common.scripts = scripts;
        self
    }

    pub(super) fn config(&self, folder: &Folder) -> Value {
        let sandbox = self.common.is_in_a_sandbox();
        let mut switches: Vec<String> = chromium::SWITCHES.map(str::to_owned).to_vec();
        switches.push(chromium::without_features(FEATURES));
        if !sandbox {
            switches.push("--no-sandbox".to_owned());
        }
        let (width, height) = self.common.viewport;
        let mut context = json!({
            "viewport": { "width": width, "height": height },
            "acceptDownloads": self.common.downloads.is_some(),
            "extraHTTPHeaders": self.common.headers,
        });
        for (name, value) in [
            ("userAgent", &self.common.user_agent),
            ("locale", &self.common.locale),
            ("timezoneId", &self.common.time_zone),
        ] {
            if let Some(value) = value {
                context[name] = json!(value);
            }
        }
        if let Some(proxy) = &self.common.proxy {
            context["proxy"] = json!({ "server": proxy });
        }
        json!({
            "browser": {
                "browserName": "chromium",
                "initPage": if self.common.downloads.is_some() { vec![downloads::watch_script(folder)] } else { Vec::new() },
                "isolated": true,
                "launchOptions": {
                    "executablePath": self.common.chromium,
                    "headless": self.common.headless,
                    "chromiumSandbox": sandbox,
                    "args": switches,
                },
                "contextOptions": context,
            },
            "timeouts": {
                "action": millis(self.common.action_timeout),
                "navigation": millis(self.common.navigation_timeout),
                "settle": millis(self.common.settle),
            },
            // The tool then prints the code of each action. The code is the evidence for the action and the source of
            // durable locators.
            "codegen": "typescript",
            // If this were on, the tool would print the WebMCP tools that a page defines, before the snapshot.
            "webmcp": false,
            // The tool writes console messages of pages to a file. Only errors are written, to keep it small.
            "console": { "level": "error" },
            "imageResponses": "omit",
            "filePaths": "absolute",
            "outputDir": folder.file("out"),
            "outputMaxSize": MAX_OUTPUT,
        })
    }

    /// Returns the complete environment of the tool.
    pub(super) fn environment(&self, folder: &Folder) -> Vec<(OsString, OsString)> {
        let mut environment = chromium::environment(folder);
        environment.retain(|(name, _)| name != "PATH");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let front = self.front.iter().cloned();
        let joined =
            std::env::join_paths(front.chain(std::env::split_paths(&path))).unwrap_or(path);
        // All data of the session stays in the private folder, and the user's configuration is not used.
        let ours: [(&str, OsString); 10] = [
            ("PATH", joined),
            ("TMPDIR", folder.file("t").into()),
            ("PWTEST_DAEMON_SESSION_DIR", folder.file("sessions").into()),
            ("PWTEST_SOCKETS_DIR", folder.file("s").into()),
            ("PWTEST_SERVER_REGISTRY", folder.file("registry").into()),
            ("PWTEST_CLI_GLOBAL_CONFIG", folder.path().into()),
            ("NO_UPDATE_NOTIFIER", "1".into()),
            // As every browser, without the proxy for this machine.
            (
                "PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK",
                "1".into(),
            ),
            (
                "NODE_OPTIONS",
                require(&launch::watch_script(folder)).into(),
            ),
            ("WEBWISE_FOLDER", folder.path().into()),
        ];
        environment.extend(ours.map(|(name, value)| (name.into(), value)));
        environment
    }
}

/// Returns the Node.js option that loads this file before the main program.
fn require(file: &Path) -> String {
    let file = file
        .display()
        .to_string()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    format!("--require \"{file}\"")
}

/// Returns the absolute path of a program. A bare name stays unchanged, because the system searches for it.
fn on_path_or_absolute(program: PathBuf) -> PathBuf {
    if program.components().count() > 1 {
        chromium::absolute(program)
    } else {
        program
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_environment_do_not_reach_the_browser() {
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::create(base.path(), &[]).unwrap();
        let options = PlaywrightCliOptions {
            front: vec!["/opt/node".into()],
            ..PlaywrightCliOptions::new("a", "b")
        };
        let environment = options.environment(&folder);
        let get = |name: &str| {
            environment
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        assert!(
            get("PATH")
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("/opt/node:")
        );
        assert!(
            get("NODE_OPTIONS")
                .unwrap()
                .to_str()
                .unwrap()
                .contains("watch.cjs")
        );
        // Cargo sets many variables for a test, and none of them is on the list.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        assert!(
            environment
                .iter()
                .all(|(key, _)| !key.to_string_lossy().starts_with("CARGO"))
        );
    }

    #[test]
    fn relative_paths_are_meant_from_the_working_folder_of_this_process() {
        let here = |name: &str| std::env::current_dir().unwrap().join(name);
        let options = PlaywrightCliOptions::new("bin/tool", "chromium")
            .with_folder("f")
            .with_state_folder("s")
            .with_downloads("d");
        assert_eq!(
            (&options.program, &options.common.chromium),
            (&here("bin/tool"), &here("chromium"))
        );
        for (path, name) in [
            (options.common.folder, "f"),
            (options.common.state_folder, "s"),
            (options.common.downloads, "d"),
        ] {
            assert_eq!(path, Some(here(name)));
        }
        assert_eq!(
            PlaywrightCliOptions::new("tool", "/c")
                .with_program("other")
                .program,
            Path::new("other")
        );
    }

    #[test]
    fn a_time_without_end_can_be_counted() {
        let long = Duration::MAX;
        let options = PlaywrightCliOptions::new("a", "b")
            .with_launch_timeout(long)
            .with_action_timeout(long);
        let options = options.with_navigation_timeout(long).with_settle(long);
        for time in [
            options.common.launch_timeout,
            options.common.action_timeout,
            options.common.navigation_timeout,
            options.common.settle,
        ] {
            assert!(
                std::time::Instant::now().checked_add(time * 2).is_some(),
                "{time:?}"
            );
        }
    }

    #[test]
    fn downloads_and_scripts_are_off_until_asked_for() {
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::create(base.path(), &[]).unwrap();
        let options = PlaywrightCliOptions::new("a", "b");
        assert_eq!(
            options.config(&folder)["browser"]["contextOptions"]["acceptDownloads"],
            false
        );
        assert!(!options.common.scripts);
        let kept = options.with_downloads("/d");
        assert_eq!(
            kept.config(&folder)["browser"]["contextOptions"]["acceptDownloads"],
            true
        );
    }
}
