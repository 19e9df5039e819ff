//! The programs that write and are killed: this one, started again.

use std::{
    env,
    io::{self, Write as _},
    os::{fd::AsFd as _, unix::net::UnixStream},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread,
};

use webwise::{Error, ErrorKind, store::MemoryBackend as _};

use crate::store_crash::{family, runs, shelf};

/// What a child is to do.
const JOB: &str = "WEBWISE_STORE_CRASH_JOB";
/// Where its store is.
const PLACE: &str = "WEBWISE_STORE_CRASH_PLACE";
/// The exit code of a child whose update was acknowledged.
pub(crate) const ACKNOWLEDGED: i32 = 10;
/// The exit code of a child whose update was refused; it has said why.
pub(crate) const REFUSED: i32 = 11;

/// A child that is going to do this.
pub(crate) fn command(job: &str, place: &Path) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program has a place"));
    command
        .env(JOB, job)
        .env(PLACE, place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Does what a child is to do, if this is one.
pub(crate) fn main() -> Option<ExitCode> {
    let job = env::var(JOB).ok()?;
    let place = PathBuf::from(env::var_os(PLACE).expect("the parent says where"));
    match job.as_str() {
        "forever" => forever(&place),
        "once" => return Some(once(&place)),
        job if runs::does(job) => runs::child(job, &place),
        job => family::child(job, &place),
    }
    Some(ExitCode::SUCCESS)
}

/// A child that nobody is going to kill any more ends with its parent.
pub(crate) fn end_with_parent() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(1);
    });
}

/// Tells the parent, in one piece.
pub(crate) fn tell(line: &str) {
    let line = format!("{line}\n");
    let mut out = io::stdout().lock();
    if out
        .write_all(line.as_bytes())
        .and_then(|()| out.flush())
        .is_err()
    {
        std::process::exit(1);
    }
}

/// Writes round and round and tells each generation that was acknowledged.
fn forever(place: &Path) {
    end_with_parent();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let store = shelf::open(place);
        loop {
            match store.update(&shelf::shelf(), shelf::count()).await {
                Ok(committed) => tell(&committed.generation.to_string()),
                Err(error) => {
                    tell(&format!("refused: {error:?}"));
                    return;
                }
            }
        }
    });
}

/// Writes once, when it is told to. Its threads are there before that, so that whoever watches its system calls from then on
/// sees those of the store.
fn once(place: &Path) -> ExitCode {
    // Any tracer may attach; where the system does not know the question, it does not forbid it either.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_ptracer(rustix::process::PTracer::Any);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let input = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .expect("the parent has given a socket");
    let mut parent = UnixStream::from(input);
    let done = runtime.block_on(async {
        tokio::task::spawn_blocking(|| ())
            .await
            .expect("a thread can be started");
        let store = shelf::open(place);
        parent.write_all(b"r").expect("the parent waits");
        io::Read::read_exact(&mut parent, &mut [0]).expect("the parent says when");
        store.update(&shelf::shelf(), shelf::count()).await
    });
    // An exit code and no word, because writing it might be what fails. So does ending in order.
    let code = match done {
        Ok(_) => ACKNOWLEDGED,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error:?}");
            REFUSED
        }
    };
    std::process::exit(code)
}

/// Whether trying again is all that has to be done.
pub(crate) fn is_busy(error: &Error) -> bool {
    error.kind() == ErrorKind::Busy
}
