//! The port to a browser, and its drivers.

#[cfg(feature = "cdp")]
mod cdp;
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
mod chromium;
#[cfg(feature = "playwright-cli")]
mod playwright_cli;
pub(crate) mod port;
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
mod rules;

/// A function of script for both drivers: what the attributes of an element say beyond its role and name.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const HINTS: &str = include_str!("hints.js");

/// A function of script for both drivers: what answers an action and a tree need not show.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const TRACES: &str = include_str!("traces.js");

#[cfg(feature = "cdp")]
pub use cdp::{Cdp, CdpOptions};
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
pub use chromium::ProgramPlaces;
#[cfg(feature = "playwright-cli")]
pub use playwright_cli::{PlaywrightCli, PlaywrightCliOptions, TransportChoice, parse_snapshot};
pub use port::{
    BrowserCapabilities, BrowserDriver, COMMAND_TIMEOUT, ExecuteRequest, Execution, ObserveRequest,
    ScreenshotRequest,
};
