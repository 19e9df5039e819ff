//! What the loop asks of a browser.

use std::{
    collections::BTreeSet,
    fmt::{self, Debug},
    sync::Arc,
    time::Duration,
};

use crate::{
    action::{Action, BrowserAction, BrowserTool, Outcome},
    base::Result,
    page::{Dialog, ElementRef, Locator, Notice, Observation, Trace},
    secret::SecretResolver,
};
use async_trait::async_trait;

/// Longest time one command may take, and in the loop an action with its settling and its looks together. Unit: time.
/// Source: chosen; the first requirements document gives one command 45 s, and a page that answers nothing then takes several
/// of them a step.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// What a driver can do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserCapabilities {
    /// Name of the driver, for logs and reports.
    pub driver: String,
    /// The tools it carries out; the model is offered no others.
    pub tools: BTreeSet<BrowserTool>,
    /// Whether the browser was there before and goes on after it is closed here.
    pub attached: bool,
}

impl BrowserCapabilities {
    /// A driver of this name with these tools, and with a browser of its own.
    pub fn new(driver: impl Into<String>, tools: impl IntoIterator<Item = BrowserTool>) -> Self {
        Self {
            driver: driver.into(),
            tools: tools.into_iter().collect(),
            attached: false,
        }
    }

    /// The same in a browser of others, or in its own.
    #[must_use]
    pub fn with_attached(self, attached: bool) -> Self {
        Self { attached, ..self }
    }
}

/// Asks for the state of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObserveRequest {
    /// Whether a picture is wanted too.
    pub screenshot: bool,
    /// Longest time it may take.
    pub timeout: Duration,
}

impl ObserveRequest {
    /// The same request, with or without a picture.
    pub fn with_screenshot(self, screenshot: bool) -> Self {
        Self { screenshot, ..self }
    }

    /// The same request with another time-out.
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

impl Default for ObserveRequest {
    fn default() -> Self {
        Self {
            screenshot: false,
            timeout: COMMAND_TIMEOUT,
        }
    }
}

/// Asks for one action.
#[derive(Clone)]
#[non_exhaustive]
pub struct ExecuteRequest {
    /// What to do; task parameters are put in, secrets are still placeholders.
    pub action: BrowserAction,
    /// Releases secrets for the place they are typed into.
    pub secrets: SecretResolver,
    /// Address of the page that the action was decided for, if it was decided for one. On a page of another origin, what
    /// is aimed at nothing but the page as it is (keys, text for the focus, a locator) fails as
    /// [`Detached`](crate::action::ErrorClass::Detached) and is not tried.
    pub page: Option<String>,
    /// Longest time it may take.
    pub timeout: Duration,
}

impl Debug for ExecuteRequest {
    /// Secrets replaced: a start address or a parameter of the task may hold one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let redactor = self.secrets.redactor();
        let action = Action::Browser(self.action.clone()).redacted(&redactor);
        f.debug_struct("ExecuteRequest")
            .field("action", &action.line())
            .field("secrets", &self.secrets)
            .field("timeout", &self.timeout)
            .field(
                "page",
                &self.page.as_deref().map(|page| redactor.text(page)),
            )
            .finish()
    }
}

impl ExecuteRequest {
    /// This action, without secrets, within [`COMMAND_TIMEOUT`].
    pub fn new(action: BrowserAction) -> Self {
        Self {
            action,
            secrets: SecretResolver::default(),
            page: None,
            timeout: COMMAND_TIMEOUT,
        }
    }

    /// The same request with a run's secrets.
    pub fn with_secrets(self, secrets: SecretResolver) -> Self {
        Self { secrets, ..self }
    }

    /// The same request, decided for the page at this address.
    pub fn with_page(self, url: impl Into<String>) -> Self {
        Self {
            page: Some(url.into()),
            ..self
        }
    }

    /// The same request with another time-out.
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

/// Asks for a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScreenshotRequest {
    /// One element instead of the window.
    pub target: Option<ElementRef>,
}

/// How an action went, and what the driver saw on the way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Execution {
    /// The outcome; the loop turns `Done` into `NoEffect` when the page shows none.
    pub outcome: Outcome,
    /// Address and title right after the action, when the reply named them.
    pub page: Option<(String, String)>,
    /// The durable locator of what was acted on, when the driver printed one.
    pub locator: Option<Locator>,
    /// The dialog that the action opened.
    pub dialog: Option<Dialog>,
    /// What else happened.
    pub notices: Vec<Notice>,
    /// What the page did meanwhile that a tree need not show, each sort once; `None` if nobody watched.
    pub traces: Option<Vec<Trace>>,
    /// Text that the action was asked for (a list of tabs, a script's result): page data, cleaned.
    pub text: Option<String>,
    /// Picture that the action was asked for: the bytes of a PNG file.
    pub image: Option<Vec<u8>>,
}

impl Execution {
    /// An execution with this outcome and nothing else to tell.
    pub const fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            page: None,
            locator: None,
            dialog: None,
            notices: Vec::new(),
            traces: None,
            text: None,
            image: None,
        }
    }
}

impl From<Outcome> for Execution {
    fn from(outcome: Outcome) -> Self {
        Self::new(outcome)
    }
}

/// A browser with one current page.
///
/// # Contract
/// - `Done` is said only on positive evidence that the action was carried out, never for want of an error.
/// - A page that says no is an [`Outcome::Failed`]; `Err` means that the machinery broke.
/// - A lost browser, daemon or renderer is [`ErrorKind::BrowserLost`](crate::ErrorKind::BrowserLost), at once and for
///   every later call; a blank page in the place of a real one counts as lost.
/// - A value that the resolver released appears in nothing that is returned, in no argument of a process and in no log.
/// - A form that would send a secret to where [`SecretResolver::may_send`] refuses it gets none and is not sent, as
///   [`SecretLeaves`](crate::action::ErrorClass::SecretLeaves).
/// - Nothing is tried twice when the first try may have had an effect.
/// - Dropping a future gives the call up without leaving a lock or a child behind; dropping the driver ends its browser.
/// - All text is cleaned of control characters where it enters.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait BrowserDriver: Debug + Send + Sync {
    /// What the driver can do; does not change during a run.
    fn capabilities(&self) -> BrowserCapabilities;

    /// The state of the current page.
    ///
    /// An empty page is an empty tree, a page under a dialog has `dialog` and an empty tree; neither is an error. A page that
    /// gives no answer in time, because its script does not end, is [`unresponsive`](Observation::unresponsive), with the
    /// address that the browser shows: it can be left.
    ///
    /// # Errors
    /// `BrowserLost`, `MalformedReply`, `Unavailable`; `Timeout` if the browser itself gives no answer.
    async fn observe(&self, request: &ObserveRequest) -> Result<Observation>;

    /// Carries out one action.
    ///
    /// # Errors
    /// `BrowserLost`, `MalformedReply`, `Unavailable`. A command that took too long is an outcome of class `timeout`.
    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution>;

    /// The bytes of a PNG file.
    ///
    /// # Errors
    /// As [`observe`](Self::observe); `InvalidInput` for a reference that the page does not have.
    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>>;

    /// Ends the browser. Closing twice is fine. The loop never calls it: whoever made the driver does.
    ///
    /// # Errors
    /// `Io` or `Timeout` if something of it could not be ended.
    async fn close(&self) -> Result<()>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: BrowserDriver + ?Sized> BrowserDriver for $pointer {
            fn capabilities(&self) -> BrowserCapabilities {
                (**self).capabilities()
            }

            async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
                (**self).observe(request).await
            }

            async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
                (**self).execute(request).await
            }

            async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
                (**self).screenshot(request).await
            }

            async fn close(&self) -> Result<()> {
                (**self).close().await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
