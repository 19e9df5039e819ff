//! Waiting for text to come or to go, or for a time.

use std::time::Duration;

use super::driver::{PlaywrightCli, State};
use crate::{
    action::{ErrorClass, Outcome, Wait},
    base::{Result, text},
    browser::Execution,
};

/// How often a page is looked at while waiting for text. Unit: time. Source: chosen; a look takes 10 to 500 ms.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Longest wait for text. Unit: time. Source: the longest wait by seconds that the action accepts.
const MAX_WAIT: Duration = Duration::from_secs(30);

impl PlaywrightCli {
    pub(super) async fn wait(&self, state: &mut State, wait: &Wait, timeout: Duration) -> Result<Execution> {
        if let Some(seconds) = wait.seconds {
            tokio::time::sleep(Duration::from_secs(seconds.into())).await;
            return Ok(Outcome::Done.into());
        }
        let (wanted, here) = match (&wait.text, &wait.gone) {
            (Some(text), None) => (text, true),
            (None, Some(text)) => (text, false),
            _ => {
                return Ok(Outcome::failed(ErrorClass::BadArguments, "wait takes one of text, gone and seconds").into());
            }
        };
        let wanted = text::fold(&text::squeeze(wanted));
        let deadline = tokio::time::Instant::now() + timeout.min(MAX_WAIT);
        loop {
            let seen = self.snapshot(state, timeout).await?;
            let page = Some((seen.url.clone(), seen.title.clone()));
            if let Some(dialog) = seen.dialog {
                let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
                return Ok(Execution { page, dialog: Some(dialog), ..outcome.into() });
            }
            let shown: Vec<String> = seen.tree.roots().map(|root| seen.tree.text_of(root)).collect();
            let shown = text::fold(&text::squeeze(&format!("{} {}", seen.title, shown.join(" "))));
            if shown.contains(&wanted) == here {
                return Ok(Execution { page, ..Outcome::Done.into() });
            }
            if tokio::time::Instant::now() + LOOK_EVERY > deadline {
                return Ok(Execution { page, ..Outcome::failed(ErrorClass::WaitedInVain, "").into() });
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
