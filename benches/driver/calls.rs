//! Calls that are measured, and how a table is printed. A call that failed at once would be a fine figure, so each must have
//! done what it is for.

use std::time::Duration;

use webwise::{
    action::{BrowserAction, Click, Fill, Goto, Target, TextValue},
    browser::{BrowserDriver, ExecuteRequest, ObserveRequest},
    page::{Node, Role},
};

pub(crate) type Anything = Result<(), Box<dyn std::error::Error>>;

/// Samples of what takes milliseconds. Unit: calls. Source: chosen; the median moves by under a tenth from run to run.
pub(crate) const MANY: usize = 25;
/// Samples of what takes about half a second. Unit: calls. Source: chosen.
pub(crate) const SOME: usize = 9;
/// Samples of what takes seconds. Unit: calls. Source: chosen.
pub(crate) const FEW: usize = 3;

/// The head of a table of two columns.
pub(crate) fn head(columns: [&str; 2]) {
    println!(
        "\n{:<44}{:>12}{:>12}{:>8}",
        "median of", columns[0], columns[1], "ratio"
    );
}

/// Prints the medians and gives their ratio.
pub(crate) fn row(name: &str, times: [Vec<Duration>; 2]) -> f64 {
    let [first, second] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1000.0
    });
    println!(
        "{name:<44}{first:>9.1} ms{second:>9.1} ms{:>6.1} x",
        first / second
    );
    first / second
}

pub(crate) async fn act(driver: &dyn BrowserDriver, request: ExecuteRequest) -> Anything {
    let execution = driver.execute(&request).await?;
    if execution.outcome.is_done() {
        Ok(())
    } else {
        Err(format!("{execution:?}").into())
    }
}

pub(crate) async fn open(driver: &dyn BrowserDriver, site: &str, elements: &str) -> Anything {
    act(
        driver,
        ExecuteRequest::new(BrowserAction::Goto(Goto {
            url: format!("{site}/{elements}"),
        })),
    )
    .await
}

pub(crate) async fn see(driver: &dyn BrowserDriver) -> Anything {
    let seen = driver.observe(&ObserveRequest::default()).await?;
    let fields = seen
        .tree
        .nodes()
        .iter()
        .filter(|node| node.role == Role::TextBox)
        .count();
    if fields > 0 {
        Ok(())
    } else {
        Err("an observation without the page's fields".into())
    }
}

pub(crate) fn field(label: &str) -> Result<Target, Box<dyn std::error::Error>> {
    Ok(Target::parse(&format!("label=\"{label}\""))?)
}

/// What stands on the page, by its reference.
pub(crate) async fn on_page(
    driver: &dyn BrowserDriver,
    is_meant: impl Fn(&Node) -> bool,
) -> Result<Target, Box<dyn std::error::Error>> {
    let seen = driver.observe(&ObserveRequest::default()).await?;
    let reference = seen
        .tree
        .nodes()
        .iter()
        .find(|node| is_meant(node))
        .and_then(|node| node.reference.clone());
    Ok(Target::Ref(
        reference.ok_or("an element without a reference")?,
    ))
}

pub(crate) async fn fill(driver: &dyn BrowserDriver, target: Target, text: TextValue) -> Anything {
    let fill = Fill {
        target,
        text,
        submit: false,
    };
    act(driver, ExecuteRequest::new(BrowserAction::Fill(fill))).await
}

pub(crate) async fn click(driver: &dyn BrowserDriver, target: Target) -> Anything {
    act(
        driver,
        ExecuteRequest::new(BrowserAction::Click(Click {
            target,
            button: None,
        })),
    )
    .await
}
