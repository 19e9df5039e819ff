//! Waiting for a text to appear or disappear, or for a number of seconds.

use std::time::Duration;

use super::driver::{PlaywrightCli, State};
use crate::{
    action::{ErrorClass, Outcome, Wait},
    base::Result,
    browser::{
        Execution,
        rules::{Awaited, MAX_WAIT},
    },
};

/// Pause between two observations while waiting for a text. Source: chosen; an observation takes 10 to 500 ms.
const LOOK_EVERY: Duration = Duration::from_millis(250);

impl PlaywrightCli {
    pub(super) async fn wait(
        &self,
        state: &mut State,
        wait: &Wait,
        timeout: Duration,
    ) -> Result<Execution> {
        if let Some(seconds) = wait.seconds {
            tokio::time::sleep(seconds.duration()).await;
            return Ok(Outcome::Done.into());
        }
        let wanted = match Awaited::of(wait) {
            Ok(wanted) => wanted,
            Err(refused) => return Ok(refused.into()),
        };
        let deadline = tokio::time::Instant::now() + timeout.min(MAX_WAIT);
        loop {
            let seen = self.snapshot(state, timeout).await?;
            let page = Some((seen.url.clone(), seen.title.clone()));
            if let Some(dialog) = seen.dialog {
                let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
                return Ok(Execution {
                    page,
                    dialog: Some(dialog),
                    ..outcome.into()
                });
            }
            if wanted.is_met_by(&seen) {
                return Ok(Execution {
                    page,
                    ..Outcome::Done.into()
                });
            }
            if tokio::time::Instant::now() + LOOK_EVERY > deadline {
                return Ok(Execution {
                    page,
                    ..Outcome::failed(ErrorClass::WaitedInVain, "").into()
                });
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
