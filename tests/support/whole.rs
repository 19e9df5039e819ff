//! The whole Chromium, for tests of what its headless shell does not have: processes of its own for frames, and error pages that
//! tell their reason. Include it with `#[path]`.

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
