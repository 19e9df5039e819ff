//! Ownership of a private folder. The owner is the process that started the browser. No browser outlives its owner, and
//! nobody removes the folder of a living owner.
//!
//! The kernel releases two things when the owner ends for any reason:
//!
//! - a lock on a file in the folder. A later start that gets the lock knows that the owner has ended, and removes the
//!   folder.
//! - a listening socket, for playwright-cli's daemon alone. The daemon connects to it once, and ends when the
//!   connection does. Later starts do not connect to the socket to find out if the owner lives: nobody accepts
//!   connections, so these would fill the socket's queue.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Name of the file whose lock the folder's owner holds.
const LOCK: &str = "owner.lock";
/// Name of the socket to which playwright-cli's daemon connects.
#[cfg(unix)]
const SOCKET: &str = "owner.sock";

/// Ownership of a private folder. Dropping this value releases the lock, and ends playwright-cli's daemon.
#[derive(Debug)]
pub(in crate::browser) struct Owner {
    _lock: File,
    #[cfg(unix)]
    _socket: std::os::unix::net::UnixListener,
}

impl Owner {
    /// Takes ownership of a new folder of this user.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` or `NotFound` if another start mistook the folder for a left-over one. The caller must then
    /// create another folder.
    pub(in crate::browser) fn of(folder: &Path) -> io::Result<Self> {
        let path = folder.join(LOCK);
        let lock = File::create_new(&path)?;
        // Another start may have locked the file first; in that case the file is gone when this call returns.
        lock.lock()?;
        if !is_at(&lock, &path)? {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Self {
            _lock: lock,
            #[cfg(unix)]
            _socket: std::os::unix::net::UnixListener::bind(folder.join(SOCKET))?,
        })
    }
}

/// A private folder whose owner has ended. While this value exists, no other start can remove the folder.
#[derive(Debug)]
pub(in crate::browser) struct LeftOver {
    _lock: File,
}

impl LeftOver {
    /// Returns the folder if its owner has ended; `None` if the owner lives, or if this cannot be found out.
    ///
    /// A folder that nobody has locked yet counts as left over. A process that is just taking ownership of it notices
    /// this, and creates another folder.
    pub(in crate::browser) fn find(folder: &Path) -> Option<Self> {
        fs::symlink_metadata(folder).ok().filter(is_ours)?;
        let path = folder.join(LOCK);
        let lock = match File::open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                File::create_new(&path).ok()?
            }
            Err(_) => return None,
        };
        // If this fails, the folder has an owner, or the file system has no locks.
        lock.try_lock().ok()?;
        Some(Self { _lock: lock })
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let (file, there) = (file.metadata()?, fs::metadata(path)?);
    Ok((file.dev(), file.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
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
        time::{Duration, Instant},
    };

    use super::{
        super::folder::{PREFIX, sweep},
        *,
    };

    /// The environment variable with the folder's path, set for the process that owns the folder.
    const OWNED: &str = "WEBWISE_TEST_OWNED_FOLDER";
    /// Number of times that the test looks for an owner, as each start of a browser does. If each search made a
    /// connection to the owner's socket, this many would fill the socket's queue.
    const STARTS: usize = 5000;

    /// A child process that is killed when dropped.
    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// Returns the folder as soon as it counts as left over; `None` if it does not within some 5 seconds. The lock can
    /// outlast its owner for a moment: while another test starts a program, the new process still has a copy of the
    /// owner's open lock file.
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
            // This is the owner. The process that it starts survives it and must not keep the folder.
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
    fn a_folder_is_its_owners_or_left_over_at_every_moment_of_its_making() {
        let new = || {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().to_owned();
            (folder, path)
        };
        // The owner was killed before it made the lock file, or before it locked the file.
        let (_empty, empty) = new();
        assert!(LeftOver::find(&empty).is_some());
        let (_unlocked, unlocked) = new();
        File::create_new(unlocked.join(LOCK)).unwrap();
        assert!(soon(&unlocked).is_some());
        assert!(LeftOver::find(&empty.join("none")).is_none());

        // A folder that is removed while an owner takes it: the owner loses, whichever step it had come to.
        let lost = |folder: &Path| Owner::of(folder).unwrap_err().kind();
        let (_before, before) = new();
        let sweeps = LeftOver::find(&before);
        assert_eq!(lost(&before), io::ErrorKind::AlreadyExists);
        drop(sweeps);
        fs::remove_dir_all(&before).unwrap();
        assert_eq!(lost(&before), io::ErrorKind::NotFound);
        let (_between, between) = new();
        let made = File::create_new(between.join(LOCK)).unwrap();
        fs::remove_file(between.join(LOCK)).unwrap();
        assert!(is_at(&made, &between.join(LOCK)).is_err());
        File::create_new(between.join(LOCK)).unwrap();
        assert!(!is_at(&made, &between.join(LOCK)).unwrap());
    }

    #[test]
    fn starts_that_sweep_at_once_take_no_folder_from_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path();
        let start = |name: u32| {
            let folder = base.join(format!("{PREFIX}{name}"));
            fs::create_dir(&folder).unwrap();
            match Owner::of(&folder) {
                Ok(owner) => Some((folder, owner)),
                Err(error) => {
                    let lost = [io::ErrorKind::AlreadyExists, io::ErrorKind::NotFound];
                    assert!(lost.contains(&error.kind()), "{error}");
                    None
                }
            }
        };
        let owned: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..4u32)
                .map(|worker| {
                    let one = move |nth| {
                        sweep(base);
                        start(worker * 100 + nth)
                    };
                    scope.spawn(move || (0..50).filter_map(one).collect::<Vec<_>>())
                })
                .collect();
            let owned = starts.into_iter().map(|start| start.join().unwrap());
            owned.flatten().collect()
        });
        assert!(!owned.is_empty());
        for (folder, _) in &owned {
            assert!(folder.join(LOCK).exists() && folder.join(SOCKET).exists());
        }
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
