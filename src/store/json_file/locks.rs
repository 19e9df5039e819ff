//! Write locks: at any time, only one thread of one process writes a shelf. The threads that use the same handle wait
//! for a lock in memory. Different handles, in one process or in several, wait for each other by trying to lock a file
//! again and again.

use std::{
    io,
    path::Path,
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{
    failure::Failure,
    fs::{Fs, FsLock},
    place::{LOCKS, STRIPES},
};

/// Shortest pause between two attempts to lock a lock file. Source: chosen; an update takes about a millisecond.
const MIN_PAUSE: Duration = Duration::from_micros(200);
/// Maximum random time that is added to the first pauses between two attempts to lock a lock file. Later pauses get a
/// multiple of it: see [`ATTEMPTS`]. Without random times, waiting processes would all try again at the same moments. Unit:
/// nanoseconds. Source: chosen.
const JITTER: u32 = 1_800_000;
/// Number of attempts after which the maximum random time of a pause grows by another [`JITTER`]. Without this growth,
/// waiting processes would slow down the process that writes. Source: measured with 50 processes on two cores; with the
/// growth, the processes take two thirds of the time.
const ATTEMPTS: u32 = 10;
/// Factor by which [`JITTER`] is multiplied after many attempts; it grows no further. Source: chosen; even the longest
/// pause is shorter than an update that has to wait for the disk twice.
const MAX_GROWTH: u32 = 10;

/// The in-memory locks of one handle of the store: one for each lock file. A thread takes the in-memory lock before it
/// tries to lock the lock file. So only one thread of a handle at a time tries to lock the file.
#[derive(Debug)]
pub(super) struct Locks(Vec<Stripe>);

#[derive(Debug, Default)]
struct Stripe {
    is_taken: Mutex<bool>,
    freed: Condvar,
}

/// A lock that is held, both in memory and on the lock file, until this value is dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    file: Option<Box<dyn FsLock>>,
    stripe: &'a Stripe,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // The lock file is released first. Otherwise the next thread of this process would find the lock file taken, and would
        // have to poll.
        self.file = None;
        *self
            .stripe
            .is_taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = false;
        self.stripe.freed.notify_one();
    }
}

impl Default for Locks {
    fn default() -> Self {
        Self((0..STRIPES).map(|_| Stripe::default()).collect())
    }
}

impl Locks {
    pub(super) fn acquire(
        &self,
        fs: &dyn Fs,
        stripe: u8,
        file: &Path,
        wait: Duration,
    ) -> Result<Held<'_>, Failure> {
        let begun = Instant::now();
        let stripe = &self.0[usize::from(stripe % STRIPES)];
        let taken = stripe
            .is_taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (mut taken, _) = stripe
            .freed
            .wait_timeout_while(taken, wait, |taken| *taken)
            .unwrap_or_else(PoisonError::into_inner);
        if *taken {
            return Err(Failure::Busy(begun.elapsed()));
        }
        *taken = true;
        drop(taken);
        let mut held = Held { file: None, stripe };
        let mut attempts = 0_u32;
        loop {
            held.file = try_lock(fs, file)?;
            if held.file.is_some() {
                return Ok(held);
            }
            if begun.elapsed() >= wait {
                return Err(Failure::Busy(begun.elapsed()));
            }
            let random = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .subsec_nanos();
            attempts = attempts.saturating_add(1);
            let bound = JITTER * (1 + attempts / ATTEMPTS).min(MAX_GROWTH);
            thread::sleep(MIN_PAUSE + Duration::from_nanos(u64::from(random % bound)));
        }
    }
}

/// Tries once to take the lock of a lock file. Returns `None` if somebody else holds the lock. Creates the folder of
/// the lock files if it is missing.
pub(super) fn try_lock(fs: &dyn Fs, file: &Path) -> Result<Option<Box<dyn FsLock>>, Failure> {
    let tried = match fs.try_lock(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let dir = Path::new(LOCKS);
            fs.create_dir(dir).map_err(Failure::io("create_dir", dir))?;
            fs.try_lock(file)
        }
        tried => tried,
    };
    tried.map_err(|error| {
        if has_no_locks(&error) {
            Failure::NoLocks(error)
        } else {
            Failure::io("lock", file)(error)
        }
    })
}

/// Returns true if the error means that the file system does not support locks.
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        if matches!(
            Errno::from_io_error(error),
            Some(Errno::NOLCK | Errno::OPNOTSUPP)
        ) {
            return true;
        }
    }
    error.kind() == io::ErrorKind::Unsupported
}
