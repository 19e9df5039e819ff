//! A socket between a store and its server, at which a test loses connections and answers.

use std::{
    io::{Read, Write as _},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    thread,
};

use tempfile::TempDir;

use crate::store_postgres::server::SOCKET;

/// The end of a client's request to commit, as the protocol has it.
const COMMIT: &[u8] = b"COMMIT\0";

/// What happens to the next commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Commit {
    /// It arrives, and so does its answer.
    Passes,
    /// The connection is lost before it arrives.
    IsLost,
    /// It arrives; the connection is lost before the answer does.
    LosesItsAnswer,
    /// It does not arrive, and nobody says so.
    IsSwallowed,
}

impl Commit {
    const ALL: [Self; 4] = [
        Self::Passes,
        Self::IsLost,
        Self::LosesItsAnswer,
        Self::IsSwallowed,
    ];
}

/// The socket in the middle. Its threads end with the connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    folder: TempDir,
    next: Arc<AtomicU8>,
}

impl Proxy {
    pub(crate) fn before(server: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder for its socket");
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("a free name");
        let (server, next) = (server.join(SOCKET), Arc::new(AtomicU8::default()));
        let of_all = Arc::clone(&next);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (server, next) = (server.clone(), Arc::clone(&of_all));
                thread::spawn(move || pass(client, &server, &next));
            }
        });
        Self { folder, next }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Says what happens to the next commit. The ones after it pass.
    pub(crate) fn next(&self, commit: Commit) {
        self.next.store(commit as u8, Ordering::SeqCst);
    }
}

fn pass(mut client: UnixStream, server: &Path, next: &AtomicU8) {
    let mut server = UnixStream::connect(server).expect("the server is there");
    let (mut answers, mut back) = (
        server.try_clone().expect("a second handle"),
        client.try_clone().expect("a second handle"),
    );
    let lost = Arc::new(AtomicBool::new(false));
    let is_lost = Arc::clone(&lost);
    let answering = thread::spawn(move || {
        let mut bytes = [0; 8_192];
        loop {
            let read = answers.read(&mut bytes).unwrap_or(0);
            // The answer has come, so the change is stored.
            let is_lost = is_lost.load(Ordering::SeqCst);
            if read == 0 || is_lost || back.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        let _ = back.shutdown(Shutdown::Both);
        let _ = answers.shutdown(Shutdown::Both);
    });
    let mut bytes = [0; 8_192];
    loop {
        let read = client.read(&mut bytes).unwrap_or(0);
        let request = &bytes[..read];
        let mut what = Commit::Passes;
        if request.ends_with(COMMIT) {
            what = Commit::ALL[usize::from(next.swap(0, Ordering::SeqCst))];
        }
        match what {
            Commit::IsSwallowed => continue,
            Commit::LosesItsAnswer => lost.store(true, Ordering::SeqCst),
            Commit::Passes | Commit::IsLost => {}
        }
        if read == 0 || what == Commit::IsLost || server.write_all(request).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = client.shutdown(Shutdown::Both);
    let _ = answering.join();
}
