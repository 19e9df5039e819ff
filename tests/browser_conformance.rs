//! The suite of the browser port on a real Chromium: both drivers, by every way in which they reach it. The quick profile runs
//! all checks by the first way of each driver, and by the second one those in which the ways differ.

use std::{path::Path, time::Duration};

use profile::full;
use webwise::{
    browser::{
        BrowserDriver, Cdp, CdpOptions, PlaywrightCli, PlaywrightCliOptions, TransportChoice,
    },
    testing::conformance::browser::{self, Report, Verdict},
};

#[path = "support/chromium.rs"]
mod chromium;
#[macro_use]
#[path = "support/figure.rs"]
mod figure;
#[path = "support/profile.rs"]
mod profile;

/// Minimum number of checks that the suite has; a room that falls out of it is noticed.
const CHECKS: usize = 71;
/// How long an element may take to become ready: the suite has many actions that must fail, and its pages answer at once.
const ACTION: Duration = Duration::from_secs(5);

/// Checks in which it matters how a command and its answer are carried: values as they are, long answers, files, dialogs that hold
/// the answer up, time-outs, and secrets that may stand in no argument.
const BY_PROCESSES: &[&str] = &[
    "hostile_names_arrive_as_text_and_change_nothing",
    "a_page_of_thousands_of_elements_is_seen",
    "a_picture_is_a_png_file",
    "a_field_takes_any_text_as_it_is",
    "waiting_in_vain_is_told",
    "a_dialog_is_told_and_blocks_until_it_is_answered",
    "a_secret_is_typed_where_it_is_bound_and_shown_nowhere",
];
/// Checks in which it matters whose the browser is: its tabs, the sessions of its pages and frames, its files and its cookies, its screen.
const ATTACHED: &[&str] = &[
    "elements_in_frames_are_seen_and_used",
    "a_picture_is_a_png_file",
    "history_is_walked_and_ends",
    "cookies_are_saved_and_loaded",
    "a_dialog_is_told_and_blocks_until_it_is_answered",
    "without_a_chooser_or_a_permission_nothing_is_uploaded",
    "a_window_that_a_page_opens_is_told_and_does_not_take_over",
    "tabs_are_opened_chosen_and_closed",
    "the_last_tab_stays_and_unknown_tabs_are_refused",
    "a_file_that_a_page_offers_is_told",
    "what_may_be_shown_in_one_tab_says_nothing_of_another",
    "points_of_a_picture_are_clicked",
];

/// Runs the suite, or only these checks of it in the quick profile. Its halves run side by side, each in a browser of its own, which
/// `launch` starts; beside the driver it gives what must be there for as long.
async fn report<D: BrowserDriver, G>(
    name: &str,
    launch: impl AsyncFn(&Path) -> (D, G),
    only: Option<&[&'static str]>,
) -> Report {
    let only = only.filter(|_| !full());
    let names = only.map_or_else(browser::names, <[_]>::to_vec);
    let half = async |names: &[&str]| {
        // For saved states and for a file that may be uploaded: without it the tools are not declared.
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (driver, _there) = launch(folder.path()).await;
        let report = browser::run_only(&driver, names).await;
        report.expect("the suite's server starts, and has these checks")
    };
    let (first, second) = names.split_at(names.len() / 2);
    let (mut report, rest) = tokio::join!(half(first), half(second));
    // To be closed is the last check of each.
    let closed = report.checks.pop();
    report.checks.extend(rest.checks);
    println!("{name}:\n{report}");
    let passed = report
        .checks
        .iter()
        .filter(|(_, verdict)| *verdict == Verdict::Passed)
        .count();
    figure!(
        "browser_conformance: {name}: {passed} of {}",
        report.checks.len()
    );
    assert_eq!(passed, report.checks.len(), "{name}:\n{report}");
    assert_eq!(closed.as_ref(), report.checks.last(), "{name}");
    let wanted = only.map_or(CHECKS, |names| names.len() + 1);
    assert!(passed >= wanted, "only {passed} checks ran");
    report
}

async fn playwright_cli(transport: TransportChoice, only: Option<&[&'static str]>) -> Report {
    let launch = async |folder: &Path| {
        let options = PlaywrightCliOptions::from_env()
            .expect("playwright-cli and Chromium are needed: run `cargo run --features full --example test_beds` first")
            .with_action_timeout(ACTION)
            .with_state_folder(folder)
            .with_upload("a.txt", folder.join("a.txt"))
            .with_settle(Duration::from_millis(200))
            .with_transport(transport);
        let driver = PlaywrightCli::launch(&options).await;
        (driver.expect("the browser starts"), ())
    };
    report(&format!("playwright-cli by {transport:?}"), launch, only).await
}

fn cdp_options(folder: &Path) -> CdpOptions {
    CdpOptions::from_env()
        .expect("Chromium is needed: run `cargo run --features full --example test_beds` first")
        .with_action_timeout(ACTION)
        .with_state_folder(folder)
        .with_upload("a.txt", folder.join("a.txt"))
}

#[tokio::test(flavor = "multi_thread")]
async fn both_transports_of_playwright_cli_pass_with_the_same_results() {
    let (mut by_socket, by_process) = tokio::join!(
        playwright_cli(TransportChoice::Socket, None),
        playwright_cli(TransportChoice::Process, Some(BY_PROCESSES))
    );
    let is_both = |name: &str| by_process.checks.iter().any(|(other, _)| *other == name);
    by_socket.checks.retain(|(name, _)| is_both(name));
    assert_eq!(by_socket, by_process);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launched_chromium_passes() {
    let launch = async |folder: &Path| {
        let driver = Cdp::launch(&cdp_options(folder)).await;
        (driver.expect("the browser starts"), ())
    };
    report("cdp, launched", launch, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attached_chromium_passes() {
    let launch = async |folder: &Path| {
        let browser = chromium::Running::start_dense().await;
        let driver = Cdp::attach(&browser.address(), &cdp_options(folder)).await;
        (driver.expect("the browser can be attached to"), browser)
    };
    report("cdp, attached", launch, Some(ATTACHED)).await;
}
