//! The whole Chromium, for tests in which its headless shell differs: it has no processes of their own for frames, its error pages
//! tell no reason, and Debian starts it by a script. Include it with `#[path]`.

use std::path::PathBuf;

use webwise::browser::ProgramPlaces;

/// Names the whole Chromium where the test command gives a target the headless shell.
const VARIABLE: &str = "WEBWISE_WHOLE_CHROMIUM";

/// Returns the path of the whole Chromium.
pub(crate) fn chromium() -> PathBuf {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    named
        .or_else(|| ProgramPlaces::from_env().chromium())
        .expect("Chromium is needed: run `cargo run --features full --example test_beds` first")
}
