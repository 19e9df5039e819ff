//! The port (trait) that records an action before it is carried out. The record is called an intent. If the process is
//! killed, the intent shows what the process was about to do.
//!
//! The agent's loop waits for the journal before every action that does more than read. An
//! [`EventSink`](super::EventSink) cannot be used for intents, because it must return at once.
//!
//! | adapter | place in which the adapter stores intents |
//! | --- | --- |
//! | `RunFolder` (feature `jsonl`) | `intents.jsonl` in the folder of the run; the command line uses it for tasks |
//!
//! A loop has a journal only if its builder is given one. If intents must be stored on another machine or in a
//! database, write a journal of your own: implement [`Journal::intent`], and check it with
//! `testing::conformance::journal`.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, Effect},
    base::{Result, RunId},
    page::TargetIdentity,
};

/// A record of an action that is about to be carried out. The agent's loop passes it to a [`Journal`].
///
/// An intent does not say whether the action was carried out, because the process may have ended right after the intent
/// was written. The outcome is in the [`ActionExecuted`](super::EventKind::ActionExecuted) event with the same run and
/// step. If there is no such event, or if it says that the run ended during the action, it is not known what the action
/// did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Intent {
    /// The run that the action belongs to.
    pub run: RunId,
    /// The number of the step in the run, counted from 1.
    pub step: u32,
    /// The time at which the intent was written.
    pub at: DateTime<Utc>,
    /// The action. Placeholders stand for its secrets.
    pub action: Action,
    /// The worst effect that the action could have, judged by the last observed page. For a tool of your program, the
    /// effect that the tool declares. Never [`Effect::Read`], because no intent is recorded for an action that only
    /// reads.
    pub effect: Effect,
    /// The page elements on which the action acts. The page wrote their names and other texts, so these are untrusted.
    /// Placeholders stand for secrets in them.
    pub targets: Vec<TargetIdentity>,
    /// The address of the page that was observed last before the action; empty before the first page.
    pub url: String,
}

impl Intent {
    /// Creates an intent without targets and without a page address.
    pub const fn new(
        run: RunId,
        step: u32,
        at: DateTime<Utc>,
        action: Action,
        effect: Effect,
    ) -> Self {
        Self {
            run,
            step,
            at,
            action,
            effect,
            targets: Vec::new(),
            url: String::new(),
        }
    }
}

/// A recorder of intents. An [`Intent`] describes an action before it is carried out. Before each action that does more
/// than read, the agent's loop waits until the journal has recorded the intent.
///
/// # Contract
/// - After `intent` has returned, the intent of a [`Reversible`](Effect::Reversible) action survives the death of this
///   process, even from `kill -9`. The intent of an [`Irreversible`](Effect::Irreversible) action also survives a power
///   cut.
/// - Intents of one run come one at a time and in order. Intents of several runs may come at the same time.
/// - Intents contain placeholders in place of secrets. Actions that only read have no intent.
/// - The loop drops the future of a call when the run is stopped, or after
///   [`Options::journal_timeout`](crate::agent::Options::journal_timeout). The intent of this call may then be kept or
///   lost; later intents are kept as usual.
///
/// If the journal fails or takes too long, the loop refuses an irreversible action with the error class
/// [`NotRecorded`](crate::action::ErrorClass::NotRecorded), which is shown to the model. The loop still carries out a
/// reversible action. When this happens for the first time in a run, the loop emits
/// [`RecordingFailed`](super::EventKind::RecordingFailed), and the run's report gives the reason, unless it already
/// gives that of a sink.
///
/// ```
/// use std::sync::Mutex;
/// use async_trait::async_trait;
/// use webwise::event::{Intent, Journal};
///
/// /// Keeps intents in this process; a real journal writes them to a disk or a database.
/// #[derive(Debug, Default)]
/// struct Kept(Mutex<Vec<Intent>>);
///
/// #[async_trait]
/// impl Journal for Kept {
///     async fn intent(&self, intent: &Intent) -> webwise::Result<()> {
///         self.0.lock().unwrap().push(intent.clone());
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use webwise::{RunId, action::{Action, BrowserAction, Effect, NoArguments}};
///
/// let journal = Kept::default();
/// let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
/// let at = "2026-01-01T00:00:00Z".parse().unwrap();
/// journal.intent(&Intent::new(RunId::parse("run_1")?, 1, at, action, Effect::Reversible)).await?;
/// assert_eq!(journal.0.into_inner().unwrap()[0].step, 1);
/// # Ok::<(), webwise::Error>(())
/// # }).unwrap();
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Journal: Debug + Send + Sync + 'static {
    /// Records one intent.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), or another kind that says why the intent could not be recorded.
    async fn intent(&self, intent: &Intent) -> Result<()>;

    /// Returns the last recorded intent of the run whose action is irreversible; `None` if there is none. It is read when
    /// another process resumes the run, because the run's checkpoint may be lost or older. The default returns `None`, for a
    /// journal that cannot read what it has recorded.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io), or another kind that says why the intents cannot be read. The run is not
    /// resumed then.
    async fn last_irreversible(&self, run: &RunId) -> Result<Option<Intent>> {
        let _ = run;
        Ok(None)
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: Journal + ?Sized> Journal for $pointer {
            async fn intent(&self, intent: &Intent) -> Result<()> {
                (**self).intent(intent).await
            }

            async fn last_irreversible(&self, run: &RunId) -> Result<Option<Intent>> {
                (**self).last_irreversible(run).await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
