//! The suite of the browser port on a real Chromium: both drivers, by every way in which they reach it.

use std::time::Duration;

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

/// Fewest checks that the suite has; a room that falls out of it is noticed.
const CHECKS: usize = 57;
/// How long an element may take to become ready: the suite has many actions that must fail, and its pages answer at once.
const ACTION: Duration = Duration::from_secs(2);

async fn report(name: &str, driver: &dyn BrowserDriver) -> Report {
    let report = browser::run(driver)
        .await
        .expect("the suite's server starts");
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
    assert!(passed >= CHECKS, "only {passed} checks ran");
    report
}

async fn playwright_cli(transport: TransportChoice) -> Report {
    let options = PlaywrightCliOptions::from_env()
        .expect("playwright-cli and Chromium are needed: run `cargo run --features full --example test_beds` first")
        .with_action_timeout(ACTION)
        .with_settle(Duration::from_millis(200))
        .with_transport(transport);
    let driver = PlaywrightCli::launch(&options)
        .await
        .expect("the browser starts");
    report(&format!("playwright-cli by {transport:?}"), &driver).await
}

fn cdp_options() -> CdpOptions {
    CdpOptions::from_env()
        .expect("Chromium is needed: run `cargo run --features full --example test_beds` first")
        .with_action_timeout(ACTION)
}

#[tokio::test(flavor = "multi_thread")]
async fn both_transports_of_playwright_cli_pass_with_the_same_results() {
    let (by_socket, by_process) = tokio::join!(
        playwright_cli(TransportChoice::Socket),
        playwright_cli(TransportChoice::Process)
    );
    assert_eq!(by_socket, by_process);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launched_chromium_passes() {
    let driver = Cdp::launch(&cdp_options())
        .await
        .expect("the browser starts");
    report("cdp, launched", &driver).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attached_chromium_passes() {
    let browser = chromium::Running::start().await;
    let states = tempfile::tempdir().expect("a folder for saved states");
    let options = cdp_options().with_state_folder(states.path());
    let driver = Cdp::attach(&browser.address(), &options)
        .await
        .expect("the browser can be attached to");
    report("cdp, attached", &driver).await;
}
