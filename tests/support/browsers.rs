//! The drivers of real browsers, for tests that hold for each of them. Include it with `#[path]`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use webwise::{
    Result,
    browser::{
        BrowserDriver, Cdp, CdpOptions, PlaywrightCli, PlaywrightCliOptions, TransportChoice,
    },
};

/// What a test must say when there is no browser.
pub(crate) const MISSING: &str = "Chromium and playwright-cli are needed: run `cargo run --features full --example test_beds` first";

/// A driver, and how it is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Driver {
    /// playwright-cli by the socket of its daemon.
    PlaywrightCli,
    /// playwright-cli by a process a command.
    PlaywrightCliByProcesses,
    /// Chromium's own protocol.
    Cdp,
}

/// What a test wants of its browser; what is left out is as the driver has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wishes {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) downloads: Option<PathBuf>,
    pub(crate) scripts: bool,
    pub(crate) launch: Option<Duration>,
    pub(crate) action: Option<Duration>,
    pub(crate) navigation: Option<Duration>,
    /// How long the one that waits by the clock waits after an action.
    pub(crate) settle: Option<Duration>,
    /// What is started in the place of the driver's program: of playwright-cli, or of Chromium.
    pub(crate) program: Option<PathBuf>,
    /// Another window, language, time zone, name and header than the browser's own.
    pub(crate) foreign: bool,
    /// The proxy for all addresses but those of this machine.
    pub(crate) proxy: Option<String>,
    /// What is started as Chromium by either driver.
    pub(crate) chromium: Option<PathBuf>,
}

impl Wishes {
    pub(crate) fn in_folder(self, folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            ..self
        }
    }
}

/// The options with what is wished for: those of both drivers have the same names.
macro_rules! wished {
    ($options:expr, $wishes:expr) => {{
        let wishes: &Wishes = $wishes;
        let mut options = $options.with_scripts(wishes.scripts);
        if let Some(program) = &wishes.chromium {
            options = options.with_chromium(program);
        }
        if let Some(folder) = &wishes.folder {
            options = options.with_folder(folder);
        }
        if let Some(folder) = &wishes.downloads {
            options = options.with_downloads(folder);
        }
        if wishes.foreign {
            options = options
                .with_viewport(801, 602)
                .with_user_agent("Foreign/1.0")
                .with_locale("de-DE")
                .with_time_zone("Asia/Tokyo")
                .with_header("X-Stage", "test");
        }
        if let Some(proxy) = &wishes.proxy {
            options = options.with_proxy(proxy);
        }
        if let Some(time) = wishes.launch {
            options = options.with_launch_timeout(time);
        }
        if let Some(time) = wishes.action {
            options = options.with_action_timeout(time);
        }
        if let Some(time) = wishes.navigation {
            options = options.with_navigation_timeout(time);
        }
        options
    }};
}

impl Driver {
    /// Each driver once, by its quickest way.
    pub(crate) const EACH: [Self; 2] = [Self::PlaywrightCli, Self::Cdp];

    /// What it is called in figures.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PlaywrightCli => "playwright-cli",
            Self::PlaywrightCliByProcesses => "playwright-cli by processes",
            Self::Cdp => "cdp",
        }
    }

    /// The ways of a driver, each with its name of two: one for the ordinary way, one for that by processes.
    pub(crate) fn ways(
        self,
        ordinary: &'static str,
        by_processes: &'static str,
    ) -> Vec<(&'static str, Self)> {
        match self {
            Self::PlaywrightCli => vec![
                (ordinary, self),
                (by_processes, Self::PlaywrightCliByProcesses),
            ],
            other => vec![(ordinary, other)],
        }
    }

    /// A browser that this driver starts.
    pub(crate) async fn launch(self, wishes: &Wishes) -> Arc<dyn BrowserDriver> {
        self.try_launch(wishes).await.expect("the browser starts")
    }

    /// The same where the start itself is what is tested.
    pub(crate) async fn try_launch(self, wishes: &Wishes) -> Result<Arc<dyn BrowserDriver>> {
        Ok(match self {
            Self::PlaywrightCli => Arc::new(playwright_cli(TransportChoice::Socket, wishes).await?),
            Self::PlaywrightCliByProcesses => {
                Arc::new(playwright_cli(TransportChoice::Process, wishes).await?)
            }
            Self::Cdp => {
                let program = wishes.program.as_ref().map(CdpOptions::new);
                let options = program.unwrap_or_else(|| CdpOptions::from_env().expect(MISSING));
                Arc::new(Cdp::launch(&wished!(options, wishes)).await?)
            }
        })
    }
}

async fn playwright_cli(transport: TransportChoice, wishes: &Wishes) -> Result<PlaywrightCli> {
    let mut options =
        wished!(PlaywrightCliOptions::from_env().expect(MISSING), wishes).with_transport(transport);
    if let Some(program) = &wishes.program {
        options = options.with_program(program);
    }
    if let Some(time) = wishes.settle {
        options = options.with_settle(time);
    }
    PlaywrightCli::launch(&options).await
}

/// A test for each driver of each of these functions, which take the driver.
#[allow(unused_macros, reason = "each test target uses its own part")]
macro_rules! on_each_driver {
    ($($rule:ident),* $(,)?) => {
        mod playwright_cli {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $rule() {
                super::$rule($crate::browsers::Driver::PlaywrightCli).await;
            })*
        }

        mod cdp {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $rule() {
                super::$rule($crate::browsers::Driver::Cdp).await;
            })*
        }
    };
}

/// A test of each of these functions, for what does not depend on the driver: by the native one, and in the full profile by the
/// other one after it.
#[allow(unused_macros, reason = "each test target uses its own part")]
macro_rules! in_turn {
    ($($rule:ident),* $(,)?) => {
        mod in_turn {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $rule() {
                use $crate::browsers::Driver;
                for by in [Driver::Cdp, Driver::PlaywrightCli].into_iter().take($crate::profile::pick(1, 2)) {
                    super::$rule(by).await;
                }
            })*
        }
    };
}
