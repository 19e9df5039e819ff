//! The port to a browser, [`BrowserDriver`], and its drivers.
//!
//! | driver | feature | needs | take it |
//! | --- | --- | --- | --- |
//! | `Cdp` | `cdp` | Chromium | by default: it sees more of a page and is about five times as fast; it can also attach to a running browser |
//! | `PlaywrightCli` | `playwright-cli` | Chromium, Node.js, playwright-cli | on systems other than Unix, where `Cdp` can only attach; or if you use playwright-cli already |
//! | `testing::ScriptedBrowser` | `testing` | nothing | in unit tests: pages and replies come from a list |
//!
//! A driver is made by its own constructor (`launch`, `attach`), given to
//! [`DecisionLoop::builder`](crate::DecisionLoop::builder) and closed by the program that made it. It carries out
//! actions and reports the page. It does not decide, retry, remember or judge: the loop does.
//!
//! To write a driver, implement [`BrowserDriver`], whose example is a complete one, and run
//! `testing::conformance::browser` against it. [`BrowserCapabilities::tools`] names the tools that it carries out; the
//! suite skips checks that need other tools.
//!
//! # Decisions
//!
//! - A text that a field cuts off, or that the page takes out again, is a bad value; what cannot be met is pressed by
//!   its label: playwright-cli says done to the one and intercepted to the other.
//! - `:visible` at the end of a selector is understood by both drivers: models write it.
//! - What the page tree says follows the tool's rules also where the standard would say more (collapsed is not told,
//!   long names are left out): memory and prompts must not depend on the driver.
//! - Saved states have playwright's format: both drivers read each other's files.

#[cfg(feature = "cdp")]
mod cdp;
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
mod chromium;
#[cfg(feature = "playwright-cli")]
mod playwright_cli;
pub(crate) mod port;
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
mod rules;

/// Script shared by both drivers: reads the attributes of an element that its role and name do not show.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const HINTS: &str = include_str!("hints.js");

/// Script shared by both drivers: watches for reactions to an action that the tree need not show.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const TRACES: &str = include_str!("traces.js");

/// A function of script for both drivers: what can be seen in the window, and where.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const SCENE: &str = include_str!("scene.js");

#[cfg(feature = "cdp")]
pub use cdp::{Cdp, CdpOptions};
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
pub use chromium::ProgramPlaces;
#[cfg(feature = "playwright-cli")]
pub use playwright_cli::{PlaywrightCli, PlaywrightCliOptions, TransportChoice, parse_snapshot};
pub use port::{
    BrowserCapabilities, BrowserDriver, COMMAND_TIMEOUT, ExecuteRequest, Execution, ObserveRequest,
    SceneRequest, ScreenshotRequest,
};
