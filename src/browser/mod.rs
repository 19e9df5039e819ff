//! The port to a browser, and its drivers.

pub(crate) mod port;

pub use port::{
    BrowserCapabilities, BrowserDriver, COMMAND_TIMEOUT, ExecuteRequest, Execution, ObserveRequest, ScreenshotRequest,
};
