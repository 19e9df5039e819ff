//! The port to whoever must know of an action before it is done, so that a killed process leaves its last intent behind.
//!
//! A sink may not block, so this is no sink's business: the loop waits for the journal before every action that is not a read.
//!
//! | adapter | keeps intents in |
//! | --- | --- |
//! | `RunFolder` (feature `jsonl`) | `intents.jsonl` in the folder of the run; the command line always uses it |
//!
//! A loop has no journal unless one is given to its builder. Write one of your own where intents must leave the machine, or where
//! the run is kept in a database: implement [`Journal::intent`], and prove it by `testing::conformance::journal`.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, Effect},
    base::{Result, RunId},
    page::TargetIdentity,
};

/// An action that is about to be done.
///
/// It may have been done or not: the process can end right after it was written down. What became of it is told by the
/// [`ActionExecuted`](super::EventKind::ActionExecuted) of the same step, if there is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Intent {
    /// The run.
    pub run: RunId,
    /// The step, from 1.
    pub step: u32,
    /// When.
    pub at: DateTime<Utc>,
    /// The action, secrets as placeholders.
    pub action: Action,
    /// How bad it could be on the page as it was seen; never [`Effect::Read`].
    pub effect: Effect,
    /// What it is aimed at: page data, secrets replaced.
    pub targets: Vec<TargetIdentity>,
    /// Address of the page that it was decided for; empty before the first page.
    pub url: String,
}

impl Intent {
    /// An intent without targets and without a page.
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

/// Whoever must know of an action before it is done.
///
/// # Contract
/// - When `intent` returns, a [`Reversible`](Effect::Reversible) intent survives the end of this process, also by `kill -9`; an
///   [`Irreversible`](Effect::Irreversible) one survives a power cut too.
/// - Intents of one run come one at a time and in order; those of several runs may come at the same time.
/// - Secrets were replaced before. Reads never come.
/// - The loop drops the future when the run is stopped or the wait is over
///   ([`Options::journal_timeout`](crate::agent::Options::journal_timeout)). Such an intent may be kept or not; those after it
///   are kept as ever.
///
/// Where the journal fails or takes too long, an irreversible action is refused as
/// [`NotRecorded`](crate::action::ErrorClass::NotRecorded), which the model reads. A reversible one is done all the same; the
/// first one emits [`RecordingFailed`](super::EventKind::RecordingFailed), and the report says why.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Journal: Debug + Send + Sync {
    /// Keeps one intent.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) or whatever kind says why it could not be kept.
    async fn intent(&self, intent: &Intent) -> Result<()>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: Journal + ?Sized> Journal for $pointer {
            async fn intent(&self, intent: &Intent) -> Result<()> {
                (**self).intent(intent).await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
