//! When an action is over: pages of a server that the test holds back, in a real Chromium.
//!
//! Nothing here depends on how fast anything is. What must be waited for is held back until the test has seen that the action
//! waits, and what must not be waited for never comes. The time limits are there to fail, and are many times what is needed.
//!
//! ```text
//! shown         what a page did because of an action stands in the next observation
//! led           navigations, windows, files and dialogs that an action led to
//! unheld        what goes on for ever and must not hold an action up
//! ```

use crate::{shared, web};

mod bed;
mod led;
mod shown;
mod unheld;
