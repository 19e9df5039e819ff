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
//!
//! # Decisions
//!
//! - A field's value is shown after a locator that matches only plain fields: a script costs the tool's half second;
//!   no match, or a secret typed into the page, means asking field by field.
//! - A file lock tells other starts that a browser has an owner, the socket tells only its daemon: nobody accepts on
//!   that socket, so probes would fill its queue.
//! - The reply to `run_code` is typed as untrusted: a number it cannot know would not help against a script in the
//!   tool's own process.
//! - Loading is stopped rather than waited for when a page cannot be read: the tool cannot read a page while it waits
//!   for its server.
//! - Downloads are watched in the tool's own process: the tool has no limit, and a dialog would block a command.
//! - Playwright-cli by its daemon's socket, and by processes: a process costs 0.4 s of Node start a command; the
//!   socket is the tool's own protocol, so its version is checked, a reply is required before use, and anything else
//!   falls back to processes for good, told once as a notice.
//! - A command is never sent again on the other transport: it may have had its effect.
//! - Everything of a browser session lives in one private folder: a socket in it tells the daemon that its owner is
//!   alive; when the owner ends, however it ends, the daemon ends its browser and removes the folder; the next start
//!   sweeps what is left.
//! - Sections of a playwright-cli reply count only in the tool's fixed order: a title or an alert can print a
//!   heading; nothing after a dialog's message is believed.
//! - A secret reaches playwright-cli by the socket, or in a file of mode 0600, never as an argument: arguments stand
//!   in the process list.

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
