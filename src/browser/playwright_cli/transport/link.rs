//! The choice of the transport for commands to the tool.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::{Command, RawReply, Transport, TransportError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Change {
    pub(in super::super) from: &'static str,
    pub(in super::super) to: &'static str,
    pub(in super::super) why: String,
}

/// The sender of commands. It uses the fast transport (the socket) until that fails, and then the safe transport
/// (processes).
#[derive(Debug)]
pub(in super::super) struct Link {
    safe: Box<dyn Transport>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    fast: Option<std::sync::Arc<dyn Transport>>,
    change: Option<Change>,
}

impl Link {
    pub(in super::super) fn safe(safe: Box<dyn Transport>) -> Self {
        Self {
            safe,
            state: Mutex::new(State {
                fast: None,
                change: None,
            }),
        }
    }

    pub(in super::super) fn with_fast(self, fast: impl Transport + 'static) -> Self {
        self.lock().fast = Some(std::sync::Arc::new(fast));
        self
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A panic in another thread cannot leave the two values inconsistent, because they are set together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in super::super) fn name(&self) -> &'static str {
        self.lock()
            .fast
            .as_ref()
            .map_or(self.safe.name(), |fast| fast.name())
    }

    /// Removes and returns the last change of transport.
    pub(in super::super) fn take_change(&self) -> Option<Change> {
        self.lock().change.take()
    }

    /// Switches to the safe transport for good, and records this change. `from` names the fast transport. `why` is its
    /// error.
    pub(in super::super) fn give_up_fast(&self, from: &'static str, why: &TransportError) {
        let mut state = self.lock();
        state.fast = None;
        state.change = Some(Change {
            from,
            to: self.safe.name(),
            why: why.to_string(),
        });
    }

    /// Runs a command.
    ///
    /// If the fast transport fails, all later commands use the safe transport. The failed command is repeated there
    /// only if it certainly was not carried out, or if it only reads. A timeout does not count as such a failure.
    pub(in super::super) async fn run(
        &self,
        command: &Command,
        timeout: Duration,
    ) -> Result<RawReply, TransportError> {
        let fast = self.lock().fast.clone();
        let Some(fast) = fast else {
            return self.safe.run(command, timeout).await;
        };
        let error = match fast.run(command, timeout).await {
            // These errors say nothing about the fast transport: a slow page may cause a timeout, and a value with a
            // NUL or a reply that is too long fails on both transports.
            reply @ (Ok(_)
            | Err(
                TransportError::Timeout(_) | TransportError::Nul | TransportError::TooLarge,
            )) => {
                return reply;
            }
            Err(error) => error,
        };
        self.give_up_fast(fast.name(), &error);
        if error.nothing_was_sent() || command.repeatable {
            return self.safe.run(command, timeout).await;
        }
        Err(error)
    }

    pub(in super::super) async fn stop(&self, timeout: Duration) -> Result<(), TransportError> {
        let fast = self.lock().fast.take();
        match fast {
            Some(fast) => match fast.stop(timeout).await {
                Ok(()) => Ok(()),
                Err(_) => self.safe.stop(timeout).await,
            },
            None => self.safe.stop(timeout).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;

    use super::*;
    use crate::secret::Secret;

    #[derive(Debug)]
    struct Scripted {
        name: &'static str,
        error: Option<fn() -> TransportError>,
        ran: std::sync::Arc<AtomicUsize>,
    }

    #[async_trait]
    impl Transport for Scripted {
        fn name(&self) -> &'static str {
            self.name
        }

        async fn run(&self, _: &Command, _: Duration) -> Result<RawReply, TransportError> {
            self.ran.fetch_add(1, Ordering::Relaxed);
            match self.error {
                Some(error) => Err(error()),
                None => Ok(RawReply {
                    text: Secret::new("### Page"),
                    is_error: false,
                }),
            }
        }

        async fn stop(&self, _: Duration) -> Result<(), TransportError> {
            Ok(())
        }
    }

    fn link(error: fn() -> TransportError) -> (Link, std::sync::Arc<AtomicUsize>) {
        let ran = std::sync::Arc::new(AtomicUsize::new(0));
        let safe = Scripted {
            name: "process",
            error: None,
            ran: ran.clone(),
        };
        let fast = Scripted {
            name: "socket",
            error: Some(error),
            ran: std::sync::Arc::default(),
        };
        (Link::safe(Box::new(safe)).with_fast(fast), ran)
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn a_command_that_may_have_had_its_effect_is_not_sent_again() {
        for error in [|| TransportError::Garbage, || TransportError::Closed] {
            let (link, ran) = link(error);
            assert!(link.run(&Command::new("click"), SECOND).await.is_err());
            assert_eq!((ran.load(Ordering::Relaxed), link.name()), (0, "process"));
            link.run(&Command::new("click"), SECOND).await.unwrap();
            assert_eq!(ran.load(Ordering::Relaxed), 1);
        }
    }

    #[tokio::test]
    async fn a_command_that_was_not_sent_or_only_looks_takes_the_other_way() {
        let missing = || TransportError::Unreachable(std::io::ErrorKind::NotFound.into());
        for (error, command) in [
            (missing as fn() -> _, Command::new("click")),
            (|| TransportError::Garbage, Command::read("snapshot")),
            (|| TransportError::Closed, Command::read("snapshot")),
        ] {
            let (link, ran) = link(error);
            link.run(&command, SECOND).await.unwrap();
            assert_eq!(ran.load(Ordering::Relaxed), 1);
            let change = link.take_change().unwrap();
            assert_eq!((change.from, change.to), ("socket", "process"));
            assert!(!change.why.is_empty() && link.take_change().is_none());
        }
    }

    #[tokio::test]
    async fn a_slow_page_does_not_change_the_transport() {
        let (link, ran) = link(|| TransportError::Timeout(SECOND));
        assert!(link.run(&Command::read("snapshot"), SECOND).await.is_err());
        assert_eq!(
            (ran.load(Ordering::Relaxed), link.name(), link.take_change()),
            (0, "socket", None)
        );
    }
}
