//! Code that every driver of a Chromium on this machine shares: finding programs, the options and the environment with
//! which a driver starts them, and the private folder.
//!
//! ```text
//! discover   the programs to use
//! choices    the options of each browser
//! folder     the private folder of one browser, and the removal of folders that killed owners left
//! owner      the owner of such a folder
//! ```
//!
//! The drivers' modules use this module, which depends on none of them.
//!
//! # Decisions
//!
//! - `Cdp` starts Chromium with a stack of 64 MiB: its layout recurses, and about 3,000 nested elements crash it with
//!   the usual 8 MiB. playwright-cli starts it with the usual stack.
//! - A private folder is removed only after every process that the browser started has ended. Until then these
//!   processes write, and would create the folder again without the lock of its owner.
//! - `Cdp` repeats the start of a browser only if a signal ended the browser, and only once. A browser that ended by
//!   itself would do so again. `PlaywrightCli` never repeats a start.
//! - The browser uses the user's store of certificates, which may hold certificate authorities that the user added.
//!   Everything else that Chromium writes is in the private folder.
//! - A new profile of `Cdp` begins with autofill and the password manager off, because Chromium stores what was typed
//!   into forms in the profile. The pages of playwright-cli run in a context that Chromium keeps in
//!   memory.

mod choices;
mod discover;
pub(in crate::browser) mod folder;
mod owner;

use std::{ffi::OsString, path::PathBuf};

pub(in crate::browser) use choices::{Choices, bounded, choosing};
pub use discover::ProgramPlaces;
pub(in crate::browser) use folder::{Folder, write_private};

/// Switches with which every driver starts Chromium, so that it loads nothing but the page.
pub(in crate::browser) const SWITCHES: [&str; 10] = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-default-browser-check",
    "--disable-domain-reliability",
    // Chromium's own requests for updates and accounts go nowhere. Source: measured with Chromium 156, which makes them in
    // spite of the switches above.
    "--component-updater=url-source=http://127.0.0.1:9/",
    "--gaia-url=http://127.0.0.1:9/",
];
/// Features of Chromium that every driver switches off: two pages of the address bar that nobody sees, and the question
/// for the time. Source: measured, Chromium 156: a start takes 1.25 s of processor time with the pages, 0.55 s without.
const UNSEEN: &str = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,NetworkTimeServiceQuerying";

/// Returns one switch that turns off these features and those in [`UNSEEN`]. Chromium obeys only the last switch of
/// this kind.
pub(in crate::browser) fn without_features(features: &str) -> String {
    format!("--disable-features={features},{UNSEEN}")
}

/// Environment variables that are passed on to a browser and to playwright-cli, besides those of [`VARIABLE_GROUPS`].
/// All others are held back, because they may contain keys or change playwright-cli's configuration.
const VARIABLES: [&str; 21] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "LD_LIBRARY_PATH",
    "FONTCONFIG_FILE",
    "FONTCONFIG_PATH",
    "SYSTEMROOT",
    "PATHEXT",
    "LOCALAPPDATA",
    "USERPROFILE",
];
const VARIABLE_GROUPS: [&str; 2] = ["LC_", "XDG_"];

/// Returns the environment of a browser: the variables that are passed on, and two that put crash reports and caches
/// into the private folder.
pub(in crate::browser) fn environment(folder: &Folder) -> Vec<(OsString, OsString)> {
    let places = [
        ("BREAKPAD_DUMP_LOCATION", "crashes"),
        ("XDG_CACHE_HOME", "cache"),
    ];
    let passes = |name: &str| {
        VARIABLES.contains(&name) || VARIABLE_GROUPS.iter().any(|group| name.starts_with(group))
    };
    let passed = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(passes));
    let passed = passed.filter(|(name, _)| places.iter().all(|(place, _)| name != place));
    let places = places.map(|(name, file)| (name.into(), folder.file(file).into()));
    passed.chain(places).collect()
}

/// Makes a path absolute, because the browser has another working directory.
pub(in crate::browser) fn absolute(path: PathBuf) -> PathBuf {
    // If the path is empty or there is no working directory, the later use of the path fails with a reason.
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns false, because systems other than Unix have no root user.
#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
