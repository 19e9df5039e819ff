//! The suite of the browser port on a real Chromium, by both transports, and what only this driver promises.

use std::time::Duration;

use webwise::{
    browser::{PlaywrightCli, PlaywrightCliOptions, TransportChoice},
    testing::conformance::browser::{self, Report, Verdict},
};

/// Fewest checks that the suite has; a room that falls out of it is noticed.
const CHECKS: usize = 57;

/// Short waits: the suite has many actions that must fail, and its pages answer at once.
fn options() -> PlaywrightCliOptions {
    PlaywrightCliOptions::from_env()
        .expect("playwright-cli and Chromium are needed: run `webwise setup` first")
        .with_action_timeout(Duration::from_secs(2))
        .with_settle(Duration::from_millis(200))
}

async fn report(transport: TransportChoice) -> Report {
    let driver = PlaywrightCli::launch(&options().with_transport(transport)).await.expect("the browser starts");
    let report = browser::run(&driver).await.expect("the suite's server starts");
    println!("by {transport:?}:\n{report}");
    let passed = report.checks.iter().filter(|(_, verdict)| *verdict == Verdict::Passed).count();
    assert_eq!(passed, report.checks.len(), "by {transport:?}:\n{report}");
    assert!(passed >= CHECKS, "only {passed} checks ran");
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn both_transports_pass_the_suite_with_the_same_results() {
    let (by_socket, by_process) = tokio::join!(report(TransportChoice::Socket), report(TransportChoice::Process));
    assert_eq!(by_socket, by_process);
}
