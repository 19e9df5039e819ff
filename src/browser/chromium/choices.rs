//! Options that every driver of a Chromium has.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// Upper bound of every time option, so that adding it to a time does not overflow. Source: chosen; a caller who sets a
/// longer time wants no limit.
const LONGEST: Duration = Duration::from_hours(24);

pub(in crate::browser) fn bounded(time: Duration) -> Duration {
    time.min(LONGEST)
}

#[derive(Debug, Clone)]
pub(in crate::browser) struct Choices {
    pub(in crate::browser) chromium: PathBuf,
    pub(in crate::browser) headless: bool,
    pub(in crate::browser) sandbox: Option<bool>,
    pub(in crate::browser) viewport: (u32, u32),
    pub(in crate::browser) launch_timeout: Duration,
    pub(in crate::browser) action_timeout: Duration,
    pub(in crate::browser) navigation_timeout: Duration,
    pub(in crate::browser) settle: Duration,
    pub(in crate::browser) folder: Option<PathBuf>,
    pub(in crate::browser) state_folder: Option<PathBuf>,
    pub(in crate::browser) downloads: Option<PathBuf>,
    pub(in crate::browser) scripts: bool,
    pub(in crate::browser) user_agent: Option<String>,
    pub(in crate::browser) locale: Option<String>,
    pub(in crate::browser) time_zone: Option<String>,
    pub(in crate::browser) proxy: Option<String>,
    pub(in crate::browser) headers: BTreeMap<String, String>,
}

impl Choices {
    /// Returns the default options. `settle` is the driver's own default of the settling time.
    pub(in crate::browser) fn new(chromium: PathBuf, settle: Duration) -> Self {
        Self {
            chromium: super::absolute(chromium),
            headless: true,
            sandbox: None,
            viewport: (1280, 800),
            launch_timeout: Duration::from_mins(1),
            action_timeout: Duration::from_secs(5),
            navigation_timeout: Duration::from_secs(30),
            settle,
            folder: None,
            state_folder: None,
            downloads: None,
            scripts: false,
            user_agent: None,
            locale: None,
            time_zone: None,
            proxy: None,
            headers: BTreeMap::new(),
        }
    }

    pub(in crate::browser) fn is_in_a_sandbox(&self) -> bool {
        self.sandbox.unwrap_or(!super::is_root())
    }
}

/// Defines, for a type whose field `common` is a [`Choices`], the methods that set the options in it.
macro_rules! choosing {
    () => {
        /// Sets the path of the browser program. Default: the path that `new` was given or `from_env` found.
        pub fn with_chromium(mut self, chromium: impl Into<::std::path::PathBuf>) -> Self {
            self.common.chromium = $crate::browser::chromium::absolute(chromium.into());
            self
        }

        /// Sets whether the browser runs without a window. Default: `true`.
        pub fn with_headless(mut self, headless: bool) -> Self {
            self.common.headless = headless;
            self
        }

        /// Switches Chromium's own sandbox on or off. Default: on, except for the user root, for whom the sandbox
        /// cannot work.
        pub fn with_sandbox(mut self, sandbox: bool) -> Self {
            self.common.sandbox = Some(sandbox);
            self
        }

        /// Sets the longest time that an action waits for its element to become ready. Default: 5 s.
        pub fn with_action_timeout(mut self, timeout: ::std::time::Duration) -> Self {
            self.common.action_timeout = $crate::browser::chromium::bounded(timeout);
            self
        }

        /// Sets the longest time for an address to load. Default: 30 s. The time limit of the command that opens the
        /// address applies too: `Cdp` gives the address two thirds of it, `PlaywrightCli` the whole. With the default
        /// limit of a run, 22.5 s, an address gets 15 s or 22.5 s.
        pub fn with_navigation_timeout(mut self, timeout: ::std::time::Duration) -> Self {
            self.common.navigation_timeout = $crate::browser::chromium::bounded(timeout);
            self
        }

        /// Sets the text by which the browser names itself to sites. Default: the browser's own. A browser that is attached to
        /// keeps its own.
        pub fn with_user_agent(mut self, user_agent: impl Into<String>) -> Self {
            self.common.user_agent = Some(user_agent.into());
            self
        }

        /// Sets the language and region that pages see, such as `de-DE`. Default: the browser's own.
        pub fn with_locale(mut self, locale: impl Into<String>) -> Self {
            self.common.locale = Some(locale.into());
            self
        }

        /// Sets the time zone that pages see, such as `Europe/Berlin`. Default: that of this machine. A browser that is attached
        /// to keeps its own.
        pub fn with_time_zone(mut self, time_zone: impl Into<String>) -> Self {
            self.common.time_zone = Some(time_zone.into());
            self
        }

        /// Sets the proxy for all requests but those to this machine, such as `http://proxy.example:3128` or
        /// `socks5://127.0.0.1:1080`. Default: none. A browser that is attached to keeps its own.
        pub fn with_proxy(mut self, proxy: impl Into<String>) -> Self {
            self.common.proxy = Some(proxy.into());
            self
        }

        /// Adds a header to every request of the pages, to whatever site it goes. So it is no place for a secret.
        pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.common.headers.insert(name.into(), value.into());
            self
        }

        /// Sets the folder in which the browser's private folder is created. Default: the system's folder for temporary
        /// files.
        pub fn with_folder(mut self, folder: impl Into<::std::path::PathBuf>) -> Self {
            self.common.folder = Some($crate::browser::chromium::absolute(folder.into()));
            self
        }

        /// Sets the folder in which the action `state_save` keeps cookies and storage. Default: the browser's private
        /// folder, which is deleted when the browser ends; an attached browser has none and refuses both actions. The
        /// model is offered `state_save` and `state_load` only if this folder is set.
        pub fn with_state_folder(mut self, folder: impl Into<::std::path::PathBuf>) -> Self {
            self.common.state_folder = Some($crate::browser::chromium::absolute(folder.into()));
            self
        }
    };
}

pub(in crate::browser) use choosing;
