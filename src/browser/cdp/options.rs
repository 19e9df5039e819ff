//! Options of a browser.

use std::{path::PathBuf, time::Duration};

use crate::{
    base::Result,
    browser::{
        ProgramPlaces,
        chromium::{self, Choices, Folder},
    },
};

/// Switches for a browser without a user, in addition to those that every driver uses. They keep the browser from
/// waiting, asking, slowing down hidden pages, or loading anything but the page. Source: the usual switches of tools
/// that drive Chromium.
const SWITCHES: [&str; 15] = [
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-hang-monitor",
    // A pop-up that is held back would never be reported.
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
];
/// Features of Chromium that are switched off, in addition to those that every driver switches off.
const FEATURES: &str = "Translate,MediaRouter,OptimizationHints,PaintHolding,HttpsUpgrades";
/// Switches for a browser without a window: it plays no sound, shows no scroll bars, and its mouse can hover.
const HEADLESS: [&str; 4] = [
    "--headless=new",
    "--hide-scrollbars",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
];

/// Options of a browser that the driver [`Cdp`](super::Cdp) controls.
///
/// ```no_run
/// # async fn example() -> webwise::Result<()> {
/// use webwise::browser::{BrowserDriver, Cdp, CdpOptions};
///
/// let browser = Cdp::launch(&CdpOptions::from_env()?.with_viewport(1024, 768)).await?;
/// println!("{}", browser.observe(&Default::default()).await?.url);
/// browser.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CdpOptions {
    pub(super) common: Choices,
    pub(super) quiet: Duration,
    pub(super) max_nodes: usize,
    pub(super) profile: Option<PathBuf>,
}

impl CdpOptions {
    /// Returns the default options for the browser program at this path.
    pub fn new(chromium: impl Into<PathBuf>) -> Self {
        Self {
            common: Choices::new(chromium.into(), Duration::from_secs(3)),
            quiet: Duration::from_millis(25),
            max_nodes: crate::page::MAX_NODES,
            profile: None,
        }
    }

    /// Returns the default options for the Chromium that [`ProgramPlaces`] finds.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if no Chromium is found; the error says what is
    /// missing and what to do.
    pub fn from_env() -> Result<Self> {
        Ok(Self::new(ProgramPlaces::from_env().chromium_program()?))
    }

    chromium::choosing!();

    /// Sets the size of the window's content. Unit: CSS pixels. Default: 1280 x 800. An attached browser keeps its own
    /// size.
    pub fn with_viewport(mut self, width: u32, height: u32) -> Self {
        self.common.viewport = (width, height);
        self
    }

    /// Sets the longest time for starting the browser or attaching to one. Default: 60 s.
    pub fn with_launch_timeout(mut self, timeout: Duration) -> Self {
        self.common.launch_timeout = chromium::bounded(timeout);
        self
    }

    /// Sets how long a page must be quiet before an action counts as finished. A page is quiet while it has no
    /// navigation, no request and no change of the document. Default: 25 ms. Source: chosen; this is one and a half
    /// frames of the screen.
    pub fn with_quiet(self, quiet: Duration) -> Self {
        Self {
            quiet: chromium::bounded(quiet),
            ..self
        }
    }

    /// Sets the longest wait after an action for the page to become [quiet](Self::with_quiet). A page that is not
    /// quiet by then is observed as it is. Default: 3 s. A navigation that the action started may take longer, up to
    /// the [navigation timeout](Self::with_navigation_timeout).
    pub fn with_settle(mut self, settle: Duration) -> Self {
        self.common.settle = chromium::bounded(settle);
        self
    }

    /// Sets the maximum number of nodes that are read from a page. Nodes beyond this number are left out and
    /// [counted](crate::page::Tree::omitted). Default: [`MAX_NODES`](crate::page::MAX_NODES), which is also the highest
    /// possible number.
    pub fn with_max_nodes(self, max: usize) -> Self {
        Self {
            max_nodes: max.clamp(1, crate::page::MAX_NODES),
            ..self
        }
    }

    /// Keeps the browser's profile in this folder: storage, cache and cookies with an expiry date outlive the browser, and the next
    /// one with this folder has them. A login that a site keeps in a cookie without such a date ends with the browser. Everybody who can read the folder can read what the sites keep there. One browser at a time can
    /// use it. All runs then share the profile, so it is no choice for several users. Use a folder of this program's own: a profile that
    /// is there keeps its settings, such as saved passwords and pages that are loaded ahead. [Close](super::super::BrowserDriver::close)
    /// the driver, because dropping it kills the browser, and the last cookies may not be written yet. Default: a new profile, which is
    /// deleted when the browser ends. An attached browser keeps its own.
    pub fn with_profile(mut self, folder: impl Into<PathBuf>) -> Self {
        self.profile = Some(chromium::absolute(folder.into()));
        self
    }

    /// Keeps downloaded files in this folder, under names that the driver chooses. Default: downloads are refused.
    /// An attached browser ignores this option and uses its own download folder.
    ///
    /// A file of more than 100 MiB is dropped. All incomplete files are dropped if together they exceed 100 MiB. A
    /// browser downloads at most 100 files at once, and keeps at most 1,000 files and 1 GiB. Of the files that arrive
    /// during one action, at most 100 are kept.
    pub fn with_downloads(mut self, folder: impl Into<PathBuf>) -> Self {
        self.common.downloads = Some(chromium::absolute(folder.into()));
        self
    }

    /// Allows the action `eval`, which runs a script in the page. Default: not allowed, because a script can read typed
    /// text and send it anywhere.
    pub fn with_scripts(mut self, scripts: bool) -> Self {
        self.common.scripts = scripts;
        self
    }

    /// Returns the command-line arguments for the browser, without those for the connection.
    pub(super) fn switches(&self, folder: &Folder) -> Vec<String> {
        let (width, height) = self.common.viewport;
        let mut switches: Vec<String> = chromium::SWITCHES
            .iter()
            .chain(&SWITCHES)
            .map(|s| (*s).to_owned())
            .collect();
        switches.push(chromium::without_features(FEATURES));
        if self.common.headless {
            switches.extend(HEADLESS.map(str::to_owned));
        }
        if !self.common.is_in_a_sandbox() {
            switches.push("--no-sandbox".to_owned());
        }
        switches.push(format!("--window-size={width},{height}"));
        let own = [
            ("user-agent", &self.common.user_agent),
            ("lang", &self.common.locale),
            ("accept-lang", &self.common.locale),
            ("proxy-server", &self.common.proxy),
        ];
        let own = own
            .into_iter()
            .filter_map(|(name, value)| Some(format!("--{name}={}", value.as_ref()?)));
        switches.extend(own);
        let own = || folder.file("profile");
        let profile = self.profile.clone().unwrap_or_else(own);
        switches.push(format!("--user-data-dir={}", profile.display()));
        switches
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_meant_from_the_working_folder_of_this_process() {
        let here = |name: &str| std::env::current_dir().unwrap().join(name);
        let options = CdpOptions::new("bin/chromium")
            .with_folder("f")
            .with_state_folder("s")
            .with_downloads("d");
        assert_eq!(options.common.chromium, here("bin/chromium"));
        for (path, name) in [
            (options.common.folder, "f"),
            (options.common.state_folder, "s"),
            (options.common.downloads, "d"),
        ] {
            assert_eq!(path, Some(here(name)));
        }
    }

    #[test]
    fn the_profile_is_in_the_private_folder_and_scripts_are_off_until_asked_for() {
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::create(base.path(), &[]).unwrap();
        let options = CdpOptions::new("chromium").with_sandbox(true);
        let switches = options.switches(&folder);
        let profile = format!("--user-data-dir={}/profile", folder.path().display());
        assert!(
            switches.contains(&profile) && !switches.contains(&"--no-sandbox".to_owned()),
            "{switches:?}"
        );
        assert!(!options.common.scripts && options.common.downloads.is_none());
        assert!(
            options
                .with_sandbox(false)
                .switches(&folder)
                .contains(&"--no-sandbox".to_owned())
        );
    }

    #[test]
    fn a_time_without_end_can_be_counted() {
        let long = Duration::MAX;
        let options = CdpOptions::new("c")
            .with_launch_timeout(long)
            .with_action_timeout(long);
        let options = options
            .with_navigation_timeout(long)
            .with_settle(long)
            .with_quiet(long);
        let times = [
            options.common.launch_timeout,
            options.common.action_timeout,
            options.common.navigation_timeout,
        ];
        for time in times
            .into_iter()
            .chain([options.common.settle, options.quiet])
        {
            assert!(
                std::time::Instant::now().checked_add(time * 2).is_some(),
                "{time:?}"
            );
            assert!(time >= Duration::from_hours(1), "it is long all the same");
        }
    }

    #[test]
    fn a_cap_of_nodes_stays_within_what_a_tree_keeps() {
        assert_eq!(
            CdpOptions::new("c").with_max_nodes(usize::MAX).max_nodes,
            crate::page::MAX_NODES
        );
        assert_eq!(CdpOptions::new("c").with_max_nodes(0).max_nodes, 1);
    }
}
