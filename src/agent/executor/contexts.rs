//! The browser of a run: the agent's own, or a fresh one for this run or for its conversation.

use std::{
    sync::{Arc, Mutex as SyncMutex, PoisonError},
    time::Duration,
};

use tokio::sync::Mutex;

use super::guarded::Guarded;
use crate::{
    agent::{Context, Options},
    base::{ErrorKind, Result, SessionId},
    browser::{BrowserDriver, ObserveRequest},
};

/// The namespace of a tenant and the name of the conversation: two tenants may have chosen one name.
type Conversation = (String, SessionId);

/// The browser of a conversation; `None` before its first run. Its runs open it one after the other.
type Slot = Arc<Mutex<Option<Arc<dyn BrowserDriver>>>>;

/// The fresh browsers of conversations, the latest used last. The agent closes them with itself.
#[derive(Debug, Default)]
pub(in crate::agent) struct Contexts(SyncMutex<Vec<(Conversation, Slot)>>);

impl Contexts {
    /// Returns the slot of a conversation, and the slots of those that were used longest ago, beyond the `most` that are kept.
    fn slot(&self, conversation: Conversation, most: usize) -> (Slot, Vec<Slot>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.iter().position(|(of, _)| *of == conversation);
        let slot = known.map_or_else(Slot::default, |known| open.remove(known).1);
        open.push((conversation, Arc::clone(&slot)));
        let mut over = Vec::new();
        while open.len() > most.max(1) {
            let others = &open[..open.len() - 1];
            let Some(idle) = others.iter().position(|(_, of)| is_idle(of)) else {
                break;
            };
            over.push(open.remove(idle).1);
        }
        (slot, over)
    }
}

/// Returns true if no run uses or opens the browser of a conversation.
fn is_idle(slot: &Slot) -> bool {
    let browser = slot.try_lock();
    browser.is_ok_and(|browser| {
        browser
            .as_ref()
            .is_none_or(|of| of.lease().turn().is_none())
    })
}

/// The browser of a run.
pub(in crate::agent) struct RunBrowser {
    pub(in crate::agent) browser: Arc<dyn BrowserDriver>,
    pub(in crate::agent) owner: Owner,
}

/// Who closes the browser of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) enum Owner {
    /// The run, at its end.
    Run,
    /// The agent or its caller.
    Agent,
}

impl Guarded {
    /// Returns the browser for a run with these options. `auto` is what [`Context::Auto`] means for the run.
    pub(in crate::agent) async fn place(
        &self,
        options: &Options,
        session: Option<&SessionId>,
        auto: Context,
    ) -> Result<RunBrowser> {
        let is_fresh = match (options.context, auto) {
            (Context::Fresh, _) => true,
            (Context::Auto, Context::Fresh) => self.browser.capabilities().fresh,
            _ => false,
        };
        let shared = || RunBrowser {
            browser: Arc::clone(&self.browser),
            owner: Owner::Agent,
        };
        if !is_fresh {
            return Ok(shared());
        }
        let place = match session {
            None => self
                .browser
                .fresh()
                .await
                .map(|browser| (browser, Owner::Run)),
            Some(session) => {
                let browser = self.of_conversation(options, session).await;
                browser.map(|browser| (browser, Owner::Agent))
            }
        };
        match place {
            Ok((browser, owner)) => Ok(RunBrowser { browser, owner }),
            // A driver around another may pass on its capabilities and not what they promise.
            Err(error)
                if options.context == Context::Auto && error.kind() == ErrorKind::Unsupported =>
            {
                Ok(shared())
            }
            Err(error) => Err(error),
        }
    }

    async fn of_conversation(
        &self,
        options: &Options,
        session: &SessionId,
    ) -> Result<Arc<dyn BrowserDriver>> {
        let conversation = (options.namespace.as_str().to_owned(), session.clone());
        let (slot, over) = self.contexts.slot(conversation, options.max_conversations);
        for slot in over {
            if let Some(browser) = slot.lock().await.take() {
                // What cannot be ended now ends when the driver is dropped.
                let _ = browser.close().await;
            }
        }
        let mut slot = slot.lock().await;
        if let Some(known) = &*slot
            && !is_lost(&**known).await
        {
            return Ok(Arc::clone(known));
        }
        let browser = self.browser.fresh().await?;
        *slot = Some(Arc::clone(&browser));
        Ok(browser)
    }
}

/// Longest time to ask whether a browser is still there. Source: chosen; one that is lost says so at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns true if a browser that no run uses has been lost meanwhile.
async fn is_lost(browser: &dyn BrowserDriver) -> bool {
    let Some(_turn) = browser.lease().take() else {
        return false;
    };
    let request = ObserveRequest::default().with_timeout(PATIENCE);
    let seen = browser.observe(&request).await;
    seen.is_err_and(|error| error.kind() == ErrorKind::BrowserLost)
}
