//! The port to a browser, and its drivers.

#[cfg(feature = "playwright-cli")]
mod chromium;
#[cfg(feature = "playwright-cli")]
mod playwright_cli;
pub(crate) mod port;
#[cfg(feature = "playwright-cli")]
mod rules;

#[cfg(feature = "playwright-cli")]
pub use chromium::ProgramPlaces;
#[cfg(feature = "playwright-cli")]
pub use playwright_cli::{PlaywrightCli, PlaywrightCliOptions, TransportChoice, parse_snapshot};
pub use port::{
    BrowserCapabilities, BrowserDriver, COMMAND_TIMEOUT, ExecuteRequest, Execution, ObserveRequest, ScreenshotRequest,
};
