//! The trait for controlling a browser, [`BrowserDriver`], and its implementations, the drivers.
//!
//! | driver | feature | needs | when to use it |
//! | --- | --- | --- | --- |
//! | `Cdp` | `cdp` | Chromium | usually: it sees more of a page, is about five times as fast, and can attach to a browser |
//! | `PlaywrightCli` | `playwright-cli` | Chromium, Node.js, playwright-cli | not on Unix, or if you use playwright-cli |
//! | `testing::ScriptedBrowser` | `testing` | nothing | in unit tests: pages and replies come from a list |
//!
//! On systems other than Unix, `Cdp` cannot start a browser. It can only attach to a running one.
//!
//! ```no_run
//! # #[cfg(feature = "cdp")]
//! # async fn example() -> webwise::Result<()> {
//! use webwise::browser::{BrowserDriver, Cdp, CdpOptions};
//!
//! let browser = Cdp::launch(&CdpOptions::from_env()?).await?;
//! println!("{}", browser.observe(&Default::default()).await?.url);
//! browser.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! The program that uses this crate makes a driver with the driver's own constructor (`launch` or `attach`), gives
//! the driver to [`DecisionLoop::builder`](crate::DecisionLoop::builder), and closes the driver at the end. A driver
//! only carries out actions and reports the page. The loop decides, retries, remembers and judges.
//!
//! A program that goes on for longer than one browser, such as a service, wraps its driver in [`Relaunching`], which
//! launches a new browser for the next run when the present one was lost.
//!
//! To write a driver, implement [`BrowserDriver`]; the example in its documentation is a complete driver. Then run
//! `testing::conformance::browser` against it. [`BrowserCapabilities::tools`] names the tools that your driver
//! carries out. The conformance suite skips checks that need other tools.
//!
//! # Decisions
//!
//! - With `Cdp`, the entering of text fails with `BadValue` if the field truncates the text or if the page removes the
//!   text again. In this case `PlaywrightCli` reports success, as playwright-cli does.
//! - `Cdp` clicks a control that the pointer cannot hit through its label. In this case `PlaywrightCli` reports
//!   `Intercepted`, as playwright-cli does.
//! - `Cdp` and `PlaywrightCli` understand `:visible` at the end of a selector, because models write it.
//! - The page tree of both drivers follows playwright-cli's rules, because memory and prompts must not depend on the
//!   driver. This is so even where the accessibility standard would report more, such as long names. Attributes that
//!   playwright-cli leaves out, such as collapsed states, are added by both drivers in the same way.
//! - Saved states (cookies and storage) have Playwright's format, so each of the two drivers reads the files of the
//!   other.

#[cfg(feature = "cdp")]
mod cdp;
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
mod chromium;
mod lease;
#[cfg(feature = "playwright-cli")]
mod playwright_cli;
pub(crate) mod port;
mod relaunching;
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
mod rules;

/// Script that both drivers run in the page. It reads attributes that an element's role and name do not show.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const HINTS: &str = include_str!("hints.js");

/// Script that both drivers run in the page. It watches for the page's reactions to an action, because the page tree
/// may not show them.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const TRACES: &str = include_str!("traces.js");

/// Script that both drivers run in the page. It reads the visible parts of the window.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const SCENE: &str = include_str!("scene.js");

/// Script that both drivers run in the page. It reads the selected text, and selects the text of an element.
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
const SELECTION: &str = include_str!("selection.js");

pub use crate::action::execution::Execution;
#[cfg(feature = "cdp")]
pub use cdp::{Cdp, CdpOptions};
#[cfg(any(feature = "playwright-cli", feature = "cdp"))]
pub use chromium::ProgramPlaces;
pub use lease::Lease;
pub(crate) use lease::Turn;
#[cfg(feature = "playwright-cli")]
pub use playwright_cli::{PlaywrightCli, PlaywrightCliOptions, TransportChoice, parse_snapshot};
pub use port::{
    BrowserCapabilities, BrowserDriver, COMMAND_TIMEOUT, ExecuteRequest, ObserveRequest,
    SceneRequest, ScreenshotRequest,
};
pub use relaunching::Relaunching;
