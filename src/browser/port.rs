//! The trait that every driver of a browser implements, and the requests and replies of its methods.
//!
//! # Decisions
//!
//! - The method `execute` returns an [`Execution`] and not a bare outcome, because history and memory need more of what
//!   a driver sees: the durable locator, a dialog, a new tab, a change of transport.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Debug},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use super::{Execution, Lease};
use crate::{
    action::{Action, BrowserAction, BrowserTool},
    base::{Error, ErrorKind, Result},
    page::{ElementRef, Observation, Scene},
    secret::SecretResolver,
};
use async_trait::async_trait;

/// The default time limit of one command of a driver: an action, an observation or a screenshot. In a run, it is also
/// the default limit for an action together with the observations afterwards. Source: chosen; a step uses several
/// commands, and each of them takes its full time if a page never answers.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// The abilities of a driver: the tools that it carries out, and whether it started its browser.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserCapabilities {
    /// Name of the driver, for logs and reports.
    pub driver: String,
    /// Tools that the driver carries out. The model is offered no other browser tools.
    pub tools: BTreeSet<BrowserTool>,
    /// True if the driver attached to a browser that was already running. This browser goes on running after `close`.
    pub attached: bool,
    /// True if the driver can open a [fresh](BrowserDriver::fresh) browser for one run.
    pub fresh: bool,
}

impl BrowserCapabilities {
    /// Returns the capabilities of a driver with this name and these tools. [`attached`](Self::attached) is false.
    pub fn new(driver: impl Into<String>, tools: impl IntoIterator<Item = BrowserTool>) -> Self {
        Self {
            driver: driver.into(),
            tools: tools.into_iter().collect(),
            attached: false,
            fresh: false,
        }
    }

    /// Sets whether the driver can open a [fresh](BrowserDriver::fresh) browser.
    #[must_use]
    pub fn with_fresh(self, fresh: bool) -> Self {
        Self { fresh, ..self }
    }

    /// Sets whether the driver attached to the browser (`true`) or started it (`false`).
    #[must_use]
    pub fn with_attached(self, attached: bool) -> Self {
        Self { attached, ..self }
    }
}

/// A request to observe the current page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObserveRequest {
    /// True if the observation is to include a screenshot.
    pub screenshot: bool,
    /// Longest time that the observation may take. Default: [`COMMAND_TIMEOUT`].
    pub timeout: Duration,
}

impl ObserveRequest {
    /// Sets whether the observation is to include a screenshot.
    pub fn with_screenshot(self, screenshot: bool) -> Self {
        Self { screenshot, ..self }
    }

    /// Sets the longest time that the observation may take.
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

/// A request to carry out one action.
#[derive(Clone)]
#[non_exhaustive]
pub struct ExecuteRequest {
    /// The action to carry out. It contains the values of task parameters, and placeholders for secrets.
    pub action: BrowserAction,
    /// The resolver, which gives the driver the values of secrets. A secret must be allowed at the origin of the page
    /// and at the origin of the frame with the field.
    pub secrets: SecretResolver,
    /// The files that `upload` may give to the page, by the names that the action uses. The driver refuses every other
    /// name as [`FileRefused`](crate::action::ErrorClass::FileRefused) and then gives no file at all.
    pub files: Arc<BTreeMap<String, PathBuf>>,
    /// Address of the page for which the action was decided; `None` if it was not decided for a page. If the browser
    /// now shows another origin, some actions fail as [`Detached`](crate::action::ErrorClass::Detached): `type`,
    /// `press`, `upload`, `dialog_accept`, `eval`, `run_code`, `screenshot`, and every action on an element that is
    /// named by a locator.
    pub page: Option<String>,
    /// Longest time that the action may take. Default: [`COMMAND_TIMEOUT`].
    pub timeout: Duration,
}

impl Debug for ExecuteRequest {
    /// Replaces secrets in the output.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let redactor = self.secrets.redactor();
        let action = Action::Browser(self.action.clone()).redacted(&redactor);
        f.debug_struct("ExecuteRequest")
            .field("action", &action.line())
            .field("secrets", &self.secrets)
            .field("files", &self.files.keys())
            .field("timeout", &self.timeout)
            .field(
                "page",
                &self.page.as_deref().map(|page| redactor.text(page)),
            )
            .finish()
    }
}

impl ExecuteRequest {
    /// Returns a request for this action, without secrets and files and with the time limit [`COMMAND_TIMEOUT`].
    pub fn new(action: BrowserAction) -> Self {
        Self {
            action,
            secrets: SecretResolver::default(),
            files: Arc::default(),
            page: None,
            timeout: COMMAND_TIMEOUT,
        }
    }

    /// Sets the resolver, which gives the driver the values of secrets.
    pub fn with_secrets(self, secrets: SecretResolver) -> Self {
        Self { secrets, ..self }
    }

    /// Sets the files that `upload` may give to the page, by name. The paths must be absolute.
    pub fn with_files(self, files: Arc<BTreeMap<String, PathBuf>>) -> Self {
        Self { files, ..self }
    }

    /// Sets the address of the page for which the action was decided.
    pub fn with_page(self, url: impl Into<String>) -> Self {
        Self {
            page: Some(url.into()),
            ..self
        }
    }

    /// Sets the longest time that the action may take.
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

/// A request for a screenshot of the current page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScreenshotRequest {
    /// The element in the screenshot; `None` for the whole window.
    pub target: Option<ElementRef>,
}

/// A request for the positions of elements and of all drawings (canvases, SVG, images, videos) in the window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneRequest {
    /// The elements whose bounding boxes are requested.
    pub elements: Vec<ElementRef>,
}

impl SceneRequest {
    /// Returns a request for the bounding boxes of these elements.
    pub const fn new(elements: Vec<ElementRef>) -> Self {
        Self { elements }
    }
}

/// A driver: it controls a browser with one current page.
///
/// # Contract
/// - The driver returns [`Outcome::Done`](crate::action::Outcome::Done) only if there is positive evidence that the
///   action was carried out. The absence of an error is not enough.
/// - If the page refuses an action, the driver returns an [`Outcome::Failed`](crate::action::Outcome::Failed). `Err`
///   means that the driver, the browser or the connection between them failed.
/// - If the browser, its daemon or the page's renderer is lost, the driver returns
///   [`ErrorKind::BrowserLost`](crate::ErrorKind::BrowserLost) at once, and again on every later call. A blank page
///   in place of the real page also counts as lost.
/// - A secret's value that the driver got from [`ExecuteRequest::secrets`] appears in no return value, no process
///   argument and no log.
/// - A secret must not go to an address that [`SecretResolver::may_send`] refuses. So the driver does not type a
///   secret into a form that would send it to such an address, and does not send a form that contains a secret to
///   such an address. The action fails as [`SecretLeaves`](crate::action::ErrorClass::SecretLeaves).
/// - The driver does not repeat an action whose first attempt may have had an effect.
/// - If the future of a call is dropped, the call is cancelled and leaves no lock and no child process behind. If the
///   driver is dropped, the browser that it started ends.
/// - All handles of one browser have one [`Lease`], and a wrapper has the lease of the driver in it. So loops that share
///   the browser use it one after the other.
/// - All text from the browser is cleaned by [`clean`](crate::base::text::clean) when it arrives.
///
/// `testing::conformance::browser` checks a large part of this contract. It does not check what happens if the browser
/// is lost or if a call or the driver is dropped, nor process arguments and logs. The following example is a complete
/// driver:
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use async_trait::async_trait;
/// use webwise::action::{BrowserTool, ErrorClass, Outcome};
/// use webwise::browser::{
///     BrowserCapabilities, BrowserDriver, ExecuteRequest, Execution, Lease, ObserveRequest, SceneRequest,
///     ScreenshotRequest,
/// };
/// use webwise::page::{Node, Observation, Role, Scene, Tree};
/// use webwise::{Error, ErrorKind, Result};
///
/// /// A browser that shows one page and cannot leave it.
/// #[derive(Debug, Default)]
/// struct OnePage(Lease);
///
/// #[async_trait]
/// impl BrowserDriver for OnePage {
///     fn capabilities(&self) -> BrowserCapabilities {
///         BrowserCapabilities::new("one-page", [BrowserTool::Goto])
///     }
///
///     fn lease(&self) -> &Lease {
///         &self.0
///     }
///
///     async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
///         let mut page = Tree::builder();
///         page.leaf(Node::new(Role::Heading, "Open from 9 to 17"));
///         Ok(Observation::new("https://shop.example/", "Shop", page.finish()))
///     }
///
///     async fn execute(&self, _: &ExecuteRequest) -> Result<Execution> {
///         Ok(Outcome::failed(ErrorClass::NavigationFailed, "there is only one page").into())
///     }
///
///     async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
///         Err(Error::new(ErrorKind::Unsupported, "one_page.screenshot"))
///     }
///
///     async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
///         Ok(Scene::default())
///     }
///
///     async fn close(&self) -> Result<()> {
///         Ok(())
///     }
/// }
///
/// let page = OnePage::default().observe(&ObserveRequest::default()).await?;
/// assert_eq!(&*page.tree.nodes()[0].name, "Open from 9 to 17");
/// # Ok::<(), webwise::Error>(())
/// # }).unwrap();
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait BrowserDriver: Debug + Send + Sync + 'static {
    /// Returns the driver's abilities, which do not change during a run.
    fn capabilities(&self) -> BrowserCapabilities;

    /// Returns the right to use the browser, which the driver owns. A run takes it at its start and gives it back at its
    /// end; a run that finds it taken ends with [`StopReason::Busy`](crate::working::StopReason::Busy).
    fn lease(&self) -> &Lease;

    /// Observes the current page, and returns its state.
    ///
    /// None of the following cases is an error:
    ///
    /// - The page is empty. The observation has an empty tree.
    /// - A dialog is open. The observation has the `dialog` and an empty tree.
    /// - The page gives no answer in time, because a script of the page does not end. The observation is
    ///   [`unresponsive`](Observation::unresponsive) and has the address that the browser shows, so that the agent
    ///   can leave the page.
    /// - The browser could not load a page and shows its own error page. The observation has the address
    ///   `chrome-error://chromewebdata/` instead of the requested address, so that
    ///   [`is_browser_error`](Observation::is_browser_error) returns true.
    ///
    /// # Errors
    /// `BrowserLost` if the browser is gone, `MalformedReply` if its answer cannot be understood, `Unavailable` if it
    /// cannot be reached, `Timeout` if it does not answer, `TooLarge` if its answer is too large, `Io` if its answer or
    /// the file of a screenshot cannot be read.
    async fn observe(&self, request: &ObserveRequest) -> Result<Observation>;

    /// Carries out one action.
    ///
    /// # Errors
    /// `BrowserLost` if the browser is gone, `MalformedReply` if its answer cannot be understood, `Unavailable` if it
    /// cannot be reached, `TooLarge` if its answer is too large, `Io` if its answer cannot be read or a file cannot be
    /// written. An action that took too long is not an error but an outcome of class `timeout`, or of class
    /// `waited_in_vain` if it waited for a text.
    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution>;

    /// Returns a screenshot of the window or of one element, as a PNG file.
    ///
    /// # Errors
    /// The errors of [`observe`](Self::observe). Also `InvalidInput` if the page has no visible element with the
    /// requested reference, and `Unavailable` if a dialog is open.
    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>>;

    /// Returns the positions of the requested elements and of all drawings in the window.
    ///
    /// An element that the page does not have, or that cannot be seen in the window, is left out. A driver that cannot
    /// find positions returns [`Scene::default`].
    ///
    /// # Errors
    /// The errors of [`observe`](Self::observe). Also `Unavailable` if a dialog is open.
    async fn scene(&self, request: &SceneRequest) -> Result<Scene>;

    /// Opens a browser or a part of this one, with the same options, which shares no cookies, storage, cache, permissions or
    /// tabs with this driver. A run with [`Context::Fresh`](crate::agent::Context::Fresh) uses it alone and closes it. It may end
    /// with this driver.
    ///
    /// # Errors
    /// `Unsupported` if the driver cannot, which is the default. `BrowserLost` if this browser is gone.
    async fn fresh(&self) -> Result<Arc<dyn BrowserDriver>> {
        Err(Error::new(ErrorKind::Unsupported, "browser.fresh"))
    }

    /// Ends the browser, or leaves it running if the driver only attached to it. A second call does nothing. The
    /// program that created the driver must call this method, because the agent does not.
    ///
    /// # Errors
    /// `Io` or `Timeout` if a part of the browser could not be ended, or if its files could not be removed.
    async fn close(&self) -> Result<()>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: BrowserDriver + ?Sized> BrowserDriver for $pointer {
            fn capabilities(&self) -> BrowserCapabilities {
                (**self).capabilities()
            }

            fn lease(&self) -> &Lease {
                (**self).lease()
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

            async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
                (**self).scene(request).await
            }

            async fn fresh(&self) -> Result<Arc<dyn BrowserDriver>> {
                (**self).fresh().await
            }

            async fn close(&self) -> Result<()> {
                (**self).close().await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
