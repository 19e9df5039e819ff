//! A driver for Chromium through playwright-cli, the command-line tool of `@playwright/cli`. It is tested with version
//! 0.1.22. "The tool" in this folder means playwright-cli.
//!
//! This folder contains the tool's text formats (`snapshot`, `reply`, `failure`, `locator`), the transports of its
//! commands (`transport`), its start (`launch`, `options`), and the implementation of the trait
//! [`BrowserDriver`](crate::browser::BrowserDriver) (`driver`, `observe`, `masking`, `execute`, `navigate`, `tabs`,
//! `typing`, `downloads`, `evidence`). No code outside of this folder depends on these modules.
//!
//! # Trust
//! The page can write into the tool's output. The modules `reply` and `failure` say which parts of the output the page
//! can forge. Addresses, origins and the success of a command are read only from parts that the page cannot forge.
//!
//! # Secrets
//! A secret is typed by a script that runs in the tool's own process. The script checks the origins of the page and the
//! frame once more and types immediately afterwards. Over the socket, the script is part of the message. If the command
//! is sent by a process, the script is in a file in the private folder. Only this user can read that file, and it is
//! removed when the command ends. The value is never an argument of a process, and the echo of the script in the reply
//! is wiped unread. Fields for passwords, one-time codes or card numbers, and fields that a secret was typed into, show
//! a mask instead of their value.
//!
//! Before a secret is typed, and before a click, drag or key that may send a form with a secret, a script reads the
//! addresses that the form goes to. The requests themselves are not checked, because the tool's means of intercepting
//! requests (its routes) see neither the target of a redirect nor the requests of a service worker. Therefore this
//! driver cannot stop a page's own script that changes the form's address while the form is sent, or that sends the
//! value itself. Only [`Cdp`](crate::browser::Cdp) can.
//!
//! # Decisions
//!
//! - A quick check by locators decides first whether the values of fields are shown, because a script that asks each
//!   field is slower. A locator matches only plain fields (not made for secrets). If the locators match all fields that
//!   are not known to be secret, the values of these fields are shown. If they do not, or if a secret was typed into
//!   the page, the script checks field by field.
//! - The owner of a browser (the process that started it) holds a file lock. When another browser is started later, it
//!   sees from this lock whether the owner still lives. The owner's socket is only for the browser's daemon: nobody
//!   accepts connections on that socket, so probes by others would fill its queue.
//! - The reply to `run_code` has a type of its own, for untrusted text. A random mark in genuine replies would not make
//!   them recognisable, because the script runs in the tool's own process and could copy the mark.
//! - If a page cannot be read, its loading is stopped, because the tool cannot read a page that waits for its server.
//! - The driver limits the size of downloads, because the tool has no limit. A script in the tool's own process checks
//!   the size, because a dialog would block a command that checks it.
//! - Commands go through the daemon's socket where possible, because a process takes 0.1 s for each command, or 0.4 s
//!   if the tool's bare client is not found and all of Playwright is loaded. The socket speaks the tool's private
//!   protocol. So before use, the version of the protocol is checked and a first reply is required. After anything
//!   unusual, all later commands use processes, and one notice reports the change.
//! - A command is never sent again on the other transport if it may have had its effect.
//! - All files of a browser session are in one private folder. A socket in this folder tells the daemon that the
//!   browser's owner is alive. When the owner ends, for any reason, the daemon ends the browser and removes the folder.
//!   The next start of a browser removes whatever is left.
//! - Sections of a reply count only in the tool's fixed order, because the message of an alert can contain a heading.
//!   Nothing after a dialog's message is trusted.
//! - A secret reaches the tool by the socket or in a file of mode 0600. It is never an argument, because the process
//!   list shows arguments.

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
mod selection;
mod snapshot;
mod tabs;
mod traces;
mod transport;
mod typing;

use crate::page::Tree;

pub use driver::PlaywrightCli;
pub use options::{PlaywrightCliOptions, TransportChoice};

/// Parses a recorded snapshot of playwright-cli and returns the page tree that it describes. The values of fields
/// that contain secrets are not masked, because only the browser can tell which fields contain secrets.
///
/// Every text gives a tree. A line that does not follow playwright-cli's grammar is kept as text and
/// [counted](Tree::malformed).
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
