//! The test bed of the checks: the driver under test, the suite's site, and shortcuts for frequent actions.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{Found, Site};
use crate::{
    action::{
        BrowserAction, BrowserTool, Click, ErrorClass, Fill, Goto, NoArguments, OnTarget, Outcome,
        TabAt, Target,
    },
    base::Error,
    browser::{BrowserDriver, ExecuteRequest, Execution, ObserveRequest},
    page::{Locator, Observation, Role},
};

/// Longest time that a check waits until the frames of a page appear in an observation. Source: chosen; a driver may
/// return an observation without a slow frame, and on a busy machine a frame's process starts late.
const FRAMES: Duration = Duration::from_secs(30);
/// Pause between two observations while a check waits for the frames of a page. Source: chosen.
const LOOK_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Bed<'a> {
    pub(super) driver: &'a dyn BrowserDriver,
    pub(super) site: &'a Site,
}

/// Returns the text of an error, by which a check describes its failure.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(super) fn said(error: Error) -> String {
    format!("{error:?}")
}

impl<'a> Bed<'a> {
    pub(super) const fn new(driver: &'a dyn BrowserDriver, site: &'a Site) -> Self {
        Self { driver, site }
    }

    /// Closes open dialogs. If the driver can close tabs, also closes all tabs but one.
    pub(super) async fn clean(&self) -> Found {
        let tools = self.driver.capabilities().tools;
        for _ in 0..10 {
            let seen = self.see().await?;
            if seen.dialog.is_some() {
                self.act(BrowserAction::DialogAccept(crate::action::DialogAccept {
                    text: None,
                }))
                .await?;
            } else if let (Some(tab), true) =
                (seen.tabs.last(), tools.contains(&BrowserTool::TabClose))
            {
                if seen.tabs.len() < 2 {
                    return Ok(());
                }
                self.act(BrowserAction::TabClose(TabAt { index: tab.index }))
                    .await?;
            } else {
                return Ok(());
            }
        }
        Err("dialogs or tabs stay open".into())
    }

    pub(super) async fn act(&self, action: BrowserAction) -> Result<Execution, String> {
        self.driver
            .execute(&ExecuteRequest::new(action))
            .await
            .map_err(said)
    }

    pub(super) async fn ask(&self, request: ExecuteRequest) -> Result<Execution, String> {
        self.driver.execute(&request).await.map_err(said)
    }

    /// Carries out an action. If the action does not succeed, the check fails.
    pub(super) async fn does(&self, action: BrowserAction) -> Result<Execution, String> {
        let name = action.tool().as_str();
        let execution = self.act(action).await?;
        match &execution.outcome {
            Outcome::Done => Ok(execution),
            other => Err(format!("{name} gave {other:?}")),
        }
    }

    /// Carries out an action that must fail with this class. If it succeeds or fails with another class, the check
    /// fails.
    pub(super) async fn fails(
        &self,
        action: BrowserAction,
        class: ErrorClass,
    ) -> Result<Execution, String> {
        let name = action.tool().as_str();
        let execution = self.act(action).await?;
        match execution.outcome.class() {
            Some(found) if found == class => Ok(execution),
            _ => Err(format!(
                "{name} should fail with {class} and gave {:?}",
                execution.outcome
            )),
        }
    }

    pub(super) async fn open(&self, path: &str) -> Found {
        self.does(BrowserAction::Goto(Goto {
            url: self.site.url(path),
        }))
        .await
        .map(drop)
    }

    pub(super) async fn see(&self) -> Result<Observation, String> {
        self.driver
            .observe(&ObserveRequest::default())
            .await
            .map_err(said)
    }

    /// Observes the page repeatedly, until `is_there` returns true or [`FRAMES`] has passed. Returns the last observation.
    pub(super) async fn see_frames(
        &self,
        is_there: impl Fn(&Observation) -> Result<bool, String>,
    ) -> Result<Observation, String> {
        let begin = Instant::now();
        loop {
            let seen = self.see().await?;
            if is_there(&seen)? || begin.elapsed() > FRAMES {
                return Ok(seen);
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Returns the reference of the first element with this role and name. If there is no such element, the check
    /// fails.
    pub(super) async fn find(&self, role: Role, name: &str) -> Result<Target, String> {
        let seen = self.see().await?;
        reference(&seen, &role, name)
            .ok_or_else(|| format!("no {role} {name:?} with a reference on {}", seen.url))
    }

    /// Waits up to [`FRAMES`] for the first element with this role and name, and returns its reference. If the element
    /// does not appear in this time, the check fails.
    pub(super) async fn find_in_frame(&self, role: Role, name: &str) -> Result<Target, String> {
        let is_there = |seen: &Observation| Ok(reference(seen, &role, name).is_some());
        let seen = self.see_frames(is_there).await?;
        reference(&seen, &role, name)
            .ok_or_else(|| format!("no {role} {name:?} with a reference in {}", seen.url))
    }

    pub(super) async fn text(&self) -> Result<String, String> {
        Ok(text_of(&self.see().await?))
    }

    pub(super) async fn shows(&self, wanted: &str) -> Found {
        let text = self.text().await?;
        if text.contains(wanted) {
            Ok(())
        } else {
            Err(format!(
                "the page should show {wanted:?} and shows {text:?}"
            ))
        }
    }

    pub(super) async fn click(&self, name: &str) -> Result<Execution, String> {
        let target = self.find(Role::Button, name).await?;
        self.does(click(target)).await
    }
}

fn reference(seen: &Observation, role: &Role, name: &str) -> Option<Target> {
    let mut nodes = seen.tree.nodes().iter();
    let node = nodes.find(|node| node.role == *role && &*node.name == name)?;
    node.reference.clone().map(Target::Ref)
}

pub(super) fn text_of(seen: &Observation) -> String {
    seen.tree
        .roots()
        .map(|root| seen.tree.text_of(root))
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) const fn click(target: Target) -> BrowserAction {
    BrowserAction::Click(Click {
        target,
        button: None,
    })
}

pub(super) fn fill(target: Target, text: &str) -> BrowserAction {
    BrowserAction::Fill(Fill {
        target,
        text: text.into(),
        submit: false,
    })
}

pub(super) const fn on(target: Target) -> OnTarget {
    OnTarget { target }
}

pub(super) const fn nothing() -> NoArguments {
    NoArguments {}
}

pub(super) fn locator(text: &str) -> Result<Target, String> {
    Locator::parse(text).map(Target::Locator).map_err(said)
}
