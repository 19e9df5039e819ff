//! A Chromium that runs by itself with remote debugging, for drivers that attach. Include it with `#[path]`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use webwise::browser::ProgramPlaces;

/// The browser; it ends with this.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    port: u16,
    profile: tempfile::TempDir,
}

impl Running {
    /// Starts it on a free port of loopback.
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// The same on a screen that has two pixels for each of a page's in both directions, in a window of usual size.
    pub(crate) async fn start_dense() -> Self {
        Self::start_with(&["--force-device-scale-factor=2", "--window-size=1280,900"]).await
    }

    async fn start_with(arguments: &'static [&'static str]) -> Self {
        let program = ProgramPlaces::from_env().chromium().expect(
            "Chromium is needed: run `cargo run --features full --example test_beds` first",
        );
        let profile = tempfile::Builder::new()
            .prefix("ww")
            .tempdir_in("/tmp")
            .expect("a folder for the profile");
        let start = move || {
            let mut command = Command::new(program);
            command
                .args([
                    "--headless=new",
                    "--no-sandbox",
                    "--remote-debugging-port=0",
                    "--no-first-run",
                    "--disable-gpu",
                ])
                .args(arguments)
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg("about:blank")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            let mut child = command.spawn().expect("Chromium starts");
            let errors = BufReader::new(child.stderr.take().expect("its errors are piped"));
            let mut lines = errors.lines().map_while(Result::ok);
            let line = lines
                .find(|line| line.contains("DevTools listening on"))
                .expect("it says where it listens");
            // It goes on talking, and must not wait for a reader.
            std::thread::spawn(move || lines.count());
            let port = line
                .rsplit("127.0.0.1:")
                .next()
                .and_then(|rest| rest.split('/').next()?.parse().ok());
            Self {
                child,
                port: port.expect("a port"),
                profile,
            }
        };
        tokio::task::spawn_blocking(start).await.expect("it starts")
    }

    /// Where it can be attached to.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Whether it still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_none())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // The program may be a script that started the browser, so all that has its profile ends.
        let profile = self.profile.path().display().to_string();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let pid = entry.file_name().to_string_lossy().parse().ok();
            if let Some(pid) = pid.and_then(Pid::from_raw)
                && String::from_utf8_lossy(&arguments).contains(&profile)
            {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        let _ = self.child.wait();
    }
}
