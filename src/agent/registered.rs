//! A run in the register of runs (the list of runs in the store), with its checkpoints and heartbeats.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{Clock, checkpoint::Checkpoints};
use crate::{
    base::{Error, ErrorKind, Result},
    registry::{Checkpoint, End, HEARTBEAT, Heartbeat},
    store::{Held, Lease, MemoryBackend, RunRegistry},
};

pub(super) type Register = RunRegistry<Arc<dyn MemoryBackend>>;

/// A run in the register of runs. A tokio task sends the run's heartbeats (signs that this process still works). The
/// task ends when this value is dropped, when the end of the run is recorded, or when a heartbeat finds that another
/// process has taken over the run or that the run was removed from the register.
#[derive(Debug)]
pub(super) struct Registered {
    register: Register,
    lease: Lease,
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    signs: watch::Sender<Heartbeat>,
    heart: JoinHandle<()>,
    timeout: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    /// True if another process has taken over the run.
    is_taken: AtomicBool,
    /// True if a checkpoint of the run is in the register.
    is_kept: AtomicBool,
    /// The first failure of a heartbeat, until it is reported.
    failure: Mutex<Option<Error>>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.heart.abort();
    }
}

impl Registered {
    /// Starts the heartbeats of a run. `is_kept` is true if a checkpoint of the run is already in the register.
    pub(super) fn new(
        register: Register,
        lease: Lease,
        is_kept: bool,
        clock: Arc<dyn Clock>,
        timeout: Duration,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        shared.is_kept.store(is_kept, Ordering::Release);
        let (signs, watched) = watch::channel(Heartbeat::default());
        let heart = Heart {
            register: register.clone(),
            lease: lease.clone(),
            shared: Arc::clone(&shared),
            clock: Arc::clone(&clock),
            timeout,
        };
        Self {
            register,
            lease,
            shared,
            clock,
            signs,
            heart: tokio::spawn(heart.beats(watched)),
            timeout,
        }
    }

    /// Sets the data of the next heartbeats. If `at_once` is true, a heartbeat is sent immediately.
    pub(super) fn tell(&self, sign: Heartbeat, at_once: bool) {
        self.signs.send_if_modified(|told| {
            *told = sign;
            at_once
        });
    }

    /// Takes the first failure of a heartbeat since the last call of this function; `None` if there was none.
    pub(super) fn failure(&self) -> Option<Error> {
        let failure = self.shared.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Records the end of the run.
    ///
    /// # Errors
    /// `Timeout` if the store does not answer in time, and the errors of the store.
    pub(super) async fn end(&self, end: &End, now: chrono::DateTime<chrono::Utc>) -> Result<()> {
        self.heart.abort();
        let ended = self.register.end(&self.lease, end, now);
        within(self.timeout, ended).await.map(drop)
    }
}

#[async_trait]
impl Checkpoints for Registered {
    async fn keep(&self, checkpoint: Checkpoint, irreversible: Option<u32>) -> Result<bool> {
        if self.shared.is_taken.load(Ordering::Acquire) {
            return Ok(false);
        }
        let is_first = !self.shared.is_kept.load(Ordering::Acquire);
        let kept = self.register.keep(&self.lease, &checkpoint, is_first);
        let mut held = within(self.timeout, kept).await?;
        self.shared.is_kept.store(true, Ordering::Release);
        if held == Held::Yes && irreversible.is_some() {
            let mut sign = self.signs.borrow().clone();
            sign.irreversible_step = irreversible;
            let beat = self.register.beat(&self.lease, &sign, self.clock.now());
            held = within(self.timeout, beat).await?;
        }
        Ok(held != Held::Taken)
    }
}

struct Heart {
    register: Register,
    lease: Lease,
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    timeout: Duration,
}

impl Heart {
    async fn beats(self, mut signs: watch::Receiver<Heartbeat>) {
        loop {
            tokio::select! {
                told = signs.changed() => if told.is_err() { return },
                () = sleep(HEARTBEAT) => {}
            }
            let sign = signs.borrow_and_update().clone();
            let beat = self.register.beat(&self.lease, &sign, self.clock.now());
            match within(self.timeout, beat).await {
                Ok(Held::Taken) => {
                    self.shared.is_taken.store(true, Ordering::Release);
                    return;
                }
                Ok(Held::Forgotten) => return,
                Ok(Held::Yes) => {}
                Err(error) => {
                    let failure = &self.shared.failure;
                    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                    failure.get_or_insert(error);
                }
            }
        }
    }
}

pub(super) async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T>> + Send,
) -> Result<T> {
    match timeout(limit, answer).await {
        Ok(answer) => answer,
        Err(_) => {
            Err(Error::new(ErrorKind::Timeout, "agent.registry")
                .with("waited", format!("{limit:?}")))
        }
    }
}
