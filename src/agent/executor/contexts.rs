//! The browser of a run: the agent's own, or a fresh one for this run or for its conversation.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::guarded::Guarded;
use crate::{
    agent::{Context, Options},
    base::{ErrorKind, Result, SessionId},
    browser::{BrowserDriver, ObserveRequest},
};

/// The namespace of a tenant and the name of the conversation: two tenants may have chosen one name.
type Conversation = (String, SessionId);

/// The fresh browsers of conversations, the latest used last. The agent closes them with itself.
#[derive(Debug, Default)]
pub(in crate::agent) struct Contexts(Mutex<Vec<(Conversation, Arc<dyn BrowserDriver>)>>);

impl Guarded {
    /// Returns the browser for a run with these options. `auto` is what [`Context::Auto`] means for the run.
    pub(in crate::agent) async fn browser_for(
        &self,
        options: &Options,
        session: Option<&SessionId>,
        auto: Context,
    ) -> Result<Arc<dyn BrowserDriver>> {
        let is_fresh = match (options.context, auto) {
            (Context::Fresh, _) => true,
            (Context::Auto, Context::Fresh) => self.browser.capabilities().fresh,
            _ => false,
        };
        if !is_fresh {
            return Ok(Arc::clone(&self.browser));
        }
        let Some(session) = session else {
            return self.browser.fresh().await;
        };
        let conversation = (options.namespace.as_str().to_owned(), session.clone());
        let mut open = self.contexts.0.lock().await;
        let known = open.iter().position(|(of, _)| *of == conversation);
        let known = known.map(|known| open.remove(known).1);
        let browser = match known {
            Some(known) if !is_lost(&*known).await => known,
            _ => self.browser.fresh().await?,
        };
        open.push((conversation, Arc::clone(&browser)));
        while open.len() > options.max_conversations.max(1) {
            let mut others = open.iter().take(open.len() - 1);
            let Some(idle) = others.position(|(_, of)| of.lease().turn().is_none()) else {
                break;
            };
            // What cannot be ended now ends when the driver is dropped.
            let _ = open.remove(idle).1.close().await;
        }
        Ok(browser)
    }

    /// Closes the browser of a run that has ended, unless it is the agent's own or that of a conversation.
    pub(in crate::agent) async fn leave(&self, browser: &Arc<dyn BrowserDriver>) {
        let open = self.contexts.0.lock().await;
        let mut kept = open.iter().map(|(_, of)| of).chain([&self.browser]);
        if !kept.any(|of| Arc::ptr_eq(of, browser)) {
            let _ = browser.close().await;
        }
    }
}

/// Returns true if a browser that no run uses has been lost meanwhile.
async fn is_lost(browser: &dyn BrowserDriver) -> bool {
    let Some(_turn) = browser.lease().take() else {
        return false;
    };
    let seen = browser.observe(&ObserveRequest::default()).await;
    seen.is_err_and(|error| error.kind() == ErrorKind::BrowserLost)
}
