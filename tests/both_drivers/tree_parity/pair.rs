//! Two browsers that are brought to the same page: one by playwright-cli, one by the native driver.

use std::time::Duration;

use webwise::{
    action::{BrowserAction, Click, Eval, Fill, Goto, NoArguments, Target, TextValue},
    browser::{
        BrowserDriver, Cdp, CdpOptions, ExecuteRequest, ObserveRequest, PlaywrightCli,
        PlaywrightCliOptions, TransportChoice,
    },
    page::Tree,
};

use crate::tree_parity::align::{Comparison, compare};

/// How often two trees are compared before they count as different. Source: chosen; two browsers are never at the same moment
/// of a page that still loads.
const LOOKS: usize = 4;
/// Between two of them. Unit: time. Source: chosen.
const BETWEEN: Duration = Duration::from_millis(400);

/// One thing that is done in both browsers.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Open(String),
    /// An address whose answer never ends, or ends badly; what came of it is compared.
    OpenTorn(String),
    Click(&'static str),
    Fill(&'static str, String),
    /// A function of script.
    Run(String),
    /// Sends the open dialog away.
    Dismiss,
}

impl Step {
    fn action(&self) -> BrowserAction {
        let css = |css: &str| {
            Target::parse(&format!("css={css:?}")).expect("a locator of the test is in the grammar")
        };
        match self {
            Self::Open(url) | Self::OpenTorn(url) => BrowserAction::Goto(Goto { url: url.clone() }),
            Self::Click(target) => BrowserAction::Click(Click {
                target: css(target),
                button: None,
            }),
            Self::Fill(target, text) => {
                let text = TextValue::Literal(text.clone());
                BrowserAction::Fill(Fill {
                    target: css(target),
                    text,
                    submit: false,
                })
            }
            Self::Dismiss => BrowserAction::DialogDismiss(NoArguments {}),
            Self::Run(function) => BrowserAction::Eval(Eval {
                function: function.clone(),
                target: None,
            }),
        }
    }
}

pub(crate) struct Pair {
    tool: PlaywrightCli,
    native: Cdp,
}

impl Pair {
    pub(crate) async fn start() -> Self {
        let needed = "playwright-cli and Chromium are needed: run `cargo run --features full --example test_beds` first";
        let tool = PlaywrightCliOptions::from_env()
            .expect(needed)
            .with_transport(TransportChoice::Socket)
            .with_navigation_timeout(Duration::from_secs(20))
            .with_settle(Duration::from_millis(100))
            .with_scripts(true);
        let native = CdpOptions::from_env()
            .expect(needed)
            .with_navigation_timeout(Duration::from_secs(20))
            .with_scripts(true);
        let (tool, native) = tokio::join!(PlaywrightCli::launch(&tool), Cdp::launch(&native));
        Self {
            tool: tool.expect("playwright-cli's browser starts"),
            native: native.expect("the browser starts"),
        }
    }

    /// Does the same in both.
    pub(crate) async fn play(&self, step: &Step) -> Result<(), String> {
        let request = ExecuteRequest::new(step.action());
        let (theirs, ours) =
            tokio::join!(self.tool.execute(&request), self.native.execute(&request));
        for (driver, done) in [("playwright-cli", theirs), ("cdp", ours)] {
            let outcome = done
                .map_err(|error| format!("{driver}, {step:?}: {error:?}"))?
                .outcome;
            if !outcome.is_done() && !matches!(step, Step::OpenTorn(_)) {
                return Err(format!("{driver}, {step:?}: {outcome:?}"));
            }
        }
        Ok(())
    }

    /// Compares what both show.
    pub(crate) async fn compare(&self) -> Result<Comparison, String> {
        let mut best = Comparison::default();
        for look in 0..LOOKS {
            if look > 0 {
                tokio::time::sleep(BETWEEN).await;
            }
            let (theirs, ours) = (see(&self.tool).await?, see(&self.native).await?);
            if theirs.is_empty() {
                return Err("there is nothing to compare".to_owned());
            }
            let compared = compare(&theirs, &ours);
            if compared.differences.is_empty() {
                return Ok(compared);
            }
            if look == 0 || compared.share() > best.share() {
                best = compared;
            }
        }
        Ok(best)
    }

    pub(crate) async fn close(self) {
        self.tool
            .close()
            .await
            .expect("playwright-cli's browser ends");
        self.native.close().await.expect("the browser ends");
    }
}

async fn see(driver: &dyn BrowserDriver) -> Result<Tree, String> {
    let name = driver.capabilities().driver;
    let seen = driver
        .observe(&ObserveRequest::default())
        .await
        .map_err(|error| format!("{name}: {error:?}"))?;
    if seen.dialog.is_some() {
        Err(format!("{name}: a dialog hides the page"))
    } else {
        Ok(seen.tree)
    }
}
