//! The suite of the browser port on a real Chromium: both drivers, by every way in which they reach it.
//!
//! The full profile runs all checks by all ways. The quick profile runs:
//!
//! - all checks by the first way of the native driver;
//! - by the first way of playwright-cli, the checks in which playwright-cli does something of its own;
//! - by the second way of each driver, the checks in which its two ways differ.

use std::{path::Path, time::Duration};

use profile::full;
use webwise::{
    browser::{
        BrowserDriver, Cdp, CdpOptions, PlaywrightCli, PlaywrightCliOptions, Relaunching,
        TransportChoice,
    },
    testing::conformance::browser::{self, Report, Verdict},
};

use crate::{chromium, profile};

/// Minimum number of checks that the suite has; a room that falls out of it is noticed.
const CHECKS: usize = 76;
/// How long an element may take to become ready: the suite has many actions that must fail, and its pages answer at once.
const ACTION: Duration = Duration::from_secs(5);

/// Checks that playwright-cli leaves to the full profile: what the tool decides and not its driver, and what another check shows by
/// the same command.
const OF_THE_TOOL: &[&str] = &[
    "an_empty_page_is_an_empty_tree",
    "no_deceptive_character_arrives",
    "elements_in_a_shadow_tree_are_seen_and_used",
    "an_icon_without_a_name_is_told_by_what_its_makers_called_it",
    "the_lines_of_a_text_stay_lines",
    "a_click_is_done_and_the_page_notices",
    "every_button_of_the_mouse_works",
    "a_selector_may_keep_to_what_can_be_seen",
    "filling_can_submit",
    "a_key_goes_to_its_target",
    "a_point_of_an_element_is_clicked",
    "a_box_that_refuses_has_no_effect",
    "the_pointer_hovers_and_drags",
    "an_element_scrolls_and_is_scrolled_into_view",
    "an_address_is_opened_and_told",
    "waiting_ends_when_the_text_comes_or_goes",
    "what_is_not_declared_is_refused",
    "a_question_is_answered_either_way",
    "a_prompt_takes_a_text",
    "without_a_dialog_there_is_nothing_to_answer",
    "the_last_tab_stays_and_unknown_tabs_are_refused",
    "a_secret_is_typed_into_the_focused_field",
    "a_field_is_hidden_for_what_it_is_and_not_for_its_neighbours",
    "what_may_be_shown_in_one_tab_says_nothing_of_another",
    "a_secret_is_refused_in_a_frame_of_another_origin",
    "an_unknown_secret_is_refused_and_not_typed_as_text",
    "points_of_a_drawing_are_dragged",
];
/// Checks in which it matters how a command and its answer are carried: long answers, files, time-outs, and dialogs that hold the
/// answer up. That values come as they are, and that secrets stand in no argument, is tested in `argv` and `browser_playwright_cli`.
const BY_PROCESSES: &[&str] = &[
    "a_page_of_thousands_of_elements_is_seen",
    "a_picture_is_a_png_file",
    "waiting_in_vain_is_told",
    "a_dialog_is_told_and_blocks_until_it_is_answered",
];
/// Checks in which it matters whose the browser is: the sessions of its pages and frames, its screen, its cookies, its tabs and its
/// files.
const ATTACHED: &[&str] = &[
    "elements_in_frames_are_seen_and_used",
    "a_picture_is_a_png_file",
    "cookies_are_saved_and_loaded",
    "a_dialog_is_told_and_blocks_until_it_is_answered",
    "a_window_that_a_page_opens_is_told_and_does_not_take_over",
    "tabs_are_opened_chosen_and_closed",
    "a_file_that_a_page_offers_is_told",
];

/// Checks in which it matters that a driver is wrapped: one call of each method. The suite ends with closing.
const WRAPPED: &[&str] = &[
    "a_click_is_done_and_the_page_notices",
    "a_picture_is_a_png_file",
    "a_scene_tells_where_the_picture_shows_elements",
    "the_browser_is_leased_to_one_run_at_a_time",
];

/// All checks but those that playwright-cli leaves to the full profile.
fn by_socket() -> Vec<&'static str> {
    let mut names = browser::names();
    let unknown = OF_THE_TOOL.iter().find(|name| !names.contains(name));
    assert_eq!(unknown, None, "the suite has no such check");
    names.retain(|name| !OF_THE_TOOL.contains(name));
    names
}

/// Runs the suite in a browser that `launch` starts. If `only` is given, the quick profile runs only these checks.
/// `launch` also returns a value that must live as long as the driver. In the full profile two halves of the suite run
/// side by side, each in a browser of its own.
async fn report<D: BrowserDriver, G>(
    name: &str,
    launch: impl AsyncFn(&Path) -> (D, G),
    only: Option<&[&'static str]>,
) -> Report {
    let only = only.filter(|_| !full());
    let names = only.map_or_else(browser::names, <[_]>::to_vec);
    let part = async |names: &[&str]| {
        // For saved states and for a file that may be uploaded: without it the tools are not declared.
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (driver, _there) = launch(folder.path()).await;
        let report = browser::run_only(&driver, names).await;
        report.expect("the suite's server starts, and has these checks")
    };
    let (first, second) = names.split_at(if full() { names.len() / 2 } else { names.len() });
    let report = if second.is_empty() {
        part(first).await
    } else {
        let (mut report, rest) = tokio::join!(part(first), part(second));
        // The last check of each half is the closing of the browser.
        let closed = report.checks.pop();
        assert_eq!(closed.as_ref(), rest.checks.last(), "{name}");
        report.checks.extend(rest.checks);
        report
    };
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
}

#[tokio::test(flavor = "multi_thread")]
async fn both_transports_of_playwright_cli_pass_with_the_same_results() {
    let names = by_socket();
    let (mut by_socket, by_process) = tokio::join!(
        playwright_cli(TransportChoice::Socket, Some(&names)),
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

#[tokio::test(flavor = "multi_thread")]
async fn a_chromium_that_can_be_launched_anew_passes() {
    let launch = async |folder: &Path| {
        let options = cdp_options(folder);
        let driver = Relaunching::launch(move || {
            let options = options.clone();
            async move { Cdp::launch(&options).await }
        });
        (driver.await.expect("the browser starts"), ())
    };
    report("cdp, relaunching", launch, Some(WRAPPED)).await;
}
