//! Checks that a browser driver keeps the contract of [`BrowserDriver`]. The checks use
//! small pages from a server on loopback.
//!
//! The checks share one browser, because starting a browser is the slowest part of a test. When a check begins, no
//! dialog is open. If the driver can close tabs, the browser also has only one tab then. Each check opens the pages
//! that it needs, so a failing check does not affect the others.
//!
//! ```no_run
//! # async fn example(driver: impl webwise::browser::BrowserDriver) -> webwise::Result<()> {
//! use webwise::testing::conformance::browser;
//!
//! let report = browser::run(&driver).await?;
//! assert!(report.is_passed(), "{report}");
//! # Ok(())
//! # }
//! ```

mod bed;
mod dialogs;
mod elements;
mod looking;
mod navigation;
mod pages;
mod secrets;
mod seeing;
mod selecting;
mod site;
mod tabs;

use std::{fmt, pin::Pin};

use bed::Bed;
pub use site::Site;

use crate::{
    action::BrowserTool,
    base::{Error, ErrorKind, Result},
    browser::{BrowserDriver, ObserveRequest},
};

/// The result of a check: `Ok`, or a description of how the driver breaks the rule that the check tests.
type Found = Result<(), String>;

struct Check {
    name: &'static str,
    needs: &'static [BrowserTool],
    run: for<'a> fn(&'a Bed<'a>) -> Pin<Box<dyn Future<Output = Found> + Send + 'a>>,
}

/// Defines a module's list of checks. An entry consists of an async function that takes a [`Bed`], and the tools that
/// this function needs.
macro_rules! checks {
    ($($name:ident needs [$($tool:ident),*]),* $(,)?) => {
        pub(super) const CHECKS: &[super::Check] = &[$(super::Check {
            name: stringify!($name),
            needs: &[$(crate::action::BrowserTool::$tool),*],
            run: |bed| Box::pin($name(bed)),
        }),*];
    };
}
use checks;

/// Ends a check as failed if the condition is false. The words after the condition describe the failure.
macro_rules! ensure {
    ($condition:expr, $($words:tt)*) => {
        if !$condition {
            return Err(format!($($words)*));
        }
    };
}
use ensure;

/// The verdict of one check on a driver. Each check tests one rule of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The driver keeps the rule.
    Passed,
    /// The rule was not checked, because the driver does not declare this tool.
    Skipped(BrowserTool),
    /// The driver breaks the rule, or the browser could not be prepared for the check. The text says what happened.
    Failed(String),
}

/// The verdicts of the checks that were requested, in the order of the checks. The last verdict is on closing the
/// browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The name and verdict of each check.
    pub checks: Vec<(&'static str, Verdict)>,
}

impl Report {
    /// Returns true if no check failed. Checks may have been skipped.
    pub fn is_passed(&self) -> bool {
        !self
            .checks
            .iter()
            .any(|(_, verdict)| matches!(verdict, Verdict::Failed(_)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, verdict) in &self.checks {
            match verdict {
                Verdict::Passed => writeln!(f, "passed  {name}")?,
                Verdict::Skipped(tool) => writeln!(f, "skipped {name}: no {}", tool.as_str())?,
                Verdict::Failed(why) => writeln!(f, "FAILED  {name}: {why}")?,
            }
        }
        Ok(())
    }
}

/// Runs every check on the driver's browser, and closes the browser.
///
/// # Errors
/// If the suite's own server cannot be started.
pub async fn run(driver: &dyn BrowserDriver) -> Result<Report> {
    run_checks(driver, &all()).await
}

/// Runs the checks with these names on the driver's browser, and closes the browser. Closing is always checked too.
/// Example: if a driver can start its browser in two ways, run all checks for one way and some of them for the other.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for an unknown name; another error if the suite's own server cannot be started.
pub async fn run_only(driver: &dyn BrowserDriver, names: &[&str]) -> Result<Report> {
    let mut checks = all();
    if let Some(unknown) = names
        .iter()
        .find(|name| !checks.iter().any(|check| check.name == **name))
    {
        return Err(
            Error::new(ErrorKind::InvalidInput, "conformance.browser").with("check", unknown)
        );
    }
    checks.retain(|check| names.contains(&check.name));
    run_checks(driver, &checks).await
}

/// Returns the names of the checks, in the order in which they run. Pass some of them to [`run_only`] to divide the
/// checks among several browsers. The check of closing is not listed, because it always runs.
pub fn names() -> Vec<&'static str> {
    all().into_iter().map(|check| check.name).collect()
}

fn all() -> Vec<&'static Check> {
    let rooms = [
        looking::CHECKS,
        elements::CHECKS,
        selecting::CHECKS,
        navigation::CHECKS,
        dialogs::CHECKS,
        tabs::CHECKS,
        secrets::CHECKS,
        seeing::CHECKS,
    ];
    rooms.into_iter().flatten().collect()
}

async fn run_checks(driver: &dyn BrowserDriver, wanted: &[&Check]) -> Result<Report> {
    let site = Site::start()?;
    let bed = Bed::new(driver, &site);
    let declared = driver.capabilities().tools;
    let mut checks = Vec::new();
    for check in wanted {
        let verdict = match check.needs.iter().find(|tool| !declared.contains(tool)) {
            Some(missing) => Verdict::Skipped(*missing),
            None => match bed.clean().await {
                Ok(()) => (check.run)(&bed)
                    .await
                    .map_or_else(Verdict::Failed, |()| Verdict::Passed),
                Err(why) => Verdict::Failed(format!("before it began: {why}")),
            },
        };
        checks.push((check.name, verdict));
    }
    let ended = closing_twice_is_fine_and_nothing_works_afterwards(driver).await;
    let name = "closing_twice_is_fine_and_nothing_works_afterwards";
    checks.push((
        name,
        ended.map_or_else(Verdict::Failed, |()| Verdict::Passed),
    ));
    Ok(Report { checks })
}

async fn closing_twice_is_fine_and_nothing_works_afterwards(driver: &dyn BrowserDriver) -> Found {
    for _ in 0..2 {
        driver.close().await.map_err(|error| format!("{error:?}"))?;
    }
    let kind = driver
        .observe(&ObserveRequest::default())
        .await
        .err()
        .map(|error| error.kind());
    ensure!(
        kind == Some(ErrorKind::BrowserLost),
        "observing a closed browser gave {kind:?}"
    );
    Ok(())
}
