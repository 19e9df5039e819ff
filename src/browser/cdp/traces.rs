//! Reactions of a page to an action, as our script in the page reports them. The page tree does not always show these
//! reactions.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{error::CdpError, hub::Hub, state::World};
use crate::page::Trace;

/// Maximum number of documents of a page in which our script watches for reactions. Source: chosen; each document is
/// asked once before an action and once after it.
const MAX_WATCHED: usize = 16;
/// Longest time for all watched documents together to answer. Source: chosen; it takes a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);

impl Hub {
    /// Starts to watch for reactions in the documents of the page that have our script. Waits until all these documents
    /// watch, because key events reach the page by another route and could overtake the request to watch.
    ///
    /// # Errors
    /// Fails if a dialog is open, if the page has crashed, or if the browser has ended.
    pub(super) async fn trace(&self) -> Result<(), CdpError> {
        self.ask_documents::<Value>("traceFrom").await.map(drop)
    }

    /// Returns the traces (reactions of the page) since [`trace`](Self::trace) was called; `None` if no document
    /// watched for them.
    ///
    /// # Errors
    /// Fails if a dialog is open, if the page has crashed, or if the browser has ended.
    pub(super) async fn traced(&self) -> Result<Option<Vec<Trace>>, CdpError> {
        let seen = self.ask_documents::<Option<Vec<Trace>>>("traced").await?;
        let seen: Vec<Vec<Trace>> = seen.into_iter().flatten().collect();
        Ok((!seen.is_empty()).then(|| seen.concat()))
    }

    /// Calls a function of our script in the documents of the current page that have our script, and returns their
    /// answers. If there are more than [`MAX_WATCHED`] such documents, asks only that many. A document that is gone or
    /// busy gives no answer.
    async fn ask_documents<T: DeserializeOwned>(
        &self,
        function: &'static str,
    ) -> Result<Vec<T>, CdpError> {
        let worlds: Vec<(String, World)> = {
            let known = self.state();
            let frames = known.tab().into_iter().flat_map(|tab| tab.frames.values());
            let worlds = frames.filter_map(|at| Some((at.session.clone(), at.world.clone()?)));
            worlds.take(MAX_WATCHED).collect()
        };
        let mut answers = Vec::new();
        let all = async {
            for world in &worlds {
                match self.ask_in(world, function, json!([])).await {
                    Ok(answer) => answers.push(answer),
                    Err(trouble @ (CdpError::Dialog(_) | CdpError::Lost(_))) => {
                        return Err(trouble);
                    }
                    Err(_) => {}
                }
            }
            Ok(())
        };
        timeout(PATIENCE, all).await.unwrap_or(Ok(()))?;
        Ok(answers)
    }
}
