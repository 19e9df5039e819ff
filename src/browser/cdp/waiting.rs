//! Waiting for some seconds, or until a text appears on the page or disappears.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
};
use crate::{
    action::{ErrorClass, Wait},
    browser::rules::{Awaited, MAX_WAIT},
};

/// Pause between two observations while waiting for a text. Source: chosen; an observation takes a few milliseconds.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Cdp {
    pub(super) async fn wait(
        &self,
        turn: &mut Turn,
        wait: &Wait,
        longest: Duration,
    ) -> Result<(), CdpError> {
        if let Some(seconds) = wait.seconds {
            let lost = self.hub.until(|known| {
                known
                    .trouble()
                    .filter(|trouble| matches!(trouble, CdpError::Lost(_)))
            });
            // This wait sends nothing to the page, so dialogs may open and close during it. Only the loss of the
            // browser, of the page's process or of the last tab ends it early.
            return timeout(seconds.duration(), lost).await.map_or(Ok(()), Err);
        }
        let wanted = Awaited::of(wait).map_err(|_| {
            CdpError::refused(
                ErrorClass::BadArguments,
                "wait takes one of text, gone and seconds",
            )
        })?;
        let deadline = Instant::now() + longest.min(MAX_WAIT);
        loop {
            match self.seen(turn).await {
                Ok(seen) => {
                    if let Some(dialog) = seen.dialog {
                        return Err(CdpError::Dialog(dialog));
                    }
                    if wanted.is_met_by(&seen) {
                        return Ok(());
                    }
                }
                // Between two documents there is nothing to read.
                Err(CdpError::Moved) => {}
                Err(trouble) => return Err(trouble),
            }
            if Instant::now() + LOOK_EVERY > deadline {
                return Err(CdpError::refused(ErrorClass::WaitedInVain, ""));
            }
            sleep(LOOK_EVERY).await;
        }
    }
}
