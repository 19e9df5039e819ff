//! playwright-cli as a driver: Chromium through the command-line tool of `@playwright/cli`, tested with version 0.1.22.
//!
//! This folder contains the tool's text formats (`snapshot`, `reply`, `failure`, `locator`), the transports of its
//! commands (`transport`), its start (`launch`, `options`), and the port built on them (`driver`, `observe`, `masking`,
//! `execute`, `navigate`, `tabs`, `typing`, `downloads`, `evidence`). Nothing outside of this folder depends on any of
//! it.
//!
//! # Trust
//! The page can write into the tool's output; `reply` and `failure` say which parts it can forge and which it cannot.
//! Addresses, origins and the success of a command are read only from parts that it cannot forge.
//!
//! # Secrets
//! A secret is typed by a script that runs in the tool's own process: it checks the origins of the page and the frame
//! once more and types immediately afterwards. Over the socket the script is part of the message; for a process it is a
//! file in the private folder that only this user can read and that is removed when the command ends. The value is
//! never an argument of a process, and the echo of the script in the reply is wiped unread. Fields for passwords,
//! one-time codes or card numbers, and fields that a secret was typed into, show a mask instead of their value.
//!
//! Before a secret is typed, and before a form that contains one is sent, a script reads the addresses that the form
//! goes to. Requests themselves are not checked: the tool's routes see neither the target of a redirect nor the
//! requests of a service worker. Therefore only [`Cdp`](crate::browser::Cdp) stops a page whose own script changes the
//! form's address while it is sent, or sends the value itself.

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
mod points;
mod refuse;
mod reply;
mod scene;
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

/// Parses a recorded snapshot of playwright-cli into its page tree. Without a browser, nobody knows which fields hold
/// secrets, so every value stays as in the text.
///
/// Any text gives a tree: lines outside the tool's grammar are kept as text and [counted](Tree::malformed).
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
