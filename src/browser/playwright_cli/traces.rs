//! Traces: reactions of a page to an action. The page tree may not show them. One script starts to watch the page
//! before the action; another script returns the traces afterwards.
//!
//! The scripts watch the page from an isolated JavaScript world, by the browser's protocol.

use std::time::Duration;

use super::{
    driver::{PlaywrightCli, Scripted, State},
    scripts::reading,
};
use crate::{
    action::BrowserAction,
    base::{ErrorKind, Result},
    browser::{TRACES, rules::is_watched},
    page::Trace,
};

/// The property of the tool's page object that keeps the protocol session. The page cannot see it.
const KEPT: &str = "webwiseTraces";
const WORLD: &str = "webwise traces";
/// Maximum number of watched documents. Source: the `cdp` driver has the same maximum.
const MAX_WATCHED: usize = 16;
/// Longest time for all watched documents to answer. Unit: milliseconds. Source: chosen; they take a few ms, or 300 ms
/// more if they must tell a reaction from an animation.
const PATIENCE_MS: u64 = 1_000;

impl PlaywrightCli {
    /// Starts to watch the page, if [`is_watched`] returns true for the action.
    pub(super) async fn trace(
        &self,
        state: &mut State,
        action: &BrowserAction,
        timeout: Duration,
    ) -> Result<()> {
        if is_watched(action) {
            self.told(state, from(), timeout).await?;
        }
        Ok(())
    }

    /// Returns the traces since [`trace`](Self::trace); `None` if the page was not watched, or if no watched document
    /// can tell, for example because no event of the action reached one.
    pub(super) async fn traced(
        &self,
        state: &mut State,
        action: &BrowserAction,
        timeout: Duration,
    ) -> Result<Option<Vec<Trace>>> {
        if !is_watched(action) || state.dialog.is_some() {
            return Ok(None);
        }
        self.told(state, until_now(), timeout).await
    }

    /// Runs one of this module's scripts, and returns the traces in its result; `None` if a dialog is open or the page
    /// does not answer.
    async fn told(
        &self,
        state: &mut State,
        script: String,
        timeout: Duration,
    ) -> Result<Option<Vec<Trace>>> {
        match self.script(state, script, timeout).await {
            Ok(Scripted::Returned(returned)) => Ok(returned.traces),
            Err(error) if error.kind() == ErrorKind::BrowserLost => Err(error),
            Ok(Scripted::Refused(_) | Scripted::Interrupted(_)) | Err(_) => Ok(None),
        }
    }
}

fn from() -> String {
    reading(&format!(
        "const late = new Promise(done => setTimeout(done, {PATIENCE_MS}));
    const begin = `self.webwiseTraces ??= (() => {{ ${{source}}; return makeTraces(); }})(); self.webwiseTraces.begin()`;
    const watch = async () => {{
      const kept = page.{KEPT} ??= {{ session: await page.context().newCDPSession(page), contexts: [] }};
      const {{ frameTree }} = await kept.session.send('Page.getFrameTree');
      const all = node => [node.frame, ...(node.childFrames || []).flatMap(all)];
      const start = async frame => {{
        const world = {{ frameId: frame.id, worldName: '{WORLD}' }};
        const {{ executionContextId }} = await kept.session.send('Page.createIsolatedWorld', world);
        await kept.session.send('Runtime.evaluate', {{ contextId: executionContextId, expression: begin }});
        return [executionContextId];
      }};
      // A frame of another process is not in reach of this session.
      const started = all(frameTree).slice(0, {MAX_WATCHED}).map(frame => start(frame).catch(() => []));
      kept.contexts = (await Promise.all(started)).flat();
    }};
    await Promise.race([watch().catch(() => delete page.{KEPT}), late]);
    return {{ done: true }};"
    ))
    .replacen(
        "const late",
        &format!(
            "const source = {};\n    const late",
            serde_json::Value::from(TRACES)
        ),
        1,
    )
}

fn until_now() -> String {
    reading(&format!(
        "const late = new Promise(done => setTimeout(done, {PATIENCE_MS}, []));
    const {{ session, contexts }} = page.{KEPT} || {{ contexts: [] }};
    const expression = 'self.webwiseTraces.end()';
    const ask = async contextId => {{
      const given = {{ contextId, expression, returnByValue: true, awaitPromise: true }};
      return (await session.send('Runtime.evaluate', given)).result.value;
    }};
    // A document that is gone saw nothing.
    const asked = Promise.all(contexts.map(context => ask(context).catch(() => null)));
    const seen = (await Promise.race([asked, late])).filter(Boolean);
    return {{ done: true, traces: seen.length === 0 ? null : seen.flat() }};"
    ))
}
