//! Reactions of a page to an action. The page tree may not show them, so our script in the page reports them.

use std::time::Duration;

use futures_util::future::join_all;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{error::CdpError, hub::Hub, state::World};
use crate::page::Trace;

/// Maximum number of documents in which our script watches for reactions. Source: chosen; each document is asked before
/// and after an action.
const MAX_WATCHED: usize = 16;
/// Longest time for a watched document to answer. All are asked at once. Source: chosen; it takes a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);

impl Hub {
    /// Starts to watch for reactions in the documents of the page, and waits until they watch, at most [`PATIENCE`].
    /// Without the wait, key events could arrive before the request to watch.
    ///
    /// # Errors
    /// Fails if a dialog is open, if the page has crashed, or if the browser has ended.
    pub(super) async fn trace(&self) -> Result<(), CdpError> {
        self.ask_documents::<Value>("traceFrom").await.map(drop)
    }

    /// Returns the traces (reactions of the page) since [`trace`](Self::trace); `None` if no watched document can tell,
    /// for example because no event of the action reached one.
    ///
    /// # Errors
    /// Fails if a dialog is open, if the page has crashed, or if the browser has ended.
    pub(super) async fn traced(&self) -> Result<Option<Vec<Trace>>, CdpError> {
        let seen = self.ask_documents::<Option<Vec<Trace>>>("traced").await?;
        let seen: Vec<Vec<Trace>> = seen.into_iter().flatten().collect();
        Ok((!seen.is_empty()).then(|| seen.concat()))
    }

    /// Calls a function of our script in up to [`MAX_WATCHED`] documents of the page that have the script's world, the
    /// main document among them, and returns their answers. A document that is gone or busy gives no answer.
    async fn ask_documents<T: DeserializeOwned>(
        &self,
        function: &'static str,
    ) -> Result<Vec<T>, CdpError> {
        let worlds: Vec<(String, World)> = {
            let known = self.state();
            let frames = known.tab().into_iter().flat_map(|tab| tab.frames.values());
            let mut frames: Vec<_> = frames.collect();
            frames.sort_by_key(|frame| frame.parent.is_some());
            let worlds = frames.into_iter();
            let worlds = worlds.filter_map(|at| Some((at.session.clone(), at.world.clone()?)));
            worlds.take(MAX_WATCHED).collect()
        };
        let ask = |world| timeout(PATIENCE, self.ask_in(world, function, json!([])));
        let mut answers = Vec::new();
        for asked in join_all(worlds.iter().map(ask)).await {
            match asked {
                Ok(Ok(answer)) => answers.push(answer),
                Ok(Err(trouble @ (CdpError::Dialog(_) | CdpError::Lost(_)))) => {
                    return Err(trouble);
                }
                Ok(Err(_)) | Err(_) => {}
            }
        }
        Ok(answers)
    }
}
