//! Ctrl-C: the first asks the run to stop and to learn from what it has, the second ends the program.

use tokio::sync::watch;

use crate::{
    agent::Cancel,
    cli::{Refusal, tell},
};

/// Exit code of a program that a second Ctrl-C ended. Source: 128 and the number of the signal, as shells have it.
const INTERRUPTED: i32 = 130;

/// Whether the person asked to stop.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Stop {
    cancel: Cancel,
    asked: watch::Receiver<bool>,
}

impl Stop {
    /// Listens from now on, as long as the runtime lives.
    pub(in crate::cli) fn listen() -> Result<Self, Refusal> {
        let mut signals = Signals::new().map_err(|error| {
            Refusal::failure(format!("the system lets nobody listen to Ctrl-C: {error}"))
        })?;
        let (cancel, (sender, asked)) = (Cancel::new(), watch::channel(false));
        let stop = Self {
            cancel: cancel.clone(),
            asked,
        };
        tokio::spawn(async move {
            signals.next().await;
            tell("Stopping; once more ends it at once.");
            cancel.cancel();
            sender.send_replace(true);
            signals.next().await;
            // A browser that was started ends with this process, by either driver; one that was attached to keeps its tab.
            std::process::exit(INTERRUPTED);
        });
        Ok(stop)
    }

    /// The request as the loop takes it.
    pub(super) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Waits until the person asks.
    pub(in crate::cli) async fn asked(&self) {
        if self.asked.clone().wait_for(|asked| *asked).await.is_err() {
            // The task that listens has ended with the runtime: nobody will ask any more.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "listening can fail elsewhere")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
