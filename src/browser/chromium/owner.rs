//! Who owns a private folder, so that a browser does not outlive its owner and nobody takes a living one's folder.
//!
//! Two things that the kernel takes back when this process ends, for whatever reason:
//!
//! - a lock on a file in the folder. A start that sweeps tries to take it, and only where it can has the owner ended.
//!   The file is never renamed, and only goes with its folder. No child keeps the lock: what std opens is closed when
//!   another program is executed.
//! - a listening socket, for the tool's daemon alone, which connects to it once and ends when the connection does. It is
//!   no probe: nobody accepts, so each one that asked would stay in its queue.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

/// The file whose lock the owner holds.
const LOCK: &str = "owner.lock";
/// The socket that the daemon connects to.
#[cfg(unix)]
const SOCKET: &str = "owner.sock";
/// Made when the owner holds its lock: without it the folder may be that of an owner who is about to.
const MARK: &str = "owned";
/// Age at which a folder that never got an owner is left over. Unit: time. Source: chosen; it takes microseconds.
const HALF_MADE: Duration = Duration::from_hours(1);

/// Owning a folder; dropping it tells the daemon and every start that sweeps.
#[derive(Debug)]
pub(in crate::browser) struct Owner {
    _lock: File,
    #[cfg(unix)]
    _socket: std::os::unix::net::UnixListener,
}

impl Owner {
    /// Takes a new folder of this user.
    pub(in crate::browser) fn of(folder: &Path) -> io::Result<Self> {
        let lock = File::create_new(folder.join(LOCK))?;
        // A start that sweeps may hold it for a moment, until it finds no mark.
        lock.lock()?;
        let owner = Self {
            _lock: lock,
            #[cfg(unix)]
            _socket: std::os::unix::net::UnixListener::bind(folder.join(SOCKET))?,
        };
        File::create_new(folder.join(MARK))?;
        Ok(owner)
    }
}

/// A folder whose owner has ended; while this is held no other start takes it for that.
#[derive(Debug)]
pub(in crate::browser) struct LeftOver {
    _lock: Option<File>,
}

impl LeftOver {
    /// Finds out whether a folder is left over; when in doubt it is not.
    pub(in crate::browser) fn find(folder: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(folder).ok().filter(is_ours)?;
        let is_old = || {
            metadata
                .modified()
                .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > HALF_MADE))
        };
        let was_owned = || folder.join(MARK).exists();
        match File::open(folder.join(LOCK)) {
            Ok(lock) => match lock.try_lock() {
                Ok(()) => (was_owned() || is_old()).then_some(Self { _lock: Some(lock) }),
                // It has an owner, or this file system cannot say.
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
            },
            // The lock is there before the mark, so a removal of this one has begun.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (was_owned() || is_old()).then_some(Self { _lock: None })
            }
            Err(_) => None,
        }
    }
}

#[cfg(unix)]
fn is_ours(folder: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(folder) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_ours(_: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        os::unix::net::UnixStream,
        process::{Child, Command, Stdio},
        sync::mpsc,
        time::Instant,
    };

    use super::*;

    /// Set for the process that owns a folder; its value is the folder.
    const OWNED: &str = "WEBWISE_TEST_OWNED_FOLDER";
    /// Starts beside one living browser; more than any queue of connections holds.
    const STARTS: usize = 5000;

    /// A child that does not outlive the test.
    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// A test beside this one that is just starting a program has a copy of every open file until the program runs.
    fn soon(folder: &Path) -> Option<LeftOver> {
        let tries = (0..500).map(|_| LeftOver::find(folder));
        tries
            .inspect(|found| {
                _ = found
                    .is_none()
                    .then(|| std::thread::sleep(Duration::from_millis(10)));
            })
            .flatten()
            .next()
    }

    #[test]
    fn a_folder_is_left_over_when_its_owner_was_killed_and_not_before() {
        if let Some(folder) = std::env::var_os(OWNED) {
            // This is the owner. What it starts survives it and must not keep the folder.
            let _owner = Owner::of(Path::new(&folder)).unwrap();
            let mut survivor = Command::new("sleep")
                .arg("120")
                .stdin(Stdio::null())
                .spawn()
                .unwrap();
            fs::write(
                Path::new(&folder).join("survivor.new"),
                survivor.id().to_string(),
            )
            .unwrap();
            fs::rename(
                Path::new(&folder).join("survivor.new"),
                Path::new(&folder).join("survivor"),
            )
            .unwrap();
            survivor.wait().unwrap();
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let this = "browser::chromium::owner::tests::a_folder_is_left_over_when_its_owner_was_killed_and_not_before";
        let program = std::env::current_exe().unwrap();
        let mut owner = Command::new(program);
        owner
            .args(["--exact", this])
            .env(OWNED, folder.path())
            .stdout(Stdio::null());
        let mut owner = Ended(owner.spawn().unwrap());
        let begin = Instant::now();
        let survivor = loop {
            if let Ok(pid) = fs::read_to_string(folder.path().join("survivor")) {
                break pid;
            }
            assert!(
                begin.elapsed() < Duration::from_mins(1),
                "the owner did not start"
            );
            assert!(owner.0.try_wait().unwrap().is_none(), "the owner ended");
            std::thread::sleep(Duration::from_millis(10));
        };
        let before = LeftOver::find(folder.path()).is_some();
        drop(owner);
        let after = LeftOver::find(folder.path()).is_some();
        let survived = Command::new("kill")
            .arg(&survivor)
            .status()
            .unwrap()
            .success();
        assert_eq!(
            (before, after, survived),
            (false, true, true),
            "left over before and after, and a child lives"
        );
    }

    #[test]
    fn an_owner_of_this_process_keeps_its_folder_too() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::of(folder.path()).unwrap();
        assert!(LeftOver::find(folder.path()).is_none());
        drop(owner);
        let first = soon(folder.path());
        assert!(first.is_some());
        assert!(
            LeftOver::find(folder.path()).is_none(),
            "another start is removing it"
        );
        drop(first);
        fs::remove_file(folder.path().join(LOCK)).unwrap();
        assert!(
            LeftOver::find(folder.path()).is_some(),
            "its removal was not finished"
        );
    }

    #[test]
    fn a_folder_that_is_being_made_is_nobodys_to_remove() {
        let folder = tempfile::tempdir().unwrap();
        assert!(LeftOver::find(folder.path()).is_none());
        File::create_new(folder.path().join(LOCK)).unwrap();
        assert!(LeftOver::find(folder.path()).is_none());
        let long_ago = std::time::SystemTime::now() - HALF_MADE * 2;
        File::open(folder.path())
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        assert!(soon(folder.path()).is_some(), "it never got an owner");
        assert!(LeftOver::find(&folder.path().join("none")).is_none());
    }

    #[test]
    fn thousands_of_starts_leave_the_daemons_socket_free() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::of(folder.path()).unwrap();
        for _ in 0..STARTS {
            assert!(LeftOver::find(folder.path()).is_none());
        }
        let (sender, connected) = mpsc::channel();
        let path = folder.path().join(SOCKET);
        // A full queue makes a client wait for ever, so it waits in a thread.
        std::thread::spawn(move || sender.send(UnixStream::connect(path).is_ok()));
        assert_eq!(connected.recv_timeout(Duration::from_secs(30)), Ok(true));
        drop(owner);
    }
}
