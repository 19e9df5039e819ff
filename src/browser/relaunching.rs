//! A driver that launches a new browser when the present one was lost.
//!
//! # Decisions
//!
//! - A new browser is launched only between runs. A run that went on in a new browser would act on an empty page without
//!   cookies, while its history tells of another.
//! - The first call of the next run launches it, not the call that noticed the loss: an idle service needs no browser, and
//!   browsers that crash at once are not launched in a loop.
//! - A run that only asks for a [fresh](BrowserDriver::fresh) browser has not begun yet, so a loss noticed then costs it nothing.
//! - A run launches at most one browser, because a cause that prevents the start usually outlasts the run.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex as SyncMutex, PoisonError},
};

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::{
    BrowserCapabilities, BrowserDriver, ExecuteRequest, Execution, Lease, ObserveRequest,
    SceneRequest, ScreenshotRequest,
};
use crate::{
    base::{Error, ErrorKind, Result},
    page::{Observation, Scene},
};

type Launch<D> = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<D>> + Send>> + Send + Sync>;

/// A driver for programs that outlive their browser, such as services. A browser that dies costs the run that uses it;
/// the next run gets a new one.
///
/// ```no_run
/// # #[cfg(feature = "cdp")]
/// # async fn example(model: impl webwise::LlmClient, tasks: Vec<webwise::Task>) -> webwise::Result<()> {
/// use webwise::browser::{BrowserDriver, Cdp, CdpOptions, Relaunching};
/// use webwise::{DecisionLoop, store::JsonFiles};
///
/// let options = CdpOptions::from_env()?;
/// let browser = Relaunching::launch(move || {
///     let options = options.clone();
///     async move { Cdp::launch(&options).await }
/// })
/// .await?;
/// let agent = DecisionLoop::builder(browser, model, JsonFiles::open("memory")).build()?;
/// for task in tasks {
///     // A run whose browser dies ends with `StopReason::BrowserLost`. The next run has a new browser.
///     println!("{:?}", agent.run(task).await.answer);
/// }
/// agent.browser().close().await?;
/// # Ok(())
/// # }
/// ```
///
/// - An error of the kind [`BrowserLost`](ErrorKind::BrowserLost) is returned unchanged. Every later call returns
///   `BrowserLost` too, until the run that has the [lease](BrowserDriver::lease) gives it back. So no run goes on in another
///   browser than the one in which it began.
/// - The first call of the next run closes what is left of the lost browser and launches a new one. So does a call while
///   no run has the lease, such as an [`observe`](BrowserDriver::observe) of your own.
/// - If the launch fails, the call returns `BrowserLost` with the error of the launch as its source. A launch whose call is
///   dropped has failed too; the time limit in a request does not include the launch. Every later call of that run
///   returns `BrowserLost`, and the run after it tries again.
/// - A browser that dies while no run uses it is noticed by the next call. If a run with [`Context::Shared`] makes that call, the
///   run is lost; call `observe` between runs to prevent this. A run with a [fresh](BrowserDriver::fresh) browser gets a new one.
/// - A new browser has no cookies and no open pages, except for what the closure restores, for example with
///   [`StateLoad`](crate::action::BrowserAction::StateLoad). Runs see this only with [`Context::Shared`].
/// - A browser that does not answer in time is not lost.
///
/// [`Context::Shared`]: crate::agent::Context::Shared
///
/// The closure returns a new driver each time, of the same kind, and keeps no handle to it that others use: the runs share
/// the lease of this wrapper, not the lease of the driver in it. A run asks for the
/// [`capabilities`](BrowserDriver::capabilities) before its first call, so it is told those of the browser before.
pub struct Relaunching<D> {
    launch: Launch<D>,
    present: Mutex<Present<D>>,
    /// The capabilities of the driver that was launched last.
    capabilities: SyncMutex<BrowserCapabilities>,
    lease: Lease,
}

/// The driver that was launched last, and what became of it.
#[derive(Debug)]
struct Present<D> {
    /// `None` if the lost driver was closed and no other was launched yet.
    driver: Option<Arc<D>>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Usable,
    /// The browser was lost, or could not be launched, in this turn of the lease; `None` if no run had the lease.
    Lost(Option<u64>),
    Closed,
}

impl<D: BrowserDriver> Relaunching<D> {
    /// Launches the first browser. `launch` is called again whenever a new browser is needed.
    ///
    /// # Errors
    /// The error of `launch`.
    pub async fn launch<F, R>(launch: F) -> Result<Self>
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<D>> + Send + 'static,
    {
        let driver = launch().await?;
        Ok(Self {
            capabilities: SyncMutex::new(driver.capabilities()),
            launch: Box::new(move || Box::pin(launch())),
            present: Mutex::new(Present {
                driver: Some(Arc::new(driver)),
                state: State::Usable,
            }),
            lease: Lease::new(),
        })
    }

    /// Returns the driver to use in the present run. Launches a new browser if the last one was lost in an earlier run.
    async fn ready(&self, operation: &'static str) -> Result<Arc<D>> {
        let lost = |why| Error::new(ErrorKind::BrowserLost, operation).with("why", why);
        let mut present = self.present.lock().await;
        let turn = self.lease.turn();
        match (present.state, &present.driver) {
            (State::Usable, Some(driver)) => return Ok(Arc::clone(driver)),
            (State::Closed, _) => return Err(lost("the driver was closed")),
            (State::Lost(then), _) if turn.is_some() && then == turn => {
                return Err(lost("the browser was lost or not launched in this run"));
            }
            _ => {}
        }
        // Set before the first await, so that a launch whose call was dropped counts as the one launch of this run.
        present.state = State::Lost(turn);
        if let Some(driver) = present.driver.take() {
            // An error changes nothing: what could not be ended here ends when the driver is dropped.
            let _ = driver.close().await;
        }
        let launched = (self.launch)().await;
        let driver = Arc::new(launched.map_err(|error| lost("no new browser").with_source(error))?);
        *self
            .capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = driver.capabilities();
        present.driver = Some(Arc::clone(&driver));
        present.state = State::Usable;
        Ok(driver)
    }

    /// Records the loss if the driver's reply is the error `BrowserLost`. Returns the reply.
    async fn noted<T>(&self, driver: &Arc<D>, reply: Result<T>) -> Result<T> {
        if let Err(error) = &reply
            && error.kind() == ErrorKind::BrowserLost
        {
            let mut present = self.present.lock().await;
            let is_present = (present.driver.as_ref()).is_some_and(|now| Arc::ptr_eq(now, driver));
            if is_present && present.state == State::Usable {
                // The turn now and not when the call began: the run that has the lease now may have used the lost
                // browser already.
                present.state = State::Lost(self.lease.turn());
            }
        }
        reply
    }
}

impl<D: fmt::Debug> fmt::Debug for Relaunching<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relaunching")
            .field("present", &self.present)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<D: BrowserDriver> BrowserDriver for Relaunching<D> {
    fn capabilities(&self) -> BrowserCapabilities {
        self.capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        let driver = self.ready("relaunching.observe").await?;
        self.noted(&driver, driver.observe(request).await).await
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        let driver = self.ready("relaunching.execute").await?;
        self.noted(&driver, driver.execute(request).await).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        let driver = self.ready("relaunching.screenshot").await?;
        self.noted(&driver, driver.screenshot(request).await).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        let driver = self.ready("relaunching.scene").await?;
        self.noted(&driver, driver.scene(request).await).await
    }

    async fn fresh(&self) -> Result<Arc<dyn BrowserDriver>> {
        let driver = self.ready("browser.fresh").await?;
        match self.noted(&driver, driver.fresh().await).await {
            // A run that has only begun has done nothing that another browser would not know.
            Err(error) if error.kind() == ErrorKind::BrowserLost => {
                self.ready("browser.fresh").await?.fresh().await
            }
            opened => opened,
        }
    }

    async fn close(&self) -> Result<()> {
        let mut present = self.present.lock().await;
        present.state = State::Closed;
        match &present.driver {
            Some(driver) => driver.close().await,
            None => Ok(()),
        }
    }
}
