//! What every driver of a Chromium on this machine shares: where it is, how it is started, and the folder it lives in.
//!
//! ```text
//! discover   which programs are meant
//! choices    what can be chosen about each browser
//! folder     the private folder of one browser, and the sweep of what killed owners left
//! owner      who owns such a folder
//! ```
//!
//! Used by the drivers' folders; knows none of them.

mod choices;
mod discover;
pub(in crate::browser) mod folder;
mod owner;

use std::{ffi::OsString, path::PathBuf};

pub(in crate::browser) use choices::{Choices, bounded, choosing};
pub use discover::ProgramPlaces;
pub(in crate::browser) use folder::{Folder, write_private};

/// Switches that keep Chromium quiet: nothing but the page is loaded, and no first-run page appears.
pub(in crate::browser) const SWITCHES: [&str; 8] = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-default-browser-check",
    "--disable-domain-reliability",
];
/// Variables of this process that a browser and its tool get. Everything else stays here: an environment is where
/// keys of model providers live, and the tool's own variables would change its configuration.
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
/// Beginnings of further such variables.
const VARIABLE_GROUPS: [&str; 2] = ["LC_", "XDG_"];

/// The part of this process's environment that a browser gets, and where it puts what it would put into the home of the user:
/// what it notes of crashes, and caches, which two browsers that start at once must not share either.
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

/// The path as this process means it: a browser runs in a folder of its own and would start from there.
pub(in crate::browser) fn absolute(path: PathBuf) -> PathBuf {
    // An empty path, or no working folder: what it is used for will say so.
    std::path::absolute(&path).unwrap_or(path)
}

/// Whether Chromium's own sandbox cannot work because this is root.
#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Elsewhere nobody is.
#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
