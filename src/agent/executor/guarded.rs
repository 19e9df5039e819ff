//! A browser behind guards, with the options and parts that its runs share.

use std::{fmt, sync::Arc};

use super::{Executor, contexts::Contexts};
use crate::{
    BrowserDriver,
    agent::{Approver, Builder, Cancel, Clock, Hook, Options, SystemClock, Task},
    event::{EventSink, Journal, NoEvents},
};

/// A browser in which each action passes the guards (checks) of a run.
///
/// Before an action, the guards limit the sites that may be visited, ask for approval, and protect secrets. If there is
/// a journal, it records each action before the action is carried out, unless the action only reads. Afterwards the
/// page is observed, and the effect of the action is verified. If actions are repeated in vain, an event warns of it,
/// and further repetition ends the run.
///
/// A guarded browser needs no model and no memory. A [`DecisionLoop`](crate::DecisionLoop) carries out its actions
/// through a guarded browser. A program that decides its actions itself builds a guarded browser directly.
///
/// ```
/// # async fn doc(browser: impl webwise::BrowserDriver) -> Result<(), Box<dyn std::error::Error>> {
/// use webwise::action::{BrowserAction, Click, Target};
/// use webwise::{GuardedBrowser, Task};
///
/// let guarded = GuardedBrowser::builder(browser).build_guarded()?;
/// let task = Task::new("Open the report")?.with_start_url("https://intranet.example/reports")?;
/// let mut executor = guarded.start(task).await;
/// executor.open_start_page().await?;
/// let click = Click { target: Target::parse(r#"link "Latest""#)?, button: None };
/// let step = executor.carry_out(BrowserAction::Click(click)).await?;
/// println!("{}: {:?}", step.outcome.as_str(), step.changed());
/// # Ok(())
/// # }
/// ```
pub struct GuardedBrowser<B> {
    browser: Arc<B>,
    parts: Arc<Guarded>,
}

/// What the runs in a guarded browser share.
#[derive(Debug)]
pub(in crate::agent) struct Guarded {
    pub(in crate::agent) browser: Arc<dyn BrowserDriver>,
    pub(in crate::agent) settings: Settings,
    pub(in crate::agent) contexts: Contexts,
}

/// The options of the runs, and whom they tell and ask.
#[derive(Debug)]
pub(in crate::agent) struct Settings {
    pub(in crate::agent) options: Options,
    pub(in crate::agent) sink: Arc<dyn EventSink>,
    pub(in crate::agent) journal: Option<Arc<dyn Journal>>,
    pub(in crate::agent) clock: Arc<dyn Clock>,
    pub(in crate::agent) approver: Option<Arc<dyn Approver>>,
    pub(in crate::agent) hooks: Vec<Arc<dyn Hook>>,
    pub(in crate::agent) cancel: Cancel,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            options: Options::default(),
            sink: Arc::new(NoEvents),
            journal: None,
            clock: Arc::new(SystemClock),
            approver: None,
            hooks: Vec::new(),
            cancel: Cancel::new(),
        }
    }
}

impl<B> Clone for GuardedBrowser<B> {
    fn clone(&self) -> Self {
        Self::of(Arc::clone(&self.browser), Arc::clone(&self.parts))
    }
}

impl<B> fmt::Debug for GuardedBrowser<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedBrowser").field(&self.parts).finish()
    }
}

impl<B: BrowserDriver> GuardedBrowser<B> {
    pub(in crate::agent) fn new(browser: B, settings: Settings) -> Self {
        let browser = Arc::new(browser);
        let parts = Guarded {
            browser: Arc::clone(&browser) as _,
            settings,
            contexts: Contexts::default(),
        };
        Self::of(browser, Arc::new(parts))
    }
}

impl<B> GuardedBrowser<B> {
    pub(in crate::agent) const fn of(browser: Arc<B>, parts: Arc<Guarded>) -> Self {
        Self { browser, parts }
    }

    /// Returns a builder for a guarded browser. Call [`Builder::build_guarded`] at the end.
    pub fn builder(browser: B) -> Builder<B, (), ()> {
        Builder::new(browser, (), ())
    }

    /// Returns the browser. A run never closes it; close it yourself when you are done.
    pub fn browser(&self) -> &B {
        &self.browser
    }

    /// Starts a run whose actions the caller decides.
    ///
    /// The run keeps the browser until the run is finished or dropped. Another run of the same driver that is started in the
    /// meantime ends at once or waits, as [`Options::when_busy`] says.
    pub async fn start(&self, task: Task) -> Executor {
        Executor::start(Arc::clone(&self.parts), task).await
    }
}
