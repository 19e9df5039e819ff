//! Stops a run from outside. The first signal asks the run to stop and to learn from its results so far; the second ends the
//! program. If nobody reads the program's output any more, that counts as the first signal.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::watch;

use crate::{
    agent::Cancel,
    cli::{Refusal, say::Voice, tell},
};

/// Exit code after a second signal, such as a second Ctrl-C. Source: 128 plus the number of SIGINT, as in shells.
const INTERRUPTED: i32 = 130;

/// The request to stop the run, which comes from a signal or from a closed output.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Stop {
    cancel: Cancel,
    asked: watch::Receiver<bool>,
    unread: Arc<AtomicBool>,
}

impl Stop {
    /// Starts a task that listens for signals and for a closed output until the runtime ends. `voice` names the output to
    /// watch.
    pub(in crate::cli) fn listen(voice: Voice) -> Result<Self, Refusal> {
        let mut signals = Signals::new().map_err(|error| {
            Refusal::failure(format!("the system lets nobody listen to Ctrl-C: {error}"))
        })?;
        let (cancel, (sender, asked)) = (Cancel::new(), watch::channel(false));
        let stop = Self {
            cancel: cancel.clone(),
            asked,
            unread: Arc::default(),
        };
        let unread = Arc::clone(&stop.unread);
        tokio::spawn(async move {
            tokio::select! {
                () = signals.next() => tell("Stopping; once more ends it at once."),
                () = reader_left(voice) => {
                    unread.store(true, Ordering::Relaxed);
                    tell("Stopping, because nobody reads the output any more.");
                }
            }
            cancel.cancel();
            sender.send_replace(true);
            // A closing terminal sends its hang-up signal more than once, so only signals that a person sends count as the
            // second one.
            signals.again().await;
            // Both drivers end a browser that they started when this process ends. In an attached browser, the tab
            // stays open.
            std::process::exit(INTERRUPTED);
        });
        Ok(stop)
    }

    pub(in crate::cli) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    pub(in crate::cli) fn is_asked(&self) -> bool {
        *self.asked.borrow()
    }

    /// Returns true if the run was stopped because nobody reads the output any more.
    pub(super) fn is_unread(&self) -> bool {
        self.unread.load(Ordering::Relaxed)
    }

    pub(in crate::cli) async fn asked(&self) {
        if self.asked.clone().wait_for(|asked| *asked).await.is_err() {
            // The listening task has ended with the runtime, so there will be no request.
            std::future::pending::<()>().await;
        }
    }
}

/// Waits until nobody reads stdout any more. If progress goes to stderr, the wait also ends when nobody reads stderr any
/// more.
#[cfg(unix)]
async fn reader_left(voice: Voice) {
    tokio::select! {
        () = closed(std::io::stdout()) => {}
        () = closed(std::io::stderr()), if voice.json => {}
    }
}

#[cfg(not(unix))]
async fn reader_left(_: Voice) {
    std::future::pending().await
}

/// Waits until the other end of the output, a pipe or a terminal, is closed. Waits forever if the output is a file.
#[cfg(unix)]
async fn closed(output: impl std::os::fd::AsFd + Send + 'static) {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
    };

    let (sender, told) = tokio::sync::oneshot::channel();
    // `poll` is asked for no events, so it reports only errors and a closed other end. The thread ends with the program.
    let waits = std::thread::Builder::new().spawn(move || {
        let mut watched = [PollFd::new(&output, PollFlags::empty())];
        loop {
            match poll(&mut watched, None) {
                Ok(_) => {
                    let _ = sender.send(());
                    break;
                }
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
    });
    if waits.is_err() || told.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The signals that ask the program to end.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// The signal of a closed terminal; `None` if the parent process chose to ignore it, as `nohup` does.
    hangup: Option<tokio::signal::unix::Signal>,
    quit: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let unless_ignored = |kind: SignalKind| {
            (!is_ignored(kind.as_raw_value()))
                .then(|| signal(kind))
                .transpose()
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: unless_ignored(SignalKind::hangup())?,
            quit: unless_ignored(SignalKind::quit())?,
        })
    }

    /// Waits for the second signal. The signal of a closed terminal does not count as the second signal.
    async fn again(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = received(self.quit.as_mut()) => {}
        }
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = received(self.hangup.as_mut()) => {}
            () = received(self.quit.as_mut()) => {}
        }
    }
}

#[cfg(unix)]
async fn received(signal: Option<&mut tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Returns true if this process ignores the signal; false if the system does not say.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mask = || {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    };
    mask().is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "listening can fail elsewhere")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn again(&mut self) {
        self.next().await;
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
