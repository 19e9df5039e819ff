//! A browser that fails on demand, for tests.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use tokio::time::sleep;

use super::When;
use crate::{
    BrowserDriver,
    action::{Action, BrowserAction, ErrorClass, Outcome},
    base::{Error, ErrorKind, Result},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{Dialog, DialogKind, Observation, Scene, Tree},
};

const OPERATION: &str = "faulty_browser.call";
const BLANK: &str = "about:blank";

/// A failure of an action. Some variants have a field `done`. If it is true, the action is carried out nevertheless,
/// but the caller does not learn this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrowserFault {
    /// The driver reports that the page no longer has the target's reference.
    StaleRef,
    /// The driver reports that another element covers the target.
    Intercepted,
    /// The driver reports that the action took too long.
    TimeOut {
        /// True if the action was carried out.
        done: bool,
    },
    /// The call never returns.
    Silent {
        /// True if the action was carried out.
        done: bool,
    },
    /// A dialog opens in place of the action's effect, and blocks the page until it is answered. Until then, the page has
    /// no picture, and its scene is unknown.
    Dialog,
    /// The action is carried out, then a blank page replaces the real one until another address is opened. The blank page
    /// has no picture, and its scene is unknown. A driver that keeps its contract would return `BrowserLost` instead: see [`BrowserFault::Dead`].
    PageLost,
    /// The browser is lost: this call and every later one except `close` return `BrowserLost`.
    Dead,
    /// The action is carried out after this delay.
    Slow(Duration),
    /// The driver's reply cannot be read: the call returns `MalformedReply`.
    Garbled {
        /// True if the action was carried out.
        done: bool,
    },
    /// The driver reports success, but the action was not carried out.
    NoEffect,
}

/// A failure of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookFault {
    /// The call never returns.
    Silent,
    /// The driver's reply cannot be read: the call returns `MalformedReply`.
    Garbled,
    /// The page is observed after this delay.
    Slow(Duration),
}

/// A browser that fails on demand. It wraps another browser. Clones share the lists of the calls made and of the faults that
/// happened.
#[derive(Debug, Clone)]
pub struct FaultyBrowser<B> {
    inner: B,
    faults: Vec<(When, BrowserFault)>,
    look_faults: Vec<(When, LookFault)>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    looks: u32,
    sent: Vec<String>,
    struck: Vec<(u32, BrowserFault)>,
    looks_struck: Vec<(u32, LookFault)>,
    dialog: Option<Dialog>,
    blank: bool,
    dead: bool,
}

impl<B> FaultyBrowser<B> {
    /// Wraps a browser, without any faults yet.
    pub fn new(inner: B) -> Self {
        Self {
            inner,
            faults: Vec::new(),
            look_faults: Vec::new(),
            state: Arc::default(),
        }
    }

    /// Adds a fault to the actions that `when` selects. If several faults apply to one action, the one that was added first
    /// is used.
    #[must_use]
    pub fn with(mut self, when: When, fault: BrowserFault) -> Self {
        self.faults.push((when, fault));
        self
    }

    /// Adds a fault to the observations that `when` selects. If several faults apply to one observation, the one that was
    /// added first is used.
    #[must_use]
    pub fn with_look(mut self, when: When, fault: LookFault) -> Self {
        self.look_faults.push((when, fault));
        self
    }

    /// Returns the wrapped browser.
    pub const fn get_ref(&self) -> &B {
        &self.inner
    }

    /// Returns all actions that were requested so far, each as one line of text, whatever their outcome. Actions that
    /// are requested after [`BrowserFault::Dead`] has happened are not recorded.
    pub fn sent(&self) -> Vec<String> {
        self.state().sent.clone()
    }

    /// Returns the faults of actions that happened so far, each with the number of the action, counted from 1.
    pub fn struck(&self) -> Vec<(u32, BrowserFault)> {
        self.state().struck.clone()
    }

    /// Returns the faults of observations that happened so far, each with the number of the observation, counted from 1.
    pub fn looks_struck(&self) -> Vec<(u32, LookFault)> {
        self.state().looks_struck.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn alive(&self) -> Result<()> {
        if self.dead { Err(lost()) } else { Ok(()) }
    }

    /// Returns true if a dialog or a blank page from an earlier fault hides the real page.
    fn is_hidden(&self) -> Result<bool> {
        self.alive()?;
        Ok(self.blank || self.dialog.is_some())
    }

    /// If a dialog or a blank page from an earlier fault is in the way of the action, returns the action's outcome;
    /// otherwise returns `None`. An answer to the dialog removes the dialog and has the outcome `Done`. While the
    /// dialog is open, every other action fails. Opening an address removes the blank page.
    fn in_the_way(&mut self, action: &BrowserAction) -> Option<Outcome> {
        let answers = matches!(
            action,
            BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_)
        );
        if self.dialog.is_some() {
            return Some(if answers {
                self.dialog = None;
                Outcome::Done
            } else {
                Outcome::failed(ErrorClass::DialogOpen, "")
            });
        }
        if self.blank && action.url().is_none() {
            return Some(Outcome::failed(ErrorClass::RefNotFound, ""));
        }
        self.blank = false;
        None
    }
}

const fn lost() -> Error {
    Error::new(ErrorKind::BrowserLost, OPERATION)
}

impl<B: BrowserDriver> FaultyBrowser<B> {
    /// If `done` is true, lets the wrapped browser carry out the action, and ignores the action's outcome.
    async fn done(&self, done: bool, request: &ExecuteRequest) -> Result<()> {
        if done {
            self.inner.execute(request).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl<B: BrowserDriver> BrowserDriver for FaultyBrowser<B> {
    fn capabilities(&self) -> BrowserCapabilities {
        self.inner.capabilities()
    }

    fn lease(&self) -> &crate::browser::Lease {
        self.inner.lease()
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        let fault = {
            let mut state = self.state();
            state.alive()?;
            state.looks += 1;
            let look = state.looks;
            let fault = self
                .look_faults
                .iter()
                .find(|(when, _)| when.strikes(look))
                .map(|(_, fault)| *fault);
            state.looks_struck.extend(fault.map(|fault| (look, fault)));
            fault
        };
        match fault {
            Some(LookFault::Silent) => std::future::pending().await,
            Some(LookFault::Garbled) => {
                return Err(Error::new(ErrorKind::MalformedReply, OPERATION));
            }
            Some(LookFault::Slow(time)) => sleep(time).await,
            None => {}
        }
        let mut seen = self.inner.observe(request).await?;
        let state = self.state();
        if state.blank {
            return Ok(Observation::new(BLANK, "", Tree::builder().finish()));
        }
        if let Some(dialog) = &state.dialog {
            seen.dialog = Some(dialog.clone());
            seen.screenshot = None;
            seen.tree = Tree::builder().finish();
        }
        Ok(seen)
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        let fault = {
            let mut state = self.state();
            state.alive()?;
            state
                .sent
                .push(Action::Browser(request.action.clone()).line());
            if let Some(outcome) = state.in_the_way(&request.action) {
                return Ok(outcome.into());
            }
            let number = u32::try_from(state.sent.len()).unwrap_or(u32::MAX);
            let fault = self
                .faults
                .iter()
                .find(|(when, _)| when.strikes(number))
                .map(|(_, fault)| *fault);
            state.struck.extend(fault.map(|fault| (number, fault)));
            fault
        };
        let Some(fault) = fault else {
            return self.inner.execute(request).await;
        };
        match fault {
            BrowserFault::StaleRef => Ok(Outcome::failed(
                ErrorClass::RefNotFound,
                "not found in the current snapshot",
            )
            .into()),
            BrowserFault::Intercepted => Ok(Outcome::failed(
                ErrorClass::Intercepted,
                "<div class=\"banner\"> intercepts pointer events",
            )
            .into()),
            BrowserFault::TimeOut { done } => {
                self.done(done, request).await?;
                Ok(Outcome::failed(ErrorClass::Timeout, "").into())
            }
            BrowserFault::Silent { done } => {
                self.done(done, request).await?;
                std::future::pending().await
            }
            BrowserFault::Dialog => {
                let dialog = Dialog::new(DialogKind::Alert, "One moment, please.");
                self.state().dialog = Some(dialog.clone());
                let mut execution = Execution::new(Outcome::Done);
                execution.dialog = Some(dialog);
                Ok(execution)
            }
            BrowserFault::PageLost => {
                let execution = self.inner.execute(request).await?;
                self.state().blank = true;
                Ok(execution)
            }
            BrowserFault::Dead => {
                self.state().dead = true;
                Err(lost())
            }
            BrowserFault::Slow(time) => {
                sleep(time).await;
                self.inner.execute(request).await
            }
            BrowserFault::Garbled { done } => {
                self.done(done, request).await?;
                Err(Error::new(ErrorKind::MalformedReply, OPERATION))
            }
            BrowserFault::NoEffect => Ok(Outcome::Done.into()),
        }
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        if self.state().is_hidden()? {
            return Err(Error::new(ErrorKind::Unavailable, OPERATION));
        }
        self.inner.screenshot(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        if self.state().is_hidden()? {
            return Ok(Scene::default());
        }
        self.inner.scene(request).await
    }

    async fn fresh(&self) -> Result<Arc<dyn BrowserDriver>> {
        self.inner.fresh().await
    }

    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}
