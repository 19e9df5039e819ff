//! The two sizes of the test suite: `WEBWISE_TESTS=quick`, the default, and `full`. Include it with `#[path]`.
//!
//! Both make the same promises. The full size proves them with more cases, seeds and kills.
#![allow(dead_code, reason = "each test target uses its own part")]

/// Returns the quick figure or the full one.
pub(crate) fn pick<T>(quick: T, full: T) -> T {
    if self::full() { full } else { quick }
}

/// Reports whether the full size was asked for.
pub(crate) fn full() -> bool {
    is_full(std::env::var_os("WEBWISE_TESTS").as_deref())
}

/// Interprets the variable. A value that is neither would run the wrong size unnoticed, so it ends the test.
pub(crate) fn is_full(size: Option<&std::ffi::OsStr>) -> bool {
    match size.map(|size| size.to_str()) {
        None | Some(Some("quick")) => false,
        Some(Some("full")) => true,
        Some(_) => panic!(
            "WEBWISE_TESTS is {}: set it to quick or full, or unset it",
            size.unwrap_or_default().display()
        ),
    }
}
