//! playwright-cli as a driver: Chromium through the command-line tool of `@playwright/cli`, tested with version 0.1.22.
//!
//! What lives here: the tool's text formats (`snapshot`, `reply`, `failure`, `locator`), how commands reach it
//! (`transport`), its start (`launch`, `options`), and on top of them the port
//! (`driver`, `observe`, `masking`, `execute`, `navigate`,
//! `tabs`, `typing`, `downloads`, `evidence`). Nothing outside of this folder knows any of it.
//!
//! # Trust
//! The page writes into what the tool prints; see `reply` and `failure` for what it can and cannot forge. Addresses,
//! origins and the success of a command are read only from what it cannot.
//!
//! # Secrets
//! A secret is typed by a script that the tool runs in its own process: it checks the origins of page and frame once more
//! and types in the same breath. Over the socket the script is part of the message; for a process it is a file in the
//! private folder that only this user can read and that is removed when the command ends. The value is never an argument
//! of a process, and the echo of the script in the reply is wiped unread. Fields that hold passwords, one-time codes or
//! card numbers, and fields that a secret was typed into, show a mask instead of their value.
//!
//! Before a secret is typed and before a form that holds one is sent, a script reads where the form goes. Requests themselves
//! are not looked at: the tool's routes do not see where a redirect leads, nor what a service worker sends. So a page whose
//! own script turns the form while it is sent, or sends the value itself, is stopped by [`Cdp`](crate::browser::Cdp) alone.

mod asking;
mod downloads;
mod driver;
mod evidence;
mod execute;
mod failure;
mod hints;
mod launch;
mod locator;
mod masking;
mod navigate;
mod observe;
mod options;
mod refuse;
mod reply;
mod scripts;
mod snapshot;
mod storage;
mod tabs;
mod traces;
mod transport;
mod typing;
mod waiting;

use crate::page::Tree;

pub use driver::PlaywrightCli;
pub use options::{PlaywrightCliOptions, TransportChoice};

/// The page tree of a snapshot as playwright-cli prints it, for what was recorded: without a browser, nothing is known of
/// which fields hold secrets, so every value is as the text has it.
///
/// Any text gives a tree: what is not in the tool's grammar is kept as text and [counted](Tree::malformed).
///
/// ```
/// use webwise::{browser::parse_snapshot, page::Role};
///
/// let tree = parse_snapshot("- navigation [ref=e1]:\n  - link \"Home\" [ref=e2]:\n    - /url: /\n");
/// assert_eq!(tree[tree.by_ref("e2").unwrap()].role, Role::Link);
/// ```
pub fn parse_snapshot(text: &str) -> Tree {
    snapshot::lower(&snapshot::Snapshot::parse(text), |_| false)
}
