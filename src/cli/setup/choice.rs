//! Chooses a driver from facts about the machine, and gives the reason. Does no input or output; `machine` finds the facts.

use std::fmt;

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverName {
    /// Drives Chromium directly by its DevTools protocol; needs nothing else.
    Cdp,
    /// Drives Chromium through playwright-cli, which needs Node.js.
    PlaywrightCli,
}

impl fmt::Display for DriverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cdp => "cdp",
            Self::PlaywrightCli => "playwright-cli",
        })
    }
}

/// The facts that decide between the drivers. Which programs are installed is not among them, so no program has to be started
/// for the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// True if `WEBWISE_PLAYWRIGHT_CLI` names the playwright-cli to use.
    pub(crate) cli_is_given: bool,
    /// True if `cdp` can start a browser on this system.
    pub(crate) has_pipes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) driver: DriverName,
    /// The reason for choosing the driver, worded to follow "because".
    pub(crate) why: String,
    /// True if the user named the driver with `--driver`.
    pub(crate) is_asked: bool,
}

impl Choice {
    pub(crate) fn setup_command(&self) -> String {
        if self.is_asked {
            format!("webwise setup --driver {}", self.driver)
        } else {
            "webwise setup".to_owned()
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, because {}", self.driver, self.why)
    }
}

/// Returns the driver that the user named with `--driver`. `has_pipes` says whether `cdp` can start a browser on this
/// system.
///
/// # Errors
/// One sentence, if the driver cannot work on this system.
fn asked_for(driver: DriverName, has_pipes: bool) -> Result<Choice, String> {
    if driver == DriverName::Cdp && !has_pipes {
        return Err(
            "on this system the driver cdp cannot start a browser: leave out `--driver cdp`, or attach to one \
                    with `run --attach`"
                .to_owned(),
        );
    }
    Ok(Choice {
        driver,
        why: "--driver asks for it".to_owned(),
        is_asked: true,
    })
}

/// Returns the first of these drivers whose condition holds:
///
/// - the driver that the user named,
/// - `playwright-cli`, if the user named its program with `WEBWISE_PLAYWRIGHT_CLI`,
/// - `cdp`, if it can start a browser on this system,
/// - `playwright-cli`.
///
/// `cdp` is preferred because it needs only Chromium, sees more of a page (elements that listen for clicks but have no role)
/// and takes a fifth of the time of playwright-cli.
///
/// # Errors
/// One sentence, if the driver that the user named cannot work on this system.
pub(crate) fn choose(asked: Option<DriverName>, facts: Facts) -> Result<Choice, String> {
    if let Some(driver) = asked {
        return asked_for(driver, facts.has_pipes);
    }
    let (driver, why) = if facts.cli_is_given {
        (
            DriverName::PlaywrightCli,
            "WEBWISE_PLAYWRIGHT_CLI names its tool",
        )
    } else if facts.has_pipes {
        (DriverName::Cdp, "it needs only Chromium")
    } else {
        (
            DriverName::PlaywrightCli,
            "on this system no other driver can start a browser",
        )
    };
    Ok(Choice {
        driver,
        why: why.to_owned(),
        is_asked: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Facts = Facts {
        cli_is_given: false,
        has_pipes: true,
    };

    #[test]
    fn the_driver_that_needs_only_chromium_is_preferred() {
        let choice = choose(None, PLAIN).unwrap();
        assert_eq!(choice.to_string(), "cdp, because it needs only Chromium");
        assert_eq!(choice.setup_command(), "webwise setup");
    }

    #[test]
    fn what_is_asked_for_is_used() {
        for driver in [DriverName::Cdp, DriverName::PlaywrightCli] {
            let choice = choose(Some(driver), PLAIN).unwrap();
            assert_eq!(
                choice.to_string(),
                format!("{driver}, because --driver asks for it")
            );
            assert_eq!(
                choice.setup_command(),
                format!("webwise setup --driver {driver}")
            );
        }
    }

    #[test]
    fn who_names_a_tool_means_its_driver() {
        let named = Facts {
            cli_is_given: true,
            ..PLAIN
        };
        assert_eq!(
            choose(None, named).unwrap().to_string(),
            "playwright-cli, because WEBWISE_PLAYWRIGHT_CLI names its tool"
        );
        assert_eq!(
            choose(Some(DriverName::Cdp), named).unwrap().driver,
            DriverName::Cdp
        );
    }

    #[test]
    fn where_the_native_driver_cannot_start_a_browser_it_is_never_chosen() {
        let bare = Facts {
            has_pipes: false,
            ..PLAIN
        };
        assert_eq!(
            choose(None, bare).unwrap().driver,
            DriverName::PlaywrightCli
        );
        assert!(
            choose(Some(DriverName::Cdp), bare)
                .unwrap_err()
                .contains("run --attach")
        );
    }
}
