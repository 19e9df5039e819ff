//! The browser of a run: the one place where a driver is chosen by name, started, and its failures put into words.

use std::{fmt, sync::Arc};

use crate::{
    BrowserDriver, Error,
    browser::{Cdp, CdpOptions, PlaywrightCli, PlaywrightCliOptions},
    cli::{
        Refusal,
        say::one_line,
        setup::choice::{Choice, DriverName},
    },
};

/// Where the browser of a run comes from.
#[derive(Debug, Clone)]
pub(in crate::cli) enum Source {
    /// A new one, which ends with the run.
    Start { choice: Choice, headed: bool },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { choice, .. } => write!(f, "{choice}"),
        }
    }
}

/// A browser, by whichever driver.
#[derive(Debug)]
pub(super) enum Browser {
    PlaywrightCli(Arc<PlaywrightCli>),
    Cdp(Arc<Cdp>),
}

impl Browser {
    /// Starts a browser.
    pub(super) async fn open(source: &Source) -> Result<Self, Refusal> {
        match source {
            Source::Start { choice, headed } => {
                let failed = |error: Error| not_started(*headed, &error);
                match choice.driver {
                    DriverName::PlaywrightCli => {
                        let options = PlaywrightCliOptions::from_env().map_err(|error| missing(&error))?;
                        let browser = PlaywrightCli::launch(&options.with_headless(!headed)).await.map_err(failed)?;
                        Ok(Self::PlaywrightCli(Arc::new(browser)))
                    }
                    DriverName::Cdp => {
                        let options = CdpOptions::from_env().map_err(|error| missing(&error))?;
                        let browser = Cdp::launch(&options.with_headless(!headed)).await.map_err(failed)?;
                        Ok(Self::Cdp(Arc::new(browser)))
                    }
                }
            }
        }
    }

    /// The browser as the loop takes it.
    pub(super) fn driver(&self) -> Arc<dyn BrowserDriver> {
        match self {
            Self::PlaywrightCli(browser) => Arc::clone(browser) as _,
            Self::Cdp(browser) => Arc::clone(browser) as _,
        }
    }

    /// How it is reached now; it can change in a run.
    pub(super) fn transport(&self) -> &'static str {
        match self {
            Self::PlaywrightCli(browser) => browser.transport(),
            Self::Cdp(browser) => browser.transport(),
        }
    }
}

fn missing(error: &Error) -> Refusal {
    let found = error.context().iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(": ");
    Refusal::usage(format!("the browser cannot be started, something is missing: {found}"))
}

fn not_started(headed: bool, error: &Error) -> Refusal {
    let headed = if headed { ", and --headed needs a screen" } else { "" };
    Refusal::failure(format!("the browser cannot be started: `webwise doctor` says what is there{headed}"))
        .with_details(details(error))
}

fn details(error: &Error) -> Vec<String> {
    format!("{error:?}").lines().map(one_line).collect()
}
