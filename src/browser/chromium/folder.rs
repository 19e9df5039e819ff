//! The private folder of one browser, for everything that the browser or playwright-cli writes.
//!
//! Only this user can read the folder, and it is removed at the end. Its owner is the process that started the browser
//! (see `owner`). If an owner was killed, the next start of a browser removes the killed owner's folder. On Linux, that
//! start also kills the browser of that folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use uuid::Uuid;

use super::owner::{LeftOver, Owner};

pub(in crate::browser) const PREFIX: &str = "webwise-browser-";
const SWEPT: &str = "swept";
/// Name of the file that contains the number of the process that ends with the folder: the browser's, or that of
/// playwright-cli's daemon.
const PROCESS: &str = "browser.pid";
/// Folder that is used if no private folder can be created in the system's temporary folder, for example because its
/// path is too long for sockets.
const SHORT_TEMP: &str = "/tmp";
/// Maximum length of a private folder's path, so that there is room for the names of sockets. Unit: bytes. Source: on
/// Linux a socket's path has at most 107 bytes, and Chromium's longest one in this folder uses 47 bytes after it:
/// `/t/org.chromium.Chromium.XXXXXX/SingletonSocket`.
const MAX_PATH: usize = 60;
/// Longest time for the browser's process to end, before it is killed. Source: it takes 0.2 s; this crate promises that
/// a browser ends within 3 s.
const GRACE: Duration = Duration::from_millis(2500);
/// Pause between two checks whether the process has ended. Source: chosen.
const POLL: Duration = Duration::from_millis(20);

/// Maximum number of attempts to create a folder. Source: chosen; an attempt is repeated only if another browser, as it
/// starts, removes the new folder before it is locked.
const TAKINGS: u32 = 10;
/// Maximum number of attempts to remove a folder. An attempt fails if the last processes of a browser still write to
/// the folder. Source: chosen; usually the first attempt succeeds.
const REMOVALS: u32 = 20;
/// Pause between two attempts to remove a folder. Source: chosen.
const REMOVE_AGAIN: Duration = Duration::from_millis(100);

/// The private folder of one browser. Dropping it ends the browser's process and removes the folder.
#[derive(Debug)]
pub(in crate::browser) struct Folder {
    path: PathBuf,
    /// The number of the process that ends with the folder; 0 if there is none.
    process: AtomicU32,
    owner: Option<Owner>,
}

impl Folder {
    /// Creates a private folder in `base`, with the subfolders `inside`. First removes private folders in `base` whose
    /// owners have ended.
    pub(in crate::browser) fn create(base: &Path, inside: &[&str]) -> io::Result<Self> {
        let base = base.canonicalize()?;
        sweep(&base);
        let mut folder = Self::own_new(&base);
        for _ in 1..TAKINGS {
            // Another start removed the folder before it was locked.
            let is_lost = |error: &io::Error| {
                matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
                )
            };
            if !folder.as_ref().is_err_and(is_lost) {
                break;
            }
            folder = Self::own_new(&base);
        }
        let folder = folder?;
        for name in inside {
            create_private_folder(&folder.file(name))?;
        }
        Ok(folder)
    }

    fn own_new(base: &Path) -> io::Result<Self> {
        let id = Uuid::new_v4().simple().to_string();
        let path = base.join(format!("{PREFIX}{}", &id[..12]));
        if path.as_os_str().len() > MAX_PATH {
            let why = format!(
                "the working folder's path is longer than {MAX_PATH} bytes: {}",
                path.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        create_private_folder(&path)?;
        let owner = Owner::of(&path).inspect_err(|_| _ = fs::remove_dir_all(&path))?;
        Ok(Self {
            process: AtomicU32::new(0),
            owner: Some(owner),
            path,
        })
    }

    /// Creates a private folder with the subfolders `inside`. The private folder is created in `chosen`; if `chosen` is
    /// `None`, in the system's temporary folder or, if this fails, in [`SHORT_TEMP`].
    pub(in crate::browser) fn create_for(
        chosen: Option<&Path>,
        inside: &[&str],
    ) -> io::Result<Self> {
        match chosen {
            Some(base) => Self::create(base, inside),
            None => Self::create_in_first(&[&std::env::temp_dir(), Path::new(SHORT_TEMP)], inside),
        }
    }

    /// Creates a private folder in the first of `bases` in which this succeeds. Otherwise returns the error of the
    /// first attempt.
    fn create_in_first(bases: &[&Path], inside: &[&str]) -> io::Result<Self> {
        let mut first = None;
        for base in bases {
            match Self::create(base, inside) {
                Ok(folder) => return Ok(folder),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        Err(first.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    pub(in crate::browser) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file or subfolder. `name` must be chosen by this crate, because it is not checked.
    pub(in crate::browser) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Sets the process that is ended before the folder is removed. On Linux, the process is killed only if its command
    /// line contains the folder's path.
    pub(in crate::browser) fn set_process(&self, pid: u32) -> io::Result<()> {
        self.process.store(pid, Ordering::Relaxed);
        write_private(&self.file(PROCESS), pid.to_string().as_bytes())
    }

    /// Waits for the process to end, or kills it, and then removes the folder.
    pub(in crate::browser) async fn end(&self) -> io::Result<()> {
        let pid = self.process.load(Ordering::Relaxed);
        let mut waited = Duration::ZERO;
        while lives(pid, &self.path) && waited < GRACE {
            tokio::time::sleep(POLL).await;
            waited += POLL;
        }
        if is_process_of(pid, &self.path) {
            kill(pid);
        }
        // The process is forgotten only here: if this future is dropped while it waits, dropping the folder still
        // kills it.
        self.process.store(0, Ordering::Relaxed);
        for _ in 0..REMOVALS {
            if remove(&self.path).is_ok() {
                return Ok(());
            }
            tokio::time::sleep(REMOVE_AGAIN).await;
        }
        remove(&self.path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing the socket ends playwright-cli's daemon. The code below makes sure that the process ends.
        drop(self.owner.take());
        let (pid, path) = (*self.process.get_mut(), std::mem::take(&mut self.path));
        if pid == 0 && remove(&path).is_ok() {
            return;
        }
        let reap = move || {
            let mut waited = Duration::ZERO;
            while lives(pid, &path) && waited < GRACE {
                std::thread::sleep(POLL);
                waited += POLL;
            }
            if is_process_of(pid, &path) {
                kill(pid);
            }
            for _ in 0..REMOVALS {
                if remove(&path).is_ok() {
                    break;
                }
                std::thread::sleep(REMOVE_AGAIN);
            }
        };
        // If no thread can be started, the process still ends by itself, and a later start removes the folder.
        let _ = std::thread::Builder::new()
            .name("webwise-reaper".into())
            .spawn(reap);
    }
}

/// Removes a folder, its subfolders first. If this fails, the lock file and [`PROCESS`] are usually still there for a
/// later start.
fn remove(path: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            gone(fs::remove_dir_all(entry.path()))?;
        }
    }
    gone(fs::remove_dir_all(path))
}

pub(in crate::browser) fn create_private_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        fs::DirBuilder::new().mode(0o700).create(path)
    }
    #[cfg(not(unix))]
    fs::create_dir(path)
}

/// Writes a file that only this user can read. Fails if the file exists.
pub(in crate::browser) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    io::Write::write_all(&mut create_private(path)?, bytes)
}

/// Creates a file that only this user can read, open for writing. Fails if the file exists.
pub(in crate::browser) fn create_private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns true while the folder's process, or another process of its group, is running. Such a process may create the
/// folder again. The browser of playwright-cli's daemon is not seen, because it has a group of its own.
fn lives(pid: u32, folder: &Path) -> bool {
    is_process_of(pid, folder) || is_group_left(pid)
}

#[cfg(unix)]
fn is_group_left(leader: u32) -> bool {
    let group = i32::try_from(leader)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    group.is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
        && has_living(leader)
}

/// Returns true if a process of this group is running. An ended process whose exit status nobody has collected does not
/// count.
#[cfg(target_os = "linux")]
fn has_living(group: u32) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return true;
    };
    let runs = |process: fs::DirEntry| {
        // The process ended after the folder was listed, or the entry is not a process.
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        // The process name, in brackets, may contain anything; the state, the parent and the group follow it.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?;
        let of: u32 = fields.nth(1)?.parse().ok()?;
        Some(of == group && !matches!(state, "Z" | "X"))
    };
    processes
        .flatten()
        .any(|process| runs(process).unwrap_or(false))
}

/// Always returns true, because callers ask only about a group that exists. Outside Linux, such a group contains a
/// running process, because ended processes soon leave it.
#[cfg(all(unix, not(target_os = "linux")))]
fn has_living(_: u32) -> bool {
    true
}

#[cfg(not(unix))]
fn is_group_left(_: u32) -> bool {
    false
}

/// Returns true if the command line of this process contains the path of the folder.
#[cfg(target_os = "linux")]
fn is_process_of(pid: u32, folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder.as_os_str().as_bytes();
    pid != 0
        && fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.windows(folder.len()).any(|w| w == folder))
}

/// Returns true if a process with this number exists. Outside Linux, nothing else is checked.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_process_of(pid: u32, _: &Path) -> bool {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

#[cfg(not(unix))]
fn is_process_of(_: u32, _: &Path) -> bool {
    false
}

fn kill(pid: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // The process may have ended after the check, which is fine.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = pid;
}

/// Removes the private folders in `base` whose owners have ended. On Linux, also kills their browsers.
pub(super) fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let folder = entry.path();
        let Some(_left_over) = LeftOver::find(&folder) else {
            continue;
        };
        let pid = fs::read_to_string(folder.join(PROCESS))
            .ok()
            .and_then(|text| text.trim().parse().ok());
        // By now another process may have this number. So a process is killed only on Linux, where its command line can
        // be read.
        if cfg!(target_os = "linux")
            && let Some(pid) = pid.filter(|pid| is_process_of(*pid, &folder))
        {
            kill(pid);
        }
        // The folder is renamed first, so that a new owner that is just taking it finds nothing to lock.
        let swept = folder.with_extension(SWEPT);
        let there = fs::rename(&folder, &swept).map_or(&folder, |()| &swept);
        let _ = remove(there);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn nobody_else_can_look_into_the_folder() {
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::create(base.path(), &[]).unwrap();
        folder.set_process(0).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(folder.path()), mode(&folder.file(PROCESS))),
            (0o700, 0o600)
        );
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn the_next_start_sweeps_what_has_no_owner_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let living = Folder::create(base.path(), &[]).unwrap();
        let dead = base.path().join(format!("{PREFIX}dead"));
        fs::create_dir(&dead).unwrap();
        // As after a kill: the lock is free and the files are there.
        drop(Owner::of(&dead).unwrap());
        let half_made = base.path().join(format!("{PREFIX}half"));
        fs::create_dir(&half_made).unwrap();
        let foreign = base.path().join("other");
        fs::create_dir(&foreign).unwrap();

        // Another test that is just starting a program holds a copy of the lock for a moment.
        let starts = (0..500).map(|_| Folder::create(base.path(), &[]).unwrap());
        let second = starts
            .into_iter()
            .find(|_| !dead.exists())
            .expect("what has no owner is swept");
        assert!(
            living.path().exists()
                && !half_made.exists()
                && foreign.exists()
                && second.path().exists()
        );
    }

    #[cfg(target_os = "linux")]
    #[tokio::test(start_paused = true)]
    async fn what_has_ended_and_was_not_asked_for_is_not_waited_for() {
        use std::os::unix::process::CommandExt as _;
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::create(base.path(), &[]).unwrap();
        let mut sleeper = std::process::Command::new("sleep");
        let mut child = sleeper.arg("600").process_group(0).spawn().unwrap();
        folder.set_process(child.id()).unwrap();
        assert!(lives(child.id(), folder.path()));
        child.kill().unwrap();
        let stat = || fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        while !stat().contains(") Z ") {
            std::thread::yield_now();
        }
        assert!(!lives(child.id(), folder.path()));
        // The paused clock moves only if something waits for it.
        let begin = tokio::time::Instant::now();
        folder.end().await.unwrap();
        assert_eq!(begin.elapsed(), Duration::ZERO);
        child.wait().unwrap();
    }

    #[test]
    fn a_path_too_long_for_sockets_is_refused_at_once() {
        let base = tempfile::tempdir().unwrap();
        let deep = base.path().join("x".repeat(60));
        fs::create_dir(&deep).unwrap();
        assert_eq!(
            Folder::create(&deep, &[]).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
        let folder = Folder::create_in_first(&[&deep, base.path()], &[]).unwrap();
        assert_eq!(
            folder.path().parent().unwrap(),
            base.path().canonicalize().unwrap()
        );
        let error = Folder::create_in_first(&[&deep, Path::new("/nonexistent")], &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
